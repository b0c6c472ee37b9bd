/* linkmap_internal.h - declares what the parsers in linkmap_*.c share: a cursor over lines, the
 * words of a line, and the map being built. */
#pragma once

#include "base/text.h"
#include "linkmap/linkmap.h"

struct map_maker {
	struct linkmap *lm;
	const char *path;
	struct notes *notes;
	struct reader r;
	struct str line;      /* Current line, without its end */
	uint64_t line_number; /* Line number, from 1 */
	bool mapped;          /* True if the bytes are a mapped file, whose pages are released */
	uint64_t dropped;     /* Pages of the map before this offset were released */
	uint32_t section;     /* Section for new pieces, or LINKMAP_NONE */
	uint32_t piece;       /* Piece for new symbols, or LINKMAP_NONE */
	uint64_t tls_start;   /* Address of the first TLS section. UINT64_MAX if none so far */
	struct str object;    /* Object path that was looked up last */
	uint32_t object_id;
	VEC(struct linkmap_symbol) loose; /* Symbols without a piece */
};

/* linkmap_line.c: moves to the next line. False at the end. */
bool map_next_line(struct map_maker *m);
/* Adds a note about the current line. `what` is a literal. */
void map_odd_line(struct map_maker *m, const char *what);

void map_skip_blanks(struct str *s);
/* Take a word at the start of *s and move *s after it. False, with *s unchanged, if it is absent.
 * Blanks may precede a number, which ends at a blank, a tab or the end of the line. */
bool map_take(struct str *s, struct str word);
bool map_take_hex(struct str *s, uint64_t *ret);     /* Reads digits without a prefix */
bool map_take_0x(struct str *s, uint64_t *ret);      /* Reads "0x" and digits */
bool map_take_decimal(struct str *s, uint64_t *ret); /* Reads digits without a prefix */
struct str map_trim_end(struct str s);
struct str map_cut(struct str s, size_t skip); /* Returns s without its first `skip` bytes, which
					        * must exist. */
/* Returns the last position of `word` in s, or s.len without one. */
size_t map_find_last(struct str s, struct str word);

/* Adds and returns a section, to which the next pieces belong. `name`, like all names here, must be
 * part of the map's text. */
struct linkmap_section *map_add_section(struct map_maker *m, struct str name, uint64_t addr,
					uint64_t size);
/* Adds a piece to the current section, and returns it. The next symbols belong to it. `object` may
 * be "". NULL, with a note, without a current section. */
struct linkmap_piece *map_add_piece(struct map_maker *m, enum linkmap_kind kind, struct str name,
				    uint64_t addr, uint64_t size, struct str object);
void map_add_symbol(struct map_maker *m, struct str name, uint64_t addr, uint64_t size);
/* Adds a symbol without a piece. */
void map_add_loose(struct map_maker *m, struct str name, uint64_t addr);
void map_add_discarded(struct map_maker *m, struct str name, uint64_t size, struct str object);
uint32_t map_object(struct map_maker *m, struct str path);
/* linkmap_object.c: returns a name of an object that is the same in each build. The name may be
 * stored in `scratch` or `module`. */
struct str linkmap_object_name(struct str path, struct text *scratch, struct text *module);
struct linkmap_text map_text(const struct map_maker *m, struct str s);
uint8_t map_log2(uint64_t align);
/* Returns the kind of an object's section by its name: COMMON, MERGED or OBJECT. */
enum linkmap_kind map_kind(struct str name);
/* Parses text of a linker script. Adds the symbol of "NAME = .", also within PROVIDE (),
 * PROVIDE_HIDDEN () and HIDDEN (). False if `text` is neither an assignment nor an assertion. */
bool map_script_text(struct map_maker *m, struct str text, uint64_t addr);
/* Sorts pieces and symbols, cuts overlaps, and sets the pieces of each section. */
void map_finish(struct map_maker *m);

/* Parse the text of one linker from its first line on. */
void linkmap_gnu_parse(struct map_maker *m);
void linkmap_gold_parse(struct map_maker *m);
void linkmap_lld_parse(struct map_maker *m);
void linkmap_mold_parse(struct map_maker *m);
void linkmap_ld64_parse(struct map_maker *m);
void linkmap_msvc_parse(struct map_maker *m);
