#include "snapshot/sizefile_internal.h"

#include "base/json_read.h"
#include "base/utf8.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- writing ----------------------------------------------------------------------------------- */

/* Python's json.dumps(indent=2, sort_keys=True, ensure_ascii=True), piece by piece. */
struct out {
	struct text *text;
	unsigned depth;
	bool comma;
};

static void add(struct out *o, const char *text)
{
	text_add(o->text, str_of(text));
}

static void line(struct out *o)
{
	text_add_char(o->text, '\n');
	for (unsigned i = 0; i < o->depth; i++)
		add(o, "  ");
}

static void begin_entry(struct out *o)
{
	if (o->comma)
		add(o, ",");
	line(o);
	o->comma = true;
}

static void open_bracket(struct out *o, const char *bracket)
{
	add(o, bracket);
	o->depth++;
	o->comma = false;
}

/* Nothing between the brackets: no line break either. */
static void close_bracket(struct out *o, const char *bracket)
{
	o->depth--;
	if (o->comma)
		line(o);
	add(o, bracket);
	o->comma = true;
}

static void add_unit(struct out *o, uint32_t unit)
{
	char hex[16];
	snprintf(hex, sizeof hex, "\\u%04x", (unsigned)unit);
	add(o, hex);
}

static void add_character(struct out *o, uint32_t c)
{
	static const char codes[] = "\"\"\\\\\nn\rr\tt\ff\bb";
	for (size_t i = 0; i + 1 < sizeof codes; i += 2)
		if ((uint8_t)codes[i] == c) {
			text_add_char(o->text, '\\');
			text_add_char(o->text, codes[i + 1]);
			return;
		}
	if (c >= 0x20 && c < 0x7f) {
		text_add_char(o->text, (char)c);
	} else if (c < 0x10000) {
		add_unit(o, c);
	} else {
		add_unit(o, 0xd800 + ((c - 0x10000) >> 10));
		add_unit(o, 0xdc00 + ((c - 0x10000) & 0x3ff));
	}
}

static void add_string(struct out *o, struct str s)
{
	text_add_char(o->text, '"');
	for (size_t i = 0; i < s.len;) {
		uint32_t c = 0xfffd;
		const unsigned n = utf8_decode(s, i, &c);
		add_character(o, c);
		i += n > 0 ? n : 1;
	}
	text_add_char(o->text, '"');
}

static void add_key(struct out *o, const char *key)
{
	begin_entry(o);
	add_string(o, str_of(key));
	add(o, ": ");
}

static void add_value(struct out *o, const struct snap_value *v)
{
	char digits[24];
	switch (v->kind) {
	case SNAP_TEXT: add_string(o, str_of(v->text)); break;
	case SNAP_JSON: add(o, v->text); break;
	case SNAP_NUMBER:
		snprintf(digits, sizeof digits, "%" PRId64, v->number);
		add(o, digits);
		break;
	case SNAP_LIST:
		open_bracket(o, "[");
		for (size_t i = 0; v->list[i]; i++) {
			begin_entry(o);
			add_string(o, str_of(v->list[i]));
		}
		close_bracket(o, "]");
		break;
	}
}

static int compare_values(const void *a, const void *b)
{
	return strcmp((*(const struct snap_value *const *)a)->key,
		      (*(const struct snap_value *const *)b)->key);
}

/* Two lists of values as one object. */
static void add_values(struct out *o, const struct snap_value *a, size_t a_count,
		       const struct snap_value *b, size_t b_count)
{
	const struct snap_value **all = xmalloc((a_count + b_count + 1) * sizeof *all);
	for (size_t i = 0; i < a_count; i++)
		all[i] = &a[i];
	for (size_t i = 0; i < b_count; i++)
		all[a_count + i] = &b[i];
	qsort(all, a_count + b_count, sizeof *all, compare_values);
	open_bracket(o, "{");
	for (size_t i = 0; i < a_count + b_count; i++) {
		add_key(o, all[i]->key);
		add_value(o, all[i]);
	}
	close_bracket(o, "}");
	free(all);
}

static int compare_metrics(const void *pa, const void *pb)
{
	const struct snap_metric *a = pa, *b = pb;
	const int c = strcmp(a->file, b->file);
	return c != 0 ? c : strcmp(a->name, b->name);
}

static void add_metrics(struct out *o, const struct snap_container *c)
{
	const size_t count = c->metrics.count;
	struct snap_metric *m = xmalloc((count + 1) * sizeof *m);
	memcpy(m, count ? c->metrics.data : m, count * sizeof *m);
	qsort(m, count, sizeof *m, compare_metrics);
	add_key(o, "metrics_by_file");
	open_bracket(o, "{");
	for (size_t i = 0; i < count; i++) {
		if (i == 0 || strcmp(m[i].file, m[i - 1].file) != 0) {
			add_key(o, m[i].file);
			open_bracket(o, "{");
		}
		add_key(o, m[i].name);
		add(o, m[i].value);
		if (i + 1 == count || strcmp(m[i].file, m[i + 1].file) != 0)
			close_bracket(o, "}");
	}
	close_bracket(o, "}");
	free(m);
}

