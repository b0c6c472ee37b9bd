/* Runs programs under the heap recorder. */
#define _GNU_SOURCE /* For dladdr() and environ. */
#include "process/recorder.h"

#include "process/child.h"
#include "base/sort.h"
#include "base/vec.h"
#include "process/keeper.h"
#include "heap/records.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Returns the path of the recorder, or NULL. Looks in the folder of libheft (or of the program that
 * contains it), in ../recorder/ and ../lib/ beside that folder, and in HEFT_LIBDIR. */
static const char *recorder_find_library(struct arena *arena)
{
	static const char *const places[] = { "", "../recorder/", "../lib/", HEFT_LIBDIR "/" };
	/* An address in libheft for dladdr(). C cannot convert function to data pointers. */
	static const char here[] = "";
	Dl_info info, program;
	/* dladdr() fails in a static program. Then no other module exists. */
	const bool named = dladdr(here, &info) != 0 && info.dli_fname != NULL;
	/* dladdr() returns the program's name as called: no path if the shell found it in $PATH. */
	const bool inside = !named || (dladdr((void *)getauxval(AT_PHDR), &program) != 0 &&
				       program.dli_fbase == info.dli_fbase);
	char *file = inside ? file_real_path("/proc/self/exe") : NULL;
	if (file == NULL && named)
		file = file_real_path(info.dli_fname);
	char *slash = file != NULL ? strrchr(file, '/') : NULL;
	const char *found = NULL;
	char path[4096];
	if (slash != NULL)
		slash[1] = '\0';
	for (size_t i = 0; slash != NULL && found == NULL && i < COUNT_OF(places); i++) {
		const int n = snprintf(path, sizeof path, "%s%slibheft-heap.so",
				       places[i][0] == '/' ? "" : file, places[i]);
		if (n > 0 && (size_t)n < sizeof path && access(path, R_OK) == 0)
			found = arena_copy(arena, str_of(path));
	}
	mem_free(file);
	return found;
}

/* Returns our C library's folder without "/usr/" or "/". ld.so(8) replaces $LIB by this folder. */
static const char *system_folder(struct arena *arena)
{
	Dl_info info;
	void *function = dlsym(RTLD_DEFAULT, "gnu_get_libc_version");
	if (function == NULL || dladdr(function, &info) == 0 || info.dli_fname == NULL)
		return NULL;
	const char *path = info.dli_fname;
	path += strncmp(path, "/usr/", 5) == 0 ? 5 : 1;
	const char *slash = strrchr(path, '/');
	return slash != NULL ? arena_format(arena, "%.*s", (int)(slash - path), path) : NULL;
}

/* If recorders for 64-bit and for 32-bit programs exist, sets r->preload to a path with $LIB, which
 * serves both. Looks in heft/ beside our recorder. For 32-bit programs, also looks in 32/. */
static void choose_both(struct heft_recorder *r)
{
	static const char *const places[] = { "heft/32", "32" };
	const char *system = system_folder(&r->arena), *slash = strrchr(r->library, '/');
	const int size = (int)(slash + 1 - r->library);
	if (system == NULL || strchr(r->library, '$') != NULL)
		return;
	const char *ours = arena_format(&r->arena, "%.*sheft/%s/libheft-heap.so", size, r->library,
					system);
	for (size_t i = 0; i < COUNT_OF(places) && access(ours, R_OK) == 0; i++) {
		const char *other = arena_format(&r->arena, "%.*s%s/libheft-heap.so", size,
						 r->library, places[i]);
		if (access(other, R_OK) != 0)
			continue;
		r->library32 = other;
		r->preload = arena_format(&r->arena, "%.*sheft/$LIB/libheft-heap.so", size,
					  r->library);
		return;
	}
}

