/* Implements the data source `inlinestacks`. A label is a function and the functions inlined into
 * it, the outermost first: linkage names with ";" between. */
#include "base/sort.h"
#include "attr/attr_scratch.h"
#include "debugowners/debug_bytes.h"
#include "source/source.h"

#include "debug/scopes.h"
#include "image/elf/elf_const.h"

/* STACK_MAX: greatest number of names in a label. NAME_SHOWN_MAX: longest name in bytes. Real
 * labels have a few dozen names. */
enum { STACK_MAX = 256, NAME_SHOWN_MAX = 16 << 10 };

struct stacks {
	const struct source_file *f;
	const struct image *im;
	struct debuginfo *info;
	struct claims *vm;
	struct units units;
	struct abbrev_cache cache, split_cache;
	struct scopes scopes; /* Functions of the current unit, and those inlined into them */
	VEC(label_id) labels; /* Per scope: its label. LABEL_NONE until needed */
	struct text text;
	const struct section *section;
	place_vec places; /* Symbols with a size, by address */
};

/* Returns the symbol at a VM address, without a clone's suffix. "" if its name is not mangled. */
static struct str mangled_at(const struct stacks *s, uint64_t vm)
{
	size_t low = vec_upper(&s->places, vm);
	while (low > 1 && s->places.data[low - 2].addr == s->places.data[low - 1].addr)
		low--;
	const struct place *p = low > 0 ? &s->places.data[low - 1] : NULL;
	if (!p || vm - p->addr >= p->size)
		return STR("");
	struct str name = label_text(s->f->labels, p->label);
	const char *const dot = memchr(name.p, '.', name.len);
	if (dot)
		name.len = (size_t)(dot - name.p);
	return str_starts(name, STR("_Z")) || str_starts(name, STR("_R")) ? name : STR("");
}

static label_id stacks_label(struct stacks *s, uint32_t scope, uint64_t vm)
{
	uint32_t chain[STACK_MAX];
	unsigned count = 0;
	ASSERT(scope < s->scopes.list.count);
	for (uint32_t i = scope; i != SCOPE_NONE && count < STACK_MAX;
	     i = s->scopes.list.data[i].parent)
		chain[count++] = i;
	text_set(&s->text, STR(""));
	while (count > 0) {
		const uint32_t at = chain[--count];
		const struct scope_function *fn = scopes_function(&s->scopes, at);
		struct str name = fn->linkage;
		/* gcc gives static functions no linkage name. If the function is not inlined, its
		 * symbol has one. */
		if (name.len == 0 && s->scopes.list.data[at].parent == SCOPE_NONE)
			name = mangled_at(s, vm);
		if (name.len == 0)
			name = fn->name.len > 0 ? fn->name : STR("?");
		/* Cuts an overlong name, because it may be in every label. */
		text_add(&s->text, (struct str){ name.p, min_u64(name.len, NAME_SHOWN_MAX) });
		if (count > 0)
			text_add_char(&s->text, ';');
	}
	return label_copy(s->f->labels, text_str(&s->text));
}

static void stacks_claim_code(struct stacks *s, uint64_t addr, uint64_t size, label_id label)
{
	if (!s->section || addr - s->section->addr >= s->section->size)
		s->section = image_section_at(s->im, addr);
	const struct section *in = s->section;
	if (in && in->exec && section_takes_vm(s->im, in))
		claim(s->vm, addr, min_u64(size, in->addr + in->size - addr), label, WHY_DEBUG);
}

static void claim_scopes(struct stacks *s)
{
	s->labels.count = 0;
	vec_reserve(&s->labels, s->scopes.list.count + 1);

	memset(s->labels.data, 0xff, s->scopes.list.count * sizeof *s->labels.data);
	for (size_t i = 0; i < s->scopes.code.spans.count; i++) {
		const struct flat_span span = s->scopes.code.spans.data[i];
		uint64_t vm;
		if (!debuginfo_addr(s->info, span.addr, &vm))
			continue;
		if (s->labels.data[span.who] == LABEL_NONE)
			s->labels.data[span.who] = stacks_label(s, span.who, vm);
		stacks_claim_code(s, vm, span.size, s->labels.data[span.who]);
	}
}

