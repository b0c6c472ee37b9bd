/* Input: UF2.  What raw.h promises holds. */
#include "raw_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	raw_check(data, size);
	return 0;
}
