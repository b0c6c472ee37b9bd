/* live_tables.c - copies the recorder's pages while the process runs. */
#define _GNU_SOURCE
#include "process/live_internal.h"

#include "heap/block.h"

#include <errno.h>
#include <sys/uio.h>

enum { PROBES = 512 }; /* Pages per system call. IOV_MAX is 1024 */

struct probe {
	uint32_t pid;
	VEC(uint64_t) places; /* Addresses to test. */
	VEC(uint8_t) pages;   /* Copied pages. */
	bool counters;        /* True to copy pages with counters of stacks, false to copy the other
			       * pages */
	int error;            /* Error of the last failed call */
};

static void page_copy(struct probe *p, uint64_t addr)
{
	vec_reserve(&p->pages, HEAP_PAGE_SIZE);
	const struct iovec local = { p->pages.data + p->pages.count, HEAP_PAGE_SIZE },
			   remote = { (void *)(uintptr_t)addr, HEAP_PAGE_SIZE };
	const ssize_t n = process_vm_readv((pid_t)p->pid, &local, 1, &remote, 1, 0);
	if (n < 0)
		p->error = errno;
	if (n == HEAP_PAGE_SIZE)
		p->pages.count += HEAP_PAGE_SIZE;
}

/* Reads the headers of pages at these addresses with few calls. Copies each page of the recorder
 * that is wanted now (p->counters). Skips addresses that cannot be read. */
static void live_tables_look_at(struct probe *p, const uint64_t *places, size_t count)
{
	ASSERT(count <= PROBES);
	struct heap_page heads[PROBES];
	struct iovec remote[PROBES];
	for (size_t i = 0; i < count; i++)
		remote[i] = (struct iovec){ (void *)(uintptr_t)places[i], sizeof *heads };
	for (size_t first = 0; first < count;) {
		const struct iovec local = { heads, sizeof heads };
		const ssize_t n = process_vm_readv((pid_t)p->pid, &local, 1, remote + first,
						   count - first, 0);
		if (n < 0)
			p->error = errno;
		const size_t got = n > 0 ? (size_t)n / sizeof *heads : 0;
		for (size_t i = 0; i < got; i++) {
			const struct heap_page *h = &heads[i];
			const uint64_t addr = places[first + i];
			/* Pages with counters are copied first. A stack refers to nodes, and a node
			 * to modules and threads, which all exist before it. */
			const bool counter = h->kind == HEAP_PAGE_STACKS ||
					     h->kind == HEAP_PAGE_REMOTE;
			if (h->magic == HEAP_PAGE_MAGIC + sizeof(void *) && h->self == addr &&
			    h->version == HEAP_VERSION && h->check == heap_page_check(h) &&
			    counter == p->counters)
				page_copy(p, addr);
		}
		first += got > 0 ? got : 1;
	}
}

static bool live_tables_scan(struct probe *p, bool counters, struct heft_err *err)
{
	struct live_plan plan;
	if (!live_plan_make(&plan, p->pid, false, err))
		return false;
	p->places.count = 0;
	p->counters = counters;
	/* Lists every multiple of the page size in touched memory. */
	vec_each(const struct live_slice, s, &plan.slices) {
		for (uint64_t at = align_up(s->addr, HEAP_PAGE_SIZE);
		     at >= s->addr && at < s->addr + s->size; at += HEAP_PAGE_SIZE)
			vec_push(&p->places, at);
	}
	live_plan_release(&plan);
	for (size_t i = 0; i < p->places.count; i += PROBES)
		live_tables_look_at(p, p->places.data + i, min_u64(PROBES, p->places.count - i));
	return true;
}

static bool has_pages(const struct probe *p, struct heft_err *err)
{
	if (p->pages.count > 0)
		return true;
	errno = p->error;
	if (p->error == EPERM || p->error == ESRCH)
		return live_denied(p->pid, "to read its memory", err);
	return fail(err, HEFT_EUNSUPPORTED, HEFT_NO_OFFSET,
		    "process %" PRIu32 ": nothing in it records its heap; start it with 'heft heap "
		    "run', or take a 'heft heap snapshot' of it",
		    p->pid);
}

bool live_tables(uint32_t pid, uint8_t **ret, size_t *ret_size, struct heft_err *err)
{
	struct probe p = { .pid = pid };
	const bool good = live_check_process(pid, err) && live_tables_scan(&p, true, err) &&
			  live_tables_scan(&p, false, err) && has_pages(&p, err);
	vec_release(&p.places);
	if (!good) {
		vec_release(&p.pages);
		return false;
	}
	*ret = p.pages.data;
	*ret_size = p.pages.count;
	return true;
}
