/* Sets the names, paths and flags of symbols, and adds the symbols to the snapshot. */
#include "snapshot/collect_internal.h"

#include "names/demangle.h"
#include "snapshot/sums.h"

/* Returns the source file of an address: the name of its compile unit. 0 if the input is only a
 * linker map, whose units are objects. */
static uint32_t collect_names_source_of(struct collect *c, uint64_t addr)
{
	const struct labels *labels = c->in->unit_labels;
	if (!c->s->sections.data[c->to].in_memory || c->in->file->input->linkmap)
		return 0;
	const label_id label = cursor_label(&c->unit, addr);
	if (label == LABEL_NONE || label_is_fallback(labels, label))
		return 0;
	while (c->sources.count <= label)
		vec_push(&c->sources, 0);
	uint32_t *text = &c->sources.data[label];
	if (*text == 0)
		*text = intern_add(&c->s->texts, label_text(labels, label));
	return *text;
}

static void collect_names_add_paths(struct collect *c, struct snap_symbol *y)
{
	const struct linkmap_piece *p = collect_piece_at(c, y->addr);
	y->source = collect_names_source_of(c, y->addr);
	if (!p)
		return;
	y->flags |= snap_piece_flags(linkmap_piece_name(c->in->map, p));
	if (p->object != LINKMAP_NONE)
		y->object = intern_add(&c->s->texts, linkmap_object(c->in->map, p->object));
}

/* Returns the demangled name in c++filt's form: "f() (.isra.0)" becomes "f() [clone .isra.0]".
 * Removes the suffix of names that ThinLTO made global. */
static struct str clone_form(struct collect *c, struct str name)
{
	size_t open = name.len;
	if (!str_ends(name, STR(")")))
		return suffix_without_promotion(name);
	while (open > 0 && name.p[open - 1] != '(')
		open--;
	if (open < 2 || open >= name.len || name.p[open] != '.' || name.p[open - 2] != ' ')
		return name;
	const struct str base = { name.p, open - 2 };
	const struct str suffix = { name.p + open, name.len - 1 - open };
	if (str_starts(suffix, STR(".llvm.")))
		return base;
	text_set(&c->scratch, base);
	text_adds(&c->scratch, STR(" [clone "), suffix, STR("]"));
	return text_str(&c->scratch);
}

/* Adds the hash of a symbol's contents, if it is wanted for the symbol. */
static void add_contents(struct collect *c, struct snap_symbol *y)
{
	if (y->addr == 0 || (c->in->alone && !c->in->contents))
		return;
	if (!c->in->contents && ((c->in->clues && c->section->exec) ||
				 !snap_is_made_up(snapshot_text(c->s, y->full_name))))
		return;
	contents_read(&c->contents);
	y->contents = contents_of(&c->contents, c->section, y->addr, y->size);
	code_passed(&c->read, y->addr, y->size);
}

/* Returns the checksum of a symbol's bytes in the file. 0 for debug info. A symbol of a
 * whole section may have no address. */
static uint8_t collect_sum(struct collect *c, const struct snap_symbol *y)
{
	const struct section *s = c->section;
	if (s == NULL || s->nobits || section_name_is_debug(s->name))
		return 0;
	const uint64_t at = y->addr > 0 ? y->addr - c->begin : 0;
	const uint8_t ret = sum_of(bytes_sub(section_bytes(c->image, s), at, y->size));
	if (y->addr > 0)
		code_passed(&c->read, y->addr, y->size);
	return ret;
}

void collect_add(struct collect *c, struct snap_symbol *y)
{
	ASSERT(y->section < c->s->sections.count);
	add_contents(c, y);
	y->sum = collect_sum(c, y);
	if (y->object == 0)
		y->object = c->object;
	vec_push(&c->s->symbols, *y);
	vec_push(&c->labels, c->label);
	if (c->in->map)
		vec_push(&c->owners, c->owner);
}

static unsigned how_to_split(const struct collect *c)
{
	return (c->section->exec ? SUPERSIZE_TEXT : 0u) |
	       (c->in->exact_names ? SUPERSIZE_EXACT : 0u);
}

static void set_names(struct collect *c, struct snap_symbol *y)
{
	y->full_name = intern_add(&c->s->texts, c->name.full);
	y->template_name = intern_add(&c->s->texts, c->name.template_name);
	y->name = intern_add(&c->s->texts, c->name.plain);
}

void collect_forms(struct collect *c, struct str full, struct snap_symbol *y)
{
	supersize_derive(&c->name, full, how_to_split(c));
	set_names(c, y);
}

void collect_name(struct collect *c, struct str raw, struct snap_symbol *y)
{
	const struct str name = clone_form(c, demangle(&c->demangler, raw, HEFT_NAMES_FULL));
	supersize_split(&c->name, name, how_to_split(c));
	y->flags = (uint16_t)c->name.flags;
	if (c->name.full.p == name.p && c->name.full.len == name.len) {
		set_names(c, y);
		return;
	}
	/* Makes the shorter names as readers of a file do: from the full name alone. */
	const uint32_t full = intern_add(&c->s->texts, c->name.full);
	collect_forms(c, snapshot_text(c->s, full), y);
}

void collect_place(struct collect *c, struct snap_symbol *y)
{
	collect_names_add_paths(c, y);
	collect_learn_owner(c, y);
	collect_add(c, y);
}

/* Returns a symbol of the current section. The caller sets its names. */
static struct snap_symbol collect_names_symbol_at(const struct collect *c, uint64_t addr,
						  uint64_t size)
{
	return (struct snap_symbol){ .addr = addr,
				     .size = size,
				     .padding = size > 0 ? (int64_t)c->padding : 0,
				     .section = c->to };
}

void collect_native(struct collect *c, uint64_t addr, uint64_t size, label_id label)
{
	const struct str raw = label_text(c->in->file->labels, label);
	struct snap_symbol y = collect_names_symbol_at(c, addr, size);
	c->label = label;
	collect_name(c, raw, &y);
	collect_place(c, &y);
	collect_shared_code(c, raw);
	collect_path_aliases(c, raw);
	c->label = LABEL_NONE;
}

void collect_outlined(struct collect *c, uint64_t addr, uint64_t size, size_t count)
{
	struct snap_symbol y = collect_names_symbol_at(c, addr, size);
	text_set(&c->scratch, STR("** outlined function"));
	if (count > 1) {
		text_add(&c->scratch, STR(" * "));
		text_add_number(&c->scratch, count);
	}
	y.full_name = y.template_name = y.name = intern_add(&c->s->texts, text_str(&c->scratch));
	collect_place(c, &y);
}

void collect_named(struct collect *c, uint64_t addr, uint64_t size, struct str name)
{
	struct snap_symbol y = collect_names_symbol_at(c, addr, size);
	y.full_name = y.template_name = y.name = intern_add(&c->s->texts, name);
	if (addr > 0 && !snap_is_star(name))
		collect_names_add_paths(c, &y);
	collect_add(c, &y);
}
