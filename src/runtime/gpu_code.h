/* gpu_code.h - finds the code for graphics processors that a program carries for the runtimes of
 * CUDA, HIP, OpenMP and SYCL.
 *
 * NVIDIA's fat binaries: blocks of the bytes 50 ed 55 ba, a version, the size of their header (2
 * bytes each) and the size of the rest (8). The rest has entries: a kind (1 is PTX, 2 an ELF file,
 * 8 code for the linker's optimiser), a version (2 bytes each), sizes of header (4) and payload
 * (8), the packed size (4), at 28 the architecture, at 40 flags (bit 20: "a", bit 21: "f"), at 56
 * the unpacked size (layout by experiment with CUDA 13). Bundles of clang:
 * "__CLANG_OFFLOAD_BUNDLE__", a count, then for each entry offset, size and length of the target's
 * name (8 bytes each) and the name (Clang documentation, "Clang Offload Bundler"). Packed bundles
 * begin with "CCOB", a version and a method (2 bytes each; 1 is zstd, else zlib). From version 2 on
 * follows the total size, then the unpacked size (4 bytes each, from version 3 on 8) and a hash of
 * 8 bytes. LLVM's offload binaries (Clang documentation, "Clang Offload Packager"): the bytes 10 ff
 * 10 ad, a version (4 bytes), the whole size, offset and size of an entry (8 each). The entry: kind
 * of the code, kind of the runtime (2 bytes each), flags (4), offset and number of its texts,
 * offset and size of the code (8 each). A text is an offset of its key and one of its value. */
#pragma once

#include "base/reader.h"
#include "base/text.h"

enum gpu_form {
	GPU_TABLES, /* Headers and tables of contents */
	GPU_CODE,   /* A file with instructions of a graphics processor, mostly ELF */
	GPU_PTX,
	GPU_LTO, /* Code that a linker still optimises: NVIDIA's, LLVM's bitcode */
	GPU_SPIRV,
};

struct gpu_piece {
	enum gpu_form form;
	struct str target;  /* Processor or architecture, such as "sm_90a", "compute_90",
			     * "gfx906:xnack-" */
	uint64_t off, size; /* The piece with its header. Size 0 if it shares packed bytes */
	/* The code is `length` bytes, from `base` on in the payload. The payload is at `at`. It has
	 * `stored` bytes, and if it is compressed, unpacks to `unpacked` bytes. */
	uint64_t at, stored, unpacked;
	uint64_t base, length;
	struct bytes code; /* The code, unpacked. Empty if it cannot be unpacked */
};

/* Called for each piece. The piece, with its `code`, is valid only during the call. */
typedef void gpu_visit(void *ctx, const struct gpu_piece *p);

/* True if the bytes begin with the magic number of a format with GPU code. */
bool gpu_code_begins(struct bytes b);
/* True if a section of this name has only code for graphics processors. Other sections may have
 * such code among data. */
bool gpu_code_alone(struct str section);
/* Calls `visit` for each piece of GPU code in `b`. A piece that encloses others comes after them.
 * Skips bytes of unknown formats, and zeros. Returns the number of bytes of unknown formats. *first
 * is the offset of the first such byte, or b.size. */
uint64_t gpu_code_walk(struct bytes b, gpu_visit *visit, void *ctx, uint64_t *first);
/* Returns where bytes [off, off + size) of the piece's code are in the bytes that were walked. The
 * size is 0 if they are not there. Packed bytes are counted in proportion to the unpacked bytes. */
struct bytes_place {
	uint64_t off, size;
};
struct bytes_place gpu_piece_place(const struct gpu_piece *p, uint64_t off, uint64_t size);
