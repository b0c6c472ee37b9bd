/* Reads units and line programs of one dwarf on several threads. */
#include "debug/dwarf_jobs.h"

#include "base/pool.h"
#include "base/sort.h"
#include "debug/form.h"

#include <pthread.h>
#include <stdatomic.h>

struct dwarf_share {
	struct dwarf *dwarf;
	pthread_mutex_t lock; /* Protects the loading of sections */
	/* Notes about loading, by section, of dwarf and of dwarf.sup. They are not among the notes
	 * of jobs, because it is by chance which job loads a section. */
	struct notes *late[2][DW_SECTIONS];
};

static void dwarf_jobs_load(struct dwarf *d, enum dw_section which, struct notes *notes)
{
	struct dwarf_view *v = d->load_ctx;
	struct dwarf_share *s = v->share;
	struct dwarf *whole = d == &v->sup ? s->dwarf->sup : s->dwarf;
	(void)notes;
	pthread_mutex_lock(&s->lock);
	if (!whole->loaded[which] && whole->load) {
		struct notes **late = &s->late[whole == s->dwarf->sup][which];
		ASSERT(!*late);
		*late = mem_alloc(sizeof **late);
		notes_init(*late);
		whole->loaded[which] = true;
		whole->load(whole, which, *late);
	}
	d->bytes[which] = whole->bytes[which];
	pthread_mutex_unlock(&s->lock);
}

static void copy_dwarf(struct dwarf *to, const struct dwarf *whole, struct dwarf_view *v,
		       struct notes *notes)
{
	*to = *whole;
	to->load = dwarf_jobs_load;
	to->load_ctx = v;
	to->notes = notes;
	to->pass_begin = to->parts_begin = NULL;
	to->pass = NULL;
	to->pass_end = NULL;
	memset(to->passing, 0, sizeof to->passing);
}

static void view_init(struct dwarf_view *v, struct dwarf_share *s, struct notes *notes)
{
	v->share = s;
	pthread_mutex_lock(&s->lock);
	copy_dwarf(&v->dwarf, s->dwarf, v, notes);
	if (s->dwarf->sup) {
		copy_dwarf(&v->sup, s->dwarf->sup, v, notes);
		v->dwarf.sup = &v->sup;
	}
	pthread_mutex_unlock(&s->lock);
}

struct dwarf_jobs {
	struct dwarf *dwarf;
	unsigned threads;
	/* Size of the caller's zeroed struct for a job, which begins with a struct dwarf_job. */
	size_t job_size;
	void *ctx;
	/* `make`, `work` and `take` are steps as in struct pool_line. The struct of a finished job
	 * is used for a later job, with its old contents. */
	bool (*make)(void *ctx, struct dwarf_job *job);
	void (*work)(void *ctx, struct dwarf_job *job, unsigned worker);
	void (*take)(void *ctx, struct dwarf_job *job);
	void (*release)(void *ctx, struct dwarf_job *job); /* Called for each struct at the end.
							    * May be NULL */
};

struct debug_dwarf_jobs_run {
	const struct dwarf_jobs *jobs;
	struct dwarf_share share;
	struct notes notes; /* Notes of the finished jobs */
};

static bool dwarf_jobs_make(void *ctx, void *slot)
{
	struct debug_dwarf_jobs_run *r = ctx;
	struct dwarf_job *job = slot;
	job->alone = false;
	if (!r->jobs->make(r->jobs->ctx, job))
		return false;
	view_init(&job->view, &r->share, &job->notes);
	return true;
}

static void dwarf_jobs_work(void *ctx, void *slot, unsigned worker)
{
	const struct debug_dwarf_jobs_run *r = ctx;
	struct dwarf_job *job = slot;
	if (!job->alone)
		r->jobs->work(r->jobs->ctx, job, worker);
}

static void dwarf_jobs_take(void *ctx, void *slot)
{
	struct debug_dwarf_jobs_run *r = ctx;
	struct dwarf_job *job = slot;
	if (job->alone)
		r->jobs->work(r->jobs->ctx, job, 0);
	r->jobs->take(r->jobs->ctx, job);
	notes_append(&r->notes, &job->notes);
}

