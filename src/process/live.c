/* live.c - stops a process, copies its memory, and lets it continue. */
#define _GNU_SOURCE
#include "process/live_internal.h"

#include "base/pool.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	ROUNDS_MAX = 1000,             /* Most searches for new threads */
	STOP_PATIENCE = 200 * 1000000, /* Longest wait for a thread to stop, in ns. Later, the
				        * copy is made while the thread runs. */
	PIECES_MAX = 512,              /* Slices per system call. IOV_MAX is 1024 */
	CHUNK_MAX = 64 << 20,          /* Limit of the buffer, if it cannot hold the whole copy */
	SPARE_MAX = 16 << 20, /* Limit in bytes of spare buffer, for memory that the process adds
			       * before it stops. */
};

struct live {
	uint32_t pid;
	const struct live_wish *wish;
	struct live_facts *facts;
	struct heft_err *err;
	VEC(struct live_thread) threads;
	struct live_plan plan;
	uint8_t *buffer;
	uint64_t buffer_size;
	uint64_t given;      /* Bytes at the buffer's start that were returned to the system. */
	uint64_t stopped_at; /* Time in ns. 0 while the process runs */
};

static uint64_t now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

bool live_denied(uint32_t pid, const char *what, struct heft_err *err)
{
	if (errno == EPERM || errno == EACCES) {
		const int saved = errno;
		fail(err, HEFT_EIO, HEFT_NO_OFFSET,
		     "process %" PRIu32
		     ": %s is not allowed: it must be yours, without a debugger, "
		     "and /proc/sys/kernel/yama/ptrace_scope 0; else be root",
		     pid, what);
		if (err != NULL)
			err->sys_errno = saved;
		return false;
	}
	return fail_sys(err, "process %" PRIu32 ": %s", pid, what);
}

/* Calls `f` with each thread that l->threads lacks, and adds it to l->threads. Sets *ret_new if
 * there was such a thread. */
static bool each_new_thread(struct live *l, bool (*f)(struct live *, struct live_thread *),
			    bool *ret_new)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%" PRIu32 "/task", l->pid);
	DIR *d = opendir(path);
	const struct dirent *e;
	bool good = d != NULL;
	*ret_new = false;
	if (d == NULL) {
		errno = errno == ENOENT ? ESRCH : errno;
		return fail_sys(l->err, "process %" PRIu32, l->pid);
	}
	while (good && (e = readdir(d)) != NULL) {
		struct live_thread t = { .tid = (uint32_t)strtoul(e->d_name, NULL, 10) };
		bool known = t.tid == 0;
		for (size_t i = 0; i < l->threads.count && !known; i++)
			known = l->threads.data[i].tid == t.tid;
		if (known)
			continue;
		*ret_new = true;
		good = f(l, &t);
		vec_push(&l->threads, t);
	}
	closedir(d);
	return good;
}

/* Stops a thread: PTRACE_SEIZE only attaches to it, PTRACE_INTERRUPT stops it. False if denied. */
static bool seize(struct live *l, struct live_thread *t)
{
	if (ptrace(PTRACE_SEIZE, (pid_t)t->tid, NULL, NULL) != 0) {
		/* The thread has ended, or waits for the end of other threads. */
		if (errno == ESRCH || (errno == EPERM && l->threads.count > 0))
			return true;
		return live_denied(l->pid, "to stop it", l->err);
	}
	t->stopped = ptrace(PTRACE_INTERRUPT, (pid_t)t->tid, NULL, NULL) == 0;
	return true;
}

/* Waits until a thread has stopped. A thread with a pending signal stops for that signal, and gets
 * it when released. The wait does not consume the stop (WNOWAIT). So if heft is killed, the system
 * still delivers the signal. */
