/* A WebAssembly module or object: what image.h promises of every image that opens. */
#include "image_check.h"
#include "image/wasm/wasm.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (wasm_matches((struct bytes){ data, size }))
		check_parse(wasm_parse, (struct bytes){ data, size });
	return 0;
}
