/* prop.c - random ELF files, and damaged real ones, held against what must hold for any file.
 *
 *     prop [--seed N] [--count N | --seconds N] [--keep FOLDER] random
 *     prop [--seed N] [--count N | --seconds N] [--keep FOLDER] mutate FILE...
 *     prop check FILE...
 *     prop [--seed N] make FILE           the random file of a seed
 *
 * Every file is measured in a child process, so that a crash, a hang (more than 5 s of processor
 * time; 30 s under a sanitizer) or memory without bound (2 GiB) is a finding like any other; what
 * was found is kept in FOLDER under the name of its seed.  Exit status 1 if anything was found, or
 * if not even every tenth file could be measured. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "check.h"
#include "generate.h"
#include "mutate.h"

#include "../lib/time_limit.h"

#include "base/file.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

enum {
	SECONDS_MAX = SANITIZED ? 30 : 5,
	MEMORY_MAX_MIB = 2048,
	FOUND = 9,  /* exit status of a child whose check failed */
	BATCH = 50, /* files a child measures */
};

enum mode { MODE_RANDOM, MODE_MUTATE, MODE_CHECK };

/* What the children tell the parent; shared memory. */
struct shared {
	uint64_t next; /* number of the file at work */
	uint64_t fine, refused;
	char why[1000];
};

struct job {
	enum mode mode;
	uint64_t seed, count;
	time_t deadline; /* 0 = none */
	const char *keep;
	char *const *files;
	size_t file_count;
	struct shared *shared;
	char path[64]; /* the file at work */
};

static bool write_file(const char *path, struct bytes b)
{
	FILE *f = fopen(path, "wb");
	if (!f)
		return false;
	const bool ok = fwrite(b.p, 1, b.size, f) == b.size;
	return fclose(f) == 0 && ok;
}

static void limit_resources(void)
{
	const struct rlimit core = { 0, 0 };
	const struct rlimit memory = { (rlim_t)MEMORY_MAX_MIB << 20, (rlim_t)MEMORY_MAX_MIB << 20 };
	setrlimit(RLIMIT_CORE, &core);
	if (!SANITIZED)
		setrlimit(RLIMIT_AS, &memory);
	signal(SIGALRM, SIG_DFL);
	signal(SIGPROF, SIG_DFL);
}

/* A sanitizer's address space knows no bounds, so the peak is looked at. */
static bool took_too_much(void)
{
	struct rusage u;
	getrusage(RUSAGE_SELF, &u);
	return u.ru_maxrss > (long)MEMORY_MAX_MIB << 10;
}

static struct bytes make(const struct job *j, struct rng *r)
{
	if (j->mode == MODE_RANDOM && rng_once_in(r, 8))
		return generate_core(r);
	if (j->mode == MODE_RANDOM)
		return rng_once_in(r, 6) ? generate_archive(r) : generate_image(r);
	struct file f;
	struct heft_err err;
	const char *path = j->files[rng_below(r, j->file_count)];
	if (!file_open(&f, path, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return (struct bytes){ NULL, 0 };
	}
	const struct bytes b = mutate(r, f.bytes);
	file_close(&f);
	return b;
}

/* The section table's order is nobody's size. */
static bool check_shuffled(const struct job *j, struct rng *r, char *why, size_t size)
{
	static const char *const sources[] = { "sections", "rawsymbols", "segments" };
	const struct shuffled pair = generate_shuffled(r);
	const char *source = sources[rng_below(r, COUNT_OF(sources))];
	write_file(j->path, pair.a);
	char *a = check_csv(j->path, source);
	write_file(j->path, pair.b);
	char *b = check_csv(j->path, source);
	const bool same = a && b && strcmp(a, b) == 0;
	if (!same)
		snprintf(why, size, "the order of the sections changes -d %s", source);
	mem_free(a);
	mem_free(b);
	mem_free((void *)(uintptr_t)pair.a.p);
	mem_free((void *)(uintptr_t)pair.b.p);
	return same;
}

/* Measures file number i; in a child process. */
static void measure(const struct job *j, uint64_t i)
{
	struct shared *s = j->shared;
	struct rng r = { j->seed + i };
	rng_next(&r);
	if (j->mode == MODE_RANDOM && rng_once_in(&r, 40)) {
		if (!check_shuffled(j, &r, s->why, sizeof s->why))
			_exit(FOUND);
		s->fine++;
		return;
	}
	const char *path = j->mode == MODE_CHECK ? j->files[i] : j->path;
	if (j->mode != MODE_CHECK) {
		const struct bytes b = make(j, &r);
		const bool written = write_file(path, b);
		mem_free((void *)(uintptr_t)b.p);
		if (!written)
			_exit(FOUND);
	}
	const enum effort effort = j->mode == MODE_MUTATE ? EFFORT_QUICK : EFFORT_WHOLE;
	const enum verdict v = check_file(path, effort, &r, s->why, sizeof s->why);
	if (v == CHECK_BROKEN)
		_exit(FOUND);
	if (took_too_much()) {
		snprintf(s->why, sizeof s->why, "more than %d MiB of memory", MEMORY_MAX_MIB);
		_exit(FOUND);
	}
	*(v == CHECK_FINE ? &s->fine : &s->refused) += 1;
}

static bool over(const struct job *j)
{
	return j->deadline ? time(NULL) >= j->deadline : j->shared->next >= j->count;
}

static void child(const struct job *j)
{
	struct shared *s = j->shared;
	limit_resources();
	for (unsigned n = 0; n < BATCH && !over(j); n++, s->next++) {
		time_limit(SECONDS_MAX);
		measure(j, s->next);
	}
	fflush(NULL);
	_exit(0);
}

static void report(const struct job *j, int status)
{
	const uint64_t number = j->shared->next, seed = j->seed + number;
	char kept[4096] = "";
	if (j->mode == MODE_CHECK) {
		snprintf(kept, sizeof kept, "%s", j->files[number]);
	} else if (j->keep) {
		char command[8300];
		snprintf(kept, sizeof kept, "%s/%s-%" PRIu64, j->keep,
			 j->mode == MODE_RANDOM ? "random" : "mutate", seed);
		snprintf(command, sizeof command, "cp '%s' '%s'", j->path, kept);
		if (system(command) != 0)
			kept[0] = '\0';
	}
	printf("FOUND seed %" PRIu64 " %s: ", seed, kept);
	if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGPROF || WTERMSIG(status) == SIGALRM))
		printf("no answer in %d s\n", SECONDS_MAX);
	else if (WIFSIGNALED(status))
		printf("signal %d\n", WTERMSIG(status));
	else if (WEXITSTATUS(status) == FOUND)
		printf("%s\n", j->shared->why);
	else
		printf("exit status %d (see above)\n", WEXITSTATUS(status));
	fflush(stdout);
}

