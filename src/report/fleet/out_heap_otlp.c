/* What a heap holds as OTLP profiles: an ExportProfilesServiceRequest of opentelemetry-proto 1.9,
 * package opentelemetry.proto.collector.profiles.v1development.
 *
 * Fields are told by their numbers.  Entry 0 of each table stands for none; entry i + 1 of the
 * tables of locations, functions and stacks is the report's site or leaf i. */
#include "report/heap_report.h"
#include "report/pprof.h"

struct otlp {
	struct pprof dictionary; /* its strings are those of all messages */
	const struct heap_report *r;
};

enum dictionary_field { MAPPINGS = 1, LOCATIONS, FUNCTIONS, LINKS, STRINGS, ATTRIBUTES, STACKS };

/* AnyValue, a text. */
static void put_value(struct text *to, unsigned field, const char *value)
{
	struct text any = { 0 }, bytes = { 0 };
	text_set(&bytes, str_of(value));
	pprof_message(&any, 1, &bytes);
	pprof_message(to, field, &any);
	text_release(&any);
	text_release(&bytes);
}

/* ---- the dictionary -------------------------------------------------------------------------- */

/* Mapping i has attribute i: its build id. */
static void put_mapping(struct otlp *o, const struct heap_report_module *m, uint32_t index)
{
	struct text t = { 0 }, attribute = { 0 }, packed = { 0 };
	const uint64_t moved = o->r->info->no_names ? m->bias : 0;
	char id[80];
	hex_text(id, m->build_id.p, (size_t)min_u64(m->build_id.size, sizeof id / 2 - 1));
	pprof_uint(&t, 1, m->start - moved);
	pprof_uint(&t, 2, m->end - moved);
	pprof_string(&o->dictionary, &t, 4, m->path);
	text_add_varint(&packed, index);
	pprof_message(&t, 5, &packed);
	pprof_message(&o->dictionary.out, MAPPINGS, &t);
	pprof_string(&o->dictionary, &attribute, 1, "process.executable.build_id.gnu");
	put_value(&attribute, 2, id);
	pprof_message(&o->dictionary.out, ATTRIBUTES, &attribute);
	text_release(&t);
	text_release(&attribute);
	text_release(&packed);
}

static void put_site(struct otlp *o, uint32_t site)
{
	const struct heap_site *s = &o->r->sites.data[site];
	const struct heap_report_module *m = &o->r->modules.data[s->module];
	struct text t = { 0 }, line = { 0 };
	pprof_uint(&t, 1, s->module);
	pprof_uint(&t, 2, s->frame.addr + (o->r->info->no_names ? 0 : m->bias));
	pprof_uint(&line, 1, (uint64_t)site + 1);
	pprof_uint(&line, 2, s->frame.line);
	if (!o->r->info->no_names)
		pprof_message(&t, 3, &line);
	pprof_message(&o->dictionary.out, LOCATIONS, &t);
	pprof_string(&o->dictionary, &t, 1, s->label);
	pprof_string(&o->dictionary, &t, 2, *s->frame.linkage ? s->frame.linkage : s->label);
	pprof_string(&o->dictionary, &t, 3, s->frame.file);
	if (!o->r->info->no_names)
		pprof_message(&o->dictionary.out, FUNCTIONS, &t);
	text_release(&t);
	text_release(&line);
}

static void put_stack(struct otlp *o, const struct heap_leaf *l)
{
	struct text t = { 0 }, packed = { 0 };
	for (uint32_t step = l->step; step != 0; step = o->r->steps.data[step].parent)
		text_add_varint(&packed, (uint64_t)o->r->steps.data[step].site + 1);
	pprof_message(&t, 1, &packed);
	pprof_message(&o->dictionary.out, STACKS, &t);
	text_release(&t);
	text_release(&packed);
}

static void put_dictionary(struct otlp *o)
{
	const struct heap_report *r = o->r;
	struct text none = { 0 };
	for (unsigned field = MAPPINGS; field <= STACKS; field++)
		if (field != STRINGS)
			pprof_message(&o->dictionary.out, field, &none);
	for (uint32_t m = 1; m < r->modules.count; m++)
		put_mapping(o, &r->modules.data[m], m);
	for (uint32_t i = 0; i < r->sites.count; i++)
		put_site(o, i);
	for (size_t i = 0; i < r->leaves.count; i++)
		put_stack(o, &r->leaves.data[i]);
}

