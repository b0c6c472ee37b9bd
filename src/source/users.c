/* Finds which owners of VM bytes refer to which other owners. */
#include "source/users.h"

#include "base/pool.h"
#include "base/sort.h"
#include "code/data_refs.h"
#include "image/elf/elf_const.h"
#include "attr/attr.h"

enum { JOB_BYTES = 256 << 10 };

/* A job of the scan: consecutive spans with about JOB_BYTES in all */
struct users_job {
	size_t first, last;
	struct users found;
};

struct users_scan {
	const struct image *im;
	const struct rollup_level *level;
	enum code_isa isa;
	bool fixed;         /* True if addresses in code and data need no relocations */
	uint64_t low, high; /* Address range of bytes with owners */
	uint8_t *is_code;   /* Per span: true for code */
	uint8_t *has_code;  /* Per label: true if it has code */
	VEC(struct users_job) jobs;
};

static label_id users_shown(const struct users_scan *s, label_id id)
{
	return s->level->shown ? s->level->shown[id] : id;
}

/* Adds a reference to `target`, if that has another owner. A number that only may be an address
 * counts only if an owner's bytes begin there. */
static void users_add_target(const struct users_scan *s, struct users *to, uint64_t target,
			     bool likely, label_id by)
{
	if (target < s->low || target >= s->high)
		return;
	const struct span *at = spans_find(s->level->spans, target);
	/* Pointers to Thumb code are odd. */
	const uint64_t begin = s->isa == CODE_THUMB ? target & ~UINT64_C(1) : target;
	if (!at || (likely && at->start != begin))
		return;
	/* A constant that functions share belongs to the first of them. Code that reads it does not
	 * refer to that function. */
	if (s->has_code[at->label] && !s->is_code[at - s->level->spans->list.data])
		return;
	const label_id of = users_shown(s, at->label), user = users_shown(s, by);
	const uint64_t use = (uint64_t)of << 32 | user;
	const size_t count = to->list.count;
	if (of != user && (count == 0 || to->list.data[count - 1] != use))
		vec_push(&to->list, use);
}

static void users_scan_code(const struct users_scan *s, const struct span *span, code_ref_vec *work,
			    struct users *to)
{
	const struct bytes code = image_at(s->im, span->start, span->size);
	const unsigned kinds = REF_MEM | REF_ADDR | REF_CALL | REF_JUMP | (s->fixed ? REF_IMM : 0);
	work->count = 0;
	if (s->isa != CODE_NONE)
		code_refs(s->isa, code, span->start, &(struct ref_wish){ kinds, s->low, s->high },
			  work);
	if (data_refs_known(s->im))
		data_refs(s->im, code, span->start, work);
	for (size_t i = 0; i < work->count; i++)
		users_add_target(s, to, work->data[i].to, work->data[i].kind == REF_IMM,
				 span->label);
}

static void users_scan_words(const struct users_scan *s, const struct span *span, struct users *to)
{
	const unsigned word = (unsigned)pointer_size(s->im);
	const uint64_t skip = align_up(span->start, word) - span->start;
	const struct bytes b = image_at(s->im, span->start, span->size);
	struct reader r = reader_of(b, s->im->big_endian);
	reader_seek(&r, min_u64(skip, b.size));
	while (reader_left(&r) >= word)
		users_add_target(s, to, read_uint(&r, word), true, span->label);
}

static void users_scan_job(void *ctx, size_t i, unsigned worker)
{
	const struct users_scan *s = ctx;
	struct users_job *job = &s->jobs.data[i];
	code_ref_vec work = { 0 };
	(void)worker;
	for (size_t k = job->first; k < job->last; k++) {
		const struct span *span = &s->level->spans->list.data[k];
		if (s->is_code[k])
			users_scan_code(s, span, &work, &job->found);
		else if (s->fixed)
			users_scan_words(s, span, &job->found);
	}
	vec_release(&work);
}