static int compare_sizes(const void *a, const void *b)
{
	return strcmp(((const struct snap_section_size *)a)->name,
		      ((const struct snap_section_size *)b)->name);
}

static void add_section_sizes(struct out *o, const struct snap_container *c)
{
	const size_t count = c->section_sizes.count;
	struct snap_section_size *sizes = xmalloc((count + 1) * sizeof *sizes);
	char digits[24];
	memcpy(sizes, count ? c->section_sizes.data : sizes, count * sizeof *sizes);
	qsort(sizes, count, sizeof *sizes, compare_sizes);
	add_key(o, "section_sizes");
	open_bracket(o, "{");
	for (size_t i = 0; i < count; i++) {
		add_key(o, sizes[i].name);
		snprintf(digits, sizeof digits, "%" PRId64, (int64_t)sizes[i].size);
		add(o, digits);
	}
	close_bracket(o, "}");
	free(sizes);
}

static void add_bool(struct out *o, const char *key, bool v)
{
	add_key(o, key);
	add(o, v ? "true" : "false");
}

static void add_container(struct out *o, const struct snap_container *c)
{
	begin_entry(o);
	open_bracket(o, "{");
	add_key(o, "metadata");
	add_values(o, c->metadata.data, c->metadata.count, NULL, 0);
	add_metrics(o, c);
	add_key(o, "name");
	add_string(o, str_of(c->name));
	add_section_sizes(o, c);
	close_bracket(o, "}");
}

/* Members by name: what heft does not know stands between those it does. */
static void add_extra(struct out *o, const struct snapshot *s, const char *after,
		      const char *before)
{
	for (size_t i = 0; i < s->extra.count; i++) {
		const struct snap_value *v = &s->extra.data[i];
		if (strcmp(v->key, after) > 0 && (!before || strcmp(v->key, before) < 0)) {
			add_key(o, v->key);
			add_value(o, v);
		}
	}
}

static void add_flags(struct out *o, const struct snapshot *s, const struct sizefile_head *head,
		      const char *before)
{
	add_bool(o, "has_components", head->has_components);
	add_extra(o, s, "has_components", "has_disassembly");
	add_bool(o, "has_disassembly", head->has_disassembly);
	add_extra(o, s, "has_disassembly", "has_padding");
	add_bool(o, "has_padding", head->has_padding);
	add_extra(o, s, "has_padding", before);
}

static void add_one(struct out *o, const struct snapshot *s, const struct sizefile_head *head)
{
	const struct snap_container *c = &s->containers.data[0];
	add_extra(o, s, "", "has_components");
	add_flags(o, s, head, "metadata");
	add_key(o, "metadata");
	add_values(o, c->metadata.data, c->metadata.count, s->build_config.data,
		   s->build_config.count);
	add_extra(o, s, "metadata", "metrics_by_file");
	add_metrics(o, c);
	add_extra(o, s, "metrics_by_file", "section_sizes");
	add_section_sizes(o, c);
	add_extra(o, s, "section_sizes", NULL);
}

static void add_several(struct out *o, const struct snapshot *s, const struct sizefile_head *head)
{
	add_extra(o, s, "", "build_config");
	add_key(o, "build_config");
	add_values(o, s->build_config.data, s->build_config.count, NULL, 0);
	add_extra(o, s, "build_config", "containers");
	add_key(o, "containers");
	open_bracket(o, "[");
	for (size_t i = 0; i < s->containers.count; i++)
		add_container(o, &s->containers.data[i]);
	close_bracket(o, "]");
	add_extra(o, s, "containers", "has_components");
	add_flags(o, s, head, NULL);
}

void sizefile_json_write(struct text *out, const struct snapshot *s,
			 const struct sizefile_head *head)
{
	struct out o = { .text = out };
	open_bracket(&o, "{");
	if (head->several)
		add_several(&o, s, head);
	else
		add_one(&o, s, head);
	close_bracket(&o, "}");
}

/* ---- reading ----------------------------------------------------------------------------------- */

struct in {
	struct json_in json;
	struct snapshot *s;
	const char *problem; /* NULL: none yet */
};

static bool wrong(struct in *in, const char *problem)
{
	if (!in->problem)
		in->problem = problem;
	return false;
}

static const char *keep(struct in *in, struct str text)
{
	return arena_copy(&in->s->arena, text);
}

/* Whether Python writes a text as it stands here; other spellings are kept as they are. */
static bool is_plain(struct str raw, struct str decoded)
{
	struct text again = { 0 };
	struct out o = { .text = &again };
	add_string(&o, decoded);
	const bool same = str_eq(text_str(&again), raw) &&
			  memchr(decoded.p ? decoded.p : "", '\0', decoded.len) == NULL;
	text_release(&again);
	return same;
}

