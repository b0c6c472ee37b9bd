/* attr_scratch.h - what attribution passes keep for later passes.  Private to these. */
#ifndef HEFT_SOURCE_ATTR_ATTR_SCRATCH_H
#define HEFT_SOURCE_ATTR_ATTR_SCRATCH_H

#include "program/plt.h"
#include "source/attr/attr.h"

/* A frame description entry of an .eh_frame section. */
struct fde {
	uint64_t addr, size; /* code */
	uint64_t lsda;       /* VM address, 0 if none */
	uint64_t off, bytes; /* the entry, in its section */
	uint64_t cie_off;
	uint32_t section; /* index */
};

/* Code that calls a PLT stub or code that has no unit, or reads a GOT slot. */
struct import_use {
	uint64_t addr; /* of the stub, slot or code */
	uint64_t user; /* label of the code */
};

/* A symbol at an address. */
struct place {
	uint64_t addr, size;
	label_id label;
	uint32_t rank;    /* lower is better, among those that start together */
	uint32_t section; /* index */
	bool code, vague; /* vague: an untyped global, which linkers define as a mere mark */
	bool local;
};

typedef VEC(struct place) place_vec;

/* Code that units have at an address that several overlays share. */
struct overlay_code {
	uint64_t addr, size, units;
};

typedef VEC(struct fde) fde_vec;

struct debuginfo;
struct debug_bytes;
struct refs;

/* What passes keep for later ones: from the pass that fills a field to the last that reads it.
 * Shared by an attr and its partner, which touch different fields. */
struct attr_scratch {
	/* By attr_read_symbols. */
	const struct section *symtab, *dynsym; /* or NULL */
	label_id *sym_labels, *dyn_labels;     /* of their symbols, by index */
	uint32_t *sym_sizes, *dyn_sizes;       /* of their names; NULL: not known */
	size_t sym_count, dyn_count;
	struct plt plt;
	/* By attr_list_sized. */
	place_vec sized;   /* by unit or file: data symbols without an owner, sorted */
	place_vec unsized; /* symbols without a size, sorted; first of an address leads */
	/* By symbol, data whose size is where the next symbol begins, sorted likewise; see
	 * attr_extents.h. */
	place_vec guessed;
	/* By unit or file. */
	VEC(struct import_use) uses;       /* in the order of the code, then by addr */
	place_vec bare;                    /* code symbols the DWARF says nothing of; sorted */
	VEC(struct overlay_code) overlays; /* what was claimed where they run */
	struct debuginfo *dwarf;           /* in use, or NULL */
	struct debug_bytes *bytes;         /* its pass over debug sections */
	uint64_t by_file;     /* symbols owned by an STT_FILE name, there being no DWARF */
	label_id debug_owner; /* of all debug sections, LABEL_NONE where it is not one */
	/* Of unwind tables. */
	fde_vec fdes; /* in file order */
	/* Exception tables that no function refers to; LABEL_NONE where these are not told. */
	label_id unused_tables;
	uint64_t made_up; /* functions named sub_ADDRESS */
	/* Neither symbols nor a decoder tell code from data: what nobody has may be code. */
	bool code_unread;
	VEC(uint32_t) late; /* entries of made tables whose owner is not known yet */
	struct refs *refs;  /* from attr_refs_find to attr_refs_claim */
};

/* symtab_open, with what is known of the names of a table of the image's own. */
bool attr_open_symbols(const struct attr *a, const struct image *im, const struct section *table,
		       struct symtab *ret);
/* All sized symbols, sorted by address, the owner of an address first; fills the unsized and the
 * guessed symbols of the scratch. */
void attr_list_sized(struct attr *a, place_vec *ret);
/* Puts scratch->guessed among the places, once their sizes are known. */
void attr_list_guessed(struct attr *a);
/* The unsized symbol at an address, or NULL. */
const struct place *attr_unsized_at(const struct attr *a, uint64_t addr);
label_id attr_got_owner(const struct attr *a, const struct plt_slot *slot);
const struct place *attr_bare_at(const struct attr *a, uint64_t addr);
/* The file that declares the variable at die_off of the unit at work; the unit where that is not
 * known.  Keeps the table of files until it is released with the job. */
struct findings;
label_id attr_decl_file(struct findings *f, uint64_t die_off);
void attr_files_release(struct findings *f);
/* Releases what the passes left. */
void attr_scratch_release(struct attr_scratch *s);

#endif
