/* boot.c - starts and ends the recorder, and handles forks. */
#include "recorder.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct recorder recorder;

void *map_memory(size_t size)
{
	return map_memory_at(0, size);
}

void *map_memory_at(uintptr_t wanted, size_t size)
{
	const int saved = errno;
	void *p = mmap((void *)wanted, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	errno = saved;
	return p == MAP_FAILED ? NULL : p;
}

void unmap_memory(void *p, size_t size)
{
	munmap(p, size);
}

uint64_t clock_now(void)
{
	struct timespec t = { 0 };
	clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* True if this thread holds the lock. The address of a thread-local variable identifies the thread,
 * even after a fork. */
static bool lock_is_ours(void)
{
	return atomic_load(&recorder.lock) == (uintptr_t)&self;
}

bool lock_try(void)
{
	uintptr_t nobody = 0;
	return atomic_compare_exchange_strong(&recorder.lock, &nobody, (uintptr_t)&self);
}

/* Returns the address of the low 32 bits of the lock. They identify its thread, and futex compares
 * only 32 bits. */
static uintptr_t lock_word(void)
{
	const uintptr_t at = (uintptr_t)&recorder.lock;
	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? at + sizeof recorder.lock - 4 : at;
}

/* Takes the lock. Sleeps while another thread holds it, because a spinning thread of higher
 * priority could keep that thread from running. */
void lock_take(void)
{
	const int saved = errno;
	while (!lock_try()) {
		const uintptr_t owner = atomic_load(&recorder.lock);
		atomic_fetch_add(&recorder.lock_waiters, 1);
		if (owner != 0)
			syscall(SYS_futex, lock_word(), FUTEX_WAIT_PRIVATE, (uint32_t)owner, NULL);
		atomic_fetch_sub(&recorder.lock_waiters, 1);
	}
	errno = saved;
}

void lock_give(void)
{
	const int saved = errno;
	atomic_store(&recorder.lock, 0);
	if (atomic_load(&recorder.lock_waiters) != 0)
		syscall(SYS_futex, lock_word(), FUTEX_WAKE_PRIVATE, 1);
	errno = saved;
}

/* Allocates while the real allocator is being searched. The memory is never freed. */
void *boot_alloc(size_t size)
{
	const size_t need = ((size + 15) & ~(size_t)15) + 16;
	if (size > BOOT_SIZE || BOOT_SIZE - recorder.boot_used < need) {
		errno = ENOMEM;
		return NULL;
	}
	unsigned char *p = recorder.boot + recorder.boot_used + 16;
	recorder.boot_used += (uint32_t)need;
	memcpy(p - 16, &size, sizeof size);
	return p;
}

#ifndef HEFT_WRAP
/* Sets *ret_function to the next definition of a function (RTLD_NEXT), by copying bytes. */
static void find(void *ret_function, const char *name)
{
	void *p = dlsym(RTLD_NEXT, name);
	memcpy(ret_function, &p, sizeof p);
}
#endif

static uint64_t number(const char *text, uint64_t most)
{
	char *end;
	unsigned long long v = strtoull(text, &end, 10);
	const char *units = "KMG", *unit = *end != 0 ? strchr(units, *end) : NULL;
	if (unit != NULL)
		v <<= 10 * (unit - units + 1);
	return v < most ? v : most;
}

static bool is_set(const char *name)
{
	const char *v = secure_getenv(name);
	return v != NULL && strcmp(v, "1") == 0;
}

static bool is_word(const char *name, const char *word)
{
	const char *v = secure_getenv(name);
	return v != NULL && strcmp(v, word) == 0;
}

/* Parses "USR2", "SIGUSR2" or a number. 0 if unknown. */
static int signal_number(const char *name)
{
	static const struct {
		const char *name;
		int number;
	} known[] = { { "HUP", SIGHUP },   { "INT", SIGINT },     { "QUIT", SIGQUIT },
		      { "USR1", SIGUSR1 }, { "USR2", SIGUSR2 },   { "ALRM", SIGALRM },
		      { "PROF", SIGPROF }, { "WINCH", SIGWINCH }, { "IO", SIGIO } };
	if (strncmp(name, "SIG", 3) == 0)
		name += 3;
	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if (strcmp(name, known[i].name) == 0)
			return known[i].number;
	return (int)number(name, (uint64_t)SIGRTMAX);
}

/* True if HEFT_HEAP_ONLY names another process. It contains the id of the only process to record.
 * '-' before the id means: record only child processes of that process. */
static bool is_other(void)
{
	const char *v = secure_getenv("HEFT_HEAP_ONLY");
	const bool parent = v != NULL && *v == '-';
	return v != NULL &&
	       number(v + parent, UINT32_MAX) != (uint64_t)(parent ? getppid() : getpid());
}

static void read_options(struct options *o)
{
	const char *v = secure_getenv("HEFT_HEAP_DEPTH");
	o->depth = v != NULL ? (uint32_t)number(v, FRAMES_MAX - 2) : 0;
	v = secure_getenv("HEFT_HEAP_SAMPLE");
	o->sample = v != NULL ? number(v, UINT64_C(1) << 40) : 0;
	v = secure_getenv("HEFT_HEAP_OUT");
	if (v != NULL && strlen(v) < sizeof o->out)
		strcpy(o->out, v);
	v = secure_getenv("HEFT_HEAP_KEEPER");
	const char *dot = v != NULL ? strchr(v, '.') : NULL;
	if (dot != NULL && (size_t)(dot - v) < sizeof o->keeper - 1 &&
	    strlen(dot + 1) < sizeof o->word) {
		memcpy(o->keeper, v, (size_t)(dot - v));
		for (size_t i = 0; dot[1 + i] != 0; i++) /* Not memcpy(): musl lacks
							  * __memcpy_chk() */
			o->word[i] = dot[1 + i];
	}
	o->memory = is_set("HEFT_HEAP_MEMORY") && o->keeper[0] != 0;
	v = secure_getenv("HEFT_HEAP_SIGNAL");
	o->signal = v != NULL ? signal_number(v) : 0;
	o->alone = secure_getenv("HEFT_HEAP_ONLY") != NULL;
	if (is_word("HEFT_HEAP_STACKS", "inline")) {
		o->flags |= HEAP_INLINE;
		o->depth = o->depth == 0 ? 16 : o->depth < INLINE_MAX ? o->depth : INLINE_MAX;
	}
	if (is_set("HEFT_HEAP_WIDE"))
		o->flags |= HEAP_WIDE;
	if (is_set("HEFT_HEAP_CANARY"))
		o->flags |= HEAP_CANARY;
	o->frame_pointers = is_word("HEFT_HEAP_UNWIND", "fp");
	o->no_fallback = is_word("HEFT_HEAP_UNWIND", "tables");
	o->check = is_set("HEFT_HEAP_CHECK");
#ifndef HEAP_TABLES
	o->frame_pointers = true;
#endif
}

static void set_shape(void)
{
	const struct options *o = &recorder.opt;
	recorder.front = (o->flags & HEAP_WIDE) != 0 ? HEAP_WIDE_SIZE : HEAP_HEADER_SIZE;
	if ((o->flags & HEAP_INLINE) != 0)
		recorder.front += (uint32_t)heap_inline_size(o->depth, sizeof(uintptr_t));
	recorder.tail = (o->flags & HEAP_CANARY) != 0 ? HEAP_CANARY_SIZE : 0;
}

/* State of this thread at a fork. A signal handler that forks may have interrupted the recorder or
 * another fork. */
static __thread struct {
	uintptr_t busy; /* Value of slot->busy of this thread */
	unsigned depth; /* Number of nested forks */
	bool took;      /* True if before_fork() took the lock */
} forking __attribute__((tls_model("initial-exec")));

static void before_fork(void)
{
	struct slot *s = self;
	if (forking.depth++ > 0)
		return;
	forking.busy = s != NULL ? atomic_load(&s->busy) : 0;
	if (s != NULL)
		atomic_store(&s->busy, UINTPTR_MAX);
	forking.took = !lock_is_ours();
	if (forking.took)
		lock_take();
}

static void after_fork(void)
{
	struct slot *s = self;
	if (--forking.depth > 0)
		return;
	if (forking.took)
		lock_give();
	if (s != NULL)
		atomic_store(&s->busy, forking.busy);
}

/* Handles a fork in the child. If this thread held the lock before, the recorder's tables may be
 * half changed, and remain so. If another thread held the lock, the child cannot release it, so
 * recording stops. */
static void in_child(void)
{
	recorder.process->pid = (uint32_t)getpid();
	recorder.forked = true;
	if (recorder.opt.alone)
		recorder.opt.out[0] = 0;
	atomic_store(&recorder.lock_waiters, 0);
	if (!lock_is_ours() && atomic_load(&recorder.lock) != 0)
		atomic_store(&recorder.phase, PHASE_OFF);
	else if (forking.took && forking.depth == 1)
		slots_after_fork();
	if (!recorder.filtered && forking.depth == 1 &&
	    atomic_load(&recorder.phase) == PHASE_RECORD)
		snapshot_announce();
	after_fork();
}

#ifdef HEFT_WRAP
static void watch_forks(void)
{
	pthread_atfork(before_fork, after_fork, in_child);
}
#else
#pragma weak __register_atfork
extern int __register_atfork(void (*)(void), void (*)(void), void (*)(void), void *);
extern void *__dso_handle __attribute__((visibility("hidden")));

/* Registers the handlers of forks. Avoids pthread_atfork: glibc links a copy of it into each
 * module, with functions that other C libraries lack. */
static void watch_forks(void)
{
	if (__register_atfork != NULL) {
		__register_atfork(before_fork, after_fork, in_child, &__dso_handle);
		return;
	}
	int (*watch)(void (*)(void), void (*)(void), void (*)(void));
	find(&watch, "pthread_atfork");
	if (watch != NULL)
		watch(before_fork, after_fork, in_child);
}
#endif

/* Writes the command line to `to`, with spaces between its words. If it cannot be read, leaves `to`
 * unchanged. Uses only system calls, because another library's open() may allocate. */
static void note_command(char *to)
{
	char text[HEAP_COMMAND_MOST];
	const int saved = errno;
	const long fd = syscall(SYS_openat, AT_FDCWD, "/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	long n = fd < 0 ? 0 : syscall(SYS_read, fd, text, sizeof text);
	if (fd >= 0)
		syscall(SYS_close, fd);
	while (n > 0 && text[n - 1] == 0)
		n--;
	for (long i = 0; i < n; i++)
		to[i] = text[i] != 0 ? text[i] : ' ';
	if (n > 0)
		to[n] = 0;
	errno = saved;
}

/* Updates the stored command line of a forked process, in which servers write its purpose. */
void process_note_title(void)
{
	if (recorder.forked)
		note_command((char *)(recorder.process + 1));
}

/* Adds a name to the list of functions that return unrecorded memory, if it fits. */
void process_note_beside(const char *name)
{
	static _Atomic(bool) busy;
	if (recorder.process == NULL || atomic_exchange(&busy, true))
		return;
	char *to = (char *)(recorder.process + 1) + HEAP_BESIDE_AT;
	const size_t used = strlen(to), size = strlen(name);
	const char *known = strstr(to, name);
	while (known != NULL && (known[size] != ' ' && known[size] != 0))
		known = strstr(known + 1, name);
	if (known == NULL && used + size + 2 <= HEAP_BESIDE_MOST) {
		if (used > 0)
			to[used] = ' ';
		memcpy(to + used + (used > 0), name, size);
	}
	atomic_store(&busy, false);
}

static bool start_pages(void)
{
	struct timespec t = { 0 };
	struct heap_page *page = page_new(HEAP_PAGE_PROCESS, sizeof(struct heap_process), 0);
	if (page == NULL)
		return false;
	struct heap_process *p = page_entry(page, 0);
	clock_gettime(CLOCK_REALTIME, &t);
	p->version = HEAP_VERSION;
	p->pid = (uint32_t)getpid();
	p->started = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
	p->started_at = clock_now();
	p->sample = recorder.opt.sample;
	p->depth = recorder.opt.depth;
	p->flags = recorder.opt.flags;
	p->page_count = 1;
	page->used = 1;
	note_command((char *)(p + 1));
	recorder.process = p;
	timeline_start();
	rows_start();
	return atomic_load(&recorder.rows) != NULL;
}

#ifdef HEFT_WRAP
void *__real_malloc(size_t);
void __real_free(void *);
void *__real_calloc(size_t, size_t);
void *__real_realloc(void *, size_t);
void *__real_memalign(size_t, size_t) __attribute__((weak));
int __real_posix_memalign(void **, size_t, size_t) __attribute__((weak));
void *__real_aligned_alloc(size_t, size_t) __attribute__((weak));
size_t __real_malloc_usable_size(void *) __attribute__((weak));

static void find_real(struct real *r)
{
	r->free = __real_free;
	r->calloc = __real_calloc;
	r->realloc = __real_realloc;
	r->memalign = __real_memalign;
	r->posix_memalign = __real_posix_memalign;
	r->aligned_alloc = __real_aligned_alloc;
	r->usable_size = __real_malloc_usable_size;
	r->exit = exit;
	memcpy(&r->exit_at, &r->exit, sizeof r->exit_at);
	r->malloc = __real_malloc;
}

static uintptr_t find_c_library(void)
{
	return 0;
}

static bool is_foreign(void)
{
	return false;
}
#else
static void find_real(struct real *r)
{
	struct real found = { 0 };
	find(&found.free, "free");
	find(&found.calloc, "calloc");
	find(&found.realloc, "realloc");
	find(&found.memalign, "memalign");
	find(&found.posix_memalign, "posix_memalign");
	find(&found.aligned_alloc, "aligned_alloc");
	find(&found.usable_size, "malloc_usable_size");
	find(&found.dlclose, "dlclose");
	find(&found.prctl, "prctl");
	find(&found.exit_now, "_exit");
	find(&found.exit, "exit");
	find(&found.second.malloc, "__libc_malloc");
	find(&found.second.free, "__libc_free");
	find(&found.second.calloc, "__libc_calloc");
	find(&found.second.realloc, "__libc_realloc");
	find(&found.second.memalign, "__libc_memalign");
	memcpy(&found.exit_at, &found.exit, sizeof found.exit_at);
	find(&found.malloc, "malloc");
	*r = found;
}

static uintptr_t find_c_library(void)
{
	return (uintptr_t)dlsym(RTLD_NEXT, "gnu_get_libc_version");
}

/* True if the real allocator is in another module than the C library. Names of functions do not
 * show this, because other allocators also export the C library's internal names. */
static bool is_foreign(void)
{
	struct tables ours, theirs;
	uintptr_t at;
	memcpy(&at, &recorder.real.malloc, sizeof at);
	return recorder.c_library == 0 || !tables_find(recorder.c_library, &ours) ||
	       !tables_find(at, &theirs) || ours.start != theirs.start;
}
#endif

/* quick_exit ends a process without the handlers of exit. Only glibc has __cxa_at_quick_exit. */
#pragma weak __cxa_at_quick_exit
extern int __cxa_at_quick_exit(void (*)(void *), void *);

static void at_quick_end(void *unused)
{
	(void)unused;
	snapshot_at_exit();
}

void boot_configure(void)
{
	int expected = PHASE_FORWARD;
	if (environ == NULL ||
	    !atomic_compare_exchange_strong(&recorder.phase, &expected, PHASE_BOOTING))
		return;
	read_options(&recorder.opt);
	set_shape();
	recorder.c_library = find_c_library();
	recorder.foreign = is_foreign();
	if (is_word("HEFT_HEAP", "off") || is_other() || !start_pages()) {
		atomic_store(&recorder.phase, PHASE_OFF);
		return;
	}
#ifndef HEFT_WRAP
	rebind();
#endif
	slots_start();
	watch_forks();
	allocators_start();
	if (__cxa_at_quick_exit != NULL)
		__cxa_at_quick_exit(at_quick_end, NULL);
	snapshot_announce();
	atomic_store(&recorder.phase, PHASE_RECORD);
	if (recorder.opt.signal != 0)
		snapshot_upon(recorder.opt.signal);
}

COLD void boot(void)
{
	int expected = PHASE_NONE;
	if (atomic_compare_exchange_strong(&recorder.phase, &expected, PHASE_BOOTING)) {
		find_real(&recorder.real);
		atomic_store(&recorder.phase, PHASE_FORWARD);
	}
#ifndef HEFT_WRAP
	boot_configure();
#endif
}

#ifdef HEFT_WRAP
__attribute__((constructor(101))) static void at_start(void)
{
	boot();
	/* Recording starts now, because unwinding needs parts of the C library that were not
	 * initialized earlier. */
	boot_configure();
}
#else
#pragma weak gnu_get_libc_version
extern const char *gnu_get_libc_version(void);

/* Runs before all other modules, even the C library, are initialized. Only glibc passes argc. */
__attribute__((constructor(101))) static void at_start(int argc, char **argv, char **env)
{
	(void)argc;
	if (gnu_get_libc_version != NULL) {
		sanitized_restart(argv, env);
		if (environ == NULL)
			environ = env;
	}
	boot();
	boot_configure();
}
#endif

__attribute__((destructor(101))) static void at_end(void)
{
	const struct caller from = CALLER;
	snapshot_note_end(&from, 0);
	snapshot_at_exit();
}
