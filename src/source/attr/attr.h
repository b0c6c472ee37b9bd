/* attr.h - giving the bytes of one image to its symbols, units or files.  Private to the sources.
 *
 * The passes run in a fixed order (source/passes.c); each claims what it knows for certain and may
 * ask for the owner of an address in what the passes before it claimed.  A claimer needs no more
 * than this header: it sees the image and the owners so far, and appends claims. */
#ifndef HEFT_SOURCE_ATTR_ATTR_H
#define HEFT_SOURCE_ATTR_ATTR_H

#include "source/source.h"

/* What owns the bytes. */
enum owner { BY_SYMBOL, BY_UNIT, BY_FILE };

struct attr_scratch;

struct attr {
	/* The input: the same for all passes. */
	const struct source_file *f;
	const struct image *im;    /* the image measured */
	const struct image *debug; /* of its separate debug file, or NULL */
	enum owner owner;
	/* The owners so far, and what is being claimed. */
	struct spans vm;
	struct claims vm_claims;
	struct claims file_claims; /* of all images; file offsets */
	/* What passes keep for later ones; claimers of languages and bundles do not look into
	 * it. */
	struct attr_scratch *scratch;
};

/* Claims bytes of a section for a label: VM bytes if the section is mapped, else file bytes. */
void attr_put(struct attr *a, const struct section *s, uint64_t off, uint64_t size, label_id label,
	      enum why why);
/* Resolves the VM claims collected so far and puts them below the owners known. */
void attr_commit_vm(struct attr *a);
/* A copy for a thread beside others, to make claims of its own. */
struct attr attr_partner(const struct attr *a);
/* The label of a symbol's name; LABEL_NONE where it has none. */
label_id symbol_label(const struct attr *a, const struct symbol *s);
/* The label of a COMDAT group: that of its signature symbol. */
label_id attr_group_owner(const struct attr *a, const struct section *group);
/* Whether a section may hold data that have an owner of their own (no tables). */
bool section_is_data(const struct section *s);
uint64_t pointer_size(const struct image *im);
/* The pointer stored at a VM address; false where the file has none. */
bool load_pointer(const struct image *im, uint64_t addr, uint64_t *ret);

/* symbols.c: the symbol tables of the image with a label for each symbol, anew each time. */
void attr_read_symbols(struct attr *a);
/* attr_symbols.c: sized symbols; then, for code nobody has, unsized ones. */
void attr_sized_symbols(struct attr *a);
void attr_unsized_symbols(struct attr *a);
/* go/attr_go.c: the tables of Go's runtime, to the functions that have an owner so far. */
void attr_go(struct attr *a);
/* attr_plt.c: stubs and GOT slots; slots without a symbol go to the owner of their target. */
void attr_plt(struct attr *a);
void attr_got(struct attr *a);
/* attr_imports.c: by unit or file, what users of imports tell.  Undefined symbols go to the
 * first code or data that refers to them; when data have their owners, before attr_plt. */
void attr_imports(struct attr *a);
/* By unit: lists code without a unit; gives it, once its users are known, to the unit right behind
 * it where that alone calls it: assembly inside C, of which clang's DWARF says nothing. */
void attr_bare_list(struct attr *a);
void attr_bare_claim(struct attr *a);
/* attr_unwind.c.  Reading needs nothing but the image. */
void attr_unwind_read(struct attr *a);
void attr_unwind_bounds(struct attr *a);
void attr_unwind_bytes(struct attr *a);
/* attr_discover.c: functions of stripped images that unwind tables do not name. */
void attr_discover(struct attr *a);
/* attr_refs.c: anonymous data to the code or data that refers to them. */
void attr_refs_find(struct attr *a);
void attr_refs_claim(struct attr *a);
/* attr_pad.c: zeros between data to what precedes them. */
void attr_padding(struct attr *a);
/* Before data have owners, where symbols tell all there is: "(alignment)". */
void attr_alignment(struct attr *a);
/* attr_tables.c: symbol tables, names, versions, hashes, groups, pointer arrays.  The first
 * needs no owners and makes no labels, so it may run beside others (on a copy of the attr). */
void attr_symbol_tables(struct attr *a);
void attr_tables(struct attr *a);
/* Entries about what had no owner before attr_tables: other tables, names of what these own. */
void attr_late_entries(struct attr *a);
/* attr_objects.c: section headers of objects to the one owner of the section. */
void attr_objects(struct attr *a);
/* attr_files.c: whose code it is, by the rows of line programs. */
void attr_file_rows(struct attr *a);
/* attr_file_symbols.c: local symbols nobody has, by the STT_FILE symbols of an image's table: the
 * measured one's or its debug file's. */
void attr_file_symbols(struct attr *a, const struct image *im);
/* attr_archive.c: the symbol table of an archive: by symbol, or where `owners` is not NULL to the
 * owner of the member (by image). */
void attr_archive(const struct source_file *f, const label_id *owners, struct claims *file);
/* attr_linkmap.c: what the linker's map says of the objects of a program. */
void attr_linkmap(struct attr *a);
/* Calls fn for the pieces of a map that objects brought, of sections that the image has. */
struct linkmap_piece;
typedef void map_piece_fn(void *ctx, const struct linkmap_piece *p);
void attr_each_piece(const struct image *im, const struct linkmap *map, map_piece_fn *fn,
		     void *ctx);
/* The path of an object of a map. */
label_id attr_object_label(struct labels *labels, const struct linkmap *map, uint32_t object);
/* attr_units.c: who owns code and variables, by compile unit or source file; then the debug
 * sections, by unit or by symbol. */
void attr_units(struct attr *a);
/* Claims VM bytes, at most up to the end of their section. */
void attr_claim_vm(struct attr *a, uint64_t addr, uint64_t size, label_id label);
void attr_debug_sections(struct attr *a);
/* attr_code_tables.c: the kernel's unwind tables to the code they are about, Go's links to types to
 * the owners of these. */
void attr_code_tables(struct attr *a);
/* attr_btf.c: by symbol, what BTF says of functions and variables to these; of the rest a row a
 * kind. */
void attr_btf(struct attr *a);
/* attr_notes.c: by symbol, a row for each probe of SystemTap; what annobin says of a function to
 * that. */
void attr_notes(struct attr *a);
/* attr_bundle.c: by symbol, what is appended to a program: members of a zip file, of PyInstaller's
 * archive, of bun, of pkg; a squashfs image.  Before symbols have owners, for the resource that it
 * may be in is one: members of a Node.js single executable application. */
void attr_node(struct attr *a);
void attr_bundle(struct attr *a);
/* By symbol, what has no owner yet in a program that is packed (made_by_packer). */
void attr_packed(struct attr *a);
/* attr_gpu.c: by symbol, code of graphics processors: kernels by name and architecture, and a row
 * for the rest of each architecture. */
void attr_gpu(struct attr *a);
/* attr_relocs.c: relocation entries to the owner of what they patch. */
void attr_relocs(struct attr *a);

#endif
