/* where.h - part of heft.h: what is at an address. */
#ifndef HEFT_H
#include "heft.h" /* which includes this file in its turn */
#elif !defined(HEFT_PART_WHERE_H)
#define HEFT_PART_WHERE_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- what is at an address ------------------------------------------------ */

/* One program, object or dump of a process, for looking up addresses: segment, section, symbol,
 * compile unit, source lines with what was inlined there (from DWARF 2 to 5, wherever it is: in the
 * file, in its separate debug file, split).  Functions have the names that heft_heap_* gives to
 * frames: what was inlined by its debug info, the function itself by its symbol.
 *
 *     struct heft_where *w = heft_where_new(session);
 *     struct heft_location at = { .size = sizeof at };
 *     uint64_t addr;
 *     if (w && heft_where_open(w, "/bin/ls", &err) &&
 *         heft_where_parse(w, "main+4", &addr, &err) && heft_where_find(w, addr, &at, &err))
 *             for (size_t i = 0; i < at.frame_count; i++)
 *                     printf("%s at %s:%u\n", at.frames[i]->function, at.frames[i]->file,
 *                            at.frames[i]->line);
 *     heft_where_free(w);
 *
 * What a unit says is read when its first address is asked for, and kept.  One thread a handle;
 * several handles may look at one file. */
struct heft_where;

/* NULL only where there is no memory.  Free with heft_where_free; NULL is fine there. */
HEFT_API struct heft_where *heft_where_new(struct heft_session *s);
HEFT_API void heft_where_free(struct heft_where *w);

/* Settings, before heft_where_open. */
/* What is looked for. */
enum heft_where_flag {
	/* Basic blocks of files without a map of them are derived from the code. */
	HEFT_WHERE_BLOCKS = 1 << 0,
};
/* Replaces all flags (bits of enum heft_where_flag; 0 at first). */
HEFT_API void heft_where_set_flags(struct heft_where *w, unsigned flags);

/* Adds a data source (heft_source_at) for which heft_where_find says whose the address is.  A
 * source is measured with the first address, which takes as long as a profile by it.  Names of
 * symbols are in the style set, else short ones, as those of a profile.  HEFT_EARG where there is
 * no such source. */
HEFT_API bool heft_where_add_source(struct heft_where *w, const char *source, struct heft_err *err);

/* Opens a program, an object, an archive or a dump, once per handle.  In archives names are looked
 * up in all members, addresses in none (HEFT_EUNSUPPORTED from heft_where_ask and
 * heft_where_find).  HEFT_EUNSUPPORTED for files that are none of these. */
HEFT_API bool heft_where_open(struct heft_where *w, const char *path, struct heft_err *err);

/* Reads an address as people write it: 0xDIGITS; 10#DIGITS for a decimal number; NAME or
 * NAME+OFFSET with the name of a section or symbol; DIGITS, hexadecimal without 0x, if they are no
 * name.  Names of symbols are the linker's, full and short ones, with and without parameters,
 * template arguments and suffixes of clones: see docs/names.md.  In objects, which have no
 * addresses, a number below 2^40 counts from the start of the first section of code.  HEFT_EARG
 * for anything else.
 *
 * A text may mean several places, such as two static functions of one name: this is the first. */
HEFT_API bool heft_where_parse(struct heft_where *w, const char *text, uint64_t *ret_addr,
			       struct heft_err *err);
/* The same for all places that a text means, in the order of their addresses: *ret_count places,
 * for heft_where_answer, or 0 where it is a number.  *ret_addr is the first.  A symbol that has the
 * name in a less exact way is told by a note. */
HEFT_API bool heft_where_ask(struct heft_where *w, const char *text, uint64_t *ret_addr,
			     size_t *ret_count, struct heft_err *err);

struct heft_block;
struct heft_heap_place;

/* Whose an address is for a data source: the label that a profile by this source charges the byte
 * to, and its raw map shows.  No text is NULL. */