/* Returns how many findings there are. */
static uint64_t run(struct job *j)
{
	uint64_t found = 0;
	while (!over(j)) {
		const pid_t pid = fork();
		int status = 0;
		if (pid == 0)
			child(j);
		if (pid < 0 || waitpid(pid, &status, 0) < 0) {
			perror("fork");
			exit(2);
		}
		if (status == 0)
			continue;
		found++;
		report(j, status);
		j->shared->next++;
	}
	return found;
}

static int usage(void)
{
	fprintf(stderr, "usage: prop [--seed N] [--count N] [--seconds N] [--keep FOLDER] "
			"random | mutate FILE... | check FILE... | make FILE\n");
	return 2;
}

/* Writes the random file of j->seed. */
static int make_one(const struct job *j)
{
	struct rng r = { j->seed };
	rng_next(&r);
	rng_next(&r);
	const struct bytes b = make(j, &r);
	const bool ok = j->file_count == 1 && write_file(j->files[0], b);
	mem_free((void *)(uintptr_t)b.p);
	return ok ? 0 : 2;
}

static int options(struct job *j, int argc, char **argv)
{
	int i = 1;
	for (; i + 1 < argc && argv[i][0] == '-'; i += 2) {
		const char *value = argv[i + 1];
		if (strcmp(argv[i], "--seed") == 0)
			j->seed = strtoull(value, NULL, 0);
		else if (strcmp(argv[i], "--count") == 0)
			j->count = strtoull(value, NULL, 0);
		else if (strcmp(argv[i], "--seconds") == 0)
			j->deadline = time(NULL) + strtol(value, NULL, 0);
		else if (strcmp(argv[i], "--keep") == 0)
			j->keep = value;
		else
			return argc;
	}
	return i;
}

int main(int argc, char **argv)
{
	struct job j = { .seed = 1, .count = 1000 };
	const int i = options(&j, argc, argv);
	if (i >= argc)
		return usage();
	j.files = argv + i + 1;
	j.file_count = (size_t)(argc - i - 1);
	if (strcmp(argv[i], "make") == 0)
		return make_one(&j);
	if (strcmp(argv[i], "mutate") == 0)
		j.mode = MODE_MUTATE;
	else if (strcmp(argv[i], "check") == 0)
		j.mode = MODE_CHECK;
	else if (strcmp(argv[i], "random") != 0)
		return usage();
	if (j.mode == MODE_CHECK)
		j.count = j.file_count;
	else if ((j.mode == MODE_MUTATE) != (j.file_count > 0))
		return usage();
	j.shared = mmap(NULL, sizeof *j.shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			-1, 0);
	if (j.shared == MAP_FAILED)
		return 2;
	snprintf(j.path, sizeof j.path, "/tmp/heft-prop-%ld", (long)getpid());
	const uint64_t found = run(&j);
	unlink(j.path);
	printf("%" PRIu64 " files from seed %" PRIu64 ": %" PRIu64 " measured, %" PRIu64
	       " refused, %" PRIu64 " findings\n",
	       j.shared->next, j.seed, j.shared->fine, j.shared->refused, found);
	const uint64_t fine = j.shared->fine;
	if (j.mode != MODE_CHECK && fine * 10 < j.shared->next)
		printf("too few were measured to say anything\n");
	return found > 0 || fine == 0 || (j.mode != MODE_CHECK && fine * 10 < j.shared->next);
}
