/* where.h - part of heft.h: finds what an address belongs to. */
#ifndef HEFT_H
#include "heft.h" /* heft.h includes this file. */
#elif !defined(HEFT_PART_WHERE_H)
#define HEFT_PART_WHERE_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- owner and source line of an address ---------------------------------- */

/* Looks up addresses in a program, an object or a dump of a process. A look-up finds segment,
 * section, symbol, compile unit, and source lines with inlined calls. Lines come from DWARF 2 to 5:
 * in the file, in its separate debug file, or split. Functions have the same names as frames of
 * heft_heap_*: inlined functions are named by the debug info, others by their symbol.
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
 * A compile unit is read when one of its addresses is first looked up, and then kept. One thread
 * per handle. Several handles may read one file. */
struct heft_where;

/* Creates a handle. NULL only if memory runs out. Free the handle with heft_where_free(), which
 * accepts NULL. */
HEFT_API struct heft_where *heft_where_new(struct heft_session *s);
HEFT_API void heft_where_free(struct heft_where *w);

/* Call the functions below before heft_where_open(). */
/* Options of look-ups. */
enum heft_where_flag {
	/* Derive basic blocks from the code if a file has no map. */
	HEFT_WHERE_BLOCKS = 1 << 0,
};
/* Replaces all flags (bits of enum heft_where_flag). Default: 0. */
HEFT_API void heft_where_set_flags(struct heft_where *w, unsigned flags);

/* Adds a data source (heft_source()). heft_where_find() then returns the owner of an address for
 * this source. The first look-up measures the source, which takes as long as a profile. Names of
 * symbols have the style of heft_session_set_demangle(); short names by default, as in profiles.
 * HEFT_EARG if there is no such source. */
HEFT_API bool heft_where_add_source(struct heft_where *w, const char *source, struct heft_err *err);

/* Opens a program, an object, an archive or a dump, once per handle. In archives, names are
 * searched in all members, but addresses cannot be looked up (HEFT_EUNSUPPORTED from
 * heft_where_ask() and heft_where_find()). HEFT_EUNSUPPORTED for other files. */
HEFT_API bool heft_where_open(struct heft_where *w, const char *path, struct heft_err *err);

/* Reads an address from text:
 * - 0xDIGITS: hexadecimal; 10#DIGITS: decimal;
 * - NAME or NAME+OFFSET, with the name of a section or symbol;
 * - DIGITS: hexadecimal, if there is no such name.
 * Names of symbols may be linkage names, full or short names, with or without parameters, template
 * arguments and clone suffixes: see docs/names.md. Objects have no addresses: a number below 2^40
 * counts from the start of the first code section. HEFT_EARG for other texts. A text may match
 * several places, such as two static functions with one name; this returns the first. */
HEFT_API bool heft_where_parse(struct heft_where *w, const char *text, uint64_t *ret_addr,
			       struct heft_err *err);
/* Finds all places that a text matches. heft_where_answer() returns the places, sorted by address.
 * *ret_count is the number of places, or 0 if the text is a number. *ret_addr is the address of the
 * first place. A note lists symbols whose names match less exactly. */
HEFT_API bool heft_where_ask(struct heft_where *w, const char *text, uint64_t *ret_addr,
			     size_t *ret_count, struct heft_err *err);

struct heft_block;
struct heft_heap_place;

/* Owner of an address for a data source: the label to which a profile by this source charges the
 * byte. Texts are never NULL. */
struct heft_owner {
	const char *source;
	const char *label;
	/* Address and bytes of the claim (label for a range) that decided. Some of the bytes may
	 * have other owners, whose claims have priority. */
	uint64_t start, size;
	/* Origin of the claim, such as "symbol table" or "data reference". "fallback" if no source
	 * claimed the byte; "padding" if it is charged to the bytes before it. */
	const char *why;
};

#define HEFT_NO_ADDRESS UINT64_MAX

/* Facts about an address. Unknown texts are NULL. Texts are valid until heft_where_free(). Frames,
 * owners, block and process are valid until the next look-up. */
struct heft_location {
	size_t size;         /* Set to sizeof(struct heft_location). */
	uint64_t addr;       /* Address. HEFT_NO_ADDRESS for a symbol without one. */
	const char *segment; /* Segment: "LOAD #2 [RX]". */
	const char *section;
	uint64_t section_offset;
	bool in_file;               /* The address has a byte in the file, at file_offset. */
	uint64_t file_offset;       /* Offset of the byte in the file. */
	const char *symbol;         /* Name in the style that was set. */
	const char *symbol_linkage; /* Linkage name. */
	uint64_t symbol_offset;     /* Offset from the symbol's start. */
	uint64_t symbol_size;       /* Own bytes of the symbol. 0 if it states none. */
	/* Name of the compile unit. For a local symbol without DWARF, the source file that the
	 * symbol table states. */
	const char *unit;
	/* Frames, innermost first. Frame 0 is the code at the address. Each further frame is the
	 * call at which the frame before was inlined. The last frame is the function itself. */
	const struct heft_frame *const *frames;
	size_t frame_count;
	/* The block at the address: only its address, size, id and flags. NULL if none. */
	const struct heft_block *block;
	/* Owners for the added sources that cover the address, in the order of adding. */
	const struct heft_owner *const *owners;
	size_t owner_count;
	/* For an address of a process: its mapping, its module, its place in the heap. NULL if the
	 * file is a program. If not NULL, section, symbol, unit and frames describe the module. */
	const struct heft_heap_place *process;
	/* Declaration of the variable at the address, from debug info: file (NULL if unknown), line
	 * and column (0 if unknown). */
	const char *decl_file;
	uint32_t decl_line, decl_column;
	/* True if each thread has its own copy of the symbol. A symbol of .tbss is in no segment:
	 * its address is that of the first copy, where the image may have other data. */
	bool is_tls;
	const char *member; /* Member of an archive. NULL if there is none. */
};

/* Looks up an address and fills *ret. HEFT_ENOTFOUND if the file has nothing at this address; *ret
 * then has only the address. */
HEFT_API bool heft_where_find(struct heft_where *w, uint64_t addr, struct heft_location *ret,
			      struct heft_err *err);

/* Returns place i of the last heft_where_ask(), with the symbol that matched. Has the errors of
 * heft_where_find(). */
HEFT_API bool heft_where_answer(struct heft_where *w, size_t i, struct heft_location *ret,
				struct heft_err *err);

/* Writes a location, also if nothing is known of it. `opts` (NULL for defaults) sets the format.
 * - HEFT_TABLE: readable lines. HEFT_JSON: one object on one line (docs/json.md).
 * - HEFT_CSV, HEFT_TSV and HEFT_MARKDOWN: a line per frame, or one line if there is none, with an
 *   owner column per added source.
 * - HEFT_TERSE: a line with the function and one with file, line and column, per frame. "??" if
 *   unknown. The last function has the name of its symbol.
 * If `at` is NULL, writes only the names of the columns of csv, tsv and markdown. */
HEFT_API bool heft_where_write(const struct heft_where *w, const struct heft_location *at,
			       const struct heft_write_opts *opts, const struct heft_sink *sink,
			       struct heft_err *err);

/* Returns the path of the separate debug file in use. "" if there is none. Valid until
 * heft_where_free(). */
HEFT_API const char *heft_where_debug_path(const struct heft_where *w);
#ifdef __cplusplus
}
#endif
#endif