static void dwarf_jobs_release(struct debug_dwarf_jobs_run *r, void *slots, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct dwarf_job *job = (void *)((char *)slots + i * r->jobs->job_size);
		if (r->jobs->release)
			r->jobs->release(r->jobs->ctx, job);
		notes_release(&job->notes);
	}
	mem_free(slots);
}

static void tell_notes(const struct debug_dwarf_jobs_run *r, struct notes *notes)
{
	if (r->jobs->dwarf->notes)
		notes_append(r->jobs->dwarf->notes, notes);
	notes_release(notes);
}

static void tell_all_notes(struct debug_dwarf_jobs_run *r)
{
	for (size_t i = 0; i < 2 * DW_SECTIONS; i++) {
		struct notes *late = r->share.late[i / DW_SECTIONS][i % DW_SECTIONS];
		if (late)
			tell_notes(r, late);
		mem_free(late);
	}
	tell_notes(r, &r->notes);
}

static void dwarf_jobs_run(const struct dwarf_jobs *jobs)
{
	const unsigned threads = pool_threads(jobs->threads);
	struct debug_dwarf_jobs_run r = { .jobs = jobs, .share = { .dwarf = jobs->dwarf } };
	struct pool_line line = { .ctx = &r,
				  .slot_count = threads == 1 ? 1 : 2 * (size_t)threads,
				  .slot_size = jobs->job_size,
				  .make = dwarf_jobs_make,
				  .work = dwarf_jobs_work,
				  .take = dwarf_jobs_take };
	ASSERT(jobs->job_size >= sizeof(struct dwarf_job) && jobs->make && jobs->work &&
	       jobs->take);
	char *slots = mem_zeroed(line.slot_count, jobs->job_size);
	line.slots = slots;
	pthread_mutex_init(&r.share.lock, NULL);
	notes_init(&r.notes);
	for (size_t i = 0; i < line.slot_count; i++)
		notes_init(&((struct dwarf_job *)(void *)(slots + i * jobs->job_size))->notes);
	pool_run_line(threads, &line);
	dwarf_jobs_release(&r, slots, line.slot_count);
	tell_all_notes(&r);
	pthread_mutex_destroy(&r.share.lock);
}

/* JOB_BYTES: usual number of bytes of a job. JOB_UNITS: its maximal number of units. */
enum { JOB_BYTES = 2 << 20, JOB_UNITS = 4096 };

/* Largest size of a skeleton in bytes. In GNU's version 4, only the size distinguishes skeletons
 * from other units. */
enum { SKELETON_MAX = 512 };

struct unit_run {
	const struct unit_jobs *jobs;
	/* Copy of the dwarf for reading headers of units. Its pages are released after jobs have
	 * read the units. */
	struct dwarf scan;
	uint64_t off;
	struct unit waiting; /* First unit of the next job, if any */
	bool there;
	_Atomic(uint64_t) taken; /* Offset in the section, before which all jobs are finished */
};

static void scan_pass(struct dwarf *d, enum dw_section which, uint64_t from, uint64_t to)
{
	struct unit_run *r = d->load_ctx;
	struct dwarf *whole = r->jobs->dwarf;
	dwarf_pass(whole, which, min_u64(from, atomic_load(&r->taken)), to);
	d->bytes[which] = whole->bytes[which];
}

static bool make_units(void *ctx, struct dwarf_job *head)
{
	struct unit_run *r = ctx;
	struct unit_job *job = (struct unit_job *)head;
	uint64_t bytes = 0;
	job->units.count = 0;
	while (bytes < JOB_BYTES && job->units.count < JOB_UNITS) {
		struct unit *u = &r->waiting;
		r->there = r->there || unit_next(&r->scan, r->jobs->in, &r->off, u);
		if (!r->there)
			break;
		const bool alone = !u->dwarf->split && (u->version >= 5 ? u->type == DW_UT_skeleton
									: u->size <= SKELETON_MAX);
		if (job->units.count > 0 && alone != head->alone)
			break;
		dwarf_pass(&r->scan, r->jobs->in, u->off, unit_end(u));
		head->alone = alone;
		bytes = add_sat(bytes, u->size);
		u->dwarf = &head->view.dwarf;
		vec_push(&job->units, *u);
		r->there = false;
	}
	return job->units.count > 0;
}

