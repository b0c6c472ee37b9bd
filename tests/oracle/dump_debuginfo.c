/* dump_debuginfo.c - prints what source/debuginfo.h makes of a file, for tests/oracle/debuginfo.sh.
 *
 *     dump_debuginfo sizes FILE             sections of the DWARF: name, bytes, parts
 *     dump_debuginfo windows FILE           objects: section index, name, address in the DWARF
 *     dump_debuginfo bytes FILE SECTION     the bytes themselves
 *     dump_debuginfo units FILE [DIR...]    units, and what they are split into
 *     dump_debuginfo time FILE              loads all sections, says how many bytes */
#include "program/debuginfo.h"

#include <stdio.h>

static void usage(void)
{
	fprintf(stderr, "usage: dump_debuginfo sizes|windows|bytes|units|time FILE [...]\n");
	exit(2);
}

static void dump_sizes(const struct debuginfo *d)
{
	for (int i = 0; i < DW_SECTIONS; i++) {
		size_t parts = 0;
		for (size_t k = 0; k < d->parts.count; k++)
			parts += d->parts.data[k].which == (enum dw_section)i;
		if (parts)
			printf("%s %" PRIu64 " %zu\n", dw_section_name((enum dw_section)i),
			       d->dwarf.size[i], parts);
	}
}

static void dump_windows(const struct debuginfo *d)
{
	const struct image *im = d->image;
	for (size_t i = 0; i < d->windows.count; i++) {
		const struct debuginfo_window *w = &d->windows.data[i];
		for (size_t k = 1; k < im->section_count; k++)
			if (im->sections[k].alloc && im->sections[k].addr == w->vm)
				printf("%zu " STR_FMT " %#" PRIx64 " %#" PRIx64 "\n", k,
				       STR_ARG(im->sections[k].name), w->addr, w->size);
	}
}

static void dump_bytes(struct debuginfo *d, const char *name)
{
	enum dw_section which;
	bool dwo;
	if (!dw_section_of(str_of(name), &which, &dwo))
		usage();
	const struct bytes b = dwarf_bytes(&d->dwarf, which);
	if (b.size)
		fwrite(b.p, 1, (size_t)b.size, stdout);
}

static void print_unit(struct debuginfo *d, struct unit *u, struct abbrev_cache *cache)
{
	struct unit split;
	if (!unit_open(u, cache, NULL))
		return;
	printf("%s+%#" PRIx64 " v%u name=" STR_FMT, dw_section_name(u->in), u->off, u->version,
	       STR_ARG(u->name));
	if (u->dwo_name.len)
		printf(" dwo=" STR_FMT " id=%016" PRIx64, STR_ARG(u->dwo_name), u->signature);
	printf("\n");
	if (u->dwo_name.len == 0 || d->dwarf.split || !debuginfo_split(d, u, &split))
		return;
	const bool ok = unit_open(&split, cache, u);
	printf("  split %s v%u name=" STR_FMT " from=%s info=%" PRIu64 " abbrev=%" PRIu64
	       " str_offsets=%" PRIu64 "%s\n",
	       dw_section_name(split.in), split.version, STR_ARG(split.name), split.dwarf->path,
	       dwarf_bytes(split.dwarf, DW_INFO).size, dwarf_bytes(split.dwarf, DW_ABBREV).size,
	       dwarf_bytes(split.dwarf, DW_STR_OFFSETS).size, ok ? "" : " BAD");
}

static void dump_units(struct debuginfo *d)
{
	struct abbrev_cache *cache = mem_zeroed(1, sizeof *cache);
	struct unit u;
	for (int k = 0; k < 2; k++) {
		uint64_t off = 0;
		while (unit_next(&d->dwarf, k ? DW_TYPES : DW_INFO, &off, &u))
			print_unit(d, &u, cache);
	}
	uint64_t off = 0, count = 0;
	while (d->dwarf.sup && unit_next(d->dwarf.sup, DW_INFO, &off, &u))
		count++;
	if (d->dwarf.sup)
		printf("sup %s units=%" PRIu64 "\n", d->dwarf.sup->path, count);
	abbrev_cache_release(cache);
	mem_free(cache);
}

static void dump_time(struct debuginfo *d)
{
	uint64_t all = 0, sum = 0;
	for (int i = 0; i < DW_SECTIONS; i++) {
		const struct bytes b = dwarf_bytes(&d->dwarf, (enum dw_section)i);
		for (uint64_t k = 0; k < b.size; k += 4096)
			sum += b.p[k];
		all += b.size;
	}
	printf("%" PRIu64 " bytes (%" PRIu64 ")\n", all, sum);
}

int main(int argc, char **argv)
{
	struct input in;
	struct notes notes;
	struct heft_err err;
	struct debuginfo d;
	notes_init(&notes);
	if (argc < 3)
		usage();
	if (!input_open(&in, argv[2], USE_SIZE, &notes, &err) || in.image_count != 1) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	const char *const *dirs = (const char *const *)(argv + 3);
	const struct debug_search how = { .dirs = dirs, .dir_count = (size_t)(argc - 3) };
	debuginfo_open(&d, &in.images[0], &how, &notes);
	if (!debuginfo_present(&in.images[0]))
		printf("no debug information\n");
	else if (strcmp(argv[1], "sizes") == 0)
		dump_sizes(&d);
	else if (strcmp(argv[1], "windows") == 0)
		dump_windows(&d);
	else if (strcmp(argv[1], "bytes") == 0 && argc == 4)
		dump_bytes(&d, argv[3]);
	else if (strcmp(argv[1], "units") == 0)
		dump_units(&d);
	else if (strcmp(argv[1], "time") == 0)
		dump_time(&d);
	else
		usage();
	debuginfo_close(&d);
	input_close(&in);
	for (size_t i = 0; i < notes.count; i++)
		fprintf(stderr, "note: %s (%" PRIu64 " times, %" PRIu64 " bytes)\n",
			notes.data[i].text, notes.data[i].count, notes.data[i].bytes);
	notes_release(&notes);
	return 0;
}
