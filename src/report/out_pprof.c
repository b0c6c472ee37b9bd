/* Stacks as a profile for pprof and what reads its files: profile.proto, gzip'ed.
 *
 * Messages are those of proto/profile.proto of google/pprof; fields are told by their numbers,
 * values in the convention of heap profiles.  https://protobuf.dev/programming-guides/encoding */
#include "report/heap_report.h"

#include "base/gzip.h"
#include "base/intern.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>

enum wire { WIRE_VARINT = 0, WIRE_BYTES = 2 };

struct pprof {
	const struct heap_report *r;
	struct text out;
	struct intern strings; /* 0 is "" */
	struct heap_path path;
	uint32_t *mappings; /* by module: its id; 0: not used */
	uint32_t mapping_count;
};

/* ---- protocol buffers ----------------------------------------------------------------------- */

static void put_varint(struct text *t, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		text_add_char(t, (char)(v | 0x80));
	text_add_char(t, (char)v);
}

static void put_key(struct text *t, unsigned field, enum wire wire)
{
	put_varint(t, (uint64_t)field << 3 | wire);
}

/* Zero is what a field that is not there means. */
static void put_uint(struct text *t, unsigned field, uint64_t v)
{
	if (v == 0)
		return;
	put_key(t, field, WIRE_VARINT);
	put_varint(t, v);
}

static void put_bytes(struct text *t, unsigned field, struct str s)
{
	put_key(t, field, WIRE_BYTES);
	put_varint(t, s.len);
	text_add(t, s);
}

static void put_string(struct pprof *p, struct text *t, unsigned field, const char *text)
{
	put_uint(t, field, intern_add(&p->strings, str_of(text)));
}

/* Writes `message` as a field and empties it. */
static void put_message(struct text *t, unsigned field, struct text *message)
{
	put_bytes(t, field, text_str(message));
	message->len = 0;
}

/* ---- what a profile is made of -------------------------------------------------------------- */

static void put_type(struct pprof *p, unsigned field, const char *type, const char *unit)
{
	struct text m = { 0 };
	put_string(p, &m, 1, type);
	put_string(p, &m, 2, unit);
	put_message(&p->out, field, &m);
	text_release(&m);
}

static const enum heft_heap_measure values[] = { HEFT_HEAP_ALLOCS, HEFT_HEAP_ALLOC_BYTES,
						 HEFT_HEAP_LIVE, HEFT_HEAP_LIVE_BYTES };

/* The mean size of a block: what the label "bytes" says. */
static uint64_t mean_size(const struct heap_leaf *l)
{
	const uint64_t *v = l->now;
	return v[HEFT_HEAP_ALLOCS] > 0 ? v[HEFT_HEAP_ALLOC_BYTES] / v[HEFT_HEAP_ALLOCS]
	       : v[HEFT_HEAP_LIVE] > 0 ? v[HEFT_HEAP_LIVE_BYTES] / v[HEFT_HEAP_LIVE]
				       : 0;
}

static void put_label(struct pprof *p, struct text *sample, uint64_t bytes)
{
	struct text m = { 0 };
	put_string(p, &m, 1, "bytes");
	put_uint(&m, 3, bytes);
	put_string(p, &m, 4, "bytes");
	put_message(sample, 3, &m);
	text_release(&m);
}

/* Locations are numbered as sites are, from 1; inlined functions stand in one of their own. */
static void put_sample(struct pprof *p, const struct heap_leaf *l)
{
	struct text m = { 0 }, packed = { 0 };
	for (uint32_t step = l->step; step != 0; step = p->r->steps.data[step].parent)
		put_varint(&packed, (uint64_t)p->r->steps.data[step].site + 1);
	if (l->step == 0)
		put_varint(&packed, 1);
	put_message(&m, 1, &packed);
	for (size_t i = 0; i < COUNT_OF(values); i++)
		put_varint(&packed, l->now[values[i]]);
	put_message(&m, 2, &packed);
	put_label(p, &m, mean_size(l));
	put_message(&p->out, 2, &m);
	text_release(&m);
	text_release(&packed);
}

static void hex_text(char *out, size_t room, struct bytes id)
{
	*out = '\0';
	for (uint64_t i = 0; i < id.size && 2 * i + 2 < room; i++)
		snprintf(out + 2 * i, 3, "%02x", id.p[i]);
}

