/* A Mach-O file: what image.h promises of every image that opens. */
#include "image_check.h"
#include "image/macho/macho.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (macho_matches((struct bytes){ data, size }))
		check_parse(macho_parse, (struct bytes){ data, size });
	return 0;
}
