/* Reads and writes the JSON at the beginning of `.size` files. */
#include "snapshot/sizefile_internal.h"
#include "snapshot/sums.h"

#include "base/json.h"
#include "base/json_read.h"
#include "base/sort.h"

#include <stdlib.h>

static void sizefile_json_put_piece(void *ctx, const char *p, size_t size)
{
	text_add(ctx, (struct str){ p, size });
}

static struct json json_into(struct text *text)
{
	return (struct json){ .put = sizefile_json_put_piece, .ctx = text, .indented = true };
}

static void sizefile_json_add_value(struct json *j, const struct snap_value *v)
{
	switch (v->kind) {
	case SNAP_TEXT: json_text(j, str_of(v->text)); break;
	case SNAP_JSON: json_raw(j, str_of(v->text)); break;
	case SNAP_NUMBER: json_int(j, v->number); break;
	case SNAP_LIST:
		json_open(j, '[');
		for (size_t i = 0; v->list[i]; i++)
			json_text(j, str_of(v->list[i]));
		json_close(j, ']');
		break;
	}
}

COMPARISON(compare_values, struct snap_value *const, strcmp((*a)->key, (*b)->key))

/* Writes two lists of values as one object. */
static void sizefile_json_add_values(struct json *j, const struct snap_value *a, size_t a_count,
				     const struct snap_value *b, size_t b_count)
{
	const struct snap_value **all = mem_alloc((a_count + b_count + 1) * sizeof *all);
	for (size_t i = 0; i < a_count; i++)
		all[i] = &a[i];
	for (size_t i = 0; i < b_count; i++)
		all[a_count + i] = &b[i];
	qsort(all, a_count + b_count, sizeof *all, compare_values);
	json_open(j, '{');
	for (size_t i = 0; i < a_count + b_count; i++) {
		json_key(j, all[i]->key);
		sizefile_json_add_value(j, all[i]);
	}
	json_close(j, '}');
	mem_free(all);
}

COMPARISON(compare_metrics, struct snap_metric, strcmp(a->file, b->file), strcmp(a->name, b->name))

static void add_metrics(struct json *j, const struct snap_container *c)
{
	const size_t count = c->metrics.count;
	struct snap_metric *m = mem_alloc((count + 1) * sizeof *m);
	memcpy(m, count ? c->metrics.data : m, count * sizeof *m);
	qsort(m, count, sizeof *m, compare_metrics);
	json_member_open(j, "metrics_by_file", '{');
	for (size_t i = 0; i < count; i++) {
		if (i == 0 || strcmp(m[i].file, m[i - 1].file) != 0) {
			json_member_open(j, m[i].file, '{');
		}
		json_key(j, m[i].name);
		json_raw(j, str_of(m[i].value));
		if (i + 1 == count || strcmp(m[i].file, m[i + 1].file) != 0)
			json_close(j, '}');
	}
	json_close(j, '}');
	mem_free(m);
}

COMPARISON(sizefile_json_compare_sizes, struct snap_section_size, strcmp(a->name, b->name))

typedef VEC(struct snap_section_size) size_vec;

static void add_size(struct intern *names, size_vec *sizes, const char *name, uint64_t size)
{
	const uint32_t id = intern_borrow(names, str_of(name));
	if (id == sizes->count)
		vec_push(sizes, (struct snap_section_size){ name, 0 });
	sizes->data[id].size += size;
}

/* Lists the sizes of segments, as SuperSize expects: the bytes of all their symbols. Also lists the
 * sections in them by name. */
static void list_sizes(const struct snapshot *s, uint32_t container, size_vec *ret)
{
	struct intern names = { { 0 } };
	vec_each(const struct snap_section, sec, &s->sections) {
		const char *segment = snap_segment(sec);
		if (sec->container != container)
			continue;
		add_size(&names, ret, segment, sec->size);
		/* Skips names of segments: the file has the segment's size under them. */
		if (strcmp(segment, sec->name) != 0 && !snap_segment_is_native(sec->name) &&
		    strcmp(sec->name, SNAP_UNSECTIONED) != 0)
			add_size(&names, ret, sec->name, sec->size);
	}
	intern_release(&names);
}