static bool has_symbols(const struct heap_report *r, uint32_t module)
{
	for (size_t i = 1; i < r->sites.count; i++)
		if (r->sites.data[i].module == module && *r->sites.data[i].frame.function)
			return true;
	return false;
}

static void put_mapping(struct pprof *p, uint32_t module)
{
	const struct heap_report_module *m = &p->r->modules.data[module];
	struct text t = { 0 };
	char id[80];
	const bool named = has_symbols(p->r, module);
	p->mappings[module] = ++p->mapping_count;
	hex_text(id, sizeof id, m->build_id);
	put_uint(&t, 1, p->mapping_count);
	put_uint(&t, 2, m->start);
	put_uint(&t, 3, m->end);
	put_string(p, &t, 5, m->path);
	put_string(p, &t, 6, id);
	for (unsigned field = 7; field <= 10; field++)
		put_uint(&t, field, named);
	put_message(&p->out, 3, &t);
	text_release(&t);
}

/* The first is the program, where the list of the process has it first. */
static void put_mappings(struct pprof *p)
{
	p->mappings = xcalloc(p->r->modules.count + 1, sizeof *p->mappings);
	for (size_t m = 1; m < p->r->modules.count; m++)
		if (*p->r->modules.data[m].path)
			put_mapping(p, (uint32_t)m);
}

static void put_location(struct pprof *p, uint32_t site)
{
	const struct heap_site *s = &p->r->sites.data[site];
	const struct heap_report_module *m = &p->r->modules.data[s->module];
	struct text t = { 0 }, line = { 0 };
	put_uint(&t, 1, (uint64_t)site + 1);
	put_uint(&t, 2, p->mappings[s->module]);
	put_uint(&t, 3, s->frame.addr + m->bias);
	put_uint(&line, 1, (uint64_t)site + 1);
	put_uint(&line, 2, s->frame.line);
	put_message(&t, 4, &line);
	put_message(&p->out, 4, &t);
	text_release(&t);
	text_release(&line);
}

static void put_function(struct pprof *p, uint32_t site)
{
	const struct heap_site *s = &p->r->sites.data[site];
	struct text t = { 0 };
	put_uint(&t, 1, (uint64_t)site + 1);
	put_string(p, &t, 2, s->label);
	put_string(p, &t, 3, *s->frame.linkage ? s->frame.linkage : s->label);
	put_string(p, &t, 4, s->frame.file);
	put_message(&p->out, 5, &t);
	text_release(&t);
}

static void put_profile(struct pprof *p)
{
	const struct heap_report *r = p->r;
	intern_add(&p->strings, STR(""));
	put_type(p, 1, "alloc_objects", "count");
	put_type(p, 1, "alloc_space", "bytes");
	put_type(p, 1, "inuse_objects", "count");
	put_type(p, 1, "inuse_space", "bytes");
	for (size_t i = 0; i < r->leaves.count; i++)
		put_sample(p, &r->leaves.data[i]);
	put_mappings(p);
	for (uint32_t i = 0; i < r->sites.count; i++)
		put_location(p, i);
	for (uint32_t i = 0; i < r->sites.count; i++)
		put_function(p, i);
	put_type(p, 11, "space", "bytes");
	put_uint(&p->out, 12, r->info->sample > 0 ? r->info->sample : 1);
	put_uint(&p->out, 9, r->info->started + r->info->taken_at);
	put_uint(&p->out, 10, r->info->taken_at);
	put_string(p, &p->out, 14, "inuse_space");
	/* Last: all of them are known now. */
	for (uint32_t i = 0; i < p->strings.entries.count; i++)
		put_bytes(&p->out, 6, intern_get(&p->strings, i));
}

void out_heap_pprof(const struct heap_report *r, struct sink *s)
{
	struct pprof p = { .r = r };
	struct bytes packed;
	put_profile(&p);
	if (gzip_pack((struct bytes){ (const uint8_t *)p.out.p, p.out.len }, &packed, NULL)) {
		sink_text(s, (struct str){ (const char *)packed.p, packed.size });
		free((void *)(uintptr_t)packed.p);
	} else {
		s->failed = true;
	}
	text_release(&p.out);
	vec_release(&p.path.steps);
	intern_release(&p.strings);
	free(p.mappings);
}
