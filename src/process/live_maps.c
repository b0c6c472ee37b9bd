/* live_maps.c - finds the mappings of a process, and the pages to copy. */
#define _GNU_SOURCE
#include "process/live_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Arguments of PAGEMAP_SCAN: ranges of pages by category. Linux 6.7, <linux/fs.h>. */
struct live_maps_page_region {
	uint64_t start, end, categories;
};
struct pm_scan_arg {
	uint64_t size, flags, start, end, walk_end, vec, vec_len, max_pages;
	uint64_t category_inverted, category_mask, category_anyof_mask, return_mask;
};
#ifndef PAGEMAP_SCAN
#define PAGEMAP_SCAN _IOWR('f', 16, struct pm_scan_arg)
#endif
enum { IS_FILE = 1 << 2, IS_PRESENT = 1 << 3, IS_SWAPPED = 1 << 4, IS_ZERO = 1 << 5 };

enum { REGIONS = 512, ENTRIES = 8192 };
/* Most untouched bytes inside a piece (a program header of the core). They become zeros. A longer
 * gap ends the piece. */
enum { GAP_MAX = 1 << 20 };
/* Untouched bytes that a piece keeps after its last touched page. A structure that begins on this
 * page, such as a page of the recorder, is then whole. */
enum { TAIL_MAX = 1 << 16 };

/* Selects the pages of an area to copy. */
enum pages {
	PAGES_NONE,
	PAGES_FIRST,   /* Copy the first page, and pages that the process changed */
	PAGES_TOUCHED, /* Copy touched pages. Others become zeros */
	PAGES_ALL,
};

struct live_maps_scan {
	struct live_plan *plan;
	const struct live_area *area;
	enum pages pages;
	int fd;      /* Open file /proc/PID/pagemap. */
	uint64_t at; /* The pages of [area.start, at) are already listed */
};

char *live_read_file(uint32_t pid, const char *name, size_t *ret_size, struct heft_err *err)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%" PRIu32 "/%s", pid, name);
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	VEC(char) v = { 0 };
	ssize_t n = fd < 0 ? -1 : 1;
	while (n > 0) {
		vec_reserve(&v, 65536);
		n = read(fd, v.data + v.count, v.cap - v.count - 1);
		v.count += n > 0 ? (size_t)n : 0;
	}
	if (n < 0) {
		fail_sys(err, "%s", path);
		vec_release(&v);
		v.data = NULL;
	} else {
		v.data[v.count] = '\0';
		*ret_size = v.count;
	}
	if (fd >= 0)
		close(fd);
	return v.data;
}

/* Parses "start-end rwxp offset device inode path". False if the line has another form. */
static bool parse_area(struct live_area *a, char *line, struct arena *arena)
{
	char *at;
	a->start = strtoull(line, &at, 16);
	if (*at++ != '-')
		return false;
	a->end = strtoull(at, &at, 16);
	if (*at++ != ' ' || strlen(at) < 5 || a->end <= a->start)
		return false;
	a->read = at[0] == 'r';
	a->write = at[1] == 'w';
	a->exec = at[2] == 'x';
	a->shared = at[3] == 's';
	a->off = strtoull(at + 4, &at, 16);
	for (int i = 0; i < 2; i++) { /* Skips device and inode. */
		at += strspn(at, " ");
		at += strcspn(at, " ");
	}
	a->path = arena_copy(arena, str_of(at + strspn(at, " ")));
	return true;
}

static bool read_areas(struct live_plan *p, uint32_t pid, struct heft_err *err)
{
	size_t size;
	char *text = live_read_file(pid, "maps", &size, err), *at = text;
	if (text == NULL)
		return false;
	while (*at != '\0') {
		struct live_area a = { 0 };
		char *end = at + strcspn(at, "\n");
		const bool last = *end == '\0';
		*end = '\0';
		if (parse_area(&a, at, &p->arena))
			vec_push(&p->areas, a);
		at = end + !last;
	}
	mem_free(text);
	return p->areas.count > 0 || fail(err, HEFT_EFORMAT, HEFT_NO_OFFSET,
					  "process %" PRIu32 ": has no memory of its own", pid);
}

static enum pages live_maps_choose(const struct live_area *a, bool full)
{
	const bool file = a->path[0] == '/';
	/* True for device files. Reading the memory of a device may have side effects. */
	const bool device = strncmp(a->path, "/dev/", 5) == 0 &&
			    strncmp(a->path, "/dev/zero", 9) != 0 &&
			    strncmp(a->path, "/dev/shm/", 9) != 0;
	if (!a->read || device || strncmp(a->path, "[vvar", 5) == 0 ||
	    strcmp(a->path, "[vsyscall]") == 0)
		return PAGES_NONE;
	if (strcmp(a->path, "[vdso]") == 0)
		return PAGES_ALL;
	if (a->shared)
		return full ? PAGES_ALL : PAGES_NONE;
	if (!file)
		return PAGES_TOUCHED;
	return full || a->write ? PAGES_ALL : PAGES_FIRST;
}

static void live_maps_add_piece(struct live_maps_scan *s, uint64_t end, bool kept)
{
	ASSERT(end % LIVE_PAGE == 0);
	const struct live_area *a = s->area;
	if (end > s->at)
		vec_push(&s->plan->pieces, (struct live_piece){ s->at, end - s->at, 0, kept,
								a->read, a->write, a->exec });
	s->at = end > s->at ? end : s->at;
}

/* Skips the pages until `end`, which need no copy. If only touched pages are copied, the piece
 * before the skipped pages still gets up to TAIL_MAX of their bytes. */
