/* linkmap_internal.h - what the parsers of linkmap_*.c share: a cursor over lines, the words in a
 * line, and the map being built. */
#ifndef HEFT_IMAGE_LINKMAP_LINKMAP_INTERNAL_H
#define HEFT_IMAGE_LINKMAP_LINKMAP_INTERNAL_H

#include "image/linkmap/linkmap.h"

struct map_maker {
	struct linkmap *lm;
	const char *path;
	struct notes *notes;
	struct reader r;
	struct str line;      /* the current one, without its end */
	uint64_t line_number; /* from 1 */
	bool mapped;          /* the bytes are a mapped file: pages behind are given back */
	uint64_t dropped;     /* up to here */
	uint32_t section;     /* pieces go here; LINKMAP_NONE */
	uint32_t piece;       /* symbols go here; LINKMAP_NONE */
	uint64_t tls_start;   /* of the first TLS section; UINT64_MAX before */
	struct str object;    /* the last object looked up, a copy */
	uint32_t object_id;
	VEC(struct linkmap_symbol) loose; /* symbols of no piece */
};

/* ---- lines (linkmap_line.c) ---------------------------------------------------------- */

/* Moves to the next line; false at the end. */
bool map_next_line(struct map_maker *m);
/* A note on the current line; `what` is a literal. */
void map_odd_line(struct map_maker *m, const char *what);

/* Words at the front of *s.  Each moves *s behind what it took and returns false, with *s as it
 * was, where there is none.  A number ends at a blank, a tab or the end of the line. */
void map_skip_blanks(struct str *s);
bool map_take(struct str *s, struct str word);
bool map_take_hex(struct str *s, uint64_t *ret);     /* digits alone */
bool map_take_0x(struct str *s, uint64_t *ret);      /* "0x" first */
bool map_take_decimal(struct str *s, uint64_t *ret); /* digits alone */
struct str map_trim_end(struct str s);
struct str map_cut(struct str s, size_t skip); /* without the first `skip` bytes, which are there */
/* Where `word` first or last begins in s, or s.len. */
size_t map_find(struct str s, struct str word);
size_t map_find_last(struct str s, struct str word);

/* ---- the map (linkmap_build.c) --------------------------------------------------------- */

/* Begins a section, the one of the next pieces; name is part of the text of the map, as all names
 * here. */
struct linkmap_section *map_add_section(struct map_maker *m, struct str name, uint64_t addr,
					uint64_t size);
/* Adds a piece to the current section; symbols go to it from then on.  `object` "" = none.  A note
 * and NULL where no section was begun. */
struct linkmap_piece *map_add_piece(struct map_maker *m, enum linkmap_kind kind, struct str name,
				    uint64_t addr, uint64_t size, struct str object);
void map_add_symbol(struct map_maker *m, struct str name, uint64_t addr, uint64_t size);
/* A symbol of no piece. */
void map_add_loose(struct map_maker *m, struct str name, uint64_t addr);
void map_add_discarded(struct map_maker *m, struct str name, uint64_t size, struct str object);
uint32_t map_object(struct map_maker *m, struct str path);
struct linkmap_text map_text(const struct map_maker *m, struct str s);
uint8_t map_log2(uint64_t align);
/* What a section of an object is by its name: COMMON, MERGED or OBJECT. */
enum linkmap_kind map_kind(struct str name);
/* Linker script text: adds the symbol of "NAME = ." also within PROVIDE (), PROVIDE_HIDDEN () and
 * HIDDEN ().  False where `text` is no assignment or assertion at all. */
bool map_script_text(struct map_maker *m, struct str text, uint64_t addr);
/* Brings pieces and symbols in order, cuts what overlaps, fills in the lists of sections. */
void map_finish(struct map_maker *m);

/* ---- one for each linker, of the text from its first line on --------------------------------- */

void linkmap_gnu_parse(struct map_maker *m);
void linkmap_gold_parse(struct map_maker *m);
void linkmap_lld_parse(struct map_maker *m);
void linkmap_mold_parse(struct map_maker *m);
void linkmap_ld64_parse(struct map_maker *m);
void linkmap_msvc_parse(struct map_maker *m);

#endif
