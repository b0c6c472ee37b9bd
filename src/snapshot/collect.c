#include "snapshot/collect_internal.h"

#include "base/sort.h"
#include "image/elf_const.h"
#include "snapshot/collect_pack.h"
#include "program/symbol_rule.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- symbols of the tables --------------------------------------------------------------------- */

/* Marks of the assembler that tell code from data: $x, $d.12. */
static bool is_mark(struct str name)
{
	return name.len >= 2 && name.p[0] == '$' && (name.len == 2 || name.p[2] == '.');
}

static void read_table(const struct image *im, const struct section *table, native_vec *ret)
{
	struct symtab t;
	if (!table || !symtab_open(&t, im, table))
		return;
	for (size_t i = 1; i < t.count; i++) {
		const struct symbol y = symtab_get(&t, i);
		uint64_t addr;
		if (y.name.len == 0 || is_mark(y.name) || !symbol_names_a_place(&y) ||
		    !symbol_addr(im, &y, &addr) || y.section >= im->section_count)
			continue;
		const struct section *sec = &im->sections[y.section];
		if (addr < sec->addr || addr - sec->addr >= sec->size)
			continue;
		vec_push(ret,
			 (struct native){ .addr = addr,
					  .size = min_u64(y.size, sec->addr + sec->size - addr),
					  .name = y.name,
					  .section = y.section,
					  .rank = symbol_rank(&y) });
	}
}

/* By address, those without a size first, then longest and best first. */
static int compare_natives(const void *pa, const void *pb)
{
	const struct native *a = pa, *b = pb;
	if (a->size != b->size)
		return a->size > b->size ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return str_cmp(a->name, b->name);
}

/* By section, then address. */
static void sort_natives(native_vec *list)
{
	for (size_t i = 0; i < list->count; i++)
		list->data[i].key = list->data[i].addr;
	sort_by_key_then(list->data, list->count, sizeof *list->data, compare_natives);
	for (size_t i = 0; i < list->count; i++)
		list->data[i].key = list->data[i].section;
	sort_by_key(list->data, list->count, sizeof *list->data);
}

static void read_natives(const struct collect_input *in, native_vec *ret)
{
	const struct section *own = image_section_type(in->image, SHT_SYMTAB, 1);
	const struct section *apart = !own && in->debug
					      ? image_section_type(in->debug, SHT_SYMTAB, 1)
					      : NULL;
	if (own)
		read_table(in->image, own, ret);
	else if (apart)
		read_table(in->debug, apart, ret);
	if (!own)
		read_table(in->image, image_section_type(in->image, SHT_DYNSYM, 1), ret);
	sort_natives(ret);
	if (!own && !apart && in->map) {
		collect_map_names(in, ret);
		sort_natives(ret);
	}
}

/* ---- a section --------------------------------------------------------------------------------- */

/* Symbols [i, end) stand at one address: adds those of the largest size, or the best one without. */
static void add_address(struct collect *c, const struct native *list, size_t i, size_t end,
			uint64_t size)
{
	for (size_t k = i; k < end; k++) {
		const bool same = k > i && str_eq(list[k].name, list[k - 1].name);
		const bool smaller = list[k].size == 0 && (k > i || list[i].size > 0);
		if (!same && !smaller)
			collect_native(c, list[i].addr, size, list[k].name);
	}
}

/* The bytes a symbol without a size has: up to the next one. */
static uint64_t unsized_end(const struct collect *c, const struct native *list, size_t end,
			    size_t count)
{
	return end < count ? list[end].addr : c->section->addr + c->section->size;
}

static void add_symbols(struct collect *c, const struct native *list, size_t count)
{
	const uint64_t limit = c->section->addr + c->section->size;
	uint64_t at = c->section->addr; /* everything in front has a symbol */
	struct str before = STR("");
	for (size_t i = 0; i < count;) {
		size_t end = i + 1;
		while (end < count && list[end].addr == list[i].addr)
			end++;
		const bool inside = list[i].addr < at && i > 0;
		uint64_t stop = list[i].size > 0   ? list[i].addr + list[i].size
				: c->section->exec ? unsized_end(c, list, end, count)
						   : list[i].addr;
		if (!inside && stop > list[i].addr) {
			if (end < count && list[i].size == 0)
				stop = min_u64(stop, list[end].addr);
			if (at < list[i].addr)
				collect_gap(c, at, list[i].addr, before);
			add_address(c, list, i, end, stop - list[i].addr);
			at = stop;
			before = list[i].name;
		}
		i = end;
	}
	if (at < limit)
		collect_gap(c, at, limit, before);
}

static void collect_section(struct collect *c, const struct section *s, const char *name,
			    const native_vec *all)
{
	const size_t first = lower_bound(all->data, all->count, sizeof *all->data, s->index);
	const size_t end = upper_bound(all->data, all->count, sizeof *all->data, s->index);
	c->section = s;
	c->to = snapshot_section(c->s, c->container, name);
	c->gaps = 0;
	c->unit = (struct span_cursor){ c->in->units, 0 };
	c->owner_cursor = (struct span_cursor){ c->in->symbols, 0 };
	c->owner = LABEL_NONE;
	c->literal_end = 0;
	c->slice = lower_bound(c->slices.list.data, c->slices.list.count,
			       sizeof *c->slices.list.data, s->addr);
	c->not_wide[0] = c->not_wide[1] = s->addr;
	c->piece = 0;
	collect_map_pieces(c);
	add_symbols(c, end > first ? all->data + first : NULL, end - first);
}

