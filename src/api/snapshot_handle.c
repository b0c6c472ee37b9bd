/* Implements snapshots: heft_snapshot_*. */
#include "measure/profile.h"
#include "measure/snapshot_handle.h"

#include "api/structs.h"
#include "base/pool.h"
#include "map/rows.h"
#include "query/region_metrics.h"
#include "report/report.h"
#include "compare/align_paths.h"
#include "snapshot/sizefile.h"

struct heft_snapshot *heft_snapshot_new(struct heft_session *session)
{
	return context_handle_new(session, CONTEXT_HANDLE(struct heft_snapshot));
}

void heft_snapshot_free(struct heft_snapshot *s)
{
	CONTEXT_FREE(struct heft_snapshot, s);
}

static void snapshot_add_build(struct heft_snapshot *s, const char *path)
{
	vec_push(&s->builds, arena_copy(&s->arena, str_of(path)));
}

void heft_snapshot_add_build(struct heft_snapshot *s, const char *path)
{
	GUARDED_VOID(s->memory, snapshot_add_build(s, path));
}

bool heft_snapshot_add_metadata(struct heft_snapshot *s, const char *key, const char *value,
				struct heft_err *err)
{
	return GUARDED(s->memory, err, snapshot_add_metadata(s, key, value, err));
}

const char *heft_snapshot_metadata(const struct heft_snapshot *s, const char *key)
{
	for (size_t i = 0; s->open && i < s->snapshot.build_config.count; i++) {
		const struct snap_value *v = &s->snapshot.build_config.data[i];
		if (v->kind == SNAP_TEXT && strcmp(v->key, key) == 0)
			return v->text;
	}
	return NULL;
}

void heft_snapshot_set_components(struct heft_snapshot *s, const char *path)
{
	GUARDED_VOID(s->memory, s->components_path = arena_copy(&s->arena, str_of(path)));
}

void heft_snapshot_set_flags(struct heft_snapshot *s, unsigned flags)
{
	s->flags = flags;
}

struct snapshot_handle_half {
	struct heft_snapshot *s;
	const char *path;
	const struct heft_profile *profile; /* Has `entry`, whose snapshot is taken. NULL: the file
					     * is read */
	struct entry *entry;
	struct heft_err err;
	bool ok;
};

static void open_half(void *ctx, size_t i, unsigned worker)
{
	struct snapshot_handle_half *h = (struct snapshot_handle_half *)ctx + i;
	(void)worker;
	h->ok = GUARDED(h->s->memory, &h->err,
			h->profile ? snapshot_take(h->s, h->profile, h->entry, &h->err)
				   : snapshot_read(h->s, &h->path, 1, &h->err));
}

static bool are_open(const struct snapshot_handle_half halves[2], struct heft_err *err)
{
	for (size_t i = 0; i < 2; i++)
		if (!halves[i].ok) {
			if (err)
				*err = halves[i].err;
			return false;
		}
	return true;
}

/* Copies the session's settings. False if the handle is broken. */
static bool snapshot_handle_begin(struct heft_snapshot *s, struct heft_err *err)
{
	return GUARDED(s->memory, err, (context_take(&s->context), true));
}

static bool snapshot_handle_is_list(const struct heft_snapshot *s, const char *path)
{
	return GUARDED(s->memory, NULL, snapshot_is_list(path));
}

/* Build directories of both snapshots, to be removed from paths (compare/align_paths.h). */
struct roots {
	struct text of[2];
	bool found;
};

static bool apply_root(struct heft_snapshot *s, const struct roots *r, size_t side,
		       const struct heft_snapshot *after)
{
	if (r->found && after)
		align_packages(&s->snapshot, &after->snapshot, r->of);
	if (after)
		align_own_package(&s->snapshot, &after->snapshot);
	if (r->found)
		align_apply(&s->snapshot, text_str(&r->of[side]));
	return true;
}

/* If a project was built in two directories, removes the two from the paths of source files. Does
 * nothing if the user gave path options. */
static bool snapshot_handle_align(struct heft_snapshot *before, struct heft_snapshot *after,
				  struct heft_err *err)
{
	struct roots r = { 0 };
	return snapshot_has_own_paths(before) || snapshot_has_own_paths(after) ||
	       (GUARDED(after->memory, err,
			(r.found = align_find(&before->snapshot, &after->snapshot, r.of), true)) &&
		GUARDED(before->memory, err, apply_root(before, &r, 0, after)) &&
		GUARDED(after->memory, err, apply_root(after, &r, 1, NULL)) &&
		GUARDED(after->memory, err,
			(text_release(&r.of[0]), text_release(&r.of[1]), true)));
}

