/* Finds the addresses of an image in memory, from mappings, forks and execs in a perf recording. */
#include "blocks/block_samples.h"

#include "base/filename.h"
#include "base/sort.h"
#include "image/debugfile.h"
#include "image/elf/elf_const.h"

enum {
	OPEN_MAX = 64,     /* Most mappings of the image that a process may have open at a time */
	OF_PID_MAX = 4096, /* Most mappings of a process. Further mappings are ignored */
	BUILD_ID_MAX = 20,
};

/* Why a mapping belongs to the image, from the most to the least reliable reason. */
enum match { BY_BUILD_ID, BY_PATH, BY_NAME, OTHER_BUILD, NO_MATCH };

struct id {
	uint8_t size, bytes[BUILD_ID_MAX];
};

/* A mapping, a fork or the start of another program */
struct sample_mappings_change {
	uint64_t time, off;
	enum perf_type type; /* PERF_MAP, PERF_FORK or PERF_COMM */
	uint32_t pid, parent, name;
	uint64_t addr, size, file_off;
	struct id id;
	enum match match;
};

struct sample_mappings_process {
	uint32_t open[OPEN_MAX]; /* Indexes of the mappings that have not ended */
	unsigned count;
	unsigned total;
};

struct replay {
	struct mappings *m;
	const struct image *im;
	const char *path; /* Path of the image, without symbolic links. NULL if unknown */
	struct intern names, pids;
	VEC(struct sample_mappings_change) changes;
	VEC(struct sample_mappings_process) processes; /* Index: id of the pid in `pids` */
	VEC(struct id) ids;                            /* Build ids in the file's header */
	VEC(uint32_t)
	id_names; /* Per element of `ids`: its file's name */
	enum match taken;
	struct id other; /* Build id of a mapping with OTHER_BUILD */
};

static struct id sample_mappings_id_of(struct bytes b)
{
	struct id id = { 0 };
	if (b.size > 0 && b.size <= BUILD_ID_MAX) {
		id.size = (uint8_t)b.size;
		memcpy(id.bytes, b.p, b.size);
	}
	return id;
}

static void collect_change(struct replay *r, const struct perf_event *e)
{
	if (e->type == PERF_FORK ? e->pid == e->parent : e->type == PERF_COMM && !e->exec)
		return;
	const struct sample_mappings_change c = { .time = e->has_time ? e->time : 0,
						  .off = e->off,
						  .type = e->type,
						  .pid = e->pid,
						  .parent = e->parent,
						  .name = intern_add(&r->names, e->name),
						  .addr = e->addr,
						  .size = e->size,
						  .file_off = e->file_off,
						  .id = sample_mappings_id_of(e->build_id) };
	vec_push(&r->changes, c);
}

static void sample_mappings_collect(struct replay *r, struct samples *s)
{
	struct perf_event e;
	while (samples_next(s, &e)) {
		switch (e.type) {
		case PERF_SAMPLE: r->m->timed = r->m->timed || e.has_time; break;
		case PERF_MAP:
		case PERF_FORK:
		case PERF_COMM: collect_change(r, &e); break;
		case PERF_BUILD_ID:
			vec_push(&r->ids, sample_mappings_id_of(e.build_id));
			vec_push(&r->id_names, intern_add(&r->names, e.name));
			break;
		default: break;
		}
	}
	samples_rewind(s);
	ASSERT(r->ids.count == r->id_names.count);
	for (size_t i = 0; i < r->changes.count && !r->m->timed; i++)
		r->changes.data[i].time = r->changes.data[i].off;
}

static bool is_kernel(struct str name)
{
	return str_starts(name, STR("[kernel.kallsyms]"));
}

static bool is_image_id(const struct replay *r, const struct id *id)
{
	return same_build_id((struct bytes){ id->bytes, id->size }, r->im->build_id);
}

/* Lists, by the name of their file, the build ids in the header. A name may occur twice. The
 * kernel's name in mappings has a symbol appended, so its build id is kept for any such name. */
static struct id *ids_by_name(const struct replay *r)
{
	struct id *list = mem_zeroed(r->names.entries.count + 1, sizeof *list);
	struct id kernel = { 0 };
	for (size_t i = 0; i < r->ids.count; i++) {
		const struct id *id = &r->ids.data[i];
		const uint32_t name = r->id_names.data[i];
		if (list[name].size == 0 || is_image_id(r, id))
			list[name] = *id;
		if (is_kernel(intern_get(&r->names, name)))
			kernel = *id;
	}
	for (uint32_t i = 0; i < r->names.entries.count; i++)
		if (is_kernel(intern_get(&r->names, i)))
			list[i] = kernel;
	return list;
}

