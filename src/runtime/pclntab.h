/* pclntab.h - reads the table of functions that every Go program contains for its runtime. For each
 * function it has code, name, source files and lines, and the layout of its frame and pointers.
 *
 * Sources: "Go 1.2 Runtime Symbol Information" (golang.org/s/go12symtab) for the first layout and
 * for tables of values by address. The later layouts by experiment with Go's own programs. Layouts
 * of Go 1.2 to 1.15, 1.16 and 1.17, 1.18 and 1.19, and from 1.20 on.
 *
 * Offsets are relative to the start of the table. Texts are borrowed and NUL-terminated. Read-only
 * once opened: any number of threads. */
#pragma once

#include "base/reader.h"

enum pclntab_layout { PCLNTAB_2, PCLNTAB_16, PCLNTAB_18, PCLNTAB_20 };

struct pclntab {
	struct bytes bytes;
	bool big_endian;
	enum pclntab_layout layout;
	uint8_t quantum, pointer; /* Sizes in bytes of the smallest instruction and of a pointer */
	uint64_t func_count;
	uint64_t header_size;
	/* text: from Go 1.18 on, the base of addresses. In a program that can be loaded anywhere,
	 * it is 0 in the table, and a relocation at `text_off` sets it. text_off 0: addresses are
	 * absolute. */
	uint64_t text, text_off;
	uint64_t names, units, files, values, funcs; /* Offsets of these tables */
	uint64_t name_max;                           /* Maximal length of a name in bytes. Longer
						      * names are not read. 0: unlimited */
};

/* A function. It has tables of values by address: the size of its frame, its files, its lines, then
 * others for the runtime. */
enum { PCLNTAB_FRAME, PCLNTAB_FILE, PCLNTAB_LINE, PCLNTAB_TABLES = 3 };
struct pclntab_func {
	uint64_t addr, size;        /* Range of the function's code, without padding at the end */
	uint64_t room;              /* Bytes until the next function */
	uint64_t entry, entry_size; /* Range of the function's entry in the list of functions */
	uint64_t record, record_size;
	uint64_t name_off;
	struct str name;                 /* "" if its offset is bad */
	uint32_t unit;                   /* Index in `units` of the first file of its unit */
	uint64_t tables[PCLNTAB_TABLES]; /* Offsets. 0 if missing */
	uint64_t more, more_count;       /* Offset of the list of the PCDATA tables' offsets (32
					  * bits each), and their number */
	uint64_t data, data_count;       /* Other data: offset, number of its words */
	uint8_t data_width;
};

/* True if the bytes begin like a table of a known layout. */
bool pclntab_matches(struct bytes b, bool big_endian);
/* Opens a table. False if the header is damaged, or if the list of functions does not fit. */
bool pclntab_open(struct pclntab *t, struct bytes b, bool big_endian);
/* Limits the length of names (name_max) if functions share long names so often that all names
 * together far exceed the table. */
void pclntab_bind_names(struct pclntab *t);
/* Reads function i < func_count, in order of addresses. False if its entry or record is damaged. */
bool pclntab_func(const struct pclntab *t, uint64_t i, struct pclntab_func *ret);
/* Like pclntab_func(), without reading the tables of values. The size then includes padding up to
 * the next function. */
bool pclntab_record(const struct pclntab *t, uint64_t i, struct pclntab_func *ret);
/* Returns the offset of a function's PCDATA table `i`. 0 if it is missing. */
uint64_t pclntab_more(const struct pclntab *t, const struct pclntab_func *f, uint64_t i);
/* Finds the name of a source file. `index` is a value of the function's table PCLNTAB_FILE. Sets
 * *ret_off to the offset of the name, and *ret_word to the place where the table has that offset.
 * False if there is no such file. */
bool pclntab_file(const struct pclntab *t, const struct pclntab_func *f, int64_t index,
		  uint64_t *ret_word, uint64_t *ret_off);

/* A table of values. Each applies to the code until `end`, relative to the function's start. */
struct pclntab_values {
	struct reader r;
	uint8_t quantum;
	bool begun;
	uint64_t end;
	int64_t value;
};

struct pclntab_values pclntab_values(const struct pclntab *t, uint64_t off);
/* Moves to the next value. False at the end; r.pos is then the end of the table's bytes. */
bool pclntab_values_next(struct pclntab_values *v);