static void dwarf_jobs_work_units(void *ctx, struct dwarf_job *head, unsigned worker)
{
	const struct unit_run *r = ctx;
	r->jobs->work(r->jobs->ctx, (struct unit_job *)head, worker);
}

static void dwarf_jobs_take_units(void *ctx, struct dwarf_job *head)
{
	struct unit_run *r = ctx;
	struct unit_job *job = (struct unit_job *)head;
	ASSERT(job->units.count > 0);
	const struct unit *last = &job->units.data[job->units.count - 1];
	r->jobs->take(r->jobs->ctx, job);
	/* Drops the cached tables. Which earlier job left them depends on the order of threads. */
	abbrev_cache_release(&job->cache);
	memset(&job->cache, 0, sizeof job->cache);
	atomic_store(&r->taken, last->off);
	if (r->jobs->progress)
		r->jobs->progress(r->jobs->ctx, unit_end(last));
}

static void dwarf_jobs_release_units(void *ctx, struct dwarf_job *head)
{
	const struct unit_run *r = ctx;
	struct unit_job *job = (struct unit_job *)head;
	if (r->jobs->release)
		r->jobs->release(r->jobs->ctx, job);
	vec_release(&job->units);
}

void unit_jobs_run(const struct unit_jobs *jobs)
{
	struct unit_run r = { .jobs = jobs };
	const struct dwarf_jobs all = { .dwarf = jobs->dwarf,
					.threads = jobs->threads,
					.job_size = jobs->job_size,
					.ctx = &r,
					.make = make_units,
					.work = dwarf_jobs_work_units,
					.take = dwarf_jobs_take_units,
					.release = dwarf_jobs_release_units };
	dwarf_pass_begin(jobs->dwarf, jobs->in);
	(void)dwarf_bytes(jobs->dwarf, jobs->in);
	r.scan = *jobs->dwarf;
	r.scan.load_ctx = &r;
	r.scan.pass = scan_pass;
	dwarf_jobs_run(&all);
	dwarf_pass_end(jobs->dwarf, jobs->in);
}

struct line_run {
	const struct line_jobs *jobs;
	size_t next; /* Index of the next line_use */
};

/* Returns the size of the line program at `off`, from its header. */
static uint64_t program_size(struct dwarf *d, uint64_t off)
{
	struct reader r = dwarf_reader(d, DW_LINE);
	uint8_t width;
	reader_seek(&r, off);
	const uint64_t start = r.pos, length = read_initial_length(&r, &width);
	return reader_ok(&r) ? add_sat(r.pos - start, min_u64(length, reader_left(&r))) : 0;
}

enum { LINE_JOB_BYTES = 256 << 10, LINE_JOB_PROGRAMS = 1024 };

static bool make_lines(void *ctx, struct dwarf_job *head)
{
	struct line_run *r = ctx;
	struct line_job *job = (struct line_job *)head;
	uint64_t bytes = 0;
	job->count = 0;
	if (r->next == r->jobs->uses->count)
		return false;
	job->uses = r->jobs->uses->data + r->next;
	while (bytes < LINE_JOB_BYTES && job->count < LINE_JOB_PROGRAMS &&
	       r->next < r->jobs->uses->count) {
		bytes = add_sat(bytes, program_size(r->jobs->dwarf, job->uses[job->count].off));
		job->count++;
		r->next++;
	}
	return true;
}

static void dwarf_jobs_work_lines(void *ctx, struct dwarf_job *head, unsigned worker)
{
	const struct line_run *r = ctx;
	r->jobs->work(r->jobs->ctx, (struct line_job *)head, worker);
}

