/* attr_scratch.h - holds what attribution passes keep for later passes. Private to the passes. */
#ifndef HEFT_ATTR_ATTR_SCRATCH_H
#define HEFT_ATTR_ATTR_SCRATCH_H

#include "program/ghc_image.h"
#include "program/plt.h"
#include "attr/attr.h"

/* A frame description entry of an .eh_frame section. */
struct fde {
	uint64_t addr, size; /* range of the code */
	uint64_t lsda;       /* VM address. 0 if none. */
	/* Range of the entry in its section. Without bytes for SFrame, whose entries are claimed
	 * later. */
	uint64_t off, bytes;
	uint64_t cie_off;
	uint32_t section; /* index */
	bool padded;      /* The entry ends with 4 or more bytes of padding. */
};

/* A use of an import: code that calls a PLT stub, calls code without a unit, or reads a GOT
 * slot. */
struct import_use {
	uint64_t addr; /* Address of the stub, slot or code */
	uint64_t user; /* Label of the code */
};

/* A symbol at an address. */
struct place {
	uint64_t addr, size;
	label_id label;
	uint32_t rank;    /* Rank among symbols that start together. Lower is better. */
	uint32_t section; /* index */
	bool code, vague; /* vague: an untyped global symbol, as linkers define to mark an
			   * address */
	bool local;
};

typedef VEC(struct place) place_vec;

/* Code of units at an address that several overlays share. */
struct overlay_code {
	uint64_t addr, size, units;
};

typedef VEC(struct fde) fde_vec;

/* A static object of a Haskell program. Its first word leads to code behind a table. */
struct closure {
	uint64_t addr, entry; /* entry: address of that code. 0 if another library has it. */
};

typedef VEC(struct closure) closure_vec;

struct debuginfo;
struct debug_bytes;
struct refs;

/* Data that passes keep for later passes. A field is valid from the pass that fills it to the last
 * pass that reads it. An attr and its partner share the struct and use different fields. */
struct attr_scratch {
	/* Filled by attr_read_symbols(). */
	const struct section *symtab, *dynsym; /* or NULL */
	label_id *sym_labels, *dyn_labels;     /* Labels of their symbols, by index */
	uint32_t *sym_sizes, *dyn_sizes;       /* Lengths of their names. NULL if unknown. */
	size_t sym_count, dyn_count;
	struct plt plt;
	/* Filled by attr_list_sized(). */
	place_vec sized;   /* By unit or file: data symbols without an owner, sorted */
	place_vec unsized; /* Symbols without a size, sorted. The best of an address comes first. */
	/* By symbol: data symbols whose size is the distance to the next symbol, sorted. See
	 * attr_extents.h. */
	place_vec guessed;
	/* By unit or file. */
	VEC(struct import_use) uses;       /* In the order of the code, then by addr */
	place_vec bare;                    /* Code symbols that the DWARF does not describe,
					    * sorted */
	VEC(struct overlay_code) overlays; /* Code claimed at shared addresses of overlays */
	struct debuginfo *dwarf;           /* The DWARF in use, or NULL */
	struct debug_bytes *bytes;         /* State of the pass over debug sections */
	uint64_t by_file;     /* Number of symbols owned by an STT_FILE name, because there is no
			       * DWARF */
	label_id debug_owner; /* Owner of all debug sections. LABEL_NONE if there are several. */
	/* From unwind tables. */
	fde_vec fdes; /* In file order, until references are claimed */
	/* Label of exception tables that no function refers to. LABEL_NONE if these are not
	 * claimed. */
	label_id unused_tables;
	uint64_t made_up; /* Number of functions named sub_ADDRESS */
	/* Neither symbols nor a decoder tell code from data: bytes without an owner may be code. */
	bool code_unread;
	/* GHC's tables in the code. */
	struct ghc_tables ghc;
	bool ghc_read;
	closure_vec closures; /* By address */
	VEC(uint32_t)
	late;              /* Indexes in image.entries of symbol entries that are not in ELF's
			       * form and have no known owner yet */
	struct refs *refs; /* From attr_refs_find() to attr_refs_claim() */
};

/* Opens a symbol table like symtab_open(). For tables of the image, uses the known sizes of
 * names. */
bool attr_open_symbols(const struct attr *a, const struct image *im, const struct section *table,
		       struct symtab *ret);
/* Lists all sized symbols by address, the owner of an address first. Also fills the unsized and the
 * guessed symbols of the scratch. */
void attr_list_sized(struct attr *a, place_vec *ret);
/* Adds scratch->guessed to the places, once their sizes are known. */
void attr_list_guessed(struct attr *a);
/* Returns the unsized symbol at an address, or NULL. */
const struct place *attr_unsized_at(const struct attr *a, uint64_t addr);
const struct place *attr_bare_at(const struct attr *a, uint64_t addr);
/* Returns the label of the file that declares the variable at die_off of the current unit. Returns
 * the unit's label if the file is unknown. Keeps the table of files until the job calls
 * attr_files_release(). */
struct findings;
label_id attr_decl_file(struct findings *f, uint64_t die_off);
void attr_files_release(struct findings *f);
/* attr_ghc.c: returns GHC's tables. They are read when first asked for, on one thread. */
const struct ghc_tables *attr_ghc_read(const struct attr *a);
/* Releases everything that the passes kept. */
void attr_scratch_release(struct attr_scratch *s);

#endif
