/* msf.h - the container of a PDB: streams that are cut into blocks (LLVM, "The MSF File Format").
 *
 * Bytes of a stream that lie one block behind the other are borrowed; others are put together in
 * memory.  All streams together are at most twice as large as the file: what a damaged directory
 * lets several streams share beyond that is not read. */
#ifndef HEFT_DEBUG_CODEVIEW_MSF_H
#define HEFT_DEBUG_CODEVIEW_MSF_H

#include "base/arena.h"
#include "base/reader.h"

struct msf {
	struct bytes file; /* borrowed */
	uint32_t block_size, block_count;
	struct bytes directory;
	uint32_t stream_count;
	uint64_t *starts; /* of the lists of their blocks, in the directory */
	uint64_t left;    /* bytes that may be put together yet */
	struct arena arena;
};

/* Whether the bytes begin like one. */
bool msf_matches(struct bytes b);
/* False where the header or the directory is damaged; msf_close may be called nevertheless. */
bool msf_open(struct msf *m, struct bytes file);
void msf_close(struct msf *m);
/* The bytes of a stream, until msf_close; none where it is damaged or there is none. */
struct bytes msf_stream(struct msf *m, uint32_t index);

#endif
