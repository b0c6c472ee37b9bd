/* attr.h - gives the bytes of one image to its symbols, units or files. Private to data sources.
 *
 * The passes run in a fixed order (attr/passes.c). Each pass claims the bytes whose owner is
 * certain. It may look up the owner of an address in the claims of earlier passes. A pass needs
 * only this header. It reads the image and the owners found so far, and appends claims. */
#pragma once

#include "program/source_file.h"

/* Who owns bytes (attr.owner): symbols, compile units or source files */
enum owner { BY_SYMBOL, BY_UNIT, BY_FILE };

struct attr_scratch;

struct attr {
	/* Input of the attribution, the same for all passes. */
	const struct source_file *f;
	const struct image *im;    /* The measured image */
	const struct image *debug; /* Image of the separate debug file, or NULL */
	enum owner owner;
	/* Owners found so far, and the claims that the running pass collects. */
	struct spans vm;
	struct claims vm_claims;
	struct claims file_claims; /* Claims of all images, in file offsets */
	struct attr_scratch *scratch;
};

/* Claims bytes of a section for a label: VM bytes if it is mapped, otherwise file bytes. */
void attr_put(struct attr *a, const struct section *s, uint64_t off, uint64_t size, label_id label,
	      enum why why);
/* Resolves the VM claims collected so far, and adds them to a->vm, whose owners take precedence. */
void attr_commit_vm(struct attr *a);
struct attr attr_partner(const struct attr *a);
/* Returns a symbol's label: its name for BY_SYMBOL, else its address's owner. Or LABEL_NONE. */
label_id symbol_label(const struct attr *a, const struct symbol *s);
/* Returns the label of the symbol that names a COMDAT group. */
label_id attr_group_owner(const struct attr *a, const struct section *group);
/* Returns true if a section may hold data of different owners. False for tables. */
bool section_is_data(const struct section *s);
uint64_t pointer_size(const struct image *im);
/* Compares two `const struct section *` for qsort(). */
int attr_sections_by_addr(const void *a, const void *b);
/* Reads the pointer stored at a VM address. False if the file has none. */
bool load_pointer(const struct image *im, uint64_t addr, uint64_t *ret);

/* attr.c: reads the symbol tables again in each call, and makes a label for each symbol. */
void attr_read_symbols(struct attr *a);
/* attr.c: for BY_UNIT and BY_FILE, gives each symbol without an owner the owner of its address.
 * Examples are the symbols that mold makes for stubs. */
void attr_symbols_of_stubs(struct attr *a);
/* attr_symbols.c: claims sized symbols; then, in code without an owner, unsized ones. */
void attr_sized_symbols(struct attr *a);
void attr_unsized_symbols(struct attr *a);
/* go/attr_go.c: claims the tables of Go's runtime for functions that already have an owner. */
void attr_go(struct attr *a);
/* attr_plt.c: claims PLT stubs and GOT slots. Nameless slots go to their target's owner. */
void attr_plt(struct attr *a);
void attr_got(struct attr *a);
/* attr_imports.c: for BY_UNIT and BY_FILE, claims undefined symbols for the first code or data that
 * refers to them. Runs after data has owners and before attr_plt(). */
void attr_imports(struct attr *a);
/* attr_imports.c: for BY_UNIT, lists code without a unit, such as assembly inside C, which clang's
 * DWARF does not describe. attr_bare_claim() later gives each range of such code to the next unit,
 * if no other unit calls it. */
void attr_bare_list(struct attr *a);
void attr_bare_claim(struct attr *a);
/* attr_unwind.c: claims code by unwind tables. attr_unwind_read() needs only the image. */
void attr_unwind_read(struct attr *a);
struct unwind_section;
/* Returns a section of unwind tables for unwind.h. */
struct unwind_section attr_unwind_section(const struct attr *a, const struct section *s);
void attr_unwind_bounds(struct attr *a);
void attr_unwind_bytes(struct attr *a);
/* attr_discover.c: claims functions of stripped images that no unwind table describes. */
void attr_discover(struct attr *a);
/* attr_ghc.c: claims GHC's tables for the code that follows each table. Claims static objects for
 * their symbols, or for the functions whose values they hold. */
void attr_ghc_code(struct attr *a);
void attr_ghc_closures(struct attr *a);
/* For BY_SYMBOL: claims static objects without a reference. Each constructor gets a row. */
void attr_ghc_rest(struct attr *a);
/* attr_pascal.c: for BY_SYMBOL, claims Free Pascal's type information, method tables and resources.
 * Each resource gets a row. */