static bool choose_library(struct heft_recorder *r, struct heft_err *err)
{
	const bool own = r->library == NULL;
	const char *found = own ? recorder_find_library(&r->arena) : r->library;
	if (found == NULL)
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET,
			    "libheft-heap.so was not found beside heft or in its library "
			    "folder: install the package heft-heap, or name the file "
			    "(heft heap run --recorder)");
	char *path = file_real_path(found);
	if (path == NULL)
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "%s: %s", found, strerror(errno));
	r->library = arena_copy(&r->arena, str_of(path));
	mem_free(path);
	/* These characters separate the entries of LD_PRELOAD. */
	if (strpbrk(r->library, " :") != NULL)
		return fail(
			err, HEFT_EUNSUPPORTED, HEFT_NO_OFFSET,
			"%s: the dynamic linker loads no file with a space or colon in its path",
			r->library);
	r->preload = r->library;
	if (own)
		choose_both(r);
	return true;
}

/* Escapes a name, so that the pattern matches exactly this name. */
static const char *literal(struct arena *a, const char *name)
{
	char *to = arena_new(a, char, 2 * strlen(name) + 1);
	size_t n = 0;
	for (; *name != '\0'; name++) {
		if (*name == '%')
			to[n++] = '%';
		to[n++] = *name;
	}
	to[n] = '\0';
	return to;
}

/* Makes the files' pattern absolute, because the program may change its folder. Ensures that each
 * process has its own file. */
static bool choose_output(struct heft_recorder *r, struct heft_err *err)
{
	/* Limit in bytes of a pattern in the recorder. Longer patterns fail. */
	enum { MOST = 1000 };
	const char *p = r->pattern != NULL ? r->pattern : "heft-heap.%p";
	const char *more = strstr(p, "%p") == NULL ? ".%p" : "";
	struct stat is;
	if (stat(p, &is) == 0 && !S_ISREG(is.st_mode) && !S_ISDIR(is.st_mode))
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "%s: is no regular file", p);
	char *cwd = p[0] == '/' ? NULL : file_real_path(".");
	if (p[0] != '/' && cwd == NULL)
		return fail_sys(err, ".");
	r->output = arena_format(&r->arena, "%s%s%s%s", cwd != NULL ? literal(&r->arena, cwd) : "",
				 cwd != NULL ? "/" : "", p, more);
	char *dir = arena_format(&r->arena, "%s%s%s", cwd != NULL ? cwd : "",
				 cwd != NULL ? "/" : "", p);
	r->single = more[0] != '\0' && strstr(p, "%n") == NULL ? arena_copy(&r->arena, str_of(dir))
							       : NULL;
	*(strrchr(dir, '/') + 1) = '\0';
	r->dir = dir;
	mem_free(cwd);
	if (access(dir, W_OK | X_OK) != 0)
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "%s: %s", dir, strerror(errno));
	if (strlen(r->output) > MOST)
		return fail(err, HEFT_ELIMIT, HEFT_NO_OFFSET, "%s: is too long a name", r->output);
	return true;
}

/* Checks the signal: a name the recorder knows, or the number of a signal that can be caught. */
static bool check_signal(const struct heft_recorder *r, struct heft_err *err)
{
	static const char *const known[] = { "HUP",  "INT",  "QUIT",  "USR1", "USR2",
					     "ALRM", "PROF", "WINCH", "IO" };
	const char *name = r->signal;
	char *end;
	if (name == NULL)
		return true;
	name += strncmp(name, "SIG", 3) == 0 ? 3 : 0;
	for (size_t i = 0; i < COUNT_OF(known); i++)
		if (strcmp(name, known[i]) == 0)
			return true;
	const unsigned long n = strtoul(r->signal, &end, 10);
	sigset_t all;
	sigemptyset(&all);
	const bool number = r->signal[0] >= '1' && r->signal[0] <= '9' && *end == '\0';
	if (number && n <= INT_MAX && n != SIGKILL && n != SIGSTOP && sigaddset(&all, (int)n) == 0)
		return true;
	return fail(err, HEFT_EARG, HEFT_NO_OFFSET,
		    "'%s' is no signal that a program can take: USR2, SIGUSR2 or a number",
		    r->signal);
}

typedef VEC(char *) environment;

static void recorder_set(struct heft_recorder *r, environment *e, const char *name,
			 const char *value)
{
	vec_push(e, (char *)(uintptr_t)arena_format(&r->arena, "%s=%s", name, value));
}

static void set_number(struct heft_recorder *r, environment *e, const char *name, int64_t value)
{
	char text[24];
	snprintf(text, sizeof text, "%" PRId64, value);
	if (value != 0)
		recorder_set(r, e, name, text);
}

