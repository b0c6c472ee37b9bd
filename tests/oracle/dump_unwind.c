/* dump_unwind.c - prints what unwind/unwind.h makes of a section, for tests/oracle/unwind.sh.
 *
 *     dump_unwind frames 4|8 le|be FILE SECTION [FIXUPS]   entries of .eh_frame
 *     dump_unwind debug  4|8 le|be FILE SECTION            entries of .debug_frame
 *     dump_unwind hdr    4|8 le|be FILE SECTION            table of .eh_frame_hdr
 *     dump_unwind lsda   4|8 le|be FILE SECTION TABLES     coverage of .gcc_except_table
 *     dump_unwind exidx  4   le|be FILE SECTION EXTAB      ARM's tables and their coverage
 *
 * SECTION, TABLES, EXTAB: offset:size:address, in hex.  FIXUPS: a file of lines
 * "offset target", in hex, sorted. */
#include "base/file.h"
#include "base/vec.h"
#include "unwind/lsda.h"
#include "unwind/unwind.h"

#include <stdio.h>

struct addrs {
	VEC(uint64_t) v;
};

static struct notes notes;

static void usage(void)
{
	fprintf(stderr, "usage: dump_unwind MODE 4|8 le|be FILE OFF:SIZE:ADDR [...]\n");
	exit(2);
}

static struct unwind_section section_arg(const struct file *f, char **argv, const char *text)
{
	uint64_t off, size, addr;
	if (sscanf(text, "%" SCNx64 ":%" SCNx64 ":%" SCNx64, &off, &size, &addr) != 3)
		usage();
	return (struct unwind_section){ .bytes = bytes_sub(f->bytes, off, size),
					.addr = addr,
					.address_size = argv[2][0] == '4' ? 4 : 8,
					.big_endian = argv[3][0] == 'b',
					.debug_frame = strcmp(argv[1], "debug") == 0,
					.path = argv[4],
					.file_off = off,
					.notes = &notes };
}

static void read_fixups(struct unwind_section *s, const char *path)
{
	VEC(struct unwind_fixup) v = { 0 };
	struct unwind_fixup x;
	FILE *f = fopen(path, "r");
	if (!f)
		usage();
	while (fscanf(f, "%" SCNx64 " %" SCNx64, &x.off, &x.target) == 2)
		vec_push(&v, x);
	fclose(f);
	s->fixups = v.data;
	s->fixup_count = v.count;
}

static void print_entry(const struct unwind_entry *e)
{
	printf("%" PRIx64 " ", e->off);
	if (!e->ok)
		printf("BAD size=%" PRIx64 "\n", e->size);
	else if (e->terminator)
		printf("ZERO\n");
	else if (e->cie)
		printf("CIE len=%" PRIx64 "\n", e->size - 4);
	else if (e->has_lsda)
		printf("FDE len=%" PRIx64 " cie=%" PRIx64 " pc=%" PRIx64 "..%" PRIx64
		       " lsda=%" PRIx64 "\n",
		       e->size - 4, e->cie_off, e->func_addr, e->func_addr + e->func_size,
		       e->lsda_addr);
	else
		printf("FDE len=%" PRIx64 " cie=%" PRIx64 " pc=%" PRIx64 "..%" PRIx64 "\n",
		       e->size - 4, e->cie_off, e->func_addr, e->func_addr + e->func_size);
}

static void dump_frames(const struct unwind_section *s)
{
	struct unwind_iter it;
	struct unwind_entry e;
	unwind_init(&it, s);
	while (unwind_next(&it, &e))
		print_entry(&e);
	unwind_release(&it);
}

static void dump_hdr(const struct unwind_section *s)
{
	struct unwind_hdr h;
	uint64_t func, fde;
	if (!unwind_hdr_parse(&h, s))
		return;
	printf("eh_frame=%" PRIx64 " count=%" PRIu64 "\n", h.eh_frame_addr, h.count);
	for (uint64_t i = 0; unwind_hdr_get(&h, i, &func, &fde); i++)
		printf("%" PRIx64 " %" PRIx64 "\n", func, fde);
}

static int compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

/* Sorted, without repetitions, and closed by the end of the section. */
static void addrs_finish(struct addrs *a, const struct unwind_section *s)
{
	size_t n = 0;
	vec_push(&a->v, s->addr + s->bytes.size);
	qsort(a->v.data, a->v.count, sizeof *a->v.data, compare);
	for (size_t i = 0; i < a->v.count; i++)
		if (n == 0 || a->v.data[i] != a->v.data[n - 1])
			a->v.data[n++] = a->v.data[i];
	a->v.count = n;
}

