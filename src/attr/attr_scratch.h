/* attr_scratch.h - holds data that attribution passes keep for later passes. Private to them. */
#pragma once

#include "program/ghc_image.h"
#include "program/plt.h"
#include "attr/attr.h"

/* A frame description entry of an .eh_frame section. */
struct fde {
	uint64_t addr, size; /* Range of the code */
	uint64_t lsda;       /* VM address of the exception table (LSDA). 0 if none */
	/* Range of the entry in its section. Empty for SFrame, which another pass claims. */
	uint64_t off, bytes;
	uint64_t cie_off;
	uint32_t section; /* Section index */
	bool padded;      /* True if the entry ends with at least 4 bytes of padding */
};

/* A reference from code to an import or to code without a unit */
struct import_use {
	uint64_t addr; /* Address of the stub, slot or code */
	uint64_t user; /* Label of the code that refers to it */
};

struct place {
	uint64_t addr, size;
	label_id label;
	uint32_t rank;    /* The symbol with the lowest rank owns the address */
	uint32_t section; /* Section index */
	bool code, vague; /* `vague`: true if untyped and global: it may only mark an address */
	bool local;
};

typedef VEC(struct place) place_vec;

/* Code at one address and of one size, in overlays. `units`: number of units that have such code */
struct overlay_code {
	uint64_t addr, size, units;
};

typedef VEC(struct fde) fde_vec;

/* A static object of a Haskell program. Its first word points to code after an info table. */
struct closure {
	uint64_t addr, entry; /* `entry`: the code, or 0 if in another library */
};

typedef VEC(struct closure) closure_vec;

struct debuginfo;
struct debug_bytes;
struct refs;

/* Data that passes keep for later ones. A field is valid from the pass that fills it to the last
 * that reads it. If an attr and its attr_partner() run at once, each fills other fields. */
struct attr_scratch {
	/* Filled by attr_read_symbols(). symtab and dynsym may be NULL. */
	const struct section *symtab, *dynsym;
	label_id *sym_labels, *dyn_labels; /* Label of each symbol, by index */
	uint32_t *sym_sizes, *dyn_sizes;   /* Lengths of names, by symbol index. NULL if unknown */
	size_t sym_count, dyn_count;
	struct plt plt;
	/* Filled by attr_list_sized(). For BY_UNIT and BY_FILE: data symbols without an owner. */
	place_vec sized;
	place_vec unsized; /* Symbols without a size, by address, then by rank */
	/* For BY_SYMBOL: sorted data symbols whose size is guessed as the distance to the next
	 * symbol. See extents_find(). */
	place_vec guessed;
	/* Uses of imports and of code in `bare` (BY_UNIT, BY_FILE). By address, then code order */
	VEC(struct import_use) uses;
	VEC(uint64_t) nobodys;
	place_vec bare; /* Code symbols that the DWARF lacks, sorted */
	VEC(struct overlay_code) overlays;
	struct debuginfo *dwarf;
	struct debug_bytes *bytes; /* What the pass over debug sections keeps */
	uint64_t by_file;          /* Number of symbols that STT_FILE symbols give to files, because
			       * there is no DWARF */
	label_id debug_owner; /* Owner of all debug sections. LABEL_NONE if there are several */
	/* Functions that unwind tables describe. In file order until references are claimed */
	fde_vec fdes;
	/* Label of exception tables that no function refers to. LABEL_NONE: not claimed. */
	label_id unused_tables;
	uint64_t made_up; /* Number of functions that got a name "sub_ADDRESS" */
	/* True if bytes without an owner may be code. heft cannot tell, because it does not decode
	 * this machine's instructions. */
	bool code_unread;
	/* GHC's tables in the code. */
	struct ghc_tables ghc;
	bool ghc_read;
	closure_vec closures; /* Sorted by address */
	VEC(uint32_t)
	late;              /* Symbol entries without a known owner, in tables that do not have
			    * ELF's form: indexes in image.entries */
	struct refs *refs; /* Valid from attr_refs_find() to attr_refs_claim() */
};

/* Like symtab_open(). Takes the lengths of names from `sym_sizes` or `dyn_sizes`. */
bool attr_open_symbols(const struct attr *a, const struct image *im, const struct section *table,
		       struct symtab *ret);
/* Lists all sized symbols by address. At each address, the symbol that owns it comes first. Also
 * fills the unsized and the guessed symbols of the scratch. */
void attr_list_sized(struct attr *a, place_vec *ret);
/* Adds the symbols of scratch->guessed to source_file.places, after extents_find(). */
void attr_list_guessed(struct attr *a);
/* Returns the unsized symbol at an address, or NULL. */
const struct place *attr_unsized_at(const struct attr *a, uint64_t addr);
const struct place *attr_bare_at(const struct attr *a, uint64_t addr);
/* Returns the label of the file that declares the variable at die_off, otherwise the label of its
 * unit. The file table stays open until the job calls attr_files_release(). */
struct findings;
label_id attr_decl_file(struct findings *f, uint64_t die_off);
void attr_files_release(struct findings *f);
/* passes.c: true if GHC made the image. Reads GHC's tables at the first call, on one thread. */
bool attr_is_ghc(const struct attr *a);
/* Releases everything that the passes kept. */
void attr_scratch_release(struct attr_scratch *s);