struct heft_owner {
	const char *source;
	const char *label;
	/* The claim that made it so: its address, and its bytes.  Bytes at its end or in its middle
	 * may be somebody else's, who claimed them earlier. */
	uint64_t start, size;
	/* What made the claim, such as "symbol table" or "data reference"; "fallback" where nobody
	 * claimed the byte; "padding" where it is charged to what stands before it. */
	const char *why;
};

#define HEFT_NO_ADDRESS UINT64_MAX

/* What is known of an address.  Texts are NULL where nothing is known; they hold until
 * heft_where_free.  Frames, owners, block and process hold until the next look-up. */
struct heft_location {
	size_t size;         /* sizeof(struct heft_location) */
	uint64_t addr;       /* HEFT_NO_ADDRESS: of what was asked for and is no address */
	const char *segment; /* "LOAD #2 [RX]" */
	const char *section;
	uint64_t section_offset;
	bool in_file;               /* has bytes in the file ... */
	uint64_t file_offset;       /* ... here */
	const char *symbol;         /* in the style set */
	const char *symbol_linkage; /* as the linker sees it */
	uint64_t symbol_offset;     /* from its start */
	uint64_t symbol_size;       /* own bytes; 0 where the symbol states none */
	/* Name of the compile unit; where no DWARF covers a local symbol, of the source file its
	 * table says it is from. */
	const char *unit;
	/* Innermost first: frame 0 is where the address comes from, each further one where the
	 * frame before was inlined; the last is the function itself. */
	const struct heft_frame *const *frames;
	size_t frame_count;
	/* The machine basic block, without what its map says beyond its flags; NULL where none is
	 * known. */
	const struct heft_block *block;
	/* One for each source added that covers the address, in the order of adding. */
	const struct heft_owner *const *owners;
	size_t owner_count;
	/* Of an address of a process: its mapping, its module, what of the heap it is in; NULL
	 * where the file is a program.  Section, symbol, unit and frames are then those of the
	 * module. */
	const struct heft_heap_place *process;
	/* Where the variable at the address was declared, as its debug info says: file (NULL where
	 * that is not known), line and column (0 likewise). */
	const char *decl_file;
	uint32_t decl_line, decl_column;
	/* A symbol that each thread has a copy of.  One of .tbss is in no segment: the address is
	 * that of the first copy's, where something else may lie in the image. */
	bool is_tls;
	const char *member; /* of an archive, else NULL */
};

/* Looks an address up and fills *ret, with the address alone where the call fails: HEFT_ENOTFOUND
 * where the file has nothing at this address. */
HEFT_API bool heft_where_find(struct heft_where *w, uint64_t addr, struct heft_location *ret,
			      struct heft_err *err);

/* Place i of the last heft_where_ask, with the symbol that was asked for.  Fails as heft_where_find
 * does. */
HEFT_API bool heft_where_answer(struct heft_where *w, size_t i, struct heft_location *ret,
				struct heft_err *err);

/* Writes a location, one without anything known too.  `opts` (NULL: all default) have the format:
 * HEFT_TABLE, a block of lines for people; HEFT_JSON, one object on one line (docs/json.md);
 * HEFT_CSV, HEFT_TSV and HEFT_MARKDOWN, a line a frame, or one line where there is no frame, with a
 * column for the owner by each source that was added; HEFT_TERSE, where "??" stands for what is
 * unknown, and the last function is named by its symbol.  NULL for a location writes what stands
 * above all of them: the names of the columns of csv, tsv and markdown. */
HEFT_API bool heft_where_write(const struct heft_where *w, const struct heft_location *at,
			       const struct heft_write_opts *opts, const struct heft_sink *sink,
			       struct heft_err *err);

/* The path of the separate debug file in use, "" if there is none; it holds until
 * heft_where_free. */
HEFT_API const char *heft_where_debug_path(const struct heft_where *w);
#ifdef __cplusplus
}
#endif
#endif
