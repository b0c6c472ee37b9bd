/* Stacks for speedscope.app: https://www.speedscope.app/file-format-schema.json, a sampled profile
 * for each of what was measured, weights in bytes. */
#include "report/heap_report.h"

static void put_frames(struct json *j, const struct heap_report *r)
{
	json_key(j, "shared");
	json_open(j, '{');
	json_key(j, "frames");
	json_open(j, '[');
	for (size_t i = 0; i < r->sites.count; i++) {
		const struct heap_site *s = &r->sites.data[i];
		json_line(j);
		json_open(j, '{');
		json_member_text(j, "name", str_of(s->label));
		if (*s->frame.file)
			json_member_text(j, "file", str_of(s->frame.file));
		if (s->frame.line > 0)
			json_member_uint(j, "line", s->frame.line);
		json_close(j, '}');
	}
	json_close(j, ']');
	json_close(j, '}');
}

static void put_samples(struct json *j, const struct heap_report *r, enum heft_heap_measure m)
{
	struct heap_path path = { 0 };
	json_key(j, "samples");
	json_open(j, '[');
	for (size_t i = 0; i < r->leaves.count; i++) {
		if (r->leaves.data[i].now[m] == 0)
			continue;
		heap_path_of(&path, r, r->leaves.data[i].step);
		json_line(j);
		json_open(j, '[');
		for (size_t k = 0; k < path.steps.count; k++)
			json_uint(j, r->steps.data[path.steps.data[k]].site);
		if (path.steps.count == 0)
			json_uint(j, 0);
		json_close(j, ']');
	}
	json_close(j, ']');
	vec_release(&path.steps);
}

static void put_profile(struct json *j, const struct heap_report *r, enum heft_heap_measure m,
			const char *name)
{
	json_line(j);
	json_open(j, '{');
	json_member_text(j, "type", STR("sampled"));
	json_member_text(j, "name", str_of(name));
	json_member_text(j, "unit", STR("bytes"));
	json_member_uint(j, "startValue", 0);
	json_member_uint(j, "endValue", r->table.top->now[m].whole);
	put_samples(j, r, m);
	json_key(j, "weights");
	json_open(j, '[');
	for (size_t i = 0; i < r->leaves.count; i++)
		if (r->leaves.data[i].now[m] > 0)
			json_uint(j, r->leaves.data[i].now[m]);
	json_close(j, ']');
	json_close(j, '}');
}

void out_heap_speedscope(const struct heap_report *r, struct sink *s)
{
	struct json j = sink_json(s);
	json_open(&j, '{');
	json_member_text(&j, "$schema", STR("https://www.speedscope.app/file-format-schema.json"));
	json_member_text(&j, "exporter", STR("heft"));
	json_member_text(&j, "name",
			 str_of(*r->info->of.command ? r->info->of.command : r->info->of.path));
	json_line(&j);
	put_frames(&j, r);
	json_line(&j);
	json_key(&j, "profiles");
	json_open(&j, '[');
	put_profile(&j, r, HEFT_HEAP_LIVE_BYTES, "live");
	if (r->table.top->now[HEFT_HEAP_PEAK_BYTES].whole > 0)
		put_profile(&j, r, HEFT_HEAP_PEAK_BYTES, "at the peak");
	if (r->table.top->now[HEFT_HEAP_ALLOC_BYTES].whole > 0)
		put_profile(&j, r, HEFT_HEAP_ALLOC_BYTES, "allocated");
	json_close(&j, ']');
	json_close(&j, '}');
	sink_text(s, STR("\n"));
}
