/* dump_lines - prints the line programs of a file as heft reads them, for lines.sh.
 *
 *     dump_lines FILE          each program: its tables, then a line a row
 *     dump_lines paths FILE    each program: the joined paths of its files
 *     dump_lines time FILE     what there is, and the processor time that reading it takes
 *
 * Programs are taken from the front of .debug_line to its end, one behind the other. */
#include "base/text.h"
#include "debug/line.h"
#include "image/input.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct owned {
	void *memory[DW_SECTIONS];
};

static void load_sections(struct dwarf *d, const struct image *im, struct owned *o)
{
	for (size_t i = 1; i < im->section_count; i++) {
		const struct section *s = &im->sections[i];
		enum dw_section which;
		bool dwo;
		if (!dw_section_of(s->name, &which, &dwo) || d->loaded[which])
			continue;
		if (which != DW_LINE && which != DW_STR && which != DW_LINE_STR &&
		    which != DW_STR_OFFSETS)
			continue;
		d->loaded[which] = section_unpack(im, s, &d->bytes[which], &o->memory[which]);
		d->size[which] = d->bytes[which].size;
	}
}

static void print_tables(const struct line_program *p)
{
	printf("program 0x%08" PRIx64 " version %u\n", p->off, p->version);
	for (size_t i = p->version >= 5 ? 0 : 1; i < p->dirs.count; i++)
		printf("dir %zu \"" STR_FMT "\"\n", i, STR_ARG(p->dirs.data[i]));
	for (size_t i = p->version >= 5 ? 0 : 1; i < p->files.count; i++)
		printf("file %zu \"" STR_FMT "\" %" PRIu64 "\n", i, STR_ARG(p->files.data[i].name),
		       p->files.data[i].dir);
}

static void print_rows(struct line_program *p)
{
	struct line_row row;
	uint64_t off = p->off + p->header_size;
	while (line_next(p, &row)) {
		if (row.start < off || row.off <= row.start || row.off > p->off + p->size)
			printf("bad share [0x%" PRIx64 ", 0x%" PRIx64 ")\n", row.start, row.off);
		off = row.off;
		printf("0x%016" PRIx64 " %" PRIu32 " %" PRIu32 " %" PRIu32 " %u%s%s\n", row.addr,
		       row.line, row.column, row.file, row.op_index, row.is_stmt ? " is_stmt" : "",
		       row.end_sequence ? " end_sequence" : "");
	}
}

static void print_paths(const struct line_program *p)
{
	struct text path = { 0 };
	for (size_t i = 0; i < p->files.count; i++)
		if (line_path(p, i, &path))
			printf("%zu " STR_FMT "\n", i, STR_ARG(text_str(&path)));
	text_release(&path);
}

static double seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

struct figures {
	uint64_t programs, rows, files, bytes, sum;
	double open, next, path;
};

static void measure(struct line_program *p, struct figures *f)
{
	struct line_row row;
	struct text path = { 0 };
	const double start = seconds();
	f->programs++;
	f->bytes += p->size;
	while (line_next(p, &row)) {
		f->rows++;
		f->sum += row.addr ^ row.line;
	}
	const double middle = seconds();
	for (size_t i = 0; i < p->files.count; i++)
		f->files += line_path(p, i, &path);
	f->next += middle - start;
	f->path += seconds() - middle;
	text_release(&path);
}

static void walk(struct dwarf *d, uint8_t address_size, const char *mode, struct figures *f)
{
	const uint64_t size = dwarf_bytes(d, DW_LINE).size;
	struct line_program p;
	for (uint64_t off = 0; off < size;) {
		const double start = seconds();
		if (!line_open(&p, d, off, address_size, STR(""), DW_NO_OFFSET))
			return;
		f->open += seconds() - start;
		off = p.off + p.size;
		if (strcmp(mode, "time") == 0) {
			measure(&p, f);
		} else if (strcmp(mode, "paths") == 0) {
			print_paths(&p);
		} else {
			print_tables(&p);
			print_rows(&p);
		}
		line_release(&p);
	}
}

static void dump(const struct image *im, const char *mode, struct notes *notes)
{
	struct figures f = { 0 };
	struct owned o = { 0 };
	struct dwarf d = { .path = im->path, .big_endian = im->big_endian, .notes = notes };
	load_sections(&d, im, &o);
	walk(&d, im->bits / 8, mode, &f);
	if (strcmp(mode, "time") == 0)
		printf("%" PRIu64 " programs, %" PRIu64 " rows, %" PRIu64 " files, %" PRIu64
		       " bytes; sum %" PRIx64
		       "\nopen %.3f s, rows %.3f s (%.0f MB/s), paths %.3f s\n",
		       f.programs, f.rows, f.files, f.bytes, f.sum, f.open, f.next,
		       (double)f.bytes / f.next / 1e6, f.path);
	for (size_t i = 0; i < DW_SECTIONS; i++)
		mem_free(o.memory[i]);
}

int main(int argc, char **argv)
{
	struct input in;
	struct notes notes;
	struct heft_err err;
	if (argc < 2 || argc > 3)
		return 2;
	notes_init(&notes);
	if (!input_open(&in, argv[argc - 1], USE_SIZE, &notes, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 2;
	}
	for (size_t i = 0; i < in.image_count; i++)
		dump(&in.images[i], argc == 3 ? argv[1] : "rows", &notes);
	for (size_t i = 0; i < notes.count; i++)
		printf("note: %s (%" PRIu64 ", %" PRIu64 " bytes)\n", notes.data[i].text,
		       notes.data[i].count, notes.data[i].bytes);
	input_close(&in);
	notes_release(&notes);
	return 0;
}