static enum match match_name(const struct replay *r, struct str name)
{
	/* The kernel appends this to names of deleted files. */
	const struct str mark = STR(" (deleted)");
	const struct str path = str_of(r->im->path);
	const size_t len = str_ends(name, mark) ? name.len - mark.len : name.len;
	const struct str plain = { name.p, len };
	if (plain.len == 0)
		return NO_MATCH;
	if (str_eq(plain, path) || (r->path && str_eq(plain, str_of(r->path))))
		return BY_PATH;
	return str_eq(file_name_str(plain), file_name_str(path)) ? BY_NAME : NO_MATCH;
}

static enum match match_change(struct replay *r, const struct sample_mappings_change *c,
			       const struct id *of_name)
{
	const struct id *id = c->id.size > 0 ? &c->id : of_name;
	const enum match by_name = match_name(r, intern_get(&r->names, c->name));
	if (id->size == 0 || r->im->build_id.size == 0)
		return by_name;
	if (is_image_id(r, id))
		return BY_BUILD_ID;
	if (by_name == NO_MATCH)
		return NO_MATCH;
	r->other = *id;
	return OTHER_BUILD;
}

static struct sample_mappings_process *process_of(struct replay *r, uint32_t pid)
{
	const uint32_t i = intern_add(&r->pids, (struct str){ (const char *)&pid, sizeof pid });
	ASSERT(i <= r->processes.count);
	if (i == r->processes.count)
		vec_push(&r->processes, (struct sample_mappings_process){ 0 });
	return &r->processes.data[i];
}

static void open_mapping(struct replay *r, struct mapping new)
{
	struct sample_mappings_process *p = process_of(r, (uint32_t)new.pid);
	if (new.size == 0 || p->count == OPEN_MAX || p->total == OF_PID_MAX)
		return;
	ASSERT(p->count < OPEN_MAX && r->m->list.count < UINT32_MAX);
	new.until = UINT64_MAX;
	p->open[p->count++] = (uint32_t)r->m->list.count;
	p->total++;
	vec_push(&r->m->list, new);
}

/* Unmaps [addr, addr + size) of a process. Parts of its mappings outside of it stay mapped. */
static void sample_mappings_unmap(struct replay *r, uint32_t pid, uint64_t addr, uint64_t size,
				  uint64_t time)
{
	const struct sample_mappings_process before = *process_of(r, pid);
	const uint64_t end = add_sat(addr, size);
	process_of(r, pid)->count = 0;
	for (unsigned i = 0; i < before.count; i++) {
		struct mapping *old = &r->m->list.data[before.open[i]];
		struct mapping low = *old, high = *old;
		const uint64_t old_end = add_sat(old->addr, old->size);
		if (end <= old->addr || old_end <= addr) {
			struct sample_mappings_process *p = process_of(r, pid);
			p->open[p->count++] = before.open[i];
			continue;
		}
		old->until = time;
		low.since = high.since = time;
		low.size = addr > old->addr ? addr - old->addr : 0;
		high.addr = end;
		high.size = old_end > end ? old_end - end : 0;
		open_mapping(r, low);
		open_mapping(r, high);
	}
}

/* Maps the kernel for all times. Its mapping begins with its first executable segment. */
static void map_kernel(struct replay *r, const struct sample_mappings_change *c)
{
	each_segment(s, r->im) {
		if (s->type != PT_LOAD || !s->exec)
			continue;
		open_mapping(r, (struct mapping){ .pid = c->pid,
						  .addr = c->addr,
						  .size = c->size,
						  .bias = s->addr - c->addr });
		return;
	}
}

/* Maps each segment by its own bytes, because two segments may share a page. */
static void map_file(struct replay *r, const struct sample_mappings_change *c)
{
	const uint64_t end = add_sat(c->file_off, c->size);
	each_segment(s, r->im) {
		const uint64_t from = max_u64(c->file_off, s->off);
		const uint64_t to = min_u64(end, add_sat(s->off, s->file_size));
		if (s->type != PT_LOAD || !s->exec || from >= to)
			continue;
		const uint64_t addr = c->addr + (from - c->file_off);
		open_mapping(r, (struct mapping){ .pid = c->pid,
						  .addr = addr,
						  .size = to - from,
						  .bias = s->addr + (from - s->off) - addr,
						  .since = c->time });
	}
}

static void fork_process(struct replay *r, const struct sample_mappings_change *c)
{
	const struct sample_mappings_process parent = *process_of(r, c->parent);
	sample_mappings_unmap(r, c->pid, 0, UINT64_MAX, c->time);
	for (unsigned i = 0; i < parent.count; i++) {
		struct mapping copy = r->m->list.data[parent.open[i]];
		copy.pid = c->pid;
		copy.since = c->time;
		open_mapping(r, copy);
	}
}