static void await(struct live_thread *t, uint64_t until)
{
	const struct timespec moment = { 0, 50000 };
	while (t->stopped) {
		siginfo_t seen = { .si_pid = 0 };
		const int failed = waitid(P_PID, t->tid, &seen,
					  WSTOPPED | WEXITED | WNOHANG | WNOWAIT | __WALL);
		if (seen.si_pid != 0 &&
		    (seen.si_code == CLD_TRAPPED || seen.si_code == CLD_STOPPED)) {
			const bool event = seen.si_status >> 8 == PTRACE_EVENT_STOP;
			t->signal = event ? 0 : seen.si_status;
			return;
		}
		if (seen.si_pid != 0) /* The thread has ended. Reaps it */
			waitpid((pid_t)t->tid, NULL, __WALL | WNOHANG);
		if (failed || seen.si_pid != 0 || now() > until)
			t->stopped = false;
		else
			nanosleep(&moment, NULL);
	}
}

/* Stops all threads. Running threads may start new ones, so searches until it finds none. */
static bool stop_all(struct live *l)
{
	bool more = true, good = true;
	l->stopped_at = now();
	for (unsigned round = 0; good && more && round < ROUNDS_MAX; round++) {
		const size_t known = l->threads.count;
		good = each_new_thread(l, seize, &more);
		for (size_t i = known; i < l->threads.count; i++)
			await(&l->threads.data[i], now() + STOP_PATIENCE);
	}
	for (size_t i = 0; good && i < l->threads.count; i++) {
		struct live_thread *t = &l->threads.data[i];
		struct iovec v = { t->regs, sizeof t->regs };
		if (!t->stopped) {
			l->facts->unstopped++;
			continue;
		}
		ptrace(PTRACE_GETREGSET, (pid_t)t->tid, (void *)NT_PRSTATUS, &v);
		v = (struct iovec){ &t->fpregs, sizeof t->fpregs };
		t->has_fpregs = ptrace(PTRACE_GETREGSET, (pid_t)t->tid, (void *)NT_FPREGSET, &v) ==
				0;
	}
	return good;
}

static void let_go(struct live *l)
{
	vec_each(struct live_thread, t, &l->threads) {
		if (t->stopped)
			ptrace(PTRACE_DETACH, (pid_t)t->tid, NULL, (void *)(intptr_t)t->signal);
		t->stopped = false;
	}
	if (l->stopped_at != 0)
		l->facts->pause_ns = now() - l->stopped_at;
	l->stopped_at = 0;
}

/* Reads the stack pointer and program counter of a waiting thread: the last two words of
 * /proc/PID/task/TID/syscall (proc(5)). */
static bool live_note_thread(struct live *l, struct live_thread *t)
{
#ifdef __x86_64__
	/* Indexes in elf_gregset_t: the words of struct user_regs_struct (<sys/user.h>). */
	enum { SP = 19, PC = 16 };
	char name[64];
	size_t size;
	struct heft_err err;
	snprintf(name, sizeof name, "task/%" PRIu32 "/syscall", t->tid);
	char *text = live_read_file(l->pid, name, &size, &err);
	char *pc = text != NULL ? strrchr(text, ' ') : NULL;
	if (pc != NULL) {
		*pc++ = '\0';
		const char *sp = strrchr(text, ' ');
		t->regs[SP] = sp != NULL ? strtoull(sp, NULL, 16) : 0;
		t->regs[PC] = strtoull(pc, NULL, 16);
	}
	mem_free(text);
#else
	(void)l;
	(void)t;
#endif
	return true;
}

/* Slices whose bytes are consecutive in the buffer, from offset `at` on: the work of one thread. */
struct live_job {
	size_t first, count;
	uint64_t at;
};

struct live_copy {
	const struct live *live;
	VEC(struct live_job) jobs;
	uint64_t unread[64]; /* Unread bytes, per worker */
};

