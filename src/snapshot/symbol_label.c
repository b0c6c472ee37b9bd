/* Makes the text by which a diff or list groups its rows. */
#define _GNU_SOURCE /* memmem */
#include "snapshot/symbol_label.h"

#include "map/paths.h"
#include "names/namespace.h"
#include "source/library_name.h"

uint32_t snap_path(const struct snap_symbol *y)
{
	return y->source ? y->source : y->object;
}

static struct str or_else(struct str s, struct str other)
{
	return s.len > 0 ? s : other;
}

static struct str text(const struct snapshot *s, uint32_t id, struct str other)
{
	return or_else(snapshot_text(s, id), other);
}

/* Returns "section", or "container: section" if there are several containers. */
static struct str section_label(const struct snapshot *s, const struct snap_section *sec,
				struct text *work)
{
	if (s->containers.count < 2)
		return str_of(sec->name);
	text_set(work, str_of(s->containers.data[sec->container].name));
	text_adds(work, STR(": "), str_of(sec->name));
	return text_str(work);
}

/* For symbols that no data source has measured: returns the outermost namespace of the name,
 * otherwise the library. */
static struct str package_label(const struct snapshot *s, const struct snap_symbol *y)
{
	const struct str space = name_qualifier(snapshot_text(s, y->name));
	const char *end = space.len > 0 ? memmem(space.p, space.len, "::", 2) : NULL;
	if (space.len > 0 && space.p[0] != '(')
		return end ? str_upto(space, (size_t)(end - space.p)) : space;
	return y->object ? library_name(snapshot_text(s, y->object)) : STR("(no package)");
}

struct str snap_label(const struct snapshot *s, const struct snap_symbol *y, enum heft_diff_by by,
		      struct text *work)
{
	const struct snap_section *sec = &s->sections.data[y->section];
	const struct str no_path = STR("(no path)");
	switch (by) {
	case HEFT_DIFF_BY_SOURCE: return text(s, snap_path(y), no_path);
	case HEFT_DIFF_BY_DIRECTORY:
		return snap_path(y) ? path_directory(snapshot_text(s, snap_path(y)), 0) : no_path;
	case HEFT_DIFF_BY_OBJECT: return text(s, y->object, STR("(no object)"));
	case HEFT_DIFF_BY_COMPONENT: return text(s, y->component, STR("(no component)"));
	case HEFT_DIFF_BY_SECTION: return section_label(s, sec, work);
	case HEFT_DIFF_BY_CONTAINER:
		return or_else(str_of(s->containers.data[sec->container].name),
			       STR("(the program)"));
	case HEFT_DIFF_BY_LIBRARY:
		return y->object ? library_name(snapshot_text(s, y->object)) : STR("(no library)");
	case HEFT_DIFF_BY_PACKAGE: return package_label(s, y);
	case HEFT_DIFF_BY_NAMESPACE:
		return or_else(name_qualifier(snapshot_text(s, y->name)), STR("(global)"));
	default: return text(s, y->full_name, STR("(no name)"));
	}
}