bool heft_snapshot_open_pair(struct heft_snapshot *before, const char *before_path,
			     struct heft_snapshot *after, const char *after_path,
			     struct heft_err *err)
{
	struct snapshot_handle_half halves[] = { { .s = after, .path = after_path },
						 { .s = before, .path = before_path } };
	if (!snapshot_handle_begin(before, err) || !snapshot_handle_begin(after, err))
		return false;
	/* Opens lists in parallel, but programs in turn: each needs several threads and much
	 * memory. */
	if (snapshot_handle_is_list(before, before_path) &&
	    snapshot_handle_is_list(after, after_path)) {
		parallel_for(after->context.threads, COUNT_OF(halves), open_half, halves);
	} else {
		open_half(halves, 0, 0);
		if (halves[0].ok)
			open_half(halves, 1, 0);
	}
	return are_open(halves, err) &&
	       GUARDED(after->memory, err,
		       snapshot_check_used(after, before, err) &&
			       snapshot_check_used(before, after, err)) &&
	       snapshot_handle_align(before, after, err);
}

/* Finds the input and the base of a profile for two snapshots. False if it lacks one of them. */
static bool find_measured(struct heft_profile *p, struct snapshot_handle_half halves[2],
			  struct heft_err *err)
{
	static const enum heft_role roles[] = { HEFT_INPUT, HEFT_BASE };
	bool take = p->ran;
	for (size_t i = 0; i < COUNT_OF(roles); i++) {
		struct snapshot_handle_half *h = &halves[i];
		h->entry = profile_first(p, roles[i]);
		if (!h->entry)
			return fail(err, HEFT_EARG, HEFT_NO_OFFSET,
				    "the profile lacks a file, or a base to compare it with");
		h->path = h->entry->path;
		take = take && snapshot_can_take(h->s, p, h->entry);
	}
	/* If the profile lacks data that snapshots need, both are made from the files again. */
	halves[0].profile = halves[1].profile = take ? p : NULL;
	return true;
}

bool heft_snapshot_open_measured(struct heft_snapshot *before, struct heft_snapshot *after,
				 struct heft_profile *profile, struct heft_err *err)
{
	struct snapshot_handle_half halves[] = { { .s = after }, { .s = before } };
	if (!snapshot_handle_begin(before, err) || !snapshot_handle_begin(after, err) ||
	    !GUARDED(profile->memory, err, find_measured(profile, halves, err)))
		return false;
	if (!halves[0].profile)
		return heft_snapshot_open_pair(before, halves[1].path, after, halves[0].path, err);
	parallel_for(after->context.threads, COUNT_OF(halves), open_half, halves);
	return are_open(halves, err) && snapshot_handle_align(before, after, err);
}

static bool snapshot_open_all(struct heft_snapshot *s, const char *const *paths, size_t count,
			      struct heft_err *err)
{
	if (s->open)
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "a handle opens once");
	context_take(&s->context);
	return snapshot_read(s, paths, count, err) && snapshot_check_used(s, NULL, err);
}

bool heft_snapshot_open_all(struct heft_snapshot *s, const char *const *paths, size_t count,
			    struct heft_err *err)
{
	return GUARDED(s->memory, err, snapshot_open_all(s, paths, count, err));
}

bool heft_snapshot_open(struct heft_snapshot *s, const char *path, struct heft_err *err)
{
	return heft_snapshot_open_all(s, &path, 1, err);
}

static bool snapshot_handle_write(const struct heft_snapshot *s, const struct heft_sink *sink,
				  struct heft_err *err)
{
	struct sizefile_out out = { .threads = s->context.threads };
	progress_tell("writing", 0, 0);
	bool ok = sizefile_write(&out, &s->snapshot, err);
	ok = ok && sink_once(sink, out.bytes.data, out.bytes.count, err);
	vec_release(&out.bytes);
	return ok;
}

bool heft_snapshot_write(const struct heft_snapshot *s, const struct heft_sink *sink,
			 struct heft_err *err)
{
	return GUARDED(s->memory, err, snapshot_handle_write(s, sink, err));
}

static bool snapshot_write_text(const struct heft_snapshot *s, const struct heft_sink *sink,
				struct heft_err *err)
{
	if (!s->open)
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "no snapshot is open");
	struct text text = sizefile_text(&s->snapshot);
	const bool ok = sink_once(sink, text.p, text.len, err);
	text_release(&text);
	return ok;
}

bool heft_snapshot_write_text(const struct heft_snapshot *s, const struct heft_sink *sink,
			      struct heft_err *err)
{
	return GUARDED(s->memory, err, snapshot_write_text(s, sink, err));
}

static void add_totals(const struct snapshot *s, const struct snap_section *sec,
		       struct heft_snapshot_section *ret)
{
	ASSERT(sec->first + sec->count <= s->symbols.count);
	for (uint64_t i = sec->first; i < sec->first + sec->count; i++) {
		const struct snap_symbol *y = &s->symbols.data[i];
		ret->symbols++;
		if (y->alias_place > 0)
			continue;
		ret->unique++;
		ret->symbol_size += (int64_t)y->size;
		ret->padding += y->padding;
		ret->with_source += y->source != 0 ? y->size : 0;
		ret->with_object += y->object != 0 ? y->size : 0;
	}
}

size_t heft_snapshot_section_count(const struct heft_snapshot *s)
{
	return s->open ? s->snapshot.sections.count : 0;
}

