/* Finds the values of one size in all builds of a timeline. */
#include "history/series.h"

#include "base/sort.h"

#include <math.h>

enum kind { SECTION, SOURCE, OBJECT, COMPONENT, SYMBOL, KINDS };

static const char *const kind_words[KINDS] = { "section", "source", "object", "component",
					       "symbol" };

#define CHANGES_OF(symbols)                                                                        \
	"SELECT c.build, sum(c.now - c.was), sum(c.vm_now - c.vm_was) FROM changes c WHERE "       \
	"c.symbol IN (SELECT s.id FROM " symbols ") GROUP BY c.build"
#define OF_PATHS(column)                                                                           \
	CHANGES_OF("paths p JOIN symbols s ON s." column " = p.id WHERE p.path >= $1 AND p.path "  \
		   "< $2")

/* Queries per kind, for the paths or names p with $1 <= p < $2. Sections: size per build. Other
 * kinds: changes of charged bytes per build, in the file and in the VM image. Finds the symbols
 * first, because changes are more numerous. */
static const char *const sums[KINDS] = {
	[SECTION] = "SELECT z.build, z.size FROM sections z JOIN paths p ON p.id = z.section "
		    "WHERE p.path >= $1 AND p.path < $2",
	[SOURCE] = OF_PATHS("source"),
	[OBJECT] = OF_PATHS("object"),
	[COMPONENT] = OF_PATHS("component"),
	[SYMBOL] = CHANGES_OF("symbols s WHERE s.name >= $1 AND s.name < $2"),
};

/* The texts t with first <= t < end. */
struct series_range {
	struct text first, end;
};

/* Sets the range: the name itself, or with `all` every text that begins with it. Cuts the text at a
 * NUL, which servers refuse. */
static void set_range(struct series_range *r, const char *name, bool all)
{
	r->first.len = r->end.len = 0;
	text_add(&r->first, str_of(name));
	text_add(&r->end, str_of(name));
	if (all)
		r->end.p[r->end.len - 1]++;
	else
		text_add_char(&r->end, '\1');
}

/* Reads the sizes of sections. Their rows store values, not changes. False if there are none. */
static bool read_sizes(struct series *ret, struct store *s, const struct series_range *r)
{
	bool any = false;
	struct db_query *q = db_query(s->db, sums[SECTION]);
	db_put_text(q, text_str(&r->first));
	db_put_text(q, text_str(&r->end));
	while (db_row(q)) {
		const struct build *b = store_build(s, (uint32_t)db_int(q, 0));
		const size_t at = b ? timeline_place(ret->timeline, b) : SIZE_MAX;
		if (at != SIZE_MAX)
			ret->values.data[at] += (double)db_int(q, 1);
		any = true;
	}
	return any;
}

/* Reads rows of symbols, which store changes from the base. Uses VM bytes if the symbol has no file
 * bytes in any build. False if there are no rows. */
static bool read_changes(struct series *ret, struct store *s, const char *sql,
			 const struct series_range *r)
{
	const size_t count = s->builds.count;
	double *file = mem_zeroed(count + 1, sizeof *file), *vm = mem_zeroed(count + 1, sizeof *vm);
	bool any = false, in_file = false;
	struct db_query *q = db_query(s->db, sql);
	db_put_text(q, text_str(&r->first));
	db_put_text(q, text_str(&r->end));
	while (db_row(q)) {
		const struct build *b = store_build(s, (uint32_t)db_int(q, 0));
		if (b) {
			file[b - s->builds.data] = db_real(q, 1);
			vm[b - s->builds.data] = db_real(q, 2);
		}
		any = true;
	}
	for (size_t i = 0; i < count; i++) {
		const struct build *b = &s->builds.data[i];
		const struct build *base = b->base ? store_build(s, b->base) : NULL;
		file[i] += base ? file[base - s->builds.data] : 0;
		vm[i] += base ? vm[base - s->builds.data] : 0;
		in_file |= file[i] != 0;
	}
	for (size_t i = 0; i < count; i++) {
		const size_t at = timeline_place(ret->timeline, &s->builds.data[i]);
		if (at != SIZE_MAX)
			ret->values.data[at] = in_file ? file[i] : vm[i];
	}
	mem_free_all(file, vm);
	return any;
}