static void find_code(struct users_scan *s)
{
	const struct spans *spans = s->level->spans;
	label_id last = 0;
	for (size_t i = 0; i < spans->list.count; i++)
		last = spans->list.data[i].label > last ? spans->list.data[i].label : last;
	s->is_code = mem_zeroed(spans->list.count, 1);
	s->has_code = mem_zeroed((size_t)last + 1, 1);
	for (size_t i = 0; i < spans->list.count; i++) {
		const struct section *in = image_section_at(s->im, spans->list.data[i].start);
		s->is_code[i] = in && in->exec && !in->nobits;
		s->has_code[spans->list.data[i].label] |= s->is_code[i];
	}
}

static void users_make_jobs(struct users_scan *s)
{
	uint64_t bytes = JOB_BYTES;
	for (size_t i = 0; i < s->level->spans->list.count; i++) {
		if (bytes >= JOB_BYTES) {
			vec_push(&s->jobs, (struct users_job){ .first = i });
			bytes = 0;
		}
		bytes = add_sat(bytes, s->level->spans->list.data[i].size);
		s->jobs.data[s->jobs.count - 1].last = i + 1;
	}
}

static void scan_relocs(const struct users_scan *s, const struct section *table, struct users *to)
{
	struct reloc_iter it;
	struct reloc rel;
	struct span_cursor at = { s->level->spans, 0 };
	uint64_t target;
	if (!reloc_open(&it, s->im, table) || (it.patched && !it.patched->alloc))
		return;
	while (reloc_next(&it, &rel)) {
		if (!rel.alloc || rel.kind == RELOC_TLS || !reloc_target(&it, &rel, &target))
			continue;
		const label_id by = cursor_label(&at, rel.addr);
		if (by != LABEL_NONE)
			users_add_target(s, to, target, false, by);
	}
}

void users_add(struct users *u, const struct image *im, const struct rollup_level *level,
	       unsigned threads)
{
	struct users_scan s = { .im = im, .level = level, .isa = code_isa_of(im) };
	const size_t count = level->spans->list.count;
	if (count == 0)
		return;
	const struct span *last = &level->spans->list.data[count - 1];
	ASSERT(last->start >= level->spans->list.data[0].start);
	s.low = level->spans->list.data[0].start;
	s.high = add_sat(last->start, last->size);
	s.fixed = im->kind == IMAGE_EXEC && im->type == ET_EXEC;
	find_code(&s);
	if (im->kind != IMAGE_OBJECT)
		users_make_jobs(&s);
	parallel_for(threads, s.jobs.count, users_scan_job, &s);
	for (size_t i = 0; i < s.jobs.count; i++) {
		vec_append(&u->list, &s.jobs.data[i].found.list);
		vec_release(&s.jobs.data[i].found.list);
	}
	vec_release(&s.jobs);
	for (size_t i = 1; i < im->section_count; i++)
		if (section_is_reloc(&im->sections[i]))
			scan_relocs(&s, &im->sections[i], u);
	mem_free_all(s.is_code, s.has_code);
}

void users_sort(struct users *u)
{
	size_t kept = 0;

	vec_sort(&u->list);
	for (size_t i = 0; i < u->list.count; i++)
		if (kept == 0 || u->list.data[kept - 1] != u->list.data[i])
			u->list.data[kept++] = u->list.data[i];
	u->list.count = kept;
}

void users_release(struct users *u)
{
	vec_release(&u->list);
}

const uint64_t *users_of(const struct users *u, label_id of, size_t *ret_count)
{
	const uint64_t low = (uint64_t)of << 32, high = low | UINT32_MAX;
	const size_t first = lower_bound(u->list.data, u->list.count, sizeof low, low);
	*ret_count = upper_bound(u->list.data, u->list.count, sizeof low, high) - first;
	ASSERT(*ret_count == 0 || user_label(u->list.data[first]) != of);
	return *ret_count > 0 ? u->list.data + first : NULL;
}