static void dwarf_jobs_take_lines(void *ctx, struct dwarf_job *head)
{
	const struct line_run *r = ctx;
	struct line_job *job = (struct line_job *)head;
	ASSERT(job->count > 0);
	r->jobs->take(r->jobs->ctx, job);
	if (r->jobs->progress)
		r->jobs->progress(r->jobs->ctx, job->uses[job->count - 1].off);
}

static void dwarf_jobs_release_lines(void *ctx, struct dwarf_job *head)
{
	const struct line_run *r = ctx;
	if (r->jobs->release)
		r->jobs->release(r->jobs->ctx, (struct line_job *)head);
}

/* True if a line program of version 5 or later needs no unit. `r` is after its length. */
static bool stands_alone(struct reader r, uint8_t width)
{
	if (read_u16(&r) < 5)
		return false;
	read_skip(&r, 2 + width + 5); /* Skip sizes, length of the header, opcode parameters */
	const uint8_t opcode_base = read_u8(&r);
	read_skip(&r, opcode_base > 0 ? opcode_base - 1 : 0);
	bool alone = true;
	for (unsigned left = read_u8(&r); left > 0; left--) { /* Skip the format of directories */
		(void)read_uleb(&r);
		/* A name by index needs the unit's table of strings. */
		if (form_find(read_form(&r)).kind == VALUE_STRX)
			alone = false;
	}
	return reader_ok(&r) && alone;
}

bool line_uses_of_section(struct dwarf *d, line_use_vec *ret)
{
	struct reader r = dwarf_reader(d, DW_LINE);
	bool ok = !d->split;
	while (ok && reader_left(&r) >= 4) {
		const uint64_t off = r.pos;
		uint8_t width;
		const uint64_t length = read_initial_length(&r, &width);
		if (length == 0) /* Padding */
			continue;
		ok = reader_ok(&r) && length <= reader_left(&r) && stands_alone(r, width);
		vec_push(ret, (struct line_use){ .off = off,
						 .comp_dir = STR(""),
						 .str_offsets_base = DW_NO_OFFSET,
						 .address_size = 8 });
		read_skip(&r, length);
	}
	if (!ok)
		ret->count = 0;
	return ok;
}

/* Drops line programs that begin inside others. Otherwise overlapping programs could take far more
 * time than their bytes. */
static void drop_inner(struct dwarf *d, line_use_vec *v)
{
	struct place {
		uint64_t off;
		uint64_t number;
	} *places = mem_alloc(v->count * sizeof *places);
	uint64_t end = 0;
	size_t left = 0;
	for (size_t i = 0; i < v->count; i++)
		places[i] = (struct place){ v->data[i].off, i };
	sort_by_key(places, v->count, sizeof *places);
	for (size_t i = 0; i < v->count; i++) {
		struct line_use *u = &v->data[places[i].number];
		if (i > 0 && u->off < end)
			u->off = DW_NO_OFFSET;
		else
			end = add_sat(u->off, program_size(d, u->off));
	}
	for (size_t i = 0; i < v->count; i++)
		if (v->data[i].off != DW_NO_OFFSET)
			v->data[left++] = v->data[i];
	if (left < v->count)
		note(d->notes, d->path, HEFT_NO_OFFSET, 0,
		     "line programs lie inside others (%zu); they are left out", v->count - left);
	v->count = left;
	mem_free(places);
}

void line_jobs_run(const struct line_jobs *jobs)
{
	struct line_run r = { .jobs = jobs };
	const struct dwarf_jobs all = { .dwarf = jobs->dwarf,
					.threads = jobs->threads,
					.job_size = jobs->job_size,
					.ctx = &r,
					.make = make_lines,
					.work = dwarf_jobs_work_lines,
					.take = dwarf_jobs_take_lines,
					.release = dwarf_jobs_release_lines };
	drop_inner(jobs->dwarf, jobs->uses);
	dwarf_jobs_run(&all);
}

bool line_job_open(struct line_job *j, const struct line_use *use, struct line_program *ret)
{
	return line_open(ret, &j->head.view.dwarf, use->off, use->address_size, use->comp_dir,
			 use->str_offsets_base);
}