bool heft_snapshot_section(const struct heft_snapshot *s, size_t i,
			   struct heft_snapshot_section *ret, struct heft_err *err)
{
	if (!STATED(heft_snapshot_section, ret, err))
		return false;
	const struct snapshot *snap = &s->snapshot;
	if (!s->open || i >= snap->sections.count)
		return absent(err);
	const struct snap_section *sec = &snap->sections.data[i];
	ASSERT(sec->container < snap->containers.count);
	const struct snap_container *c = &snap->containers.data[sec->container];
	struct heft_snapshot_section made = { .container = c->name,
					      .name = sec->name,
					      .in_file = sec->in_file,
					      .in_memory = snap->by_heft && sec->in_memory,
					      .stated_size = sec->size };
	add_totals(snap, sec, &made);
	return give(ret, &made, sizeof made);
}

_Static_assert(HEFT_SYMBOL_ANONYMOUS == (int)SNAP_ANONYMOUS &&
		       HEFT_SYMBOL_FEATURE == (int)SNAP_FEATURE,
	       "the bits of heft_symbol_flag are those of enum snap_flag");

size_t heft_snapshot_symbol_count(const struct heft_snapshot *s)
{
	return s->open ? s->snapshot.symbols.count : 0;
}

bool heft_snapshot_symbol(const struct heft_snapshot *s, size_t i, struct heft_snapshot_symbol *ret,
			  struct heft_err *err)
{
	if (!STATED(heft_snapshot_symbol, ret, err))
		return false;
	const struct snapshot *snap = &s->snapshot;
	if (!s->open || i >= snap->symbols.count)
		return absent(err);
	const struct snap_symbol *y = &snap->symbols.data[i];
	ASSERT(y->section < snap->sections.count && y->alias_place < y->alias_count);
	const struct heft_snapshot_symbol made = { .name = snapshot_text(snap, y->full_name).p,
						   .section = y->section,
						   .source = snapshot_text(snap, y->source).p,
						   .object = snapshot_text(snap, y->object).p,
						   .component = snapshot_text(snap, y->component).p,
						   .address = y->addr,
						   .own = y->size,
						   .padding = y->padding,
						   .aliases = y->alias_count,
						   .alias = y->alias_place,
						   .flags = y->flags };
	return give(ret, &made, sizeof made);
}

size_t heft_snapshot_charge_count(const struct heft_snapshot *s)
{
	return s->open ? s->snapshot.charges.count : 0;
}

bool heft_snapshot_charge(const struct heft_snapshot *s, size_t i, struct heft_snapshot_charge *ret,
			  struct heft_err *err)
{
	if (!STATED(heft_snapshot_charge, ret, err))
		return false;
	const struct snapshot *snap = &s->snapshot;
	if (i >= heft_snapshot_charge_count(s))
		return absent(err);
	const struct snap_charge *c = &snap->charges.data[i];
	const bool has_symbol = c->symbol != SNAP_NO_SYMBOL;
	ASSERT(c->container < snap->containers.count);
	ASSERT(!has_symbol || c->symbol < snap->symbols.count);
	const struct str name = snapshot_text(snap, c->name);
	const uint32_t object = c->object ? c->object : c->source;
	const struct heft_snapshot_charge made = {
		.name = name.p,
		.space = snapshot_text(snap, c->space).p,
		.source = snapshot_text(snap, c->source).p,
		.object = snapshot_text(snap, object).p,
		.component = snapshot_text(snap, c->component).p,
		.container = snap->containers.data[c->container].name,
		.kind = snap_is_literal(name) ? HEFT_ROW_LITERAL : rows_kind(name),
		.symbol = has_symbol ? c->symbol : HEFT_NO_SYMBOL,
		.file = c->file,
		.vm = c->vm,
		.debug = c->debug
	};
	return give(ret, &made, sizeof made);
}

size_t heft_snapshot_region_count(const struct heft_snapshot *s)
{
	const struct snapshot *snap = &s->snapshot;
	size_t count = 0;
	if (!s->open || snap->containers.count == 0)
		return 0;
	const struct snap_container *c = &snap->containers.data[0];
	for (size_t i = 0; i < c->metrics.count; i++)
		count += region_metrics_name(&c->metrics.data[i]) != NULL;
	return count;
}

bool heft_snapshot_region(const struct heft_snapshot *s, size_t i, struct heft_snapshot_region *ret,
			  struct heft_err *err)
{
	if (!STATED(heft_snapshot_region, ret, err))
		return false;
	if (i >= heft_snapshot_region_count(s))
		return absent(err);
	const struct snap_container *c = &s->snapshot.containers.data[0];
	const char *name = NULL;
	for (size_t k = 0; !name || i-- > 0; k++)
		while (!(name = region_metrics_name(&c->metrics.data[k])))
			k++;
	const struct region_metrics r = region_metrics_find(&s->snapshot, name);
	const struct heft_snapshot_region made = { .name = name,
						   .length = r.length,
						   .used = r.used };
	return give(ret, &made, sizeof made);
}
