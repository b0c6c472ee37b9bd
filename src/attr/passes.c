/* Holds the table of attribution passes, and runs the passes. */
#include "attr/passes.h"

#include "base/pool.h"
#include "program/debuginfo.h"
#include "program/go_table.h"
#include "program/made_by.h"

/* Returns true if the program is not packed. In a packed program, symbols at entry points have
 * guessed sizes, which include the packed bytes. Its tables give addresses after unpacking. */
static bool is_unpacked(const struct attr *a)
{
	return image_states_sizes(a->im) || made_by_packer(a->im).len == 0;
}

/* Returns true if the image is a whole program. Only programs have files in or after them. */
static bool is_own_program(const struct attr *a)
{
	return a->im->kind == IMAGE_EXEC && !a->f->input->archive;
}

/* True if the image is linked, and functions already have units. */
static bool is_linked_of_units(const struct attr *a)
{
	return a->im->kind == IMAGE_EXEC && (a->scratch->dwarf || a->f->linkmap);
}

static bool has_entries(const struct attr *a)
{
	return a->im->entry_count > 0;
}

static bool is_object(const struct attr *a)
{
	return a->im->kind == IMAGE_OBJECT;
}

static bool is_packed(const struct attr *a)
{
	return is_own_program(a) && made_by_packer(a->im).len > 0;
}

static bool is_go(const struct attr *a)
{
	return go_slot_open(a->f->go, a->im, NULL) != NULL;
}

bool attr_is_ghc(const struct attr *a)
{
	struct attr_scratch *s = a->scratch;
	if (!s->ghc_read)
		ghc_image_tables(a->im, &s->ghc);
	s->ghc_read = true;
	return s->ghc.list.count > 0;
}

/* Returns true if functions may lack symbols. A stripped object keeps the symbols that the linker
 * needs. GHC makes symbols only for exported functions. */
static bool lacks_functions(const struct attr *a)
{
	return !a->debug && (!(image_states_sizes(a->im) && a->im->kind == IMAGE_EXEC &&
			       image_symbols_name_places(a->im)) ||
			     attr_is_ghc(a));
}

/* True if any byte has an owner. Without owners, references show nothing. */
static bool has_owners(const struct attr *a)
{
	return a->owner == BY_SYMBOL || a->vm.list.count > 0;
}

static bool wants_debug_owners(const struct attr *a)
{
	return a->owner != BY_SYMBOL ||
	       (!a->f->debug_stays && !a->f->vm_only && debuginfo_present(a->im));
}

/* Returns true if the image has a section that the pass reads. */
static bool pass_has_section(const struct attr_pass *p, const struct image *im)
{
	for (size_t i = 1; p->reads[0] && i < im->section_count; i++) {
		const struct str name = im->sections[i].name;
		for (size_t k = 0; k < COUNT_OF(p->reads) && p->reads[k]; k++)
			if (name.len > 1 && name.p[1] == p->reads[k][1] &&
			    str_starts(name, str_of(p->reads[k])))
				return true;
	}
	return !p->reads[0];
}

static void named_code_claim(struct attr *a)
{
	attr_read_symbols(a);
	if (a->owner == BY_SYMBOL && is_unpacked(a))
		attr_sized_symbols(a);
	attr_commit_vm(a);
	plt_read(&a->scratch->plt, a->im);
	attr_plt(a);
}

/* Frees the copy of an attr that only read tables and has no claims. */
static void unwind_join(struct attr *a, struct attr *b)
{
	ASSERT(b->vm_claims.list.count == 0 && b->file_claims.list.count == 0);
	(void)a;
}

static void tables_claim(struct attr *b)
{
	attr_unwind_bytes(b);
	if (b->owner == BY_SYMBOL)
		attr_symbol_tables(b);
}

/* Resolves the claims on tables before other claims. If the output shows each claim (`trace`,
 * `origins`), only sorts them, because each claim must be kept then. */
static void tables_resolve(struct attr *b)
{
	claims_sort(&b->vm_claims);
	claims_sort(&b->file_claims);
	memset(&b->vm, 0, sizeof b->vm);
	if (!b->f->trace && !b->f->origins)
		claims_resolve(&b->vm_claims, UINT64_MAX, &b->vm);
}