static void add_section_sizes(struct json *j, const struct snapshot *s, uint32_t container)
{
	const struct snap_container *c = &s->containers.data[container];
	size_vec sizes = { 0 };
	if (s->by_heft)
		list_sizes(s, container, &sizes);
	for (size_t i = 0; !s->by_heft && i < c->section_sizes.count; i++)
		vec_push(&sizes, c->section_sizes.data[i]);
	vec_sort_by(&sizes, sizefile_json_compare_sizes);
	json_member_open(j, "section_sizes", '{');
	for (size_t i = 0; i < sizes.count; i++) {
		json_key(j, sizes.data[i].name);
		json_int(j, (int64_t)sizes.data[i].size);
	}
	json_close(j, '}');
	vec_release(&sizes);
}

static void sizefile_json_add_container(struct json *j, const struct snapshot *s, uint32_t index)
{
	const struct snap_container *c = &s->containers.data[index];
	json_open(j, '{');
	json_key(j, "metadata");
	sizefile_json_add_values(j, c->metadata.data, c->metadata.count, NULL, 0);
	add_metrics(j, c);
	json_key(j, "name");
	json_text(j, str_of(c->name));
	add_section_sizes(j, s, index);
	json_close(j, '}');
}

/* Writes a section on a line of its own. */
static void sizefile_json_add_section(struct json *j, const struct snapshot *s,
				      const struct snap_section *sec)
{
	struct text sums = { 0 };
	const struct {
		const char *key;
		bool is;
	} flags[] = { { "native", sec->native },
		      { "in_file", sec->in_file },
		      { "in_memory", sec->in_memory },
		      { "code", sec->code } };
	json_open(j, '{');
	j->indented = false;
	json_member_uint(j, "container", sec->container);
	json_member_uint(j, "size", sec->size);
	json_member_uint(j, "symbols", sec->count);
	json_key(j, "name");
	j->indented = true;
	json_text(j, str_of(sec->name));
	j->indented = false;
	for (size_t i = 0; i < COUNT_OF(flags); i++)
		json_member_bool(j, flags[i].key, flags[i].is);
	sums_write(&sums, s, sec);
	if (sums.len > 0) {
		json_key(j, "sums");
		json_text(j, text_str(&sums));
	}
	text_release(&sums);
	json_close(j, '}');
	j->indented = true;
}

static void sizefile_json_add_stacks(struct json *j, const struct snapshot *s)
{
	uint64_t passed = 0;
	json_member_open(j, "stacks", '[');
	j->indented = false;
	vec_each(const struct snap_symbol, y, &s->symbols) {
		if (y->stack == 0) {
			passed++;
			continue;
		}
		json_uint(j, passed);
		json_uint(j, y->stack - 1);
		json_uint(j, y->stack_besides);
		passed = 0;
	}
	json_close(j, ']');
	j->indented = true;
}

/* Writes the member that only heft has. SuperSize ignores it. */
static void add_heft(struct json *j, const struct snapshot *s, const struct sizefile_head *head)
{
	json_member_open(j, "heft", '{');
	json_member_bool(j, "exact_names", s->exact_names);
	json_member_open(j, "sections", '[');
	for (size_t i = 0; i < head->sections.count; i++)
		sizefile_json_add_section(j, s, &head->sections.data[i]);
	json_close(j, ']');
	if (s->has_stacks)
		sizefile_json_add_stacks(j, s);
	if (head->charges > 0)
		json_member_uint(j, "charges", head->charges);
	json_close(j, '}');
}

/* Writes the unknown members that sort between two known names, because all members are sorted. */
static void add_extra(struct json *j, const struct snapshot *s, const char *after,
		      const char *before)
{
	vec_each(const struct snap_value, v, &s->extra) {
		if (strcmp(v->key, after) > 0 && (!before || strcmp(v->key, before) < 0)) {
			json_key(j, v->key);
			sizefile_json_add_value(j, v);
		}
	}
}

static void add_flags(struct json *j, const struct snapshot *s, const struct sizefile_head *head,
		      const char *before)
{
	json_member_bool(j, "has_components", head->has_components);
	add_extra(j, s, "has_components", "has_disassembly");
	json_member_bool(j, "has_disassembly", head->has_disassembly);
	add_extra(j, s, "has_disassembly", "has_padding");
	json_member_bool(j, "has_padding", head->has_padding);
	add_extra(j, s, "has_padding", s->by_heft ? "heft" : before);
	if (s->by_heft) {
		add_heft(j, s, head);
		add_extra(j, s, "heft", before);
	}
}

