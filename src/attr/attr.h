/* attr.h - gives the bytes of one image to its symbols, units or files. Private to the sources.
 *
 * The passes run in a fixed order (attr/passes.c). Each claims the bytes whose owner is certain,
 * and may look up the owner of an address in the claims of earlier passes. A pass needs only this
 * header: it sees the image and the owners so far, and appends claims. */
#ifndef HEFT_ATTR_ATTR_H
#define HEFT_ATTR_ATTR_H

#include "program/source_file.h"

/* Kind of owners. */
enum owner { BY_SYMBOL, BY_UNIT, BY_FILE };

struct attr_scratch;

struct attr {
	/* The input, the same for all passes. */
	const struct source_file *f;
	const struct image *im;    /* The measured image */
	const struct image *debug; /* Image of its separate debug file, or NULL */
	enum owner owner;
	/* The owners so far, and the claims collected now. */
	struct spans vm;
	struct claims vm_claims;
	struct claims file_claims; /* Claims of all images, in file offsets */
	/* Data that passes keep for later passes. Passes for languages and bundles do not use
	 * it. */
	struct attr_scratch *scratch;
};

/* Claims bytes of a section for a label: VM bytes if the section is mapped, else file bytes. */
void attr_put(struct attr *a, const struct section *s, uint64_t off, uint64_t size, label_id label,
	      enum why why);
/* Resolves the VM claims collected so far and adds them below the known owners. */
void attr_commit_vm(struct attr *a);
/* Returns a copy for another thread, with its own claims. */
struct attr attr_partner(const struct attr *a);
/* Returns the label of a symbol's name. LABEL_NONE if it has none. */
label_id symbol_label(const struct attr *a, const struct symbol *s);
/* Returns the label of a COMDAT group: the label of its signature symbol. */
label_id attr_group_owner(const struct attr *a, const struct section *group);
/* Tells whether a section may hold data with owners of their own (no tables). */
bool section_is_data(const struct section *s);
uint64_t pointer_size(const struct image *im);
/* Reads the pointer stored at a VM address. False if the file has none. */
bool load_pointer(const struct image *im, uint64_t addr, uint64_t *ret);

/* attr.c: reads the symbol tables of the image, with a label per symbol. Each call reads them
 * anew. */
void attr_read_symbols(struct attr *a);
/* attr_symbols.c: claims sized symbols; then, in code without an owner, unsized ones. */
void attr_sized_symbols(struct attr *a);
void attr_unsized_symbols(struct attr *a);
/* go/attr_go.c: claims the tables of Go's runtime for functions that have an owner so far. */
void attr_go(struct attr *a);
/* attr_plt.c: claims stubs and GOT slots. Slots without a symbol belong to the owner of their
 * target. */
void attr_plt(struct attr *a);
void attr_got(struct attr *a);
/* attr_imports.c: by unit or file, claims undefined symbols for the first code or data that refers
 * to them. Runs when data has its owners, before attr_plt(). */
void attr_imports(struct attr *a);
/* By unit: lists code without a unit. Once its users are known, gives it to the unit directly after
 * it, if that unit alone calls it. Such code is assembly inside C. clang's DWARF does not describe
 * it. */
void attr_bare_list(struct attr *a);
void attr_bare_claim(struct attr *a);
/* attr_unwind.c. attr_unwind_read() needs only the image. */
void attr_unwind_read(struct attr *a);
void attr_unwind_bounds(struct attr *a);
void attr_unwind_bytes(struct attr *a);
/* attr_discover.c: claims functions of stripped images that unwind tables do not name. */
void attr_discover(struct attr *a);
/* attr_ghc.c: claims GHC's tables for the code behind them. Claims static objects for their
 * symbols, or for the functions that they are the values of. */
void attr_ghc_code(struct attr *a);
void attr_ghc_closures(struct attr *a);
/* By symbol, claims static objects that nothing refers to, with a row for each constructor. */
void attr_ghc_rest(struct attr *a);
/* attr_pascal.c: by symbol, claims what Free Pascal's runtime needs of types, for these. */
void attr_pascal(struct attr *a);
/* attr_pascal_resources.c: by symbol, claims resources of Free Pascal, with a row each. */
void attr_pascal_resources(struct attr *a);
/* attr_refs.c: claims anonymous data for the code or data that refers to it. */
void attr_refs_find(struct attr *a);
void attr_refs_claim(struct attr *a);
/* attr_pad.c: extends functions over the nops after them. A label or a pointer to the end of a
 * function leads to the nops, but does not own them. All claims must be owners. */