/* True if `variable` ("NAME=VALUE") sets HEFT_HEAP, or what one of the first `given` elements
 * sets. */
static bool is_replaced(const environment *e, size_t given, const char *variable)
{
	const size_t size = strcspn(variable, "=");
	if (size == strlen("HEFT_HEAP") && strncmp(variable, "HEFT_HEAP", size) == 0)
		return true;
	for (size_t i = 0; i < given; i++)
		if (strncmp(e->data[i], variable, size + 1) == 0)
			return true;
	return false;
}

/* Makes the environment of the program. Options that are not set keep the caller's value. The
 * vector ends with NULL. */
static void make_environment(struct heft_recorder *r, environment *e, const char *keeper)
{
	const uint64_t *v = r->values;
	const char *preload = getenv("LD_PRELOAD");
	/* The recorder comes before other allocators, so that it records them. */
	if (preload != NULL && *preload != '\0')
		recorder_set(r, e, "LD_PRELOAD",
			     arena_format(&r->arena, "%s:%s", r->preload, preload));
	else
		recorder_set(r, e, "LD_PRELOAD", r->preload);
	recorder_set(r, e, "HEFT_HEAP_OUT", r->output);
	set_number(r, e, "HEFT_HEAP_DEPTH", (int64_t)v[HEFT_RECORD_DEPTH]);
	set_number(r, e, "HEFT_HEAP_SAMPLE", (int64_t)v[HEFT_RECORD_SAMPLE]);
	set_number(r, e, "HEFT_HEAP_WIDE", v[HEFT_RECORD_WIDE] != 0);
	set_number(r, e, "HEFT_HEAP_CANARY", v[HEFT_RECORD_CANARY] != 0);
	if (v[HEFT_RECORD_INLINE] != 0)
		recorder_set(r, e, "HEFT_HEAP_STACKS", "inline");
	if (v[HEFT_RECORD_FRAME_POINTERS] != 0)
		recorder_set(r, e, "HEFT_HEAP_UNWIND", "fp");
	/* The child's pid is unknown, so the negated pid of its parent, heft, is passed. */
	set_number(r, e, "HEFT_HEAP_ONLY", v[HEFT_RECORD_NO_CHILDREN] != 0 ? -getpid() : 0);
	if (r->signal != NULL)
		recorder_set(r, e, "HEFT_HEAP_SIGNAL", r->signal);
	recorder_set(r, e, "HEFT_HEAP_KEEPER", keeper);
	set_number(r, e, "HEFT_HEAP_MEMORY", v[HEFT_RECORD_MEMORY] != 0);
	if (r->tick != NULL)
		recorder_set(r, e, RUN_MARK, r->mark);
	const size_t given = e->count;
	for (char **p = environ; *p != NULL; p++)
		if (!is_replaced(e, given, *p))
			vec_push(e, *p);
	vec_push(e, NULL);
}

/* Opens a file of the recorder, and fills *f. With HEAP_INLINE, stacks are in the blocks, so the
 * file counts as not empty. */
static void file_look_into(struct heft_recorder *r, struct heft_recorder_file *f)
{
	const struct dump_wish nothing = { 0 };
	struct heft_err err;
	struct dump d;
	struct records records;
	f->empty = true;
	f->beside = "";
	if (!dump_open(&d, f->path, &nothing, NULL, &err))
		return;
	records_read(&records, &d, NULL);
	f->memory = d.kind == DUMP_CORE;
	f->empty = records.stacks.count == 0 && !(records.process.flags & HEAP_INLINE);
	f->beside = arena_copy(&r->arena, str_of(records.beside));
	records_release(&records);
	dump_close(&d);
}

COMPARISON(by_path, struct heft_recorder_file, strcmp(a->path, b->path))

static bool recorder_is_before(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec : a->tv_nsec < b->tv_nsec;
}

/* Counts a process that left an empty file: it still runs, or it ended without the recorder.
 * Causes: a signal, a direct system call, or an exec of a program that is not recorded. */