static void replay_change(struct replay *r, const struct sample_mappings_change *c)
{
	switch (c->type) {
	case PERF_FORK: fork_process(r, c); break;
	case PERF_COMM: sample_mappings_unmap(r, c->pid, 0, UINT64_MAX, c->time); break;
	default:
		sample_mappings_unmap(r, c->pid, c->addr, c->size, c->time);
		if (c->match != r->taken)
			break;
		if (is_kernel(intern_get(&r->names, c->name)))
			map_kernel(r, c);
		else
			map_file(r, c);
	}
}

/* Maps the image where its own headers say. */
static void map_itself(struct replay *r)
{
	each_segment(s, r->im) {
		if (s->type == PT_LOAD && s->exec)
			open_mapping(r, (struct mapping){ .pid = PERF_NO_PROCESS,
							  .addr = s->addr,
							  .size = s->vm_size });
	}
}

static void replay(struct replay *r)
{
	ASSERT(r->taken < NO_MATCH && r->m->list.count == 0);
	vec_sort(&r->changes);
	for (size_t i = 0; i < r->changes.count; i++)
		replay_change(r, &r->changes.data[i]);
	vec_sort(&r->m->list);
}

static bool refuse_build(const struct replay *r, const char *samples, struct heft_err *err)
{
	struct arena scratch = { 0 };
	const struct bytes there = { r->other.bytes, r->other.size };
	fail(err, HEFT_EARG, HEFT_NO_OFFSET,
	     "%s: recorded with another build of %s: build id %s there, %s here", samples,
	     r->im->path, build_id_text(&scratch, there), build_id_text(&scratch, r->im->build_id));
	arena_release(&scratch);
	return false;
}

bool mappings_read(struct mappings *m, struct samples *s, const struct image *im, bool force,
		   struct heft_err *err)
{
	memset(m, 0, sizeof *m);
	m->now_pid = UINT64_MAX;
	struct replay r = { .m = m, .im = im };
	char *path = file_real_path(im->path);
	r.path = path;
	sample_mappings_collect(&r, s);
	struct id *of_name = ids_by_name(&r);
	r.taken = NO_MATCH;
	vec_each(struct sample_mappings_change, c, &r.changes) {
		c->match = c->type == PERF_MAP ? match_change(&r, c, &of_name[c->name]) : NO_MATCH;
		if (c->match < r.taken)
			r.taken = c->match;
	}
	mem_free(of_name);
	const bool unmapped = s->form != SAMPLES_PERF && r.changes.count == 0;
	bool ok = true;
	if (!unmapped && r.taken == NO_MATCH)
		ok = fail(err, HEFT_EARG, HEFT_NO_OFFSET, "%s: nothing was mapped from %s",
			  s->file.path, im->path);
	else if (!unmapped && r.taken == OTHER_BUILD && !force)
		ok = refuse_build(&r, s->file.path, err);
	if (unmapped)
		map_itself(&r);
	else if (ok)
		replay(&r);
	mem_free(path);
	vec_release_all(&r.changes, &r.processes, &r.ids, &r.id_names);
	intern_release(&r.names);
	intern_release(&r.pids);
	if (!ok)
		mappings_release(m);
	return ok;
}

void mappings_release(struct mappings *m)
{
	vec_release_all(&m->list, &m->now);
}

/* Adds a process's mappings at `time` to m->now. Narrows the times for which m->now is valid. */
static void select_of(struct mappings *m, uint64_t pid, uint64_t time)
{
	const struct mapping *list = m->list.data;
	for (size_t i = lower_bound(list, m->list.count, sizeof *list, pid);
	     i < m->list.count && list[i].pid == pid; i++) {
		if (list[i].since > time) {
			m->now_until = min_u64(m->now_until, list[i].since);
		} else if (list[i].until <= time) {
			m->now_since = max_u64(m->now_since, list[i].until);
		} else {
			vec_push(&m->now, list[i]);
			m->now_since = max_u64(m->now_since, list[i].since);
			m->now_until = min_u64(m->now_until, list[i].until);
		}
	}
}

void mappings_select(struct mappings *m, const struct perf_event *e)
{
	const uint64_t time = m->timed ? e->time : e->off;
	ASSERT(m->now_since <= m->now_until);
	if (e->pid == m->now_pid && time >= m->now_since && time < m->now_until)
		return;
	m->now_pid = e->pid;
	m->now_since = 0;
	m->now_until = UINT64_MAX;
	m->now.count = 0;
	select_of(m, e->pid, time);
	if (e->pid != PERF_NO_PROCESS)
		select_of(m, PERF_NO_PROCESS, time);
}
