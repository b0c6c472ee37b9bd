/* build.h - builds the image of a file that is not ELF.
 *
 * A parser adds what it reads, in any order. Then build_finish() makes the image. All additions are
 * clipped to the file and to the address space, at the latest by build_finish(), so a parser need
 * not check numbers. Clipped bytes become a note. Names and labels are borrowed: they must live as
 * long as the image (in its arena or its bytes). */
#pragma once

#include "image/image.h"

/* Start of a function or other piece, as a table other than the symbol table states it. */
struct build_start {
	uint64_t addr;
	uint64_t size; /* Bytes of the function. 0 if unknown. */
};

struct image_build {
	struct image *im;
	const char *who; /* "path" or "path(member)", for error messages */
	struct heft_err *err;
	uint64_t first_vm_index;
	VEC(struct segment) segments;
	VEC(struct section) sections;    /* [0] is the null section */
	VEC(struct made_symbol) symbols; /* [0] is the null symbol */
	VEC(struct image_part) parts;
	VEC(struct build_start) starts;
	VEC(struct image_entry) entries;
};

/* Starts a builder. Sets the bytes and the place of the image `im`, and adds the null section and
 * null symbol. */
void build_init(struct image_build *b, struct image *im, const struct image_place *at,
		struct bytes bytes, struct notes *notes);
/* Adds a copy of a section and returns its index. The caller sets names, type, flags, addr, off,
 * size, file_size and again; build_section() computes the other fields. In an object, addr counts
 * from the start of the section's own address window. */
uint32_t build_section(struct image_build *b, const struct section *s);
/* Adds a section that only labels a range of the file. Returns its index. Sets `again`: its bytes
 * are not read. */
uint32_t build_range(struct image_build *b, struct str title, uint64_t off, uint64_t size);
/* Adds a PT_LOAD segment. The caller sets its name, addr, vm_size, off, file_size and rights. */
void build_segment(struct image_build *b, const struct segment *s);
void build_part(struct image_build *b, uint64_t off, uint64_t size, const char *label);
/* Adds a symbol and returns its index. The symbol's value is an address; in objects, an offset in
 * its section. A size of 0 means that the symbol reaches to the next symbol or struct build_start,
 * or to the end of its section. */
uint32_t build_symbol(struct image_build *b, const struct made_symbol *s);
/* True if one more small piece may be added to `count` pieces. The limit is 65,536 pieces, plus one
 * per `each` bytes of the file, because few bytes can state hundreds of pieces. At the limit, adds
 * a note about the file from `off` on and returns false. */
bool build_has_room(const struct image_build *b, size_t count, uint64_t each, uint64_t off);
/* Adds a symbol named "sub_ADDRESS" for each start that lies in code and has no symbol. Begins at
 * the start with index `first`. Only for linked images. O(n log n). */
void build_name_starts(struct image_build *b, size_t first);
/* Adds the section of a relocation table and returns its index. `of` is the section that the
 * relocations patch; `symbols` is the section of the symbols that they name. */
uint32_t build_relocs(struct image_build *b, uint32_t of, uint32_t symbols, uint64_t off,
		      uint64_t size);
/* Sets the relocations of a table of build_relocs(). `list` must live in the arena of the image.
 * `type` is ELF's (R_386_32), because `kind` is derived from it. `addr` is an offset in the patched
 * section in objects, a VM address in programs. `symbol` is what build_symbol() returned. If the
 * file states indexes in a table, add a nameless symbol for each entry that is no symbol. */
void build_set_relocs(struct image_build *b, uint32_t table, struct reloc *list, uint64_t count);
/* Adds an entry of a table, clipped to the table's section. `e` has a section index from
 * build_section(). */
void build_entry(struct image_build *b, const struct image_entry *e);
/* Moves all additions to the image. `table` is the section of the symbols, 0 if it has no bytes.
 * `strings` is the section of the symbols' names, 0 if there is none. */
void build_finish(struct image_build *b, uint32_t table, uint32_t strings);
/* Sets the machine, format and kind of the image to those of `im`. */
void build_as(struct image_build *b, const struct image *im);
/* Frees what was added. Only needed if build_finish() was not called. */
void build_release(struct image_build *b);
