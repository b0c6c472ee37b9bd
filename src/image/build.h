/* build.h - makes the image of a file that is no ELF: a parser adds what it reads, in any order,
 * and build_finish makes the image of it.
 *
 * What is added is clipped to the file and to the address space, so that a parser may hand on what
 * its file states; what is cut off becomes a note.  Names and labels are borrowed and have to live
 * as long as the image (in its arena or its bytes). */
#ifndef HEFT_IMAGE_BUILD_H
#define HEFT_IMAGE_BUILD_H

#include "image/image.h"

/* A VM address where something begins, besides those of symbols. */
struct build_start {
	uint64_t addr;
	uint64_t size; /* of a function; 0: not known */
};

struct image_build {
	struct image *im;
	const char *who; /* "path" or "path(member)", for errors */
	struct heft_err *err;
	uint64_t first_vm_index;
	VEC(struct segment) segments;
	VEC(struct section) sections;    /* [0] is the null section */
	VEC(struct made_symbol) symbols; /* [0] is the null symbol */
	VEC(struct image_part) parts;
	VEC(struct build_start) starts;
	VEC(struct image_entry) entries;
};

/* Begins with an image that has its bytes and its place. */
void build_init(struct image_build *b, struct image *im, const struct image_place *at,
		struct bytes bytes, struct notes *notes);
/* Adds a copy of a section and returns its index.  Given are the names, type, flags, addr (of
 * objects: in its own window), off, size, file_size, again; the rest follows. */
uint32_t build_section(struct image_build *b, const struct section *s);
/* The same of bytes that are nothing but labelled: `again` is set. */
uint32_t build_range(struct image_build *b, struct str title, uint64_t off, uint64_t size);
/* A PT_LOAD segment; given are its name, addr, vm_size, off, file_size and rights. */
void build_segment(struct image_build *b, const struct segment *s);
void build_part(struct image_build *b, uint64_t off, uint64_t size, const char *label);
/* Adds a symbol and returns its index.  Its value is an address, in objects an offset in its
 * section; a size of 0 means up to the next symbol or start of its section, or its end. */
uint32_t build_symbol(struct image_build *b, const struct made_symbol *s);
/* Whether there is room for one more of `count` small pieces, whose few bytes make hundreds.  There
 * is for 65,536, and for one more in each `each` bytes of the file.  False with a note about the
 * file from `off` on. */
bool build_has_room(const struct image_build *b, size_t count, uint64_t each, uint64_t off);
/* Gives each of the starts from the `first` on that lies in code and has no symbol one, named
 * "sub_" and its address.  Of linked images only.  O(n log n). */
void build_name_starts(struct image_build *b, size_t first);
/* Adds the section of a table of relocations of section `of` and returns its index; `symbols` is
 * the section of the symbols they name. */
uint32_t build_relocs(struct image_build *b, uint32_t of, uint32_t symbols, uint64_t off,
		      uint64_t size);
/* What such a section holds; `list` lives in the arena of the image. */
void build_set_relocs(struct image_build *b, uint32_t table, struct reloc *list, uint64_t count);
/* Adds bytes of a table, clipped to the section; `e` names an index that build_section gave. */
void build_entry(struct image_build *b, const struct image_entry *e);
/* Hands everything to the image.  `table` is the section of the symbols, 0 for one without bytes;
 * `strings` that of their names, or 0. */
void build_finish(struct image_build *b, uint32_t table, uint32_t strings);
/* Gives up what was added; build_finish did so. */
/* Says that the image is for the same machine as `im`, and of its format and kind. */
void build_as(struct image_build *b, const struct image *im);
void build_release(struct image_build *b);

#endif
