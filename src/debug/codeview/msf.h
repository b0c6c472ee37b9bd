/* msf.h - reads the container of a PDB: streams that are cut into blocks (LLVM, "The MSF File
 * Format").
 *
 * If the blocks of a stream are adjacent, its bytes are borrowed. Otherwise they are copied into
 * one buffer. At most twice the size of the file is copied. Only a damaged directory needs more. */
#pragma once

#include "base/arena.h"
#include "base/reader.h"

struct msf {
	struct bytes file; /* Bytes of the PDB. Borrowed */
	uint32_t block_size, block_count;
	struct bytes directory;
	uint32_t stream_count;
	uint64_t *starts; /* Per stream: offset of its block numbers in the directory */
	uint64_t left;    /* Number of bytes that may still be copied */
	struct arena arena;
};

bool msf_matches(struct bytes b);
/* Opens a container. False if its header or directory is damaged. msf_close() is always allowed. */
bool msf_open(struct msf *m, struct bytes file);
void msf_close(struct msf *m);
/* Returns the bytes of a stream, valid until msf_close(). Empty if it is damaged or absent. */
struct bytes msf_stream(struct msf *m, uint32_t index);
