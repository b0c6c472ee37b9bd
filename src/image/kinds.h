/* kinds.h - the table of file kinds: what a file is, and what it can be asked for.
 *
 * Every command that opens a file asks this table.  A kind whose parser is in a higher room stands
 * here with its name and its magic alone: that room opens it.  Recognition looks at the first
 * bytes only, so it works on what is packed in a file as well. */
#ifndef HEFT_IMAGE_KINDS_H
#define HEFT_IMAGE_KINDS_H

#include "base/err.h"
#include "base/reader.h"

enum file_kind {
	KIND_PROGRAM, /* linked: a program or library */
	KIND_OBJECT,
	KIND_ARCHIVE,
	KIND_UNIVERSAL, /* programs or archives, one for each machine */
	KIND_CORE,
	KIND_CORE_HEADERS, /* a core of which heft reads headers only */
	KIND_LINKER_MAP,
	KIND_PACKAGE,
	KIND_DEX,
	KIND_PAK,
	KIND_SIZE,
	KIND_SIZEDIFF,
	KIND_RECORDING,
	KIND_SAMPLES,
	KIND_PDB,
	KIND_DATABASE,
	KIND_FOREIGN, /* heft knows its name, and reads none */
	KIND_UNKNOWN,
	KIND_COUNT
};

/* What a file is opened for; it names the command in messages. */
enum file_use {
	USE_SIZE, /* profiles, and what is made of them */
	USE_INFO,
	USE_SYMBOLS, /* snapshots, and what is made of them */
	USE_WHERE,
	USE_BLOCKS,
	USE_BLOCK_MAP, /* one map, to be checked or written */
	USE_PROFILE,   /* the program that samples are counted for */
	USE_STACK,
	USE_HEAP,
	USE_DEBUG_FILE,
	USE_MAP,
	USE_SAMPLES,
	USE_COUNT
};

struct image;
struct image_place;
struct input;

struct file_format {
	enum file_kind kind;
	const char *one;    /* as in "FILE is a linker map"; NULL: what the kind is called */
	const char *advice; /* what to do with a file that heft does not read; or NULL */
	bool packs;         /* recognised in a packed file as well */
	/* Either recognises the format: a function, or bytes at an offset. */
	bool (*matches)(struct bytes b);
	struct {
		const char *bytes;
		uint8_t size;
		uint16_t off;
	} magic;
	/* One object file; NULL in other formats. */
	bool (*parse)(struct image *im, const struct image_place *at, struct bytes b,
		      struct notes *notes, struct heft_err *err);
	/* A file of several images, or one that an image is made from: fills the input from its
	 * bytes.  NULL in other formats. */
	bool (*open)(struct input *in, const char *path, struct heft_err *err);
};

/* The format of a file, or of what is packed in it; the last one of the table, of KIND_UNKNOWN,
 * if heft knows none.  Never NULL.  `ret_packed` may be NULL. */
const struct file_format *file_format_of(struct bytes b, bool *ret_packed);
/* The same of bytes that are not unpacked. */
const struct file_format *file_format_of_plain(struct bytes b);
/* Whether heft reads a file of this format for a use. */
bool file_format_serves(const struct file_format *f, enum file_use use);
/* Fails with "FILE is a linker map; heft stack reads programs": HEFT_EUNSUPPORTED; of a file that
 * is too short for any kind HEFT_EFORMAT.  `size` is that of the file. */
bool file_format_refuse(const struct file_format *f, enum file_use use, const char *path,
			uint64_t size, struct heft_err *err);

#endif
