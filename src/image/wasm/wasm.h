/* wasm.h - parses WebAssembly modules and relocatable objects.
 *
 * Specification: WebAssembly Core Specification 3.0, chapter 5 "Binary Format"; "WebAssembly
 * Object File Linking" and "Name Section" of the tool conventions.
 *
 * The VM image of a module joins two address spaces. Code begins at address 0, as in debug info.
 * Address 0 is the start of the code section's contents. Data is at WASM_DATA_BASE + its address in
 * memory. Passive data, and data whose address is only known at load time, follows
 * WASM_LOOSE_BASE. */
#pragma once

#include "image/image.h"

#define WASM_DATA_BASE  (UINT64_C(1) << 48)
#define WASM_LOOSE_BASE (UINT64_C(1) << 49)

bool wasm_matches(struct bytes bytes);
/* Parses a module. False only if the header is damaged or of another version. */
bool wasm_parse(struct image *im, const struct image_place *at, struct bytes bytes,
		struct notes *notes, struct heft_err *err);