static void sizefile_json_add_one(struct json *j, const struct snapshot *s,
				  const struct sizefile_head *head)
{
	const struct snap_container *c = &s->containers.data[0];
	add_extra(j, s, "", "has_components");
	add_flags(j, s, head, "metadata");
	json_key(j, "metadata");
	sizefile_json_add_values(j, c->metadata.data, c->metadata.count, s->build_config.data,
				 s->build_config.count);
	add_extra(j, s, "metadata", "metrics_by_file");
	add_metrics(j, c);
	add_extra(j, s, "metrics_by_file", "section_sizes");
	add_section_sizes(j, s, 0);
	add_extra(j, s, "section_sizes", NULL);
}

static void add_several(struct json *j, const struct snapshot *s, const struct sizefile_head *head)
{
	add_extra(j, s, "", "build_config");
	json_key(j, "build_config");
	sizefile_json_add_values(j, s->build_config.data, s->build_config.count, NULL, 0);
	add_extra(j, s, "build_config", "containers");
	json_member_open(j, "containers", '[');
	for (uint32_t i = 0; i < s->containers.count; i++)
		sizefile_json_add_container(j, s, i);
	json_close(j, ']');
	add_extra(j, s, "containers", "has_components");
	add_flags(j, s, head, NULL);
}

void sizefile_json_write(struct text *out, const struct snapshot *s,
			 const struct sizefile_head *head)
{
	struct json j = json_into(out);
	json_open(&j, '{');
	if (head->several)
		add_several(&j, s, head);
	else
		sizefile_json_add_one(&j, s, head);
	json_close(&j, '}');
}

struct sizefile_json_in {
	struct json_in json;
	struct snapshot *s;
	const char *problem; /* First problem found, or NULL */
};

static bool wrong(struct sizefile_json_in *in, const char *problem)
{
	if (!in->problem)
		in->problem = problem;
	return false;
}

static const char *sizefile_json_keep(struct sizefile_json_in *in, struct str text)
{
	return arena_copy(&in->s->arena, text);
}

/* True if Python would write the text `decoded` as `raw`. Otherwise, heft keeps the raw JSON. */
static bool sizefile_json_is_plain(struct str raw, struct str decoded)
{
	struct text again = { 0 };
	struct json j = json_into(&again);
	json_text(&j, decoded);
	const bool same = str_eq(text_str(&again), raw) &&
			  memchr(decoded.p ? decoded.p : "", '\0', decoded.len) == NULL;
	text_release(&again);
	return same;
}

static struct snap_value sizefile_json_read_value(struct sizefile_json_in *in, const char *key)
{
	struct snap_value v = { .key = key, .kind = SNAP_JSON };
	const enum json_token token = json_next(&in->json);
	const struct str raw = json_rest(&in->json, token);
	const struct str text = text_str(&in->json.text);
	if (token == JSON_STRING && sizefile_json_is_plain(raw, text)) {
		v.kind = SNAP_TEXT;
		v.text = sizefile_json_keep(in, text);
	} else if (token == JSON_NUMBER && json_integer(&in->json, &v.number)) {
		v.kind = SNAP_NUMBER;
	} else {
		v.text = sizefile_json_keep(in, raw);
	}
	return v;
}

/* Enters the object that is the value of a key. False if the value is no object. */
static bool sizefile_json_enter(struct sizefile_json_in *in, const char *problem)
{
	return json_next(&in->json) == JSON_OBJECT || wrong(in, problem);
}

static bool next_key(struct sizefile_json_in *in, const char **ret)
{
	if (in->problem || json_next(&in->json) != JSON_KEY)
		return false;
	*ret = sizefile_json_keep(in, text_str(&in->json.text));
	return true;
}

static bool is_build_config(const char *key)
{
	return strcmp(key, "git_revision") == 0 || strcmp(key, "gn_args") == 0 ||
	       strcmp(key, "out_directory") == 0;
}

/* Reads metadata. `config`: keys about the build go to build_config. */
static void read_metadata(struct sizefile_json_in *in, struct snap_container *c, bool config)
{
	const char *key;
	const enum json_token first = json_next(&in->json);
	if (first == JSON_NULL)
		return;
	if (first != JSON_OBJECT) {
		wrong(in, "metadata is no object");
		return;
	}
	while (next_key(in, &key)) {
		const struct snap_value v = sizefile_json_read_value(in, key);
		if (!c || (config && is_build_config(key)))
			vec_push(&in->s->build_config, v);
		else
			vec_push(&c->metadata, v);
	}
}