/* Reads the values of a measure. A value holds from its build on, until the next value's build. */
static void read_levels(struct series *ret, struct store *s, int64_t measure)
{
	static const char levels[] = "SELECT build, now FROM sizes WHERE measure = $1";
	double *by_build = mem_alloc((s->builds.count + 1) * sizeof *by_build);
	for (size_t i = 0; i < s->builds.count; i++)
		by_build[i] = (double)NAN;
	struct db_query *q = db_query(s->db, levels);
	db_put(q, measure);
	while (db_row(q)) {
		const struct build *b = store_build(s, (uint32_t)db_int(q, 0));
		if (b)
			by_build[b - s->builds.data] = db_real(q, 1);
	}
	for (size_t i = 0; i < s->builds.count; i++) {
		const struct build *b = &s->builds.data[i];
		const struct build *base = b->base ? store_build(s, b->base) : NULL;
		const size_t at = timeline_place(ret->timeline, b);
		if (isnan(by_build[i]))
			by_build[i] = base ? by_build[base - s->builds.data] : 0;
		if (at != SIZE_MAX)
			ret->values.data[at] = by_build[i];
	}
	mem_free(by_build);
}

static bool series_is_text(struct str wanted, struct str text)
{
	return !wanted.p || str_eq(wanted, text);
}

/* Reads the first measure with the label. An empty source or kind matches all. False if none. */
static bool read_measure(struct series *ret, struct store *s, struct str source, struct str kind,
			 const char *label)
{
	static const char of_label[] =
		"SELECT id, source, kind FROM measures WHERE label = $1 ORDER BY id";
	int64_t id = 0;
	struct db_query *q = db_query(s->db, of_label);
	db_put_text(q, str_of(label));
	while (id == 0 && db_row(q))
		if (series_is_text(source, db_text(q, 1)) && series_is_text(kind, db_text(q, 2)))
			id = db_int(q, 0);
	db_do(q);
	if (id != 0)
		read_levels(ret, s, id);
	return id != 0;
}

/* Reads the measure "LABEL", "SOURCE:LABEL" or "SOURCE.KIND:LABEL". False if there is none. */
static bool series_read_named(struct series *ret, struct store *s, const char *what)
{
	const char *colon = strchr(what, ':');
	const struct str any = { NULL, 0 };
	if (read_measure(ret, s, any, any, what))
		return true;
	if (!colon)
		return false;
	const size_t len = (size_t)(colon - what), dot = strcspn(what, ".:");
	const struct str source = { what, dot };
	const struct str kind = dot < len ? (struct str){ what + dot + 1, len - dot - 1 } : any;
	return read_measure(ret, s, source, kind, colon + 1);
}

static bool series_read_kind(struct series *ret, struct store *s, enum kind kind, const char *name)
{
	struct series_range r = { { 0 }, { 0 } };
	const size_t len = strlen(name);
	const bool folder = name[len - 1] == '/';
	/* Components and folders have many symbols. Their sums were stored with each build. */
	if (kind == COMPONENT || (folder && (kind == SOURCE || kind == OBJECT)))
		return read_measure(ret, s, str_of(kind_words[kind]), STR("file"), name);
	set_range(&r, name, folder);
	bool any = kind == SECTION ? read_sizes(ret, s, &r) : read_changes(ret, s, sums[kind], &r);
	if (!any && kind == SYMBOL && name[len - 1] != '(') {
		text_add_char(&r.first, '(');
		r.end.len = 0;
		text_add(&r.end, str_of(name));
		text_add_char(&r.end, '(' + 1);
		any = read_changes(ret, s, sums[kind], &r);
	}
	text_release(&r.first);
	text_release(&r.end);
	return any;
}

static bool series_find_name(struct series *ret, struct store *s, const char *what)
{
	for (unsigned kind = 0; kind < KINDS; kind++) {
		const size_t len = strlen(kind_words[kind]);
		const bool told = strncmp(what, kind_words[kind], len) == 0 && what[len] == ':';
		if (told)
			what += len + 1;
		if (*what && series_read_kind(ret, s, kind, what)) {
			ret->what = arena_format(&ret->arena, "%s %s", kind_words[kind], what);
			return true;
		}
		if (told)
			return false;
	}
	if (!series_read_named(ret, s, what))
		return false;
	ret->what = arena_copy(&ret->arena, str_of(what));
	return true;
}

/* True if the path ends with a '/' and the name. */
static bool ends_in(struct str path, struct str name)
{
	return name.len > 0 && path.len > name.len && str_ends(path, name) &&
	       path.p[path.len - name.len - 1] == '/';
}