void attr_code_padding(struct attr *a);
/* Claims zeros between data for the data before them. */
void attr_padding(struct attr *a);
/* Claims "(alignment)". Runs before data has owners. Only if there is a symbol table. */
void attr_alignment(struct attr *a);
/* attr_tables.c: claims symbol tables, names, versions, hashes, groups and pointer arrays.
 * attr_symbol_tables() needs no owners and makes no labels. So it may run in parallel with other
 * passes, on a copy of the attr. */
void attr_symbol_tables(struct attr *a);
void attr_tables(struct attr *a);
/* Claims entries about things that had no owner before attr_tables(): other tables, and names of
 * what they own. */
void attr_late_entries(struct attr *a);
/* attr_objects.c: if a section of an object has one owner, claims its section header for that
 * owner. */
void attr_objects(struct attr *a);
/* attr_files.c: claims code by the rows of line programs. */
void attr_file_rows(struct attr *a);
/* attr_file_symbols.c: claims local symbols without an owner by the STT_FILE symbols of an image's
 * table. `im` is the measured image or its debug file. */
void attr_file_symbols(struct attr *a, const struct image *im);
/* attr_archive.c: claims the symbol table of an archive by symbol. If `owners` (by image) is not
 * NULL, claims it for the owner of the member. */
void attr_archive(const struct source_file *f, const label_id *owners, struct claims *file);
/* attr_linkmap.c: claims what the linker map tells about the objects of a program. */
void attr_linkmap(struct attr *a);
/* Calls fn for the pieces of a map that came from objects, in sections that the image has. */
struct linkmap_piece;
typedef void map_piece_fn(void *ctx, const struct linkmap_piece *p);
void attr_each_piece(const struct image *im, const struct linkmap *map, map_piece_fn *fn,
		     void *ctx);
/* Returns the path of an object of a map, as a label. */
label_id attr_object_label(struct labels *labels, const struct linkmap *map, uint32_t object);
/* attr_units.c: claims code and variables, by compile unit or source file. Then the debug sections,
 * by unit or by symbol. */
void attr_units(struct attr *a);
/* Claims VM bytes, at most until the end of their section. */
void attr_claim_vm(struct attr *a, uint64_t addr, uint64_t size, label_id label);
void attr_debug_sections(struct attr *a);
/* attr_code_tables.c: claims the kernel's tables for the code that they describe. */
void attr_code_tables(struct attr *a);
/* Claims the links to types of a Go program for the owners of the types. */
void attr_go_links(struct attr *a);
/* attr_records.c: claims the records of tables about functions for these functions: maps of blocks,
 * stack sizes, call graphs, probes, SFrame, BTF and others. By symbol, what is about no function
 * gets a row per kind. */
void attr_records(struct attr *a);
/* attr_notes.c: by symbol, claims probes of SystemTap, with a row each, and annobin's notes for
 * their functions. */
void attr_notes(struct attr *a);
/* attr_bundle.c: by symbol, claims what is appended to a program: members of a zip file, of
 * archives of PyInstaller, bun and pkg; a squashfs image. attr_node() claims the members of a
 * Node.js single executable application. It runs before symbols have owners, because the resource
 * that may hold them is a symbol. */
void attr_node(struct attr *a);
void attr_bundle(struct attr *a);
/* By symbol, claims bytes without an owner in a packed program (made_by_packer). */
void attr_packed(struct attr *a);
/* attr_gresource.c: by symbol, claims the members of GLib's resource bundles, with a row each. */
void attr_gresource(struct attr *a);
/* attr_gpu.c: by symbol, claims GPU code: kernels by name and architecture, and a row for the rest
 * of each architecture. */
void attr_gpu(struct attr *a);
/* attr_relocs.c: claims relocation entries for the owner of what they patch. */
void attr_relocs(struct attr *a);

#endif