/* ---- the rest of the file ---------------------------------------------------------------------- */

static const char *section_name(struct collect *c, const struct section *s)
{
	if (s->name.len > 0)
		return arena_copy(&c->s->arena, s->name);
	return arena_format(&c->s->arena, "#%" PRIu32, s->index);
}

/* The section of the format that takes a section of the program: ".text.hot" goes to ".text"; NULL: none does. */
static const char *format_section(const struct section *s)
{
	static const char *const names[][2] = {
		{ ".text", ".text" },      { ".init.text", ".text" },
		{ ".ltext", ".text" },     { ".rodata", ".rodata" },
		{ ".lrodata", ".rodata" }, { ".data.rel.ro", ".data.rel.ro" },
		{ ".data", ".data" },      { ".sdata", ".data" },
		{ ".ldata", ".data" },     { ".init.data", ".data" },
		{ ".tdata", ".tdata" },    { ".tbss", ".tbss" },
		{ ".bss", ".bss" },        { ".sbss", ".bss" },
		{ ".lbss", ".bss" },
	};
	static const char bolt[] = ".bolt.org";
	const size_t skip = str_starts(s->name, str_of(bolt)) ? sizeof bolt - 1 : 0;
	const struct str name = { s->name.p + skip, s->name.len - skip };
	if (!s->alloc || s->type == SHT_NOTE)
		return NULL;
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		const struct str known = str_of(names[i][0]);
		if (str_starts(name, known) && (name.len == known.len || name.p[known.len] == '.'))
			return snapshot_is_bss(names[i][1]) == s->nobits ? names[i][1] : NULL;
	}
	return NULL;
}

/* A section begins, not always the first that goes to this one of the format. */
static void note_start(struct collect *c, const struct section *s, const char *name)
{
	struct snap_container *to = &c->s->containers.data[c->container];
	for (size_t i = 0; i < to->section_sizes.count && !c->s->stored_padding; i++)
		c->s->stored_padding = strcmp(to->section_sizes.data[i].name, name) == 0;
	vec_push(&to->starts, s->addr);
}

/* Sections that the format has no place for. */
static void add_other(struct collect *c, const char *name, uint64_t size)
{
	c->to = snapshot_section(c->s, c->container, ".other");
	text_set(&c->scratch, STR("** ELF Section: "));
	text_add(&c->scratch, str_of(name));
	collect_named(c, 0, size, text_str(&c->scratch));
}

static void add_overhead(struct collect *c, uint64_t in_sections)
{
	const uint64_t file = c->in->image->bytes.size;
	if (in_sections >= file) {
		if (in_sections > file)
			note(c->in->file->notes, c->in->file->path, HEFT_NO_OFFSET,
			     in_sections - file,
			     "sections overlap in the file: the sizes of their symbols add up to "
			     "more");
		return;
	}
	c->to = snapshot_section(c->s, c->container, ".other");
	collect_named(c, 0, 0, STR("Overhead: ELF file"));
	c->s->symbols.data[c->s->symbols.count - 1].padding = (int64_t)(file - in_sections);
}

void snapshot_collect(struct snapshot *s, uint32_t container, const struct collect_input *in)
{
	struct collect c = { .s = s, .container = container, .in = in };
	native_vec natives = { 0 };
	const size_t first = s->symbols.count;
	uint64_t in_sections = 0;
	read_natives(in, &natives);
	if (in->image->kind == IMAGE_EXEC && !in->no_literals)
		slices_read(&c.slices, in->image);
	for (size_t i = 1; i < in->image->section_count; i++) {
		const struct section *sec = &in->image->sections[i];
		const char *name = section_name(&c, sec);
		if (sec->size == 0)
			continue;
		/* Symbols of bytes that the file does not have would be more than the file. */
		const bool whole = sec->nobits || sec->file_size >= sec->size;
		const char *known = !whole                                   ? NULL
				    : snapshot_is_native(name) && sec->alloc ? name
									     : format_section(sec);
		if (known)
			note_start(&c, sec, known);
		collect_section_size(s, container, known ? known : name,
				     sec->nobits ? sec->size : sec->file_size);
		in_sections += sec->nobits ? 0 : sec->file_size;
		if (known) {
			collect_section(&c, sec, known, &natives);
		} else if (!sec->nobits && sec->file_size > 0) {
			add_other(&c, name, sec->file_size);
		}
	}
	add_overhead(&c, in_sections);
	collect_complete_paths(&c, first);
	vec_release(&natives);
	vec_release(&c.sources);
	vec_release(&c.pieces);
	slices_release(&c.slices);
	vec_release(&c.owned);
	vec_release(&c.owners);
	vec_release(&c.object_of_owner);
	text_release(&c.scratch);
	supersize_name_release(&c.name);
	demangler_release(&c.demangler);
}