/* The value behind a key, of any kind. */
static struct snap_value read_value(struct in *in, const char *key)
{
	struct snap_value v = { .key = key, .kind = SNAP_JSON };
	const enum json_token token = json_next(&in->json);
	const struct str raw = json_rest(&in->json, token);
	const struct str text = text_str(&in->json.text);
	if (token == JSON_STRING && is_plain(raw, text)) {
		v.kind = SNAP_TEXT;
		v.text = keep(in, text);
	} else if (token == JSON_NUMBER && json_integer(&in->json, &v.number)) {
		v.kind = SNAP_NUMBER;
	} else {
		v.text = keep(in, raw);
	}
	return v;
}

/* Steps into the object behind a key: false where it is none. */
static bool enter(struct in *in, const char *problem)
{
	return json_next(&in->json) == JSON_OBJECT || wrong(in, problem);
}

static bool next_key(struct in *in, const char **ret)
{
	if (in->problem || json_next(&in->json) != JSON_KEY)
		return false;
	*ret = keep(in, text_str(&in->json.text));
	return true;
}

static bool is_build_config(const char *key)
{
	return strcmp(key, "git_revision") == 0 || strcmp(key, "gn_args") == 0 ||
	       strcmp(key, "out_directory") == 0;
}

/* `config`: the keys of the build among them go there. */
static void read_metadata(struct in *in, struct snap_container *c, bool config)
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
		const struct snap_value v = read_value(in, key);
		if (!c || (config && is_build_config(key)))
			vec_push(&in->s->build_config, v);
		else
			vec_push(&c->metadata, v);
	}
}

static void read_metrics(struct in *in, struct snap_container *c)
{
	const char *file, *name;
	if (!enter(in, "metrics_by_file is no object"))
		return;
	while (next_key(in, &file)) {
		if (!enter(in, "the metrics of a file are no object"))
			return;
		while (next_key(in, &name)) {
			if (json_next(&in->json) != JSON_NUMBER)
				wrong(in, "a metric is no number");
			else
				vec_push(&c->metrics,
					 (struct snap_metric){
						 file, name, keep(in, text_str(&in->json.text)) });
		}
	}
}

static void read_section_sizes(struct in *in, struct snap_container *c)
{
	const char *name;
	int64_t size;
	if (!enter(in, "section_sizes is no object"))
		return;
	while (next_key(in, &name)) {
		if (json_next(&in->json) != JSON_NUMBER || !json_integer(&in->json, &size))
			wrong(in, "the size of a section is no number");
		else
			vec_push(&c->section_sizes,
				 (struct snap_section_size){ name, (uint64_t)size });
	}
}

static void read_bool(struct in *in, bool *ret)
{
	const enum json_token token = json_next(&in->json);
	*ret = token == JSON_TRUE;
	if (token != JSON_TRUE && token != JSON_FALSE)
		wrong(in, "true or false is wanted");
}

static void read_container(struct in *in, struct snap_container *c)
{
	const char *key;
	while (next_key(in, &key)) {
		if (strcmp(key, "name") == 0) {
			if (json_next(&in->json) != JSON_STRING)
				wrong(in, "the name of a container is no text");
			c->name = keep(in, text_str(&in->json.text));
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

static void read_containers(struct in *in)
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

static void read_member(struct in *in, struct sizefile_head *head, const char *key,
			struct snap_container *one)
{
	if (strcmp(key, "has_components") == 0)
		read_bool(in, &head->has_components);
	else if (strcmp(key, "has_padding") == 0)
		read_bool(in, &head->has_padding);
	else if (strcmp(key, "has_disassembly") == 0)
		read_bool(in, &head->has_disassembly);
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
		vec_push(&in->s->extra, read_value(in, key));
}

static int compare_keys(const void *a, const void *b)
{
	return strcmp(((const struct snap_value *)a)->key, ((const struct snap_value *)b)->key);
}

bool sizefile_json_read(struct snapshot *s, struct sizefile_head *head, struct bytes json,
			uint64_t *ret_pos, const char **ret_problem)
{
	struct in in = { .s = s };
	struct snap_container one = { .name = "" };
	const char *key;
	json_in_init(&in.json, json);
	if (enter(&in, "no JSON object"))
		while (next_key(&in, &key))
			read_member(&in, head, key, &one);
	if (!head->several)
		vec_push(&s->containers, one);
	if (s->extra.count > 0)
		qsort(s->extra.data, s->extra.count, sizeof *s->extra.data, compare_keys);
	if (in.json.bad)
		in.problem = in.json.problem;
	else if (s->containers.count == 0)
		wrong(&in, "there is no container");
	*ret_pos = in.json.pos;
	*ret_problem = in.problem;
	json_in_release(&in.json);
	return in.problem == NULL;
}