static void announced_count(const struct heft_recorder_file *f, struct heft_recorder_end *end)
{
	const bool own = f->pid == end->pid;
	if (!own && (kill((pid_t)f->pid, 0) == 0 || errno == EPERM)) {
		end->others_running++;
		return;
	}
	unlink(f->path);
	end->lost |= own;
	end->others_lost += !own;
}

/* Renames the program's own file from "NAME.PID" to the name that the user asked for. */
static void name_own(struct heft_recorder *r, uint32_t own)
{
	const char *number = arena_format(&r->arena, ".%" PRIu32, own);
	for (size_t i = 0; r->single != NULL && i < r->files.count; i++) {
		struct heft_recorder_file *f = &r->files.data[i];
		const size_t size = strlen(f->path), tail = strlen(number);
		/* Numbered snapshots keep their names, so only "NAME.PID" is renamed. */
		if (f->pid == own && size == strlen(r->single) + tail &&
		    strcmp(f->path + size - tail, number) == 0 && rename(f->path, r->single) == 0)
			f->path = r->single;
	}
}

/* Lists the pattern's files written since `start`. Counts processes whose file is empty. */
static bool find_files(struct heft_recorder *r, const struct timespec *start,
		       struct heft_recorder_end *end, struct heft_err *err)
{
	const char *pattern = strrchr(r->output, '/') + 1;
	DIR *d = opendir(r->dir);
	const struct dirent *e;
	r->files.count = 0;
	if (d == NULL)
		return fail_sys(err, "%s", r->dir);
	while ((e = readdir(d)) != NULL) {
		struct heft_recorder_file f = { 0 };
		struct stat st;
		if (!output_matches(pattern, e->d_name, &f.pid))
			continue;
		f.path = arena_format(&r->arena, "%s%s", r->dir, e->d_name);
		if (stat(f.path, &st) != 0 || recorder_is_before(&st.st_mtim, start))
			continue;
		if (st.st_size == 0) {
			announced_count(&f, end);
			continue;
		}
		file_look_into(r, &f);
		vec_push(&r->files, f);
	}
	closedir(d);
	name_own(r, end->pid);
	vec_sort_by(&r->files, by_path);
	return true;
}

static void recorder_tick(void *ctx, uint32_t pid)
{
	struct heft_recorder *r = ctx;
	if (r->stopped)
		return;
	r->stopped = !r->tick(r->tick_ctx, pid) ||
		     (r->values[HEFT_RECORD_NO_CHILDREN] == 0 &&
		      !run_processes(r->mark, pid, r->tick, r->tick_ctx));
}

bool recorder_run(struct heft_recorder *r, char *const *argv, struct heft_recorder_end *ret,
		  struct heft_err *err)
{
	struct timespec start;
	const char *path;
	if (!check_signal(r, err) || !program_find(argv[0], &r->arena, &path, err) ||
	    !choose_library(r, err) || !choose_output(r, err) ||
	    !program_check(path, argv, (const char *[]){ r->library, r->library32 }, err))
		return false;
	/* File systems take their times from this coarse clock. */
#ifdef CLOCK_REALTIME_COARSE
	clock_gettime(CLOCK_REALTIME_COARSE, &start);
#else
	clock_gettime(CLOCK_REALTIME, &start);
#endif
	environment e = { 0 };
	struct keeper k;
	struct child c = { .ready = keeper_serve,
			   .ctx = &k,
			   .tick = recorder_tick,
			   .tick_ctx = r,
			   .every_ms = r->tick ? r->every_ms : 0 };
	int status = 0;
	if (!keeper_open(&k, r->output, r->dir, err))
		return false;
	c.fd = k.fd;
	r->stopped = false;
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	r->mark = arena_format(&r->arena, "%ld-%lld-%ld", (long)getpid(), (long long)now.tv_sec,
			       now.tv_nsec);
	make_environment(r, &e, k.name);
	const bool ran = child_start(&c, path, argv, e.data, err) && child_wait(&c, &status, err);
	keeper_close(&k);
	vec_release(&e);
	if (!ran)
		return false;
	*ret = (struct heft_recorder_end){
		.pid = (uint32_t)c.pid,
		.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0,
		.status = WIFSIGNALED(status) ? 0 : WEXITSTATUS(status),
	};
	return find_files(r, &start, ret, err);
}
