/* input.h - opens an input file: one image, an archive of images, or a linker map.
 *
 * A linker map becomes an image of the program that it describes (linkmap_image.h). `parts` lists
 * the ranges of an archive that are no image: magic, member headers, name and symbol tables,
 * members of other kinds. Images and parts together cover the file without overlap. */
#pragma once

#include "image/image.h"
#include "image/kinds.h"

enum ar_part_kind {
	AR_HEADERS,        /* Magic, member headers, long-name table and padding */
	AR_SYMBOL_TABLE,   /* Symbol table: GNU "/", "/SYM64/", BSD "__.SYMDEF" ... */
	AR_OTHER_MEMBER,   /* Member that is not an object that heft reads */
	FAT_HEADERS,       /* Headers of a Mach-O universal file */
	FAT_PADDING,       /* Padding between the slices of a Mach-O universal file */
	COMPONENT_HEADERS, /* Headers of WebAssembly components, and of their sections that
			    * contain modules. */
	COMPONENT_SECTION, /* Section of a component that connects its modules */
};

struct ar_part {
	enum ar_part_kind kind;
	uint64_t off, size; /* Range in the file */
	struct str member;  /* Name of the member. "" for AR_HEADERS that belong to no member. */
};

/* A member of a thin archive. Its bytes are in another file. */
struct ar_outside {
	struct str path;  /* Path as the archive states it. */
	const char *from; /* Path of the archive. Relative paths are relative to its folder */
	uint64_t header;  /* Offset of the member's header in the input. */
	uint64_t origin;  /* Offset of the member's header in the archive at `path`. 0 if the
			   * file at `path` is itself the member. */
	size_t image;     /* Index of the member's first image. SIZE_MAX if there is none. */
};

struct linkmap;
struct ar;

/* An archive may be read in portions (a few members at a time) to save memory. A portion ends after
 * this many bytes of members, or after this many sections. */
enum { PORTION_BYTES = 4 << 20, PORTION_SECTIONS = 1 << 13 };

struct input {
	const struct file_format *format;
	/* The file. For a linker map, file.bytes are made by heft: the program's sections. */
	struct file file;
	bool archive, thin;
	bool fat;             /* True for a Mach-O universal file. Its members are slices */
	bool component;       /* True for a WebAssembly component with modules */
	struct image *images; /* Images, owned. One unless `archive` is set */
	size_t image_count, image_cap;
	VEC(struct ar_part) parts;
	uint64_t done; /* All bytes below this offset belong to an image or a part, if `archive`. */
	/* For an archive that is read in portions: images and parts are in the bytes from `begin`
	 * to `done`. `rest` reads the following bytes. NULL if there are none. */
	uint64_t begin;
	uint64_t images_before, sections_before; /* Images and sections of earlier portions. */
	struct ar *rest;
	bool in_portions;
	struct linkmap *linkmap; /* The linker map that the image was made from. NULL if the file
				  * is no linker map. */
	/* Memory of the image made from a linker map. Begins with the bytes of `file`. */
	void *owned;
	/* Members of a thin archive. Their bytes follow the bytes of `file`, one member after the
	 * other, as in an ordinary archive. */
	VEC(struct ar_outside) outside; /* Sorted by the offset of the header. */
	VEC(struct file) outside_files;
	struct arena arena;
	struct notes *notes; /* Borrowed */
};

/* Opens and parses a file. A packed file (unpack.h) is unpacked, and `file` has the unpacked bytes.
 * False if the file cannot be read, if its kind does not support the use, or if its headers are
 * damaged. A damaged archive member becomes a note and an AR_OTHER_MEMBER. */
bool input_open(struct input *in, const char *path, enum file_use use, struct notes *notes,
		struct heft_err *err);
/* Like input_open(), for a file that is already open. The input then owns it, even on failure. */
bool input_adopt(struct input *in, struct file *f, enum file_use use, struct notes *notes,
		 struct heft_err *err);
/* Opens a file like input_open(), but reads only the first portion of an archive. */
bool input_open_portion(struct input *in, const char *path, enum file_use use, struct notes *notes,
			struct heft_err *err);
/* Replaces a portion of an archive by the next one. False, without images, if no bytes follow. */
bool input_next_portion(struct input *in);
/* Returns the bytes of the file. For an archive, returns the bytes up to the end of the portion
 * that was read, with the members in other files. */
static inline uint64_t input_size(const struct input *in)
{
	return in->archive ? in->done : in->file.bytes.size;
}
/* True if the input has only one image, counting all portions. */
static inline bool input_is_one_image(const struct input *in)
{
	return in->image_count == 1 && in->images_before == 0 && !in->rest;
}
/* True if offsets in `file` are offsets in the file on disk. False for a linker map. */
static inline bool input_has_offsets(const struct input *in)
{
	return !in->linkmap;
}
/* Like input_open(), for bytes in memory (tests, fuzzing, .gnu_debugdata). `path` is only for
 * messages. */
bool input_parse(struct input *in, const char *path, struct bytes bytes, struct notes *notes,
		 struct heft_err *err);
/* Replaces a universal file by its slice for the architecture `arch`. Does nothing for other files.
 * Fails with HEFT_EARG if there is no such slice. */
bool input_take_slice(struct input *in, const char *path, const char *arch, struct heft_err *err);
/* Splits "lib.a(member.o)" into the file and the member. False for other paths. */
bool input_member_split(const char *path, struct str *ret_file, struct str *ret_member);
/* Replaces an archive by its member with this name. Fails if there is none (HEFT_EARG), or if heft
 * does not read it for `use`. */
bool input_take_member(struct input *in, enum file_use use, const char *path, struct str member,
		       struct heft_err *err);
void input_close(struct input *in);
/* Returns the path of a member of the thin archive at `path`. A relative member path is relative to
 * the archive's folder. */
const char *input_member_path(struct arena *a, const char *path, struct str member);

/* Add the next bytes from `done` on: an image, or a part that ends at `end`. The input then owns
 * the image. Adjacent parts of one kind and member are merged. */
void input_add_image(struct input *in, const struct image *im);
void input_add_part(struct input *in, enum ar_part_kind kind, uint64_t end, struct str member);

/* ar.c: fill in->images, parts and outside from in->file.bytes. If the input is a file on disk,
 * opens the files that a thin archive names. A file that cannot be opened becomes a note. */
bool ar_matches(struct bytes bytes);
bool ar_parse(struct input *in, const char *path, struct heft_err *err);
/* Reads all further members of an archive, or with in->in_portions only about PORTION_BYTES of
 * them. Closes in->rest at the end of the archive. */
void ar_read(struct input *in);
void ar_close(struct input *in);
/* macho/fat.c: fill in->images with the slices of a universal file. Their VM addresses are 2^52
 * apart. */
bool fat_matches(struct bytes bytes);
bool fat_parse(struct input *in, const char *path, struct heft_err *err);

/* component.c: fill in->images with the modules of a WebAssembly component. Their VM addresses are
 * 2^52 apart. */
bool component_matches(struct bytes bytes);
bool component_parse(struct input *in, const char *path, struct heft_err *err);
/* input.c: makes the image of a linker map. False, with *err, on failure. */
bool linkmap_input(struct input *in, const char *path, struct heft_err *err);
