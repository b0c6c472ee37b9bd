/* verify.c - linked into a recorder of its own: holds its stacks against libgcc's unwinder, which
 * programs use for their exceptions.  One allocation in HEFT_VERIFY_EACH (101) is compared.
 *
 * At the end a line goes to the file HEFT_VERIFY_OUT: "checked N different N frames N deepest N",
 * with what differed in front of it. */
#include "recorder.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <unwind.h>

enum { DEPTH = 4096, SHOWN = 3 };

struct trace {
	uintptr_t pcs[DEPTH];
	size_t count;
};

static _Unwind_Reason_Code (*backtrace_all)(_Unwind_Trace_Fn, void *);
static uintptr_t (*ip_of)(struct _Unwind_Context *, int *);
static _Atomic(uint64_t) calls, checked, different, frames, deepest, shown;
static uint64_t each = 101;
static char out[512];

__attribute__((constructor)) static void verify_start(void)
{
	const char *name = getenv("HEFT_VERIFY_OUT"), *n = getenv("HEFT_VERIFY_EACH");
	if (name == NULL)
		return;
	snprintf(out, sizeof out, "%s", name);
	if (n != NULL)
		each = strtoull(n, NULL, 10);
	/* By handle: another library may export the same names. */
	void *gcc = dlopen("libgcc_s.so.1", RTLD_NOW);
	if (gcc == NULL)
		return;
	void *p = dlsym(gcc, "_Unwind_GetIPInfo");
	memcpy(&ip_of, &p, sizeof p);
	p = dlsym(gcc, "_Unwind_Backtrace");
	memcpy(&backtrace_all, &p, sizeof p);
}

static _Unwind_Reason_Code keep(struct _Unwind_Context *c, void *ctx)
{
	struct trace *t = ctx;
	int before = 0;
	const uintptr_t ip = ip_of(c, &before);
	if (t->count == DEPTH)
		return _URC_END_OF_STACK;
	if (ip != 0)
		t->pcs[t->count++] = ip + (before != 0);
	return _URC_NO_REASON;
}

static void say(const char *fmt, const char *text, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	char line[400];
	const int n = snprintf(line, sizeof line, fmt, text, a, b, c, d);
	const int fd = open(out, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	if (fd >= 0) {
		if (write(fd, line, (size_t)n) < 0)
			different++;
		close(fd);
	}
}

/* The frames of a stack as they are kept, innermost first. */
static void load(struct trace *t, uint32_t id)
{
	uint32_t slot;
	t->count = 0;
	for (uint32_t node = id != 0 ? stack_get(id, &slot)->node : 0;
	     node != 0 && t->count < DEPTH; node = node_get(node)->parent)
		t->pcs[t->count++] = (uintptr_t)node_get(node)->frame;
}

static void show(const struct trace *kept, const struct trace *t, size_t skip)
{
	if (shown++ >= SHOWN)
		return;
	const size_t theirs = t->count - skip, ours = kept->count;
	for (size_t i = 0; i < theirs || i < ours; i++) {
		const uintptr_t a = i < ours ? kept->pcs[i] : 0;
		const uintptr_t b = i < theirs ? t->pcs[skip + i] : 0;
		if (a == b && i > 2)
			continue;
		Dl_info at = { 0 };
		dladdr((void *)(a != 0 ? a : b), &at);
		say("%s: frame %lu ours %lx theirs %lx (depth %lu)\n",
		    at.dli_sname != NULL   ? at.dli_sname
		    : at.dli_fname != NULL ? at.dli_fname
					   : "?",
		    i, a, b, theirs);
		if (a != b && i > 2)
			break;
	}
}

void verify_stack(uint32_t id)
{
	static __thread struct trace t, kept __attribute__((tls_model("initial-exec")));
	if (backtrace_all == NULL || calls++ % each != 0)
		return;
	load(&kept, id);
	t.count = 0;
	backtrace_all(keep, &t);
	size_t skip = 0;
	while (skip < t.count && kept.count > 0 && t.pcs[skip] != kept.pcs[0])
		skip++;
	const size_t theirs = t.count - skip, ours = kept.count;
	bool same = theirs == ours;
	for (size_t i = 0; same && i < ours; i++)
		same = kept.pcs[i] == t.pcs[skip + i];
	checked++;
	frames += ours;
	if (ours > deepest)
		deepest = ours;
	if (!same) {
		different++;
		show(&kept, &t, skip);
	}
}

__attribute__((destructor)) static void verify_end(void)
{
	if (out[0] != 0)
		say("%schecked %lu different %lu frames %lu deepest %lu\n", "", checked, different,
		    frames, deepest);
}