struct coverage {
	uint64_t areas, bad, over;              /* areas; damaged, run over the next one's start */
	uint64_t covered, dead, padding, holes; /* bytes */
};

static bool measure(const struct unwind_section *s, uint64_t off, bool extab, uint64_t *ret)
{
	const struct bytes rest = bytes_sub(s->bytes, off, s->bytes.size - off);
	if (extab)
		return extab_size(rest, s->big_endian, ret);
	return lsda_size(rest, s->address_size, s->big_endian, LSDA_SPECS_ULEB, ret);
}

/* What lies between the end of one area and the next one that an entry refers to: padding
 * up to 4 bytes, or areas of functions that the linker has dropped. */
static void count_hole(struct coverage *c, const struct unwind_section *s, uint64_t off,
		       uint64_t end, bool extab)
{
	while (off < end) {
		uint64_t size, zeros = 0;
		while (off + zeros < end && s->bytes.p[off + zeros] == 0)
			zeros++;
		off += zeros;
		if (zeros < 4)
			c->padding += zeros;
		else
			c->holes += zeros;
		if (off == end)
			break;
		if (!measure(s, off, extab, &size) || size > end - off) {
			c->holes += end - off;
			printf("hole: %" PRIx64 " %" PRIx64 "\n", s->addr + off, end - off);
			break;
		}
		c->dead += size;
		off += size;
	}
}

/* Measures each area with all bytes up to the section's end, so that one which runs over
 * the next one's start shows. */
static void print_coverage(const struct unwind_section *s, const struct addrs *a, bool extab)
{
	struct coverage c = { .areas = a->v.count - 1 };
	for (size_t i = 0; i + 1 < a->v.count; i++) {
		const uint64_t off = a->v.data[i] - s->addr;
		const uint64_t end = a->v.data[i + 1] - s->addr;
		uint64_t size = 0;
		if (!measure(s, off, extab, &size)) {
			c.bad++;
			continue;
		}
		if (size > end - off) {
			c.over++;
			printf("over: %" PRIx64 " %" PRIx64 "\n", a->v.data[i], size - (end - off));
			size = end - off;
		}
		c.covered += size;
		count_hole(&c, s, off + size, end, extab);
	}
	printf("areas=%" PRIu64 " bad=%" PRIu64 " over=%" PRIu64 " section=%" PRIu64
	       " covered=%" PRIu64 " dead=%" PRIu64 " padding=%" PRIu64 " holes=%" PRIu64
	       " before=%" PRIu64 "\n",
	       c.areas, c.bad, c.over, s->bytes.size, c.covered, c.dead, c.padding, c.holes,
	       a->v.data[0] - s->addr);
}

static void dump_lsda(const struct unwind_section *s, const struct unwind_section *tables)
{
	struct addrs a = { { 0 } };
	struct unwind_iter it;
	struct unwind_entry e;
	unwind_init(&it, s);
	while (unwind_next(&it, &e))
		if (e.has_lsda && e.lsda_addr - tables->addr < tables->bytes.size)
			vec_push(&a.v, e.lsda_addr);
	unwind_release(&it);
	addrs_finish(&a, tables);
	print_coverage(tables, &a, false);
	vec_release(&a.v);
}

static void dump_exidx(const struct unwind_section *s, const struct unwind_section *extab)
{
	struct addrs a = { { 0 } };
	uint64_t func, data;
	for (uint64_t i = 0; exidx_get(s, i, &func, &data); i++) {
		printf("%" PRIx64 " %" PRIx64 "\n", func, data);
		if (data && data - extab->addr < extab->bytes.size)
			vec_push(&a.v, data);
	}
	addrs_finish(&a, extab);
	print_coverage(extab, &a, true);
	vec_release(&a.v);
}

int main(int argc, char **argv)
{
	struct file f;
	struct heft_err err;
	if (argc < 6 || !file_open(&f, argv[4], &err))
		usage();
	notes_init(&notes);
	struct unwind_section s = section_arg(&f, argv, argv[5]);
	const bool two = argc > 6;
	if (strcmp(argv[1], "hdr") == 0) {
		dump_hdr(&s);
	} else if (strcmp(argv[1], "lsda") == 0 || strcmp(argv[1], "exidx") == 0) {
		const struct unwind_section t = section_arg(&f, argv, two ? argv[6] : "");
		if (argv[1][0] == 'l')
			dump_lsda(&s, &t);
		else
			dump_exidx(&s, &t);
	} else {
		if (two)
			read_fixups(&s, argv[6]);
		dump_frames(&s);
	}
	for (size_t i = 0; i < notes.count; i++)
		fprintf(stderr, "note: %s (%" PRIu64 " times)\n", notes.data[i].text,
			notes.data[i].count);
	return 0;
}
