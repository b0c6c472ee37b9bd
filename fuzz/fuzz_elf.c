/* An ELF file as a whole: what image.h promises of every image that opens. */
#include "image_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	check_parse(elf_parse, (struct bytes){ data, size });
	return 0;
}