static void put_strings(struct otlp *o)
{
	struct text t = { 0 };
	for (uint32_t i = 0; i < o->dictionary.strings.entries.count; i++) {
		text_set(&t, intern_get(&o->dictionary.strings, i));
		pprof_message(&o->dictionary.out, STRINGS, &t);
	}
	text_release(&t);
}

/* ---- profiles -------------------------------------------------------------------------------- */

static void put_type(struct otlp *o, struct text *to, unsigned field, const char *type,
		     const char *unit)
{
	struct text t = { 0 };
	pprof_string(&o->dictionary, &t, 1, type);
	pprof_string(&o->dictionary, &t, 2, unit);
	pprof_message(to, field, &t);
	text_release(&t);
}

static void put_fixed(struct text *to, unsigned field, uint64_t v)
{
	text_add_varint(to, field << 3 | 1);
	for (unsigned i = 0; i < 8; i++)
		text_add_char(to, (char)(v >> (8 * i)));
}

static void put_samples(struct otlp *o, struct text *profile, enum heft_heap_measure measure)
{
	struct text t = { 0 }, packed = { 0 };
	for (size_t i = 0; i < o->r->leaves.count; i++) {
		const uint64_t value = o->r->leaves.data[i].now[measure];
		if (value == 0)
			continue;
		pprof_uint(&t, 1, i + 1);
		text_add_varint(&packed, value);
		pprof_message(&t, 2, &packed);
		pprof_message(profile, 2, &t);
	}
	text_release(&t);
	text_release(&packed);
}

static void put_profile(struct otlp *o, struct text *scope, enum heft_heap_measure measure)
{
	const struct heft_heap_info *of = &o->r->info->of;
	const bool bytes = measure == HEFT_HEAP_LIVE_BYTES;
	struct text t = { 0 };
	put_type(o, &t, 1, bytes ? "inuse_space" : "inuse_objects", bytes ? "bytes" : "count");
	put_samples(o, &t, measure);
	put_fixed(&t, 3, of->started + of->taken_at);
	pprof_uint(&t, 4, of->taken_at);
	put_type(o, &t, 5, "space", "bytes");
	pprof_uint(&t, 6, of->sample > 0 ? of->sample : 1);
	pprof_message(scope, 2, &t);
	text_release(&t);
}

/* The constants are attributes of the resource. */
static void put_resource(const struct heft_write_opts *opts, struct text *to)
{
	struct text resource = { 0 }, pair = { 0 }, key = { 0 };
	for (size_t i = 0; i < opts->constant_count; i++) {
		text_set(&key, str_of(opts->constants[i].name));
		pprof_message(&pair, 1, &key);
		put_value(&pair, 2, opts->constants[i].value);
		pprof_message(&resource, 1, &pair);
	}
	pprof_message(to, 1, &resource);
	text_release(&resource);
	text_release(&pair);
	text_release(&key);
}

static void put_scope(struct otlp *o, struct text *to)
{
	struct text scope = { 0 }, tool = { 0 }, name = { 0 };
	text_set(&name, STR("heft"));
	pprof_message(&tool, 1, &name);
	text_set(&name, str_of(heft_version()));
	pprof_message(&tool, 2, &name);
	pprof_message(&scope, 1, &tool);
	put_profile(o, &scope, HEFT_HEAP_LIVE);
	put_profile(o, &scope, HEFT_HEAP_LIVE_BYTES);
	pprof_message(to, 2, &scope);
	text_release(&scope);
	text_release(&tool);
	text_release(&name);
}

void out_heap_otlp(const struct heap_report *r, const struct heft_write_opts *opts, struct sink *s)
{
	struct otlp o = { .r = r };
	struct text request = { 0 }, resource = { 0 };
	pprof_init(&o.dictionary);
	put_dictionary(&o);
	put_resource(opts, &resource);
	put_scope(&o, &resource);
	put_strings(&o);
	pprof_message(&request, 1, &resource);
	pprof_message(&request, 2, &o.dictionary.out);
	sink_text(s, text_str(&request));
	text_release(&request);
	text_release(&resource);
	text_release(&o.dictionary.out);
	intern_release(&o.dictionary.strings);
}