static void tables_join(struct attr *a, struct attr *b)
{
	if (a->f->places)
		attr_list_guessed(a);
	attr_commit_vm(a);
	spans_overlay(&a->vm, &b->vm);
	a->vm_claims = b->vm_claims;
	claims_append(&a->file_claims, &b->file_claims);
}

static void symbols_name_again(struct attr *a)
{
	attr_bare_claim(a);
	attr_read_symbols(a);
	attr_imports(a);
	attr_plt(a);
	if (a->vm_claims.list.count > 0) {
		attr_commit_vm(a);
		attr_symbols_of_stubs(a);
	}
	attr_symbol_tables(a);
}

static void entries_name(struct attr *a)
{
	attr_read_symbols(a);
	attr_symbol_tables(a);
}

static bool is_object_of_dwarf(const struct attr *a)
{
	return a->im->kind == IMAGE_OBJECT && a->scratch->dwarf && a->vm.list.count > 0;
}

static void object_claim(struct attr *a)
{
	const struct spans *vm = &a->vm;
	const label_id unit = vm->list.data[0].label;
	for (size_t i = 1; i < vm->list.count; i++)
		if (vm->list.data[i].label != unit)
			return;
	claim(&a->file_claims, a->im->file_off, a->im->bytes.size, unit, WHY_DEBUG);
}

