/* Learns C++ namespaces and classes from debug info (DWARF 5, 3.2.2 and 5.7). */
#include "names/namespace.h"

#include "debug/die.h"
#include "base/text.h"
#include "program/debuginfo.h"
#include "source/source.h"

struct space_walk {
	struct namespaces *out;
	const struct unit *unit;
	struct reader r;
	struct text path;
	VEC(size_t) lengths; /* Per open namespace: length of the path around it */
	size_t depth;        /* Number of open lists of children */
};

static bool namespaces_is_cxx(uint64_t language)
{
	switch (language) {
	case 0x04: /* C++ */
	case 0x19: /* C++03 */
	case 0x1a: /* C++11 */
	case 0x21: /* C++14 */
	case 0x2a: /* C++17 */
	case 0x2b: /* C++20 */
	case 0x3a: /* C++23 */ return true;
	default: return false;
	}
}

struct namespaces_named {
	struct str name;
	uint64_t sibling; /* 0 if unknown */
	bool extension;   /* True if it continues a namespace of another unit */
};

static struct namespaces_named namespaces_read_named(struct space_walk *w, const struct die *d)
{
	struct namespaces_named n = { .name = STR("") };
	for (unsigned i = 0; i < d->abbrev->count; i++) {
		const struct abbrev_attr *a = die_attr(w->unit, d, i);
		struct value v;
		die_value(w->unit, &w->r, a, &v);
		if (a->name == DW_AT_name)
			(void)value_string(w->unit, &v, &n.name);
		else if (a->name == DW_AT_sibling && v.kind == VALUE_REF)
			n.sibling = v.u;
		else if (a->name == DW_AT_extension)
			n.extension = true;
	}
	return n;
}

static void namespaces_add_part(struct text *path, struct str name)
{
	if (path->len > 0)
		text_add(path, STR("::"));
	text_add(path, name);
}

/* Greatest length of a path. Only malicious files exceed it. */
enum { PATH_MAX_SIZE = 4096 };

/* Handles a child of a namespace or of the unit. */
static void walk_child(struct space_walk *w, const struct die *d)
{
	const uint16_t tag = d->abbrev->tag;
	const struct namespaces_named n = namespaces_read_named(w, d);
	if (tag == DW_TAG_namespace && !n.extension && d->abbrev->children) {
		vec_push(&w->lengths, w->path.len);
		if (w->path.len + n.name.len <= PATH_MAX_SIZE) {
			namespaces_add_part(&w->path,
					    n.name.len > 0 ? n.name : STR("(anonymous namespace)"));
			namespaces_add(w->out, text_str(&w->path), false);
		}
		w->depth++;
		return;
	}
	/* The arguments of a template instance show already that it is a class. */
	if ((tag == DW_TAG_class_type || tag == DW_TAG_structure_type ||
	     tag == DW_TAG_union_type) &&
	    n.name.len > 0 && !memchr(n.name.p, '<', n.name.len)) {
		const size_t outside = w->path.len;
		namespaces_add_part(&w->path, n.name);
		namespaces_add(w->out, text_str(&w->path), true);
		w->path.len = outside;
	}
	if (!d->abbrev->children)
		return;
	if (n.sibling > w->r.pos && n.sibling < unit_end(w->unit))
		reader_seek(&w->r, n.sibling);
	else
		w->depth++;
}

static void namespaces_walk_die(struct space_walk *w, const struct die *d)
{
	if (!d->abbrev) {
		w->depth -= w->depth > 0;
		if (w->lengths.count > 0 && w->depth == w->lengths.count)
			w->path.len = w->lengths.data[--w->lengths.count];
	} else if (w->depth == w->lengths.count + 1) {
		walk_child(w, d);
	} else {
		die_skip(w->unit, &w->r, d->abbrev);
		w->depth += d->abbrev->children;
	}
}

static void walk_unit(struct namespaces *ret, const struct unit *u)
{
	struct space_walk w = { .out = ret, .unit = u, .r = unit_reader(u, u->die_off) };
	if (!namespaces_is_cxx(u->language))
		return;
	for (struct die d; die_next(u, &w.r, &d);)
		namespaces_walk_die(&w, &d);
	ASSERT(w.lengths.count <= w.depth + 1);
	vec_release(&w.lengths);
	text_release(&w.path);
}

static void walk_image(struct debuginfo *info, struct namespaces *ret)
{
	struct dwarf *d = &info->dwarf;
	struct abbrev_cache cache = { 0 }, split_cache = { 0 };
	struct unit u, split;
	uint64_t off = 0;
	dwarf_pass_begin(d, DW_INFO);
	while (unit_next(d, DW_INFO, &off, &u)) {
		dwarf_pass(d, DW_INFO, u.off, unit_end(&u));
		progress_tell("namespaces", off, d->size[DW_INFO]);
		if (!unit_open(&u, &cache, NULL))
			continue;
		if (!unit_is_skeleton(&u))
			walk_unit(ret, &u);
		else if (debuginfo_split(info, &u, &split) && unit_open(&split, &split_cache, &u))
			walk_unit(ret, &split);
	}
	dwarf_pass_end(d, DW_INFO);
	abbrev_cache_release(&cache);
	abbrev_cache_release(&split_cache);
}

void source_namespaces(const struct source_file *f, struct namespaces *ret)
{
	for (size_t i = 0; i < f->input->image_count; i++) {
		struct debuginfo *info = source_dwarf(f, &f->input->images[i],
						      f->debug ? &f->debug->images[0] : NULL);
		if (info)
			walk_image(info, ret);
		else
			note(f->notes, f->path, HEFT_NO_OFFSET, 0,
			     "no debug info: namespaces are read from the names of symbols, "
			     "which do not always tell them from classes");
	}
}
