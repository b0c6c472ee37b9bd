/* kinds.h - the table of file kinds: the kind of a file, and the uses that it supports.
 *
 * Every command that opens a file looks the file up in this table. If the parser of a kind is
 * outside of image/, the table has only its name and magic. Recognition reads only the first bytes
 * of a file, so it also works on the contents of a packed file. */
#pragma once

#include "base/err.h"
#include "base/reader.h"

enum file_kind {
	KIND_PROGRAM, /* Linked: a program or library */
	KIND_OBJECT,
	KIND_ARCHIVE,
	KIND_UNIVERSAL, /* Programs or archives, one per machine */
	KIND_CORE,
	KIND_CORE_HEADERS, /* A core of which heft reads only the headers */
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
	KIND_FOREIGN, /* A format that heft names but does not read */
	KIND_UNKNOWN,
	KIND_COUNT
};

/* Purpose of opening a file. Messages name the commands of this purpose. */
enum file_use {
	USE_SIZE, /* Profiles, and results made from them */
	USE_INFO,
	USE_SYMBOLS, /* Snapshots, and results made from them */
	USE_WHERE,
	USE_WHY,
	USE_ADVICE,
	USE_BLOCKS,
	USE_BLOCK_MAP, /* A block map to check or write */
	USE_PROFILE,   /* The program of a recording with samples */
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
	const char *one;    /* Noun in "FILE is a linker map". NULL to use the kind's noun */
	const char *advice; /* Advice for a file that heft does not read. NULL if there is none */
	bool packs;         /* True if a compressed file may contain this format */
	/* Recognizes the format. NULL if the bytes `magic` recognize it. */
	bool (*matches)(struct bytes b);
	/* Recognizes a format by the first bytes of a file. If NULL, `matches` recognizes it. */
	bool (*begins)(struct bytes head);
	struct {
		const char *bytes;
		uint8_t size;
		uint16_t off;
	} magic;
	/* Parses one object file. NULL for other formats. */
	bool (*parse)(struct image *im, const struct image_place *at, struct bytes b,
		      struct notes *notes, struct heft_err *err);
	/* Fills the input from its bytes, for a file with several images or, like a linker map,
	 * without an image of its own. NULL for other formats. */
	bool (*open)(struct input *in, const char *path, struct heft_err *err);
};

/* Returns the format of a file, or of its packed contents (*ret_packed, if not NULL, tells which).
 * For an unknown format, returns the last entry of the table, with KIND_UNKNOWN. */
const struct file_format *file_format_of(struct bytes b, bool *ret_packed);
/* Returns the format of the bytes as they are: packed bytes have the format of the packer. */
const struct file_format *file_format_of_plain(struct bytes b);
/* True if heft reads files of this format for a use. */
bool file_format_serves(const struct file_format *f, enum file_use use);
/* Fails with HEFT_EUNSUPPORTED and a message like "FILE is a linker map; heft stack reads
 * programs". `size` is the file's size. */
bool file_format_refuse(const struct file_format *f, enum file_use use, const char *path,
			uint64_t size, struct heft_err *err);
