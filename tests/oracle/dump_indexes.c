/* dump_indexes.c - prints the pieces that debug/index.h makes of a section, for
 * tests/oracle/indexes.sh.
 *
 *     dump_indexes WALKER VERSION 4|8 le|be FILE NAME=OFF:SIZE...
 *
 * WALKER: aranges, names, gdb, frame, addr, str_offsets, macro, or the name of a section like
 * .debug_pubnames.  VERSION: of addr and str_offsets; for .debug_macro the base of its first unit
 * in .debug_str_offsets, or 0.  4|8: bytes of an address, of an offset for
 * str_offsets.  NAME=OFF:SIZE: where sections are, in hex.
 *
 * Lines "OFF SIZE about VALUE", then "covered=N section=N notes=N".  With "time" before the rest,
 * only the last line and the MB a second of processor time. */
#include "base/file.h"
#include "debug/index.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct sum {
	uint64_t at, bytes, pieces, mixed;
	bool quiet;
};

static const char *const abouts[] = {
	[ABOUT_INFO] = "info", [ABOUT_TYPES] = "types", [ABOUT_TYPE_ID] = "type",
	[ABOUT_ADDR] = "addr", [ABOUT_STR] = "str",     [ABOUT_NEXT] = "next",
	[ABOUT_ALL] = "all"
};

static void usage(void)
{
	fprintf(stderr, "usage: dump_indexes [time] WALKER VERSION 4|8 le|be FILE "
			"NAME=OFF:SIZE...\n");
	exit(2);
}

static void count_piece(void *ctx, const struct index_piece *p)
{
	struct sum *s = ctx;
	ASSERT(p->off >= s->at && p->size > 0);
	s->at = p->off + p->size;
	s->bytes += p->size;
	s->pieces++;
	s->mixed += p->value ^ p->about;
	if (!s->quiet)
		printf("%" PRIx64 " %" PRIx64 " %s %" PRIx64 "\n", p->off, p->size,
		       abouts[p->about], p->value);
}

static void print_string(void *ctx, enum dw_section table, uint64_t off)
{
	(void)ctx;
	printf("%s %" PRIx64 "\n", dw_section_name(table), off);
}

static void print_import(void *ctx, uint64_t off)
{
	(void)ctx;
	printf("import %" PRIx64 "\n", off);
}

static void print_line(void *ctx, uint64_t off)
{
	(void)ctx;
	printf("line %" PRIx64 "\n", off);
}

/* The table behind the one whose entries start at `base`. */
static uint64_t next_base(struct dwarf *d, uint64_t base)
{
	struct reader r = dwarf_reader(d, DW_STR_OFFSETS);
	uint8_t offset_size;
	reader_seek(&r, base - 8);
	const uint64_t length = read_initial_length(&r, &offset_size);
	return base + 4 + length;
}

/* Units stand one behind the other, as do their tables of strings. */
static void walk_macros(struct dwarf *d, enum dw_section which, uint64_t base, struct sum *s)
{
	const struct macro_refs refs = { print_string, print_import, print_line, NULL };
	uint64_t size;
	while (s->at < d->bytes[which].size) {
		printf("unit %" PRIx64 "\n", s->at);
		if (!macro_walk(d, which, s->at, base ? base : DW_NO_OFFSET, &refs, &size))
			break;
		s->at += size;
		s->bytes += size;
		base = base ? next_base(d, base) : 0;
	}
}

static enum dw_section walk(struct dwarf *d, const char *walker, char **argv, struct sum *s)
{
	const uint16_t version = (uint16_t)atoi(argv[0]);
	const uint8_t width = (uint8_t)atoi(argv[1]);
	enum dw_section which = DW_ARANGES;
	bool dwo;
	if (strcmp(walker, "aranges") == 0)
		return aranges_pieces(d, count_piece, s), DW_ARANGES;
	if (strcmp(walker, "names") == 0)
		return names_pieces(d, count_piece, s), DW_NAMES;
	if (strcmp(walker, "gdb") == 0)
		return gdb_index_pieces(d, count_piece, s), DW_GDB_INDEX;
	if (strcmp(walker, "frame") == 0)
		return frame_pieces(d, width, count_piece, s), DW_FRAME;
	if (strcmp(walker, "addr") == 0)
		return addr_pieces(d, version, width, count_piece, s), DW_ADDR;
	if (strcmp(walker, "str_offsets") == 0)
		return str_offsets_pieces(d, version, width, count_piece, s), DW_STR_OFFSETS;
	if (!dw_section_of(str_of(walker), &which, &dwo))
		usage();
	if (which == DW_MACRO || which == DW_MACINFO)
		walk_macros(d, which, version, s);
	else
		pubnames_pieces(d, which, count_piece, s);
	return which;
}

static void read_sections(struct dwarf *d, const struct file *f, char **args)
{
	for (; *args; args++) {
		enum dw_section which;
		bool dwo;
		uint64_t off, size;
		char *equals = strchr(*args, '=');
		if (!equals || sscanf(equals + 1, "%" SCNx64 ":%" SCNx64, &off, &size) != 2)
			usage();
		*equals = '\0';
		if (!dw_section_of(str_of(*args), &which, &dwo))
			continue;
		d->bytes[which] = bytes_sub(f->bytes, off, size);
		d->size[which] = d->bytes[which].size;
	}
}

/* Of this process, not of the clock. */
static double seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
	struct file f;
	struct heft_err err;
	struct notes notes;
	struct sum s = { .quiet = argc > 1 && strcmp(argv[1], "time") == 0 };
	argv += s.quiet;
	argc -= s.quiet;
	if (argc < 6 || !file_open(&f, argv[5], &err))
		usage();
	notes_init(&notes);
	struct dwarf d = { .path = argv[5], .big_endian = argv[4][0] == 'b', .notes = &notes };
	read_sections(&d, &f, argv + 6);
	if (s.quiet) { /* bring the bytes into memory */
		walk(&d, argv[1], argv + 2, &s);
		s = (struct sum){ .quiet = true };
	}
	const double start = seconds();
	const enum dw_section which = walk(&d, argv[1], argv + 2, &s);
	const double took = seconds() - start;
	printf("covered=%" PRIu64 " section=%" PRIu64 " notes=%zu\n", s.bytes, d.bytes[which].size,
	       notes.count);
	if (s.quiet)
		printf("pieces=%" PRIu64 " MB/s=%.0f (%" PRIx64 ")\n", s.pieces,
		       (double)d.bytes[which].size / took / 1e6, s.mixed);
	for (size_t i = 0; i < notes.count; i++)
		fprintf(stderr, "note: %s (at %" PRIx64 ", %" PRIu64 " times)\n",
			notes.data[i].text, notes.data[i].offset, notes.data[i].count);
	return 0;
}
