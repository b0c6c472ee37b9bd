/* wasm.h - WebAssembly modules and relocatable objects (WebAssembly Core Specification 3.0,
 * chapter 5 "Binary Format"; "WebAssembly Object File Linking" and "Name Section" of the tool
 * conventions).
 *
 * The VM image of a module has two spaces, which a machine keeps apart.  Code stands from address 0
 * on, counted from the contents of the code section as debug info does.  Data stand at
 * WASM_DATA_BASE + their address in memory; passive ones and those whose address is only known
 * when the module is loaded stand behind WASM_LOOSE_BASE. */
#ifndef HEFT_IMAGE_WASM_WASM_H
#define HEFT_IMAGE_WASM_WASM_H

#include "image/image.h"

#define WASM_DATA_BASE  (UINT64_C(1) << 48)
#define WASM_LOOSE_BASE (UINT64_C(1) << 49)

bool wasm_matches(struct bytes bytes);
/* False only where the header is damaged or of another version. */
bool wasm_parse(struct image *im, const struct image_place *at, struct bytes bytes,
		struct notes *notes, struct heft_err *err);

#endif
