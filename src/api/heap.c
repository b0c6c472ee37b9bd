/* Implements the heap of a process: heft_heap_*. */
#include "api/structs.h"
#include "holders/digest.h"
#include "report/heap_report.h"

struct heft_heap *heft_heap_new(struct heft_session *session)
{
	return context_handle_new(session, CONTEXT_HANDLE(struct heft_heap));
}

void heft_heap_free(struct heft_heap *h)
{
	CONTEXT_FREE(struct heft_heap, h);
}

void heft_heap_set_flags(struct heft_heap *h, unsigned flags)
{
	h->flags = flags;
}

void heft_heap_set_name_cache(struct heft_heap *h, const char *dir)
{
	GUARDED_VOID(h->memory, h->name_cache = arena_copy(&h->arena, str_of(dir)));
}

bool heft_heap_open(struct heft_heap *h, const char *path, struct heft_err *err)
{
	return GUARDED(h->memory, err, heap_open(h, path, err));
}

bool heft_heap_open_process(struct heft_heap *h, uint32_t pid, struct heft_err *err)
{
	return GUARDED(h->memory, err, heap_open_process(h, pid, err));
}

bool heft_heap_info(const struct heft_heap *h, struct heft_heap_info *ret, struct heft_err *err)
{
	if (!STATED(heft_heap_info, ret, err))
		return false;
	return give(ret, &h->info.of, sizeof h->info.of);
}

uint64_t heft_heap_part_bytes(const struct heft_heap *h, enum heft_heap_part part)
{
	return (unsigned)part < HEFT_HEAP_PARTS ? h->info.parts[part] : 0;
}

size_t heft_heap_module_count(const struct heft_heap *h)
{
	return h->open ? process_module_count(&h->process) : 0;
}

bool heft_heap_module(struct heft_heap *h, size_t i, struct heft_heap_module *ret,
		      struct heft_err *err)
{
	struct heft_heap_module made;
	if (!STATED(heft_heap_module, ret, err))
		return false;
	if (!GUARDED(h->memory, err,
		     i < heft_heap_module_count(h) ? (made = heap_module(h, i), true)
						   : absent(err)))
		return false;
	return give(ret, &made, sizeof made);
}

size_t heft_heap_moment_count(const struct heft_heap *h)
{
	return h->moments.count;
}

bool heft_heap_moment(const struct heft_heap *h, size_t i, struct heft_heap_moment *ret,
		      struct heft_err *err)
{
	if (!STATED(heft_heap_moment, ret, err))
		return false;
	if (i >= h->moments.count)
		return absent(err);
	return give(ret, &h->moments.data[i], sizeof *h->moments.data);
}

static bool heap_at(struct heft_heap *h, uint64_t addr, struct heft_heap_place *ret,
		    struct heft_err *err)
{
	arena_release(&h->answer);
	return (h->open && process_at(&h->process, addr, &h->answer, ret)) ||
	       fail(err, HEFT_ENOTFOUND, HEFT_NO_OFFSET, "nothing is mapped at this address");
}

bool heft_heap_at(struct heft_heap *h, uint64_t addr, struct heft_heap_place *ret,
		  struct heft_err *err)
{
	if (!STATED(heft_heap_place, ret, err))
		return false;
	struct heft_heap_place made = process_no_place(addr);
	const bool found = GUARDED(h->memory, err, heap_at(h, addr, &made, err));
	give(ret, &made, sizeof made);
	return found;
}

static bool place_write(const struct heft_heap_place *at, enum heft_format format,
			const struct heft_sink *sink, struct heft_err *err)
{
	struct sink s;
	if (format != HEFT_TABLE && format != HEFT_JSON)
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "a place is a table or JSON");
	sink_start(&s, sink);
	out_heap_place(at, format == HEFT_JSON, &s);
	return sink_end(&s, err);
}

bool heft_heap_place_write(const struct heft_heap_place *at, enum heft_format format,
			   const struct heft_sink *sink, struct heft_err *err)
{
	return GUARDED_BARE(err, place_write(at, format, sink, err));
}

/* Fails if no dump is open. */
static bool heap_is_open(const struct heft_heap *h, struct heft_err *err)
{
	return h->open || fail(err, HEFT_EARG, HEFT_NO_OFFSET, "no dump is open");
}

bool heft_heap_find_damage(struct heft_heap *h, size_t *ret_count, struct heft_err *err)
{
	return GUARDED(h->memory, err,
		       heap_is_open(h, err) && (*ret_count = heap_find_damage(h), true));
}

static bool heap_get_damage(struct heft_heap *h, size_t i, struct heft_heap_damage *ret,
			    struct heft_err *err)
{
	if (!heap_is_open(h, err))
		return false;
	if (i >= heap_find_damage(h))
		return fail(err, HEFT_ENOTFOUND, HEFT_NO_OFFSET, "no damage has this number");
	*ret = heap_damage(h, i);
	return true;
}

bool heft_heap_damage(struct heft_heap *h, size_t i, struct heft_heap_damage *ret,
		      struct heft_err *err)
{
	struct heft_heap_damage made;
	if (!STATED(heft_heap_damage, ret, err) ||
	    !GUARDED(h->memory, err, heap_get_damage(h, i, &made, err)))
		return false;
	return give(ret, &made, sizeof made);
}

static bool heap_write_page(struct heft_heap *h, enum heft_heap_page page, enum heft_format format,
			    const struct heft_sink *sink, struct heft_err *err)
{
	struct sink s;
	const bool json = format == HEFT_JSON;
	sink_start(&s, sink);
	const bool svg = format == HEFT_SVG && page == HEFT_HEAP_TIMELINE;
	if (!json && !svg && format != HEFT_TABLE)
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "this page is a table or JSON");
	switch (page) {
	case HEFT_HEAP_TIMELINE:
		if (svg)
			out_heap_timeline_svg(&h->info, h->moments.data, h->moments.count, &s);
		else
			out_heap_timeline(&h->info, h->moments.data, h->moments.count, json, &s);
		break;
	case HEFT_HEAP_LAYOUT: out_heap_layout(&h->info, json, &s); break;
	case HEFT_HEAP_CHECK: out_heap_check(h, json, &s); break;
	case HEFT_HEAP_STACKS: out_heap_stacks(h, json, &s); break;
	}
	return sink_end(&s, err);
}

bool heft_heap_write(struct heft_heap *h, enum heft_heap_page page, enum heft_format format,
		     const struct heft_sink *sink, struct heft_err *err)
{
	return GUARDED(h->memory, err,
		       heap_is_open(h, err) && heap_write_page(h, page, format, sink, err));
}

static bool heap_write_digest(struct heft_heap *h, const struct heft_sink *sink,
			      struct heft_err *err)
{
	struct arena arena = { 0 };
	struct heap_digest d;
	struct sink s;
	bool good = heap_digest_make(&d, h, &arena, err);
	if (good) {
		sink_start(&s, sink);
		out_heap_digest(&d, &s);
		good = sink_end(&s, err);
	}
	vec_release(&d.damages);
	arena_release(&arena);
	return good;
}

bool heft_heap_digest_write(struct heft_heap *h, const struct heft_sink *sink, struct heft_err *err)
{
	return GUARDED(h->memory, err, heap_is_open(h, err) && heap_write_digest(h, sink, err));
}
