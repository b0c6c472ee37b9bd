#include "report/review/heap_digest.h"

#include "base/filename.h"

#include <stdio.h>
#include <stdlib.h>

const char *digest_frame(struct arena *arena, const struct heft_frame *f)
{
	const char *module = file_name(f->module);
	if (*f->function)
		return *module ? arena_format(arena, "%s!%s", module, f->function) : f->function;
	return *module ? arena_format(arena, "%s+0x%" PRIx64, module, f->addr) : "?";
}

/* FNV-1a, the end of the text included, so that it is the same everywhere and ever. */
uint64_t digest_hash(uint64_t hash, const char *frame)
{
	return fnv_add(hash, frame, strlen(frame) + 1);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void member_hash(struct json *j, const char *key, uint64_t hash)
{
	char text[20];
	snprintf(text, sizeof text, "%016" PRIx64, hash);
	json_member_text(j, key, str_of(text));
}

/* Of the command only the program: its arguments may be secrets. */
static void member_program(struct json *j, const char *command)
{
	json_member_text(j, "program",
			 file_name_str((struct str){ command, strcspn(command, " ") }));
}

static int by_hash(const void *pa, const void *pb)
{
	const uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;
	return a < b ? -1 : a > b;
}

/* The same for all dumps in which the same stacks hold most, whatever their order and sizes. */
static uint64_t signature(const struct heap_digest *d)
{
	uint64_t hashes[DIGEST_HOLDERS] = { 0 }, hash = DIGEST_START;
	size_t count = 0;
	for (; count < d->stack_count && count < DIGEST_HOLDERS; count++)
		hashes[count] = d->stacks[count].hash;
	qsort(hashes, count, sizeof *hashes, by_hash);
	for (size_t i = 0; i < count; i++) {
		char text[20];
		snprintf(text, sizeof text, "%016" PRIx64, hashes[i]);
		hash = digest_hash(hash, text);
	}
	return hash;
}

static void heap_digest_put_stacks(const struct heap_digest *d, struct json *j)
{
	json_key(j, "stacks");
	json_open(j, '[');
	for (size_t i = 0; i < d->stack_count; i++) {
		const struct digest_stack *t = &d->stacks[i];
		json_open(j, '{');
		member_hash(j, "hash", t->hash);
		json_member_uint(j, "live_bytes", t->live_bytes);
		json_member_uint(j, "live_blocks", t->live);
		json_key(j, "frames");
		json_open(j, '[');
		for (size_t k = 0; k < t->frame_count; k++)
			json_text(j, str_of(t->frames[k]));
		json_close(j, ']');
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void put_damages(const struct heap_digest *d, struct json *j)
{
	json_key(j, "damage");
	json_open(j, '[');
	for (size_t i = 0; i < d->damages.count; i++) {
		const struct digest_damage *m = &d->damages.data[i];
		json_open(j, '{');
		json_member_text(j, "kind", str_of(heap_damage_words[m->kind]));
		if (*m->holder)
			json_member_text(j, "holder", str_of(m->holder));
		json_member_uint(j, "count", m->count);
		json_close(j, '}');
	}
	json_close(j, ']');
}

/* Leaks of what is not all that is live are not all leaks. */
static void put_leaks(const struct heap_digest *d, struct json *j)
{
	const bool known = d->knows_leaks && d->info->of.live_known;
	json_key(j, "leaked_bytes");
	if (known)
		json_uint(j, d->leaked_bytes);
	else
		json_null(j);
	json_key(j, "leaked_blocks");
	if (known)
		json_uint(j, d->leaked);
	else
		json_null(j);
}

static void heap_digest_put_parts(const struct heap_digest *d, struct json *j)
{
	json_key(j, "parts");
	json_open(j, '{');
	for (size_t k = 0; k < HEFT_HEAP_PARTS; k++)
		json_member_uint(j, heap_part_names[k], d->info->parts[k]);
	json_close(j, '}');
	json_member_uint(j, "pinned_pages", d->info->of.pinned_pages);
	json_member_uint(j, "pinned_bytes", d->info->of.pinned_bytes);
}

void out_heap_digest(const struct heap_digest *d, struct sink *s)
{
	struct json j = sink_json(s);
	const struct heft_heap_info *of = &d->info->of;
	json_open(&j, '{');
	json_member_uint(&j, "schema_version", 1);
	json_member_text(&j, "heft", str_of(heft_version()));
	json_member_text(&j, "core", str_of(d->core));
	json_member_text(&j, "kind", str_of(of->kind));
	member_program(&j, of->command);
	json_member_uint(&j, "signal", (uint64_t)of->signal);
	json_member_bool(&j, "recorded", of->recorded);
	json_member_uint(&j, "sample", of->sample);
	json_member_uint(&j, "missing", of->missing);
	member_hash(&j, "signature", signature(d));
	heap_json_live(&j, d->info);
	put_leaks(d, &j);
	if (*of->allocators)
		json_member_text(&j, "allocators", str_of(of->allocators));
	heap_digest_put_parts(d, &j);
	put_damages(d, &j);
	heap_digest_put_stacks(d, &j);
	json_close(&j, '}');
	sink_text(s, STR("\n"));
}
