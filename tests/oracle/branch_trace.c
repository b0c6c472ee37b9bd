/* Runs a program instruction by instruction and writes what a processor that records branches would
 * have given perf: usage branch_trace PROGRAM PERF_DATA COUNTS EVERY
 *
 * A sample is taken each EVERY branches, with the last 32 of them.  COUNTS gets a line for each
 * basic block with bytes: its address and how often it ran, in decimal.  The program must be static
 * and have a map of its blocks; x86-64. */
#include "../lib/perfmake.h"
#include "code/x86.h"
#include "image/elf/elf_const.h"
#include "image/input.h"
#include "blocks/blockmap.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STACK = 32 };

struct trace {
	pid_t pid;
	uint64_t load; /* run-time addresses are so much more than the file's */
	const struct image *im;
	const struct blockmap *map;
	struct bbindex index;
	uint64_t *counts;
	struct perf_branch recent[STACK]; /* a ring */
	uint64_t branches, every, steps;
	struct perfmake out;
};

static void die(const char *what)
{
	perror(what);
	exit(2);
}

static pid_t start(const char *path)
{
	const pid_t pid = fork();
	if (pid < 0)
		die("fork");
	if (pid == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		execl(path, path, (char *)NULL);
		_exit(127);
	}
	int status;
	if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
		die(path);
	return pid;
}

/* Tells of the program's code, and where it is. */
static void read_maps(struct trace *t, const char *path)
{
	char name[64], line[512];
	snprintf(name, sizeof name, "/proc/%d/maps", (int)t->pid);
	FILE *f = fopen(name, "r");
	if (f == NULL)
		die(name);
	while (fgets(line, sizeof line, f) != NULL) {
		unsigned long addr, end, off;
		char rights[8], file[256] = "";
		if (sscanf(line, "%lx-%lx %7s %lx %*s %*s %255s", &addr, &end, rights, &off, file) <
			    4 ||
		    strchr(rights, 'x') == NULL || strcmp(file, path) != 0)
			continue;
		perfmake_map(&t->out, &(struct perfmake_map){ (uint32_t)t->pid, 2, addr, end - addr,
							      off, path, t->im->build_id });
		for (size_t i = 0; i < t->im->segment_count; i++) {
			const struct segment *s = &t->im->segments[i];
			if (s->type == PT_LOAD && s->exec)
				t->load = addr - off + s->off - s->addr;
		}
	}
	fclose(f);
}

static uint64_t place(const struct trace *t)
{
	errno = 0;
	const long rip = ptrace(PTRACE_PEEKUSER, t->pid,
				(void *)offsetof(struct user_regs_struct, rip), NULL);
	if (errno != 0)
		die("ptrace");
	return (uint64_t)rip;
}

static struct x86_insn insn_at(const struct trace *t, uint64_t rip)
{
	const struct bytes code = image_at(t->im, rip - t->load, X86_MAX_LEN);
	struct x86_insn insn;
	if (!x86_decode(code.p, (size_t)code.size, true, &insn)) {
		fprintf(stderr, "no instruction at %lx\n", (unsigned long)rip);
		exit(2);
	}
	return insn;
}

/* A jump is taken even where it leads to the next instruction; a repeated instruction stays. */
static bool is_taken(const struct x86_insn *insn, uint64_t from, uint64_t to)
{
	switch (insn->flow) {
	case X86_JMP:
	case X86_JMP_INDIRECT:
	case X86_CALL:
	case X86_CALL_INDIRECT:
	case X86_RET: return true;
	default: return to != from + insn->len && to != from;
	}
}

static void count_block(struct trace *t, uint64_t rip)
{
	const uint64_t addr = rip - t->load;
	const uint32_t i = bbindex_find(&t->index, addr);
	if (i != BBINDEX_NONE &&
	    blockmap_range_of(t->map, i)->addr + t->map->blocks.data[i].off == addr)
		t->counts[i]++;
}

static void put_sample(struct trace *t, uint64_t rip)
{
	struct perf_branch stack[STACK];
	for (uint64_t i = 0; i < STACK; i++)
		stack[i] = t->recent[(t->branches - 1 - i) % STACK];
	perfmake_sample(&t->out, (uint32_t)t->pid, 10 + t->steps, rip, stack, STACK);
}

static void take_branch(struct trace *t, uint64_t from, uint64_t to)
{
	t->recent[t->branches++ % STACK] = (struct perf_branch){ from, to, false };
	if (t->branches >= STACK && (t->branches - STACK) % t->every == 0)
		put_sample(t, to);
}

static void run(struct trace *t)
{
	uint64_t rip = place(t);
	int status;
	for (;; t->steps++) {
		const struct x86_insn insn = insn_at(t, rip);
		count_block(t, rip);
		if (ptrace(PTRACE_SINGLESTEP, t->pid, NULL, NULL) != 0 ||
		    waitpid(t->pid, &status, 0) != t->pid)
			die("ptrace");
		if (!WIFSTOPPED(status))
			return;
		const uint64_t next = place(t);
		if (is_taken(&insn, rip, next))
			take_branch(t, rip, next);
		rip = next;
	}
}

static void write_counts(const struct trace *t, const char *path)
{
	FILE *f = fopen(path, "w");
	if (f == NULL)
		die(path);
	for (uint64_t i = 0; i < t->map->blocks.count; i++)
		if (t->map->blocks.data[i].size > 0)
			fprintf(f, "%lu %lu\n",
				(unsigned long)(blockmap_range_of(t->map, i)->addr +
						t->map->blocks.data[i].off),
				(unsigned long)t->counts[i]);
	fclose(f);
}

static void write_perf(struct trace *t, const char *path)
{
	FILE *f = fopen(path, "wb");
	if (f == NULL)
		die(path);
	const struct bytes file = perfmake_finish(&t->out);
	if (fwrite(file.p, 1, file.size, f) != file.size || fclose(f) != 0)
		die(path);
	mem_free((void *)(uintptr_t)file.p);
}

int main(int argc, char **argv)
{
	struct input in;
	struct blockmap map;
	struct trace t = { 0 };
	if (argc != 5 || !input_open(&in, argv[1], USE_SIZE, NULL, NULL)) {
		fprintf(stderr, "usage: branch_trace PROGRAM PERF_DATA COUNTS EVERY\n");
		return 2;
	}
	blockmap_read(&map, &in.images[0], NULL, NULL);
	blockmap_index(&map, &t.index);
	t.im = &in.images[0];
	t.map = &map;
	t.every = strtoul(argv[4], NULL, 10);
	t.counts = mem_zeroed(map.blocks.count + 1, sizeof *t.counts);
	t.out = perfmake_begin(false, PERFMAKE_BRANCHES | PERFMAKE_HW_INDEX);
	t.pid = start(argv[1]);
	perfmake_exec(&t.out, (uint32_t)t.pid, 1, "walker");
	read_maps(&t, argv[1]);
	run(&t);
	write_counts(&t, argv[3]);
	write_perf(&t, argv[2]);
	printf("%lu instructions, %lu branches\n", (unsigned long)t.steps,
	       (unsigned long)t.branches);
	mem_free(t.counts);
	bbindex_release(&t.index);
	blockmap_release(&map);
	input_close(&in);
	return 0;
}