void attr_pascal(struct attr *a);
/* attr_refs.c: claims data without a symbol for the code or data that refers to it. */
void attr_refs_find(struct attr *a);
void attr_refs_claim(struct attr *a);
/* attr_pad.c: extends functions over the nops after them. A label or pointer to the end of a
 * function does not own the nops there. All other claims of code must have been made. */
void attr_code_padding(struct attr *a);
/* True for 64 or more equal bytes in code that are not zero. A label there only marks the end of
 * the code before it. */
bool attr_is_fill(const struct image *im, const struct section *in, uint64_t start, uint64_t end);
/* Claims zeros between data for the data before them. */
void attr_padding(struct attr *a);
/* Claims alignment bytes if the image has a symbol table. Runs before data has owners. */
void attr_alignment(struct attr *a);
/* attr_tables.c: claims symbol tables, names, versions, hashes, groups and pointer arrays.
 * attr_symbol_tables() needs no owners and makes no labels, so a thread may run it on a copy of
 * `a`. */
void attr_symbol_tables(struct attr *a);
void attr_tables(struct attr *a);
/* Runs after attr_tables(). Claims the table entries whose owner attr_tables() did not find,
 * because the bytes that they describe had no owner yet. Examples are entries for other tables. */
void attr_late_entries(struct attr *a);
/* attr_objects.c: claims the headers of an object's sections that have one owner. */
void attr_objects(struct attr *a);
/* attr_files.c: claims code by the rows of line programs. */
void attr_file_rows(struct attr *a);
/* attr_files.c: claims local symbols without an owner by the STT_FILE symbols of an image's
 * table. `im` is the measured image or its debug file. */
void attr_file_symbols(struct attr *a, const struct image *im);
/* attr_objects.c: claims the symbol table of an archive by symbol. If `owners` (indexed by image)
 * is not NULL, claims each entry for its member's owner. */
void attr_archive(const struct source_file *f, const label_id *owners, struct claims *file);
/* attr_linkmap.c: claims bytes by the linker map for the objects that it lists. */
void attr_linkmap(struct attr *a);
/* For the data source `objects`: decides which object each unit comes from, by the bytes that the
 * unit has claimed so far. */
void attr_linkmap_vote(struct attr *a);
/* attr_units.c: claims virtual tables and type information for the unit or file of the
 * class's key function. */
void attr_key_functions(struct attr *a);
/* attr_units.c: claims code and variables, by compile unit or source file. Then the debug sections,
 * by unit or by symbol. */
void attr_units(struct attr *a);
/* Claims VM bytes, at most until the end of their section. */
void attr_claim_vm(struct attr *a, uint64_t addr, uint64_t size, label_id label);
void attr_debug_sections(struct attr *a);
/* attr_code_tables.c: claims the kernel's tables about code for that code. */
void attr_code_tables(struct attr *a);
/* Claims the entries of Go's .typelink for the owners of the types. */
void attr_go_links(struct attr *a);
/* attr_records.c: claims the records of tables about functions for their functions: maps of blocks,
 * stack sizes, call graphs, probes, SFrame, BTF, notes and others. For BY_SYMBOL, records without a
 * function get a row per kind. */
void attr_records(struct attr *a);
/* attr_bundle.c: for BY_SYMBOL, claims files appended to a program: members of zip files, of
 * PyInstaller, bun and pkg archives, and a squashfs image. attr_node() claims the members of a
 * Node.js single executable application. attr_node() runs before symbols claim bytes, because a
 * symbol may name the resource that holds the members. */
void attr_node(struct attr *a);
void attr_bundle(struct attr *a);
/* For BY_SYMBOL: gives unowned bytes of a compressed program to its packer, such as UPX. */
void attr_packed(struct attr *a);
/* attr_gresource.c: for BY_SYMBOL, claims members of GLib's resource bundles, a row each. */
void attr_gresource(struct attr *a);
/* attr_gpu.c: for BY_SYMBOL, claims GPU code. Each kernel and architecture gets a row. Other bytes
 * of an architecture share one row. */
void attr_gpu(struct attr *a);
bool attr_gpu_any(const struct image *im);
/* True if the section may contain GPU code, also in the middle of data. */
bool attr_gpu_in(const struct image *im, const struct section *s);
/* attr_tables.c: claims a relocation entry for the owner of the bytes that the entry patches. */
void attr_relocs(struct attr *a);