static void read_metrics(struct sizefile_json_in *in, struct snap_container *c)
{
	const char *file, *name;
	if (!sizefile_json_enter(in, "metrics_by_file is no object"))
		return;
	while (next_key(in, &file)) {
		if (!sizefile_json_enter(in, "the metrics of a file are no object"))
			return;
		while (next_key(in, &name)) {
			if (json_next(&in->json) != JSON_NUMBER)
				wrong(in, "a metric is no number");
			else
				vec_push(
					&c->metrics,
					(struct snap_metric){
						file, name,
						sizefile_json_keep(in, text_str(&in->json.text)) });
		}
	}
}

static void read_section_sizes(struct sizefile_json_in *in, struct snap_container *c)
{
	const char *name;
	int64_t size;
	if (!sizefile_json_enter(in, "section_sizes is no object"))
		return;
	while (next_key(in, &name)) {
		if (json_next(&in->json) != JSON_NUMBER || !json_integer(&in->json, &size))
			wrong(in, "the size of a section is no number");
		else
			vec_push(&c->section_sizes,
				 (struct snap_section_size){ name, (uint64_t)size });
	}
}

static void sizefile_json_read_bool(struct sizefile_json_in *in, bool *ret)
{
	const enum json_token token = json_next(&in->json);
	*ret = token == JSON_TRUE;
	if (token != JSON_TRUE && token != JSON_FALSE)
		wrong(in, "true or false is wanted");
}

static void read_container(struct sizefile_json_in *in, struct snap_container *c)
{
	const char *key;
	while (next_key(in, &key)) {
		if (strcmp(key, "name") == 0) {
			if (json_next(&in->json) != JSON_STRING)
				wrong(in, "the name of a container is no text");
			c->name = sizefile_json_keep(in, text_str(&in->json.text));
		} else if (strcmp(key, "metadata") == 0) {
			read_metadata(in, c, false);
		} else if (strcmp(key, "metrics_by_file") == 0) {
			read_metrics(in, c);
		} else if (strcmp(key, "section_sizes") == 0) {
			read_section_sizes(in, c);
		} else {
			json_skip(&in->json);
		}
	}
}

static void read_containers(struct sizefile_json_in *in)
{
	if (json_next(&in->json) != JSON_ARRAY) {
		wrong(in, "containers is no list");
		return;
	}
	for (;;) {
		const enum json_token token = json_next(&in->json);
		if (token != JSON_OBJECT) {
			if (token != JSON_ARRAY_END)
				wrong(in, "a container is no object");
			return;
		}
		struct snap_container c = { .name = "" };
		read_container(in, &c);
		vec_push(&in->s->containers, c);
		if (in->problem)
			return;
	}
}

static void sizefile_json_read_count(struct sizefile_json_in *in, uint64_t *ret)
{
	int64_t v;
	if (json_next(&in->json) != JSON_NUMBER || !json_integer(&in->json, &v) || v < 0)
		wrong(in, "a number of a section is none");
	else
		*ret = (uint64_t)v;
}

static void sizefile_json_read_text(struct sizefile_json_in *in, const char **ret)
{
	if (json_next(&in->json) == JSON_STRING)
		*ret = sizefile_json_keep(in, text_str(&in->json.text));
	else
		wrong(in, "a text of a section is none");
}

static void sizefile_json_read_section(struct sizefile_json_in *in, struct snap_section *sec)
{
	const struct {
		const char *key;
		bool *to;
	} flags[] = { { "native", &sec->native },
		      { "in_file", &sec->in_file },
		      { "in_memory", &sec->in_memory },
		      { "code", &sec->code } };
	const char *key;
	uint64_t container = 0;
	while (next_key(in, &key)) {
		size_t i = 0;
		while (i < COUNT_OF(flags) && strcmp(flags[i].key, key) != 0)
			i++;
		if (i < COUNT_OF(flags))
			sizefile_json_read_bool(in, flags[i].to);
		else if (strcmp(key, "container") == 0)
			sizefile_json_read_count(in, &container);
		else if (strcmp(key, "size") == 0)
			sizefile_json_read_count(in, &sec->size);
		else if (strcmp(key, "symbols") == 0)
			sizefile_json_read_count(in, &sec->count);
		else if (strcmp(key, "name") == 0)
			sizefile_json_read_text(in, &sec->name);
		else if (strcmp(key, "sums") == 0)
			sizefile_json_read_text(in, &sec->sums);
		else
			json_skip(&in->json);
	}
	/* Earlier versions of heft named loaded bytes outside of sections so. */
	if (sec->name && strcmp(sec->name, "[no section]") == 0)
		sec->name = SNAP_UNSECTIONED;
	sec->container = (uint32_t)min_u64(container, UINT32_MAX);
}