/* The paths and labels that end like a name, because users often type only its end. */
struct likely {
	size_t count;
	struct text only;     /* The path that was found last, after the user's prefix "KIND:" */
	struct text question; /* Lists up to LIKELY series, as in "; is it A or B?" */
};

/* Tries the only path that ends like `what`. Fails if there is none, or if there are several. */
static bool series_find_likely(struct series *ret, struct store *s, const char *what,
			       struct heft_err *err)
{
	struct likely l = { 0 };
	enum { LIKELY = 3 };
	static const char all[] =
		"SELECT path FROM paths UNION SELECT label FROM measures ORDER BY 1";
	const char *colon = strchr(what, ':');
	const struct str name = str_of(colon ? colon + 1 : what);
	struct db_query *q = db_query(s->db, all);
	while (db_row(q)) {
		const struct str path = db_text(q, 0);
		if (!ends_in(path, name))
			continue;
		text_set(&l.only, (struct str){ what, (size_t)(name.p - what) });
		text_add(&l.only, path);
		if (l.count++ >= LIKELY)
			continue;
		text_adds(&l.question, l.count == 1 ? STR("; is it ") : STR(" or "), path);
	}
	if (l.count > 0)
		text_add(&l.question, STR("?"));
	const bool found = l.count == 1 &&
			   series_find_name(ret, s, arena_copy(&ret->arena, text_str(&l.only)));
	if (!found && db_check(s->db, err))
		fail(err, HEFT_ENOTFOUND, HEFT_NO_OFFSET,
		     "'%s' is neither 'file' nor 'vm', nor a section, source, object, component, "
		     "symbol or row of any build%.*s",
		     what, (int)l.question.len, l.question.len > 0 ? l.question.p : "");
	text_release(&l.only);
	text_release(&l.question);
	return found;
}

bool series_make(struct series *ret, struct store *s, const struct timeline *t, const char *what,
		 struct heft_err *err)
{
	const bool file = strcmp(what, "file") == 0, vm = strcmp(what, "vm") == 0;
	*ret = (struct series){ .timeline = t, .what = file ? "file" : "vm" };
	vec_reserve(&ret->values, t->list.count + 1);
	for (size_t i = 0; i < t->list.count; i++)
		vec_push(&ret->values, file ? (double)t->list.data[i]->file
				       : vm ? (double)t->list.data[i]->vm
					    : 0);
	if (file || vm || series_find_name(ret, s, what) || series_find_likely(ret, s, what, err))
		return true;
	series_release(ret);
	return false;
}

void series_release(struct series *s)
{
	vec_release(&s->values);
	arena_release(&s->arena);
}

static struct step series_step_at(const struct series *s, size_t i)
{
	const struct build *b = s->timeline->list.data[i];
	struct step step = { .before = s->timeline->before.data[i],
			     .build = b,
			     .now = s->values.data[i] };
	if (step.before) {
		step.was = s->values.data[timeline_place(s->timeline, step.before)];
		step.apart = strcmp(b->facts.parent, step.before->facts.commit) != 0;
	}
	return step;
}

void steps_make(struct steps *ret, const struct series *s)
{
	*ret = (struct steps){ { 0 } };
	for (size_t i = s->values.count; i > 0; i--) {
		const struct step step = series_step_at(s, i - 1);
		if (step.was != step.now)
			vec_push(&ret->list, step);
	}
}

/* Sorts by falling change, then latest first. */
COMPARISON(series_compare_steps, struct step, ORDER(fabs(b->now - b->was), fabs(a->now - a->was)),
	   ORDER(b->build->id, a->build->id))

bool steps_between(struct steps *ret, const struct series *s, const struct build *from,
		   const struct build *to, struct heft_err *err)
{
	const struct build *b = to;
	*ret = (struct steps){ { 0 } };
	while (b && b != from) {
		const struct step step = series_step_at(s, timeline_place(s->timeline, b));
		if (step.was != step.now)
			vec_push(&ret->list, step);
		b = step.before;
	}
	vec_sort_by(&ret->list, series_compare_steps);
	if (b)
		return true;
	steps_release(ret);
	return fail(err, HEFT_EARG, HEFT_NO_OFFSET,
		    "build #%" PRIu32 " is not before #%" PRIu32
		    " of the same product and configuration",
		    from->id, to->id);
}

double steps_change(const struct steps *s)
{
	double ret = 0;
	for (size_t i = 0; i < s->list.count; i++)
		ret += s->list.data[i].now - s->list.data[i].was;
	return ret;
}

void steps_release(struct steps *s)
{
	vec_release(&s->list);
}