/* Reads a split unit. All references in it lead into its own file. */
static void stacks_read_split(struct stacks *s, const struct unit *skeleton)
{
	struct unit split;
	struct units units;
	if (!debuginfo_split(s->info, skeleton, &split) ||
	    !unit_open(&split, &s->split_cache, skeleton))
		return;
	units_init(&units, split.dwarf);
	scopes_read(&s->scopes, &units, &split);
	claim_scopes(s);
	units_release(&units);
}

/* True if the unit refers to others, which may describe its inlined functions: with link-time
 * optimization or dwz. */
static bool refers_across(const struct unit *u)
{
	vec_each(const struct abbrev_attr, a, &u->abbrevs->attrs) {
		if (a->form == DW_FORM_ref_addr &&
		    (a->name == DW_AT_abstract_origin || a->name == DW_AT_specification))
			return true;
	}
	return false;
}

static void stacks_read_unit(struct stacks *s, struct unit *u)
{
	dwarf_pass(u->dwarf, DW_INFO, u->off, unit_end(u));
	if (!unit_open(u, &s->cache, NULL))
		return;
	if (u->dwarf->passing[DW_INFO] && refers_across(u)) {
		/* From here on, references need the whole section. */
		dwarf_pass_end(u->dwarf, DW_INFO);
		if (!unit_open(u, &s->cache, NULL))
			return;
	}
	if (unit_is_skeleton(u)) {
		stacks_read_split(s, u);
		return;
	}
	scopes_read(&s->scopes, &s->units, u);
	claim_scopes(s);
}

static void read_units(struct stacks *s)
{
	struct dwarf *d = &s->info->dwarf;
	struct unit u;
	uint64_t off = 0;
	units_init(&s->units, d);
	dwarf_pass_begin(d, DW_INFO);
	while (unit_next(d, DW_INFO, &off, &u)) {
		stacks_read_unit(s, &u);
		progress_tell("inlined calls", off, d->size[DW_INFO]);
	}
	dwarf_pass_end(d, DW_INFO);
	units_release(&s->units);
	scopes_release(&s->scopes);
	abbrev_cache_release(&s->cache);
	abbrev_cache_release(&s->split_cache);
	vec_release(&s->labels);
	text_release(&s->text);
}

static void stacks_list_symbols(struct stacks *s)
{
	struct attr_scratch scratch = { .symtab = image_section_type(s->im, SHT_SYMTAB, 1),
					.dynsym = image_section_type(s->im, SHT_DYNSYM, 1) };
	struct attr a = { .f = s->f,
			  .im = s->im,
			  .debug = s->f->debug ? &s->f->debug->images[0] : NULL,
			  .scratch = &scratch };
	attr_list_sized(&a, &s->places);
	attr_scratch_release(&scratch);
}

void source_inlinestacks(const struct source_file *f, struct layer *ret)
{
	struct claims vm = { 0 };
	for (size_t i = 0; i < f->input->image_count; i++) {
		struct stacks s = { .f = f, .im = &f->input->images[i], .vm = &vm };
		s.info = source_dwarf(f, s.im, f->debug ? &f->debug->images[0] : NULL);
		stacks_list_symbols(&s);
		/* Split files (.dwo, .dwp) have no code. */
		if (s.info && !s.info->dwarf.split)
			read_units(&s);
		else if (!s.info)
			note(f->notes, f->path, HEFT_NO_OFFSET, 0,
			     "no debug info: functions stand without what was inlined into them");
		s.info = source_own_dwarf(f, s.im, s.info);
		if (s.info)
			read_units(&s);
		for (size_t k = 0; k < s.places.count; k++) { /* Functions that no unit describes */
			const struct place *p = &s.places.data[k];
			if (p->code)
				stacks_claim_code(&s, p->addr, p->size, p->label);
		}
		vec_release(&s.places);
	}
	layer_finish(f, ret, &vm, NULL);
}