static const struct attr_pass passes[] = {
	{ .name = "node",
	  .why = "a Node.js application in a resource, to its members: the resource's symbol is "
		 "none",
	  .owners = FOR_SYMBOL,
	  .applies = is_own_program,
	  .run = attr_node,
	  .commits = true },
	{ .name = "units",
	  .why = "code and variables, to the units or files that the debug info states",
	  .owners = FOR_SOURCES,
	  .run = attr_units },
	{ .name = "symbols",
	  .why = "code and data, to the symbols that state a size; stubs, to what they call",
	  .owners = FOR_ALL,
	  .run = named_code_claim,
	  .beside = attr_unwind_read,
	  .join = unwind_join,
	  .commits = true },
	{ .name = "key functions",
	  .why = "virtual tables and type information, to the unit or file of the class's key "
		 "function",
	  .needs = "units, symbols",
	  .owners = FOR_SOURCES,
	  .applies = is_linked_of_units,
	  .run = attr_key_functions,
	  .commits = true },
	{ .name = "unwind bounds",
	  .why = "code without a symbol, to functions that unwind tables bound",
	  .needs = "symbols",
	  .owners = FOR_SYMBOL,
	  .run = attr_unwind_bounds,
	  .commits = true },
	{ .name = "discovered",
	  .why = "code that no table bounds, to functions that calls and blocks tell",
	  .needs = "symbols, unwind bounds",
	  .owners = FOR_SYMBOL,
	  .applies = lacks_functions,
	  .run = attr_discover,
	  .commits = true },
	{ .name = "ghc code",
	  .why = "tables that GHC puts before code, to that code",
	  .needs = "symbols, discovered",
	  .owners = FOR_ALL,
	  .applies = attr_is_ghc,
	  .run = attr_ghc_code,
	  .commits = true },
	{ .name = "code padding",
	  .why = "nops that align functions, to the function before them",
	  .needs = "symbols, discovered",
	  .owners = FOR_ALL,
	  .run = attr_code_padding },
	{ .name = "unsized symbols",
	  .why = "code that nobody has, to the symbols without a size before it",
	  .needs = "symbols, discovered, code padding",
	  .owners = FOR_SYMBOL,
	  .applies = is_unpacked,
	  .run = attr_unsized_symbols,
	  .commits = true },
	{ .name = "go",
	  .why = "tables of Go's runtime, to the functions that they describe",
	  .needs = "symbols",
	  .owners = FOR_ALL,
	  .applies = is_go,
	  .run = attr_go,
	  .commits = true },
	{ .name = "ghc objects",
	  .why = "static objects of Haskell, to their symbols, or to the code that is their value",
	  .needs = "ghc code, unsized symbols",
	  .owners = FOR_ALL,
	  .applies = attr_is_ghc,
	  .run = attr_ghc_closures,
	  .commits = true },
	{ .name = "pascal",
	  .why = "tables of methods and type information of Free Pascal, to the type they name; "
		 "a row for each resource",
	  .needs = "symbols",
	  .owners = FOR_SYMBOL,
	  .reads = { ".fpcdata", "fpc.resources" },
	  .run = attr_pascal,
	  .commits = true },
	{ .name = "gpu",
	  .why = "code of graphics processors, to kernels by name and architecture",
	  .needs = "symbols",
	  .owners = FOR_SYMBOL,
	  .run = attr_gpu,
	  .commits = true },
	{ .name = "alignment",
	  .why = "gaps between symbols where symbols tell all there is, to the row (alignment)",
	  .needs = "symbols",
	  .owners = FOR_SYMBOL,
	  .run = attr_alignment,
	  .commits = true },
	{ .name = "find references",
	  .why = "lists who refers to data without a symbol; unwind entries and symbol tables, to "
		 "their functions and symbols",
	  .needs = "symbols, discovered, code padding",
	  .owners = FOR_ALL,
	  .applies = has_owners,
	  .run = attr_refs_find,
	  .beside = tables_claim },
	{ .name = "references",
	  .why = "data without a symbol, to the first code or data that refers to them",
	  .needs = "find references",
	  .owners = FOR_ALL,
	  .applies = has_owners,
	  .run = attr_refs_claim,
	  .beside = tables_resolve,
	  .join = tables_join,
	  .commits = true },
	{ .name = "ghc objects left",
	  .why = "static objects of Haskell that nothing refers to, to a row for each constructor",
	  .needs = "ghc objects, references",
	  .owners = FOR_SYMBOL,
	  .applies = attr_is_ghc,
	  .run = attr_ghc_rest,
	  .commits = true },
	{ .name = "symbols of data",
	  .why = "imports and names of symbols, to the units and files that have the data by now",
	  .needs = "references",
	  .owners = FOR_SOURCES,
	  .applies = has_owners,
	  .run = symbols_name_again,
	  .commits = true },
	{ .name = "got",
	  .why = "slots of the GOT without a symbol, to what they point to",
	  .needs = "references",
	  .owners = FOR_ALL,
	  .run = attr_got },
	{ .name = "padding",
	  .why = "zeros and repeated bytes that only align, to what precedes them",
	  .needs = "references",
	  .owners = FOR_ALL,
	  .run = attr_padding },
	{ .name = "tables",
	  .why = "versions, hash words, groups and arrays of pointers, to the symbols they are "
		 "about",
	  .needs = "references",
	  .owners = FOR_ALL,
	  .run = attr_tables,
	  .commits = true },
	{ .name = "symbols of entries",
	  .why = "names of symbols, to the units and files that have entries of tables by now",
	  .needs = "tables",
	  .owners = FOR_SOURCES,
	  .applies = has_entries,
	  .run = entries_name,
	  .commits = true },
	{ .name = "relocations",
	  .why = "relocation entries, to what they patch",
	  .needs = "tables",
	  .owners = FOR_ALL,
	  .run = attr_relocs,
	  .commits = true },
	{ .name = "late entries",
	  .why = "entries of tables whose owner had no owner before, to it",
	  .needs = "tables, relocations",
	  .owners = FOR_ALL,
	  .run = attr_late_entries,
	  .commits = true },
	{ .name = "go links",
	  .why = "links of Go's runtime to types, to these types",
	  .needs = "references",
	  .owners = FOR_ALL,
	  .applies = is_go,
	  .run = attr_go_links },
	{ .name = "code tables",
	  .why = "the kernel's tables about code, to that code",
	  .needs = "references",
	  .owners = FOR_ALL,
	  .reads = { "__", ".orc_", ".gnu.linkonce.this_module" },
	  .run = attr_code_tables },
	{ .name = "records",
	  .why = "records of tables about functions (blocks, stacks, calls, probes, SFrame, BTF, "
		 "annobin), to these functions; a row for what is about none, such as a probe of "
		 "SystemTap",
	  .needs = "references",
	  .owners = FOR_ALL,
	  .reads = { ".llvm_bb_addr_map", ".bb_", ".stack_sizes", ".llvm_jump_table_sizes",
		     ".llvm.callgraph", ".sframe", ".BTF", ".pseudo_probe", ".ctf", ".llvm.lto",
		     ".llvmbc", ".llvmcmd", ".gnu.lto_", ".note.stapsdt", ".gnu.build.attributes",
		     ".MIPS.options" },
	  .run = attr_records },
	{ .name = "gresource",
	  .why = "bundles of GLib's resources, a row for each member",
	  .owners = FOR_SYMBOL,
	  .reads = { ".gresource" },
	  .run = attr_gresource },
	{ .name = "bundle",
	  .why = "what is appended to a program, to the members of the archive that it is",
	  .owners = FOR_SYMBOL,
	  .applies = is_own_program,
	  .run = attr_bundle,
	  .commits = true },
	{ .name = "debug sections",
	  .why = "bytes of debug sections, to the functions, variables, units or files they "
		 "describe",
	  .needs = "references",
	  .owners = FOR_ALL,
	  .applies = wants_debug_owners,
	  .run = attr_debug_sections },
	{ .name = "objects",
	  .why = "header, name and section symbol of a section, to the only symbol in it",
	  .needs = "symbols, relocations",
	  .owners = FOR_ALL,
	  .applies = is_object,
	  .run = attr_objects,
	  .commits = true },
	{ .name = "object of a unit",
	  .why = "what is left of an object, to its unit if all that it holds is of one",
	  .needs = "units, debug sections",
	  .owners = FOR_UNIT,
	  .applies = is_object_of_dwarf,
	  .run = object_claim },
	{ .name = "packed",
	  .why = "what has no owner in a packed program, to its packer",
	  .owners = FOR_SYMBOL,
	  .applies = is_packed,
	  .run = attr_packed,
	  .commits = true },
};

