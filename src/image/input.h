/* input.h - an input file: one image, or an archive of them, or a linker map, which is the image of
 * the program that it tells of (linkmap_image.h).
 *
 * The parts of an archive that are no image (magic, member headers, name and symbol
 * tables, members of other kinds) are listed, so that with the images they cover the
 * file without overlap. */
#ifndef HEFT_IMAGE_INPUT_H
#define HEFT_IMAGE_INPUT_H

#include "image/image.h"
#include "image/kinds.h"

enum ar_part_kind {
	AR_HEADERS,        /* magic, member headers, long-name table, padding */
	AR_SYMBOL_TABLE,   /* GNU "/", "/SYM64/", BSD "__.SYMDEF" ... */
	AR_OTHER_MEMBER,   /* a member that is no object heft reads */
	FAT_HEADERS,       /* of a Mach-O universal file */
	FAT_PADDING,       /* between its slices */
	COMPONENT_HEADERS, /* of WebAssembly components, and of their sections with modules */
	COMPONENT_SECTION, /* one that says how modules are put together */
};

struct ar_part {
	enum ar_part_kind kind;
	uint64_t off, size; /* in the file */
	struct str member;  /* AR_HEADERS of no member: "" */
};

/* A member of a thin archive, which lies outside of it. */
struct ar_outside {
	struct str path;  /* as the archive gives it */
	const char *from; /* the archive, from whose folder a relative path counts */
	uint64_t header;  /* of the member, in the input */
	uint64_t origin;  /* of the header in the archive at the path; 0: the file itself */
	uint64_t time;
	size_t image; /* the first image that it gave; SIZE_MAX: none */
};

struct linkmap;

struct input {
	const struct file_format *format;
	/* Of a linker map its bytes are those of the program's sections. */
	struct file file;
	bool archive, thin;
	bool fat;       /* an archive, too: a Mach-O universal file, whose members are its slices */
	bool component; /* an archive, too: a WebAssembly component, of modules */
	struct image *images; /* owned; one unless archive */
	size_t image_count;
	VEC(struct ar_part) parts;
	struct linkmap *linkmap; /* the file is a linker map, of which the image is made; or NULL */
	/* The bytes of an image that was made of a map; those of `file` are its first. */
	void *owned;
	/* Members of a thin archive.  Their bytes follow those of `file`, one after the other, as
	 * in an ordinary archive; images and parts lie there, in `outside_size` bytes. */
	VEC(struct ar_outside) outside; /* by header */
	VEC(struct file) outside_files;
	uint64_t outside_size;
	struct arena arena;
	struct notes *notes; /* borrowed */
};

/* Opens and parses; a file may be packed (unpack.h), `file` is then what was packed.  False where
 * the file cannot be read, its kind is not for this use, or its own headers are damaged.  A damaged
 * archive member is a note and an AR_OTHER_MEMBER. */
bool input_open(struct input *in, const char *path, enum file_use use, struct notes *notes,
		struct heft_err *err);
/* The same of a file that is open, which belongs to the input from then on, also on failure. */
bool input_adopt(struct input *in, struct file *f, enum file_use use, struct notes *notes,
		 struct heft_err *err);
/* Bytes of the file, and of members outside it. */
static inline uint64_t input_size(const struct input *in)
{
	return in->file.bytes.size + in->outside_size;
}
/* Whether positions in `file` are those of the file on disk. */
static inline bool input_has_offsets(const struct input *in)
{
	return !in->linkmap;
}
/* input_open from bytes in memory (tests, fuzzing, .gnu_debugdata); `path` is for messages. */
bool input_parse(struct input *in, const char *path, struct bytes bytes, struct notes *notes,
		 struct heft_err *err);
/* Makes of a universal file its slice for an architecture, as if that were the file; other files
 * stay what they are.  `arch` NULL: nothing is done.  HEFT_EARG where there is no such slice. */
bool input_take_slice(struct input *in, const char *path, const char *arch, struct heft_err *err);
/* "lib.a(member.o)": a file, and one of its members.  False for other paths. */
bool input_member_split(const char *path, struct str *ret_file, struct str *ret_member);
/* Makes of an archive its member of this name, as if that were the file.  HEFT_EARG where there is
 * no such member. */
bool input_take_member(struct input *in, const char *path, struct str member, struct heft_err *err);
void input_close(struct input *in);
/* The path of a member of the thin archive at `path`, from where the archive lies. */
const char *input_member_path(struct arena *a, const char *path, struct str member);

/* ar.c: fills in->images, parts, outside from in->file.bytes.  Opens files that a thin archive
 * names where the input is a file; what cannot be opened is a note. */
bool ar_matches(struct bytes bytes);
bool ar_parse(struct input *in, const char *path, struct heft_err *err);
/* macho/fat.c: the same of a Mach-O universal file.  Each slice has VM addresses of its own, 2^52
 * apart. */
bool fat_matches(struct bytes bytes);
bool fat_parse(struct input *in, const char *path, struct heft_err *err);

/* wasm/component.c: the same of a WebAssembly component; modules have VM addresses as slices. */
bool component_matches(struct bytes bytes);
bool component_parse(struct input *in, const char *path, struct heft_err *err);
/* Makes the image of a linker map. */
bool linkmap_input(struct input *in, const char *path, struct heft_err *err);

#endif