/* Copies a slice. Unreadable pages become zeros. Returns the bytes that could not be read. */
static uint64_t copy_slice(uint32_t pid, const struct live_slice *s, uint64_t from, uint8_t *to)
{
	uint64_t unread = 0;
	while (from < s->size) {
		const struct iovec local = { to + from, s->size - from };
		const struct iovec remote = { (void *)(uintptr_t)(s->addr + from), s->size - from };
		const ssize_t n = process_vm_readv((pid_t)pid, &local, 1, &remote, 1, 0);
		if (n > 0) {
			from += (uint64_t)n;
			continue;
		}
		const uint64_t page = min_u64(LIVE_PAGE - (s->addr + from) % LIVE_PAGE,
					      s->size - from);
		memset(to + from, 0, page);
		from += page;
		unread += page;
	}
	return unread;
}

static void copy_job(void *ctx, size_t i, unsigned worker)
{
	struct live_copy *c = ctx;
	const struct live_job *j = &c->jobs.data[i];
	const struct live *l = c->live;
	const struct live_slice *s = &l->plan.slices.data[j->first];
	struct iovec remote[PIECES_MAX] = { { 0 } };
	uint8_t *to = l->buffer + j->at;
	uint64_t all = 0;
	for (size_t k = 0; k < j->count; k++) {
		remote[k] = (struct iovec){ (void *)(uintptr_t)s[k].addr, s[k].size };
		all += s[k].size;
	}
	const struct iovec local = { to, all };
	const ssize_t n = process_vm_readv((pid_t)l->pid, &local, 1, remote, j->count, 0);
	uint64_t done = n > 0 ? (uint64_t)n : 0;
	for (size_t k = 0; k < j->count && done < all; k++) {
		const uint64_t had = min_u64(done, s[k].size);
		c->unread[worker] += copy_slice(l->pid, &s[k], had, to);
		to += s[k].size;
		done -= had;
		all -= s[k].size;
	}
}

/* Copies slices from number `first` on, until the buffer is full. Returns how many it copied. */
static size_t copy_some(struct live *l, size_t first)
{
	const struct live_plan *p = &l->plan;
	struct live_copy c = { .live = l };
	uint64_t used = 0, of_job = 0;
	size_t i = first;
	for (; i < p->slices.count && p->slices.data[i].size <= l->buffer_size - used; i++) {
		const uint64_t size = p->slices.data[i].size;
		struct live_job *last = vec_last(&c.jobs);
		if (last == NULL || last->count == PIECES_MAX || of_job + size > SLICE_MAX) {
			vec_push(&c.jobs, (struct live_job){ i, 1, used });
			of_job = size;
		} else {
			last->count++;
			of_job += size;
		}
		used += size;
	}
	unsigned threads = pool_threads(0);
	threads = threads < COUNT_OF(c.unread) ? threads : COUNT_OF(c.unread);
	parallel_for(threads, c.jobs.count, copy_job, &c);
	for (unsigned w = 0; w < threads; w++)
		l->facts->unread += c.unread[w];
	vec_release(&c.jobs);
	return i - first;
}

static bool write_some(struct live *l, struct live_out *o, size_t first, size_t count)
{
	ASSERT(first + count <= l->plan.slices.count);
	const uint8_t *data = l->buffer;
	for (size_t i = first; i < first + count; i++) {
		const struct live_slice *s = &l->plan.slices.data[i];
		if (!live_out_slice(o, &l->plan, s, data, l->err))
			return false;
		data += s->size;
		/* Returns the written part of the buffer to the system, unless it is needed
		 * again. */
		const uint64_t done = (uint64_t)(data - l->buffer) / LIVE_PAGE * LIVE_PAGE;
		if (l->stopped_at == 0 && done - l->given >= CHUNK_MAX) {
			madvise(l->buffer + l->given, done - l->given, MADV_DONTNEED);
			l->given = done;
		}
	}
	return true;
}

static void touch(void *ctx, size_t i, unsigned worker)
{
	const struct live *l = ctx;
	(void)worker;
	for (uint64_t at = i * SLICE_MAX; at < min_u64((i + 1) * SLICE_MAX, l->buffer_size);
	     at += LIVE_PAGE)
		*(volatile uint8_t *)(l->buffer + at) = 0;
}