const struct attr_pass *attr_pass_at(size_t i)
{
	return i < COUNT_OF(passes) ? &passes[i] : NULL;
}

struct pass_job {
	const struct attr_pass *pass;
	struct attr *a, *partner;
};

static void pass_half_run(void *ctx, size_t i, unsigned worker)
{
	const struct pass_job *j = ctx;
	(void)worker;
	if (i == 0)
		j->pass->run(j->a);
	else
		j->pass->beside(j->partner);
}

enum { PARALLEL_MIN = 1 << 20 };

static void pass_run(const struct attr_pass *p, struct attr *a, struct attr *partner,
		     bool *partner_open)
{
	struct pass_job j = { p, a, partner };
	if (p->beside && !*partner_open)
		*partner = attr_partner(a);
	*partner_open = *partner_open || p->beside;
	ASSERT(!p->join || *partner_open);
	parallel_for(a->im->bytes.size < PARALLEL_MIN ? 1 : a->f->threads, p->beside ? 2 : 1,
		     pass_half_run, &j);
	if (p->join) {
		p->join(a, partner);
		*partner_open = false;
	}
}

void attr_passes_run(struct attr *a, size_t number, size_t total)
{
	struct attr partner;
	bool partner_open = false;
	ASSERT(number < total && a->vm.list.count == 0 && a->vm_claims.list.count == 0);
	for (size_t i = 0; i < COUNT_OF(passes); i++) {
		const struct attr_pass *p = &passes[i];
		if (i == 0)
			progress_tell("symbols", 2 * number, 2 * total);
		if (p->run == attr_refs_find)
			progress_tell("references", 2 * number + 1, 2 * total);
		if ((p->owners & 1u << a->owner) && (!p->applies || p->applies(a)) &&
		    pass_has_section(p, a->im))
			pass_run(p, a, &partner, &partner_open);
		if (p->commits)
			attr_commit_vm(a);
		if (HEFT_CHECKS)
			spans_verify(&a->vm);
	}
	ASSERT(!partner_open && a->vm_claims.list.count == 0 && !a->scratch->refs &&
	       !a->scratch->bytes);
	if (a->scratch->made_up > 0)
		note(a->f->notes, a->f->path, HEFT_NO_OFFSET, 0,
		     "functions without a symbol (%" PRIu64 ") are named sub_ADDRESS; their bounds "
		     "are those of unwind tables, entry points and calls",
		     a->scratch->made_up);
}
