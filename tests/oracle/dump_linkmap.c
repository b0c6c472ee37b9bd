/* Prints what a linker's map says, one tab-separated record a line, for tests/oracle/linkmap.sh:
 *   linker  NAME
 *   section NAME ADDR SIZE HEADER(0 or 1)
 *   piece   SECTION ADDR SIZE INPUT_SIZE KIND NAME OBJECT
 *   symbol  PIECE(or -1) ADDR SIZE NAME
 *   common  NAME SIZE OBJECT
 *   discarded NAME SIZE OBJECT
 *   note    COUNT TEXT
 * SECTION and PIECE count from 0; numbers are decimal.  With -q only the counts. */
#include "image/linkmap_image.h"

#include <stdio.h>

static void print_piece(const struct linkmap *lm, const struct linkmap_piece *p)
{
	static const char *const kinds[] = { "object", "common", "merged", "internal", "fill" };
	const struct str name = linkmap_piece_name(lm, p), object = linkmap_object(lm, p->object);
	if (p->section == LINKMAP_NONE)
		printf("discarded\t" STR_FMT "\t%" PRIu64 "\t" STR_FMT "\n", STR_ARG(name),
		       p->input_size, STR_ARG(object));
	else
		printf("piece\t%" PRIu32 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%s\t" STR_FMT
		       "\t" STR_FMT "\n",
		       p->section, p->addr, p->size, p->input_size, kinds[p->kind], STR_ARG(name),
		       STR_ARG(object));
}

static void print_all(const struct linkmap *lm)
{
	static const char *const linkers[] = {
		[LINKMAP_GNU] = "GNU ld", [LINKMAP_GOLD] = "gold", [LINKMAP_LLD] = "lld",
		[LINKMAP_MOLD] = "mold",  [LINKMAP_LD64] = "ld64", [LINKMAP_MSVC] = "MSVC link",
	};
	printf("linker\t%s\n", linkers[lm->linker]);
	for (size_t i = 0; i < lm->sections.count; i++) {
		const struct linkmap_section *s = &lm->sections.data[i];
		printf("section\t" STR_FMT "\t%" PRIu64 "\t%" PRIu64 "\t%d\n",
		       STR_ARG(linkmap_text(lm, s->name)), s->addr, s->size, s->header);
	}
	for (size_t i = 0; i < lm->pieces.count; i++)
		print_piece(lm, &lm->pieces.data[i]);
	for (size_t i = 0; i < lm->symbols.count; i++) {
		const struct linkmap_symbol *s = &lm->symbols.data[i];
		const int64_t piece = s->piece == LINKMAP_NONE ? -1 : (int64_t)s->piece;
		printf("symbol\t%" PRId64 "\t%" PRIu64 "\t%" PRIu64 "\t" STR_FMT "\n", piece,
		       s->addr, s->size, STR_ARG(linkmap_symbol_name(lm, s)));
	}
	for (size_t i = 0; i < lm->commons.count; i++) {
		const struct linkmap_common *c = &lm->commons.data[i];
		printf("common\t" STR_FMT "\t%" PRIu64 "\t" STR_FMT "\n",
		       STR_ARG(linkmap_text(lm, c->name)), c->size,
		       STR_ARG(linkmap_object(lm, c->object)));
	}
	for (size_t i = 0; i < lm->discarded.count; i++)
		print_piece(lm, &lm->discarded.data[i]);
}

int main(int argc, char **argv)
{
	struct linkmap lm;
	struct notes notes;
	struct heft_err err = { 0 };
	const bool quiet = argc == 3 && strcmp(argv[1], "-q") == 0;
	if (argc != 2 && !quiet)
		return 2;
	notes_init(&notes);
	if (!linkmap_open(&lm, argv[argc - 1], &notes, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 2;
	}
	if (quiet)
		printf("%zu sections, %zu pieces, %zu symbols\n", lm.sections.count,
		       lm.pieces.count, lm.symbols.count);
	else
		print_all(&lm);
	for (size_t i = 0; i < notes.count; i++)
		printf("note\t%" PRIu64 "\t%s\n", notes.data[i].count, notes.data[i].text);
	linkmap_release(&lm);
	notes_release(&notes);
	return 0;
}
