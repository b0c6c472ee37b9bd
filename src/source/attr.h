/* attr.h - giving the bytes of one image to its symbols.  Private to the symbols source.
 *
 * The parts run in a fixed order (symbols.c); each claims what it knows for certain and may
 * ask for the owner of an address in what the parts before it claimed. */
#ifndef HEFT_SOURCE_ATTR_H
#define HEFT_SOURCE_ATTR_H

#include "source/source.h"

/* A frame description entry of an .eh_frame section. */
struct fde {
	uint64_t addr, size; /* code */
	uint64_t lsda;       /* VM address, 0 if none */
	uint64_t off, bytes; /* the entry, in its section */
	uint64_t cie_off;
	uint32_t section; /* index */
};

/* A GOT slot that a dynamic relocation fills for a symbol. */
struct got_slot {
	uint64_t addr;
	label_id label;
	bool jump;
};

/* A symbol at an address. */
struct place {
	uint64_t addr, size;
	label_id label;
	uint32_t rank;    /* lower is better, among those that start together */
	bool code, vague; /* vague: an untyped global, which linkers define as a mere mark */
};

typedef VEC(struct place) place_vec;

struct attr {
	const struct source_file *f;
	const struct image *im;                /* the image measured */
	const struct image *debug;             /* of its separate debug file, or NULL */
	struct spans vm;                       /* owners so far */
	struct claims vm_claims;               /* being collected */
	struct claims file_claims;             /* of all parts; file offsets */
	const struct section *symtab, *dynsym; /* or NULL */
	label_id *sym_labels, *dyn_labels;     /* of their symbols, by index */
	size_t sym_count, dyn_count;
	VEC(struct got_slot) got; /* sorted by address */
	VEC(struct fde) fdes;     /* in file order */
	uint64_t made_up;         /* functions named sub_ADDRESS */
	place_vec unsized;        /* symbols without a size, sorted; first of an address leads */
};

/* Claims bytes of a section for a label: VM bytes if the section is mapped, else file bytes. */
void attr_put(struct attr *a, const struct section *s, uint64_t off, uint64_t size, label_id label,
	      enum why why);
/* Resolves the VM claims collected so far and puts them below the owners known. */
void attr_commit_vm(struct attr *a);
/* The label of a symbol's name; LABEL_NONE where it has none. */
label_id symbol_label(const struct attr *a, const struct symbol *s);
/* Whether a section may hold data that have an owner of their own (no tables). */
bool section_is_data(const struct section *s);
bool section_is_got(const struct section *s);
uint64_t pointer_size(const struct image *im);
/* The pointer stored at a VM address; false where the file has none. */
bool load_pointer(const struct image *im, uint64_t addr, uint64_t *ret);

/* attr_symbols.c: sized symbols; then, for code nobody has, unsized ones. */
void attr_sized_symbols(struct attr *a);
void attr_unsized_symbols(struct attr *a);
/* The unsized symbol at an address, or NULL. */
const struct place *attr_unsized_at(const struct attr *a, uint64_t addr);
/* attr_plt.c: stubs and GOT slots; slots without a symbol go to the owner of their target. */
void attr_got_init(struct attr *a);
void attr_plt(struct attr *a);
void attr_got(struct attr *a);
/* attr_unwind.c */
void attr_unwind_read(struct attr *a);
void attr_unwind_bounds(struct attr *a);
void attr_unwind_bytes(struct attr *a);
/* attr_discover.c: functions of stripped images that unwind tables do not name. */
void attr_discover(struct attr *a);
/* attr_refs.c: anonymous data to the code or data that refers to them. */
void attr_refs(struct attr *a);
/* attr_pad.c: zeros between data to what precedes them. */
void attr_padding(struct attr *a);
/* attr_tables.c: symbol tables, names, versions, hashes, groups, pointer arrays.  The first
 * needs no owners and makes no labels, so it may run beside others (on a copy of the attr). */
void attr_symbol_tables(struct attr *a);
void attr_tables(struct attr *a);
/* attr_objects.c: section headers of objects to the one owner of the section. */
void attr_objects(struct attr *a);
/* attr_relocs.c: relocation entries to the owner of what they patch. */
void attr_relocs(struct attr *a);

#endif