/* Allocates the buffer and touches its pages before the process is stopped, because page faults
 * take longer than copying. Allocates a small buffer if a full copy would take over three quarters
 * of the free memory. Otherwise the kernel could kill the process when memory runs out. */
static bool live_make_room(struct live *l)
{
	uint64_t size = l->plan.bytes + l->plan.bytes / 16 + min_u64(l->plan.bytes, SPARE_MAX);
	l->facts->available = live_room();
	if (l->wish->stream || size > l->facts->available / 4 * 3)
		size = max_u64(min_u64(l->facts->available / 4, CHUNK_MAX), SLICE_MAX);
	size = align_up(size, LIVE_PAGE);
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		return fail_sys(l->err, "process %" PRIu32 ": memory for a copy", l->pid);
	l->buffer = p;
	l->buffer_size = size;
	l->facts->buffer = size;
	madvise(p, size, MADV_HUGEPAGE);
	parallel_for(0, (size + SLICE_MAX - 1) / SLICE_MAX, touch, l);
	return true;
}

bool live_check_process(uint32_t pid, struct heft_err *err)
{
	char path[64], head[5] = "";
	snprintf(path, sizeof path, "/proc/%" PRIu32 "/exe", pid);
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT) {
		errno = ESRCH;
		return fail_sys(err, "process %" PRIu32, pid);
	}
	if (fd < 0)
		return live_denied(pid, "to look at it", err);
	const bool good = read(fd, head, 5) != 5 ||
			  head[EI_CLASS] == (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32);
	close(fd);
	return good || fail(err, HEFT_EUNSUPPORTED, HEFT_NO_OFFSET,
			    "process %" PRIu32 ": has another word size than heft", pid);
}

/* Copies and writes the memory. Continues the process in between if the copy fits the buffer. */
static bool transfer(struct live *l, const char *path)
{
	struct live_out *o = NULL;
	size_t done = copy_some(l, 0);
	l->facts->streamed = done < l->plan.slices.count;
	if (!l->facts->streamed)
		let_go(l);
	const struct live_who who = { l->pid, l->threads.data, l->threads.count };
	bool good = live_out_open(&o, path, l->wish->level, &l->plan, &who, l->err) &&
		    write_some(l, o, 0, done);
	while (good && done < l->plan.slices.count) {
		const size_t count = copy_some(l, done);
		good = write_some(l, o, done, count);
		done += count;
	}
	let_go(l);
	if (good)
		return live_out_close(o, &l->plan, &l->facts->file_size, l->err);
	if (o != NULL)
		live_out_drop(o);
	return false;
}

static bool live_take(struct live *l, const char *path)
{
	bool some, good;
	if (!live_plan_make(&l->plan, l->pid, l->wish->full, l->err))
		return false;
	good = live_make_room(l);
	live_plan_release(&l->plan);
	if (!good)
		return false;
	good = l->wish->no_stop ? each_new_thread(l, live_note_thread, &some) : stop_all(l);
	good = good && live_plan_make(&l->plan, l->pid, l->wish->full, l->err);
	l->facts->threads = (uint32_t)l->threads.count;
	if (good) {
		l->facts->bytes = l->plan.bytes;
		good = transfer(l, path);
		live_plan_release(&l->plan);
	}
	let_go(l);
	return good;
}

bool live_snapshot(uint32_t pid, const char *path, const struct live_wish *wish,
		   struct live_facts *ret, struct heft_err *err)
{
	*ret = (struct live_facts){ 0 };
	struct live l = { .pid = pid, .wish = wish, .facts = ret, .err = err };
	const bool good = live_check_process(pid, err) && live_take(&l, path);
	if (l.buffer != NULL)
		munmap(l.buffer, l.buffer_size);
	vec_release(&l.threads);
	return good;
}