static void live_maps_skip(struct live_maps_scan *s, uint64_t end)
{
	struct live_piece *last = vec_last(&s->plan->pieces);
	if (s->pages == PAGES_TOUCHED && last != NULL && last->kept && s->at > s->area->start) {
		const uint64_t tail = min_u64(end - s->at, TAIL_MAX);
		last->size += tail;
		s->at += tail;
	}
	live_maps_add_piece(s, end, false);
}

/* Adds pages to copy. The addresses of successive calls ascend. */
static void add_pages(struct live_maps_scan *s, uint64_t start, uint64_t end)
{
	const uint64_t gap_max = s->pages == PAGES_TOUCHED ? GAP_MAX : 0;
	struct live_plan *p = s->plan;
	struct live_piece *last = vec_last(&p->pieces);
	start = max_u64(start, s->at);
	if (start >= end)
		return;
	if (last != NULL && last->kept && s->at > s->area->start && start - s->at <= gap_max) {
		last->size += end - s->at;
		s->at = end;
	} else {
		if (start - s->at > gap_max)
			live_maps_skip(s, start);
		live_maps_add_piece(s, end, true);
	}
	p->bytes += end - start;
	for (; start < end; start += SLICE_MAX)
		vec_push(&p->slices, (struct live_slice){ start, min_u64(SLICE_MAX, end - start),
							  p->pieces.count - 1 });
}

/* Adds pages that were touched and are the process's own. Skips the kernel's shared zero page. */
static void add_by_category(struct live_maps_scan *s, uint64_t start, uint64_t end,
			    uint64_t categories)
{
	if ((categories & (IS_PRESENT | IS_SWAPPED)) != 0 && (categories & IS_ZERO) == 0 &&
	    (s->pages == PAGES_TOUCHED || (categories & IS_FILE) == 0))
		add_pages(s, start, end);
}

/* Adds the pages of an area with PAGEMAP_SCAN. False if the kernel does not have this call. */
static bool scan_ranges(struct live_maps_scan *s)
{
	struct live_maps_page_region regions[REGIONS];
	struct pm_scan_arg arg = {
		.size = sizeof arg,
		.start = s->area->start,
		.end = s->area->end,
		.vec = (uintptr_t)regions,
		.vec_len = REGIONS,
		.category_anyof_mask = IS_PRESENT | IS_SWAPPED,
		.return_mask = IS_FILE | IS_PRESENT | IS_SWAPPED | IS_ZERO,
	};
	while (arg.start < arg.end) {
		const int n = ioctl(s->fd, PAGEMAP_SCAN, &arg);
		if (n < 0)
			return false;
		for (int i = 0; i < n; i++)
			add_by_category(s, regions[i].start, regions[i].end, regions[i].categories);
		if (arg.walk_end <= arg.start)
			return true;
		arg.start = arg.walk_end;
	}
	return true;
}

/* Adds the pages of an area by pagemap. pagemap has a word per page: bit 63 present, 62 swapped, 61
 * file or shared (proc(5)). If pagemap cannot be read, all pages count as touched. */
static void live_maps_scan_words(struct live_maps_scan *s)
{
	static const uint64_t present = UINT64_C(3) << 62, file = UINT64_C(1) << 61;
	uint64_t words[ENTRIES];
	for (uint64_t at = s->area->start; at < s->area->end;) {
		const uint64_t pages = min_u64(ENTRIES, (s->area->end - at) / LIVE_PAGE);
		const ssize_t n = pread(s->fd, words, pages * 8, (off_t)(at / LIVE_PAGE * 8));
		if (n < 8) {
			add_pages(s, at, s->area->end);
			return;
		}
		for (size_t i = 0; i < (size_t)n / 8; i++, at += LIVE_PAGE)
			if ((words[i] & present) != 0)
				add_by_category(s, at, at + LIVE_PAGE,
						IS_PRESENT |
							((words[i] & file) != 0 ? IS_FILE : 0));
	}
}

static void plan_area(struct live_maps_scan *s, bool full)
{
	const struct live_area *a = s->area;
	s->pages = live_maps_choose(a, full);
	s->at = a->start;
	if (s->pages == PAGES_ALL)
		add_pages(s, a->start, a->end);
	if (s->pages == PAGES_FIRST && a->off == 0)
		add_pages(s, a->start, a->start + LIVE_PAGE);
	if (s->pages == PAGES_FIRST || s->pages == PAGES_TOUCHED)
		if (!scan_ranges(s))
			live_maps_scan_words(s);
	live_maps_skip(s, a->end);
}

bool live_plan_make(struct live_plan *p, uint32_t pid, bool full, struct heft_err *err)
{
	char path[64];
	*p = (struct live_plan){ 0 };
	snprintf(path, sizeof path, "/proc/%" PRIu32 "/pagemap", pid);
	struct live_maps_scan s = { .plan = p, .fd = open(path, O_RDONLY | O_CLOEXEC) };
	bool good = s.fd >= 0;
	if (!good && (errno == EACCES || errno == EPERM))
		live_denied(pid, "to look at it", err);
	else
		good = good ? read_areas(p, pid, err) : fail_sys(err, "%s", path);
	for (size_t i = 0; good && i < p->areas.count; i++) {
		s.area = &p->areas.data[i];
		plan_area(&s, full);
	}
	if (s.fd >= 0)
		close(s.fd);
	if (!good)
		live_plan_release(p);
	return good;
}

void live_plan_release(struct live_plan *p)
{
	vec_release_all(&p->areas, &p->pieces, &p->slices);
	arena_release(&p->arena);
}
