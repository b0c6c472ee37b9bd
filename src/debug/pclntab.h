/* pclntab.h - the table of functions that every Go program carries for its own runtime: of each
 * function its code, name, source files, lines, and where its frame and its pointers are.
 *
 * Sources: "Go 1.2 Runtime Symbol Information" (golang.org/s/go12symtab) for the first layout and
 * for tables of values by address; the later layouts by experiment with Go's own programs.  Layouts
 * of Go 1.2 to 1.15, 1.16 and 1.17, 1.18 and 1.19, and from 1.20 on.
 *
 * Offsets are relative to the start of the table.  Texts are borrowed and NUL-terminated.
 * Read-only once opened: any number of threads. */
#ifndef HEFT_DEBUG_PCLNTAB_H
#define HEFT_DEBUG_PCLNTAB_H

#include "base/reader.h"

enum pclntab_layout { PCLNTAB_2, PCLNTAB_16, PCLNTAB_18, PCLNTAB_20 };

struct pclntab {
	struct bytes bytes;
	bool big_endian;
	enum pclntab_layout layout;
	uint8_t quantum, pointer; /* bytes of the smallest instruction, of a pointer */
	uint64_t func_count;
	uint64_t header_size;
	/* From 1.18 on addresses count from here.  Where the program can be loaded anywhere, a
	 * relocation at `text_off` tells it and the table says 0. */
	uint64_t text, text_off;                     /* text_off 0: addresses are whole */
	uint64_t names, units, files, values, funcs; /* where these tables begin */
	uint64_t name_max;                           /* bytes; longer names are not read.  0: any */
};

/* A function.  Its tables of values are, in this order: bytes of its frame, file, line, then what
 * the runtime wants to know of each address. */
enum { PCLNTAB_FRAME, PCLNTAB_FILE, PCLNTAB_LINE, PCLNTAB_TABLES = 3 };
struct pclntab_func {
	uint64_t addr, size;        /* code; the size without the padding behind it */
	uint64_t room;              /* bytes up to the next function */
	uint64_t entry, entry_size; /* its entry in the list of functions */
	uint64_t record, record_size;
	uint64_t name_off;
	struct str name;                 /* "" where its offset is bad */
	uint32_t unit;                   /* first file of its unit, an index in `units` */
	uint64_t tables[PCLNTAB_TABLES]; /* offsets; 0: there is none */
	uint64_t more, more_count; /* the offsets of further tables of values: 32-bit words here */
	uint64_t data, data_count; /* what else belongs to it: words of data_width */
	uint8_t data_width;
};

/* Whether a table of a known layout begins like this. */
bool pclntab_matches(struct bytes b, bool big_endian);
/* False where the header is damaged, or no table of functions fits the bytes. */
bool pclntab_open(struct pclntab *t, struct bytes b, bool big_endian);
/* Has long names not read where functions share so many of them that they have far more bytes than
 * the table. */
void pclntab_bind_names(struct pclntab *t);
/* Function i < func_count, in the order of addresses.  False where its entry or record is
 * damaged. */
bool pclntab_func(const struct pclntab *t, uint64_t i, struct pclntab_func *ret);
/* The same without reading the tables of values: its size is its room. */
bool pclntab_record(const struct pclntab *t, uint64_t i, struct pclntab_func *ret);
/* The offset of a further table of values of a function; 0: there is none. */
uint64_t pclntab_more(const struct pclntab *t, const struct pclntab_func *f, uint64_t i);
/* The offset of the name of a file, an index that the table PCLNTAB_FILE of a function has as a
 * value; *ret_word is where that offset itself stands.  False where there is none. */
bool pclntab_file(const struct pclntab *t, const struct pclntab_func *f, int64_t index,
		  uint64_t *ret_word, uint64_t *ret_off);

/* A table of values: each holds for the code up to `end`, counted from the function's start. */
struct pclntab_values {
	struct reader r;
	uint8_t quantum;
	bool begun;
	uint64_t end;
	int64_t value;
};

struct pclntab_values pclntab_values(const struct pclntab *t, uint64_t off);
/* False at the end.  r.pos is then the end of the table's bytes, in the whole. */
bool pclntab_values_next(struct pclntab_values *v);

#endif
