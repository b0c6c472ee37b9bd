/* A PE image, a COFF or import object: what image.h promises of every image that opens. */
#include "image_check.h"
#include "image/pe/pe.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct bytes bytes = { data, size };
	if (pe_matches(bytes))
		check_parse(pe_parse, bytes);
	else if (import_matches(bytes))
		check_parse(import_parse, bytes);
	else if (coff_matches(bytes))
		check_parse(coff_parse, bytes);
	return 0;
}