static void sizefile_json_read_sections(struct sizefile_json_in *in, struct sizefile_head *head)
{
	enum json_token token = json_next(&in->json);
	if (token != JSON_ARRAY)
		wrong(in, "sections is no list");
	while (!in->problem && (token = json_next(&in->json)) == JSON_OBJECT) {
		struct snap_section sec = { .name = "" };
		sizefile_json_read_section(in, &sec);
		vec_push(&head->sections, sec);
	}
	if (token != JSON_ARRAY_END)
		wrong(in, "a section is no object");
}

static void sizefile_json_read_stacks(struct sizefile_json_in *in, struct sizefile_head *head)
{
	enum json_token token = json_next(&in->json);
	int64_t v;
	if (token != JSON_ARRAY)
		wrong(in, "stacks is no list");
	in->s->has_stacks = true;
	while (!in->problem && (token = json_next(&in->json)) == JSON_NUMBER)
		if (json_integer(&in->json, &v) && v >= 0 && v < UINT32_MAX)
			vec_push(&head->stacks, (uint32_t)v);
		else
			wrong(in, "a number of stacks is none");
	if (token != JSON_ARRAY_END)
		wrong(in, "a number of stacks is none");
}

static void read_charge_count(struct sizefile_json_in *in, struct sizefile_head *head)
{
	int64_t v;
	if (json_next(&in->json) != JSON_NUMBER || !json_integer(&in->json, &v) || v < 0)
		wrong(in, "charges is no count");
	else
		head->charges = (uint64_t)v;
}

static void read_heft(struct sizefile_json_in *in, struct sizefile_head *head)
{
	const char *key;
	if (!sizefile_json_enter(in, "heft is no object"))
		return;
	in->s->by_heft = true;
	while (next_key(in, &key)) {
		if (strcmp(key, "exact_names") == 0)
			sizefile_json_read_bool(in, &in->s->exact_names);
		else if (strcmp(key, "sections") == 0)
			sizefile_json_read_sections(in, head);
		else if (strcmp(key, "stacks") == 0)
			sizefile_json_read_stacks(in, head);
		else if (strcmp(key, "charges") == 0)
			read_charge_count(in, head);
		else
			json_skip(&in->json);
	}
}

static void sizefile_json_read_member(struct sizefile_json_in *in, struct sizefile_head *head,
				      const char *key, struct snap_container *one)
{
	if (strcmp(key, "has_components") == 0)
		sizefile_json_read_bool(in, &head->has_components);
	else if (strcmp(key, "has_padding") == 0)
		sizefile_json_read_bool(in, &head->has_padding);
	else if (strcmp(key, "has_disassembly") == 0)
		sizefile_json_read_bool(in, &head->has_disassembly);
	else if (strcmp(key, "heft") == 0)
		read_heft(in, head);
	else if (head->several && strcmp(key, "build_config") == 0)
		read_metadata(in, NULL, false);
	else if (head->several && strcmp(key, "containers") == 0)
		read_containers(in);
	else if (!head->several && strcmp(key, "metadata") == 0)
		read_metadata(in, one, true);
	else if (!head->several && strcmp(key, "metrics_by_file") == 0)
		read_metrics(in, one);
	else if (!head->several && strcmp(key, "section_sizes") == 0)
		read_section_sizes(in, one);
	else
		vec_push(&in->s->extra, sizefile_json_read_value(in, key));
}

COMPARISON(sizefile_json_compare_keys, struct snap_value, strcmp(a->key, b->key))

bool sizefile_json_read(struct snapshot *s, struct sizefile_head *head, struct bytes json,
			uint64_t *ret_pos, const char **ret_problem)
{
	struct sizefile_json_in in = { .s = s };
	struct snap_container one = { .name = "" };
	const char *key;
	json_in_init(&in.json, json);
	if (sizefile_json_enter(&in, "no JSON object"))
		while (next_key(&in, &key))
			sizefile_json_read_member(&in, head, key, &one);
	if (!head->several)
		vec_push(&s->containers, one);
	vec_sort_by(&s->extra, sizefile_json_compare_keys);
	if (in.json.bad)
		in.problem = in.json.problem;
	else if (s->containers.count == 0)
		wrong(&in, "there is no container");
	*ret_pos = in.json.pos;
	*ret_problem = in.problem;
	json_in_release(&in.json);
	return in.problem == NULL;
}
