/* dump_image - prints what heft reads of object files in the words of readelf, so that
 * readelf.sh can compare the two.
 *
 *     dump_image sections|segments|symbols|relocs FILE    one line a record
 *     dump_image walk FILE...     reads everything, prints counts
 *     dump_image apart FILE...    fails where a section without SHF_ALLOC lies in a PT_LOAD
 *     dump_image members FILE     names of the ELF members of an archive
 *
 * Only plain ELF files for the first four; the others take archives too. */
#include "image/elf/elf_const.h"
#include "image/input.h"

#include <stdio.h>
#include <stdlib.h>

/* The address as the file states it: objects' sections have no address of their own. */
static uint64_t shown_addr(const struct image *im, const struct section *s)
{
	return im->kind == IMAGE_OBJECT ? s->addr & ((UINT64_C(1) << OBJECT_SECTION_SHIFT) - 1)
					: s->addr;
}

/* Digits of an address in readelf's tables. */
static int addr_width(const struct image *im)
{
	return im->bits / 4;
}

static void dump_sections(const struct image *im)
{
	for (size_t i = 1; i < im->section_count; i++) {
		const struct section *s = &im->sections[i];
		char off[24] = "-";
		if (!s->nobits)
			snprintf(off, sizeof off, "%06" PRIx64, s->off);
		printf("%zu %.*s %0*" PRIx64 " %s %06" PRIx64 " %02" PRIx64 " %s%s%s%s%s %" PRIu32
		       " %" PRIu32 " %" PRIu64 "\n",
		       i, STR_ARG(s->name), addr_width(im), shown_addr(im, s), off, s->size,
		       s->entsize, s->write ? "W" : "", s->alloc ? "A" : "", s->exec ? "X" : "",
		       s->tls ? "T" : "", s->compressed ? "C" : "", s->link, s->info, s->align);
	}
}

static void dump_segments(const struct image *im)
{
	for (size_t i = 0; i < im->segment_count; i++) {
		const struct segment *s = &im->segments[i];
		if (s->type == PT_GNU_RELRO)
			continue;
		const int width = im->bits == 64 ? 6 : 5;
		printf("%06" PRIx64 " %0*" PRIx64 " %0*" PRIx64 " %0*" PRIx64 " %s%s%s %" PRIx64
		       "\n",
		       s->off, addr_width(im), s->addr, width, s->file_size, width, s->vm_size,
		       s->read ? "R" : "", s->write ? "W" : "", s->exec ? "E" : "", s->align);
	}
}

static const char *const type_words[16] = { "NOTYPE", "OBJECT", "FUNC", "SECTION",
					    "FILE",   "COMMON", "TLS",  [STT_GNU_IFUNC] = "IFUNC" };
static const char *const bind_words[16] = { "LOCAL", "GLOBAL",
					    "WEAK", [STB_GNU_UNIQUE] = "UNIQUE" };
static const char *const vis_words[4] = { "DEFAULT", "INTERNAL", "HIDDEN", "PROTECTED" };

static const char *word(const char *w)
{
	return w ? w : "?";
}

static void section_word(const struct symbol *s, char *buf, size_t size)
{
	switch (s->section) {
	case SYM_NO_SECTION: snprintf(buf, size, "UND"); break;
	case SYM_ABSOLUTE: snprintf(buf, size, "ABS"); break;
	case SYM_COMMON: snprintf(buf, size, "COM"); break;
	case SYM_BAD: snprintf(buf, size, "BAD"); break;
	default: snprintf(buf, size, "%" PRIu32, s->section);
	}
}

/* readelf shows the section's name for a section symbol without one; here it stays out. */
static void dump_symtab(const struct image *im, const struct section *sec)
{
	struct symtab t;
	if (!symtab_open(&t, im, sec))
		return;
	for (size_t i = 0; i < t.count; i++) {
		const struct symbol s = symtab_get(&t, i);
		char where[16];
		section_word(&s, where, sizeof where);
		printf("%zu: %0*" PRIx64 " %" PRIu64 " %s %s %s %s %.*s\n", i, addr_width(im),
		       s.value, s.size, word(type_words[s.type]), word(bind_words[s.bind]),
		       vis_words[s.visibility], where, s.type == STT_SECTION ? 0 : (int)s.name.len,
		       s.name.p);
	}
}

static void dump_symbols(const struct image *im)
{
	for (size_t i = 1; i < im->section_count; i++)
		if (im->sections[i].type == SHT_SYMTAB || im->sections[i].type == SHT_DYNSYM)
			dump_symtab(im, &im->sections[i]);
}

static void dump_reloc(const struct reloc_iter *it, const struct reloc *r)
{
	const struct image *im = it->image;
	uint64_t place = r->addr;
	if (r->section && im->kind == IMAGE_OBJECT && r->alloc)
		place -= im->sections[r->section].addr;
	else if (r->section && im->kind != IMAGE_OBJECT && !r->alloc)
		place += im->sections[r->section].addr;
	const unsigned shift = im->bits == 64 ? 32 : 8;
	const uint64_t value = r->addend < 0 ? -(uint64_t)r->addend : (uint64_t)r->addend;
	printf("%0*" PRIx64 " %0*" PRIx64, addr_width(im), place, addr_width(im),
	       (uint64_t)r->symbol << shift | r->type);
	if (r->has_addend)
		printf(" %c%" PRIx64, r->addend < 0 ? '-' : '+', value);
	printf("\n");
}

static void dump_relocs(const struct image *im)
{
	for (size_t i = 1; i < im->section_count; i++) {
		struct reloc_iter it;
		struct reloc r;
		if (!reloc_open(&it, im, &im->sections[i]))
			continue;
		while (reloc_next(&it, &r))
			dump_reloc(&it, &r);
	}
}

/* ---- walk -------------------------------------------------------------------------- */

struct counts {
	uint64_t files, images, sections, symbols, with_addr, relocs, with_target, bytes, failed;
	uint64_t kinds[RELOC_TLS + 1];
};

static void walk_image(const struct image *im, struct counts *c)
{
	c->images++;
	c->sections += im->section_count;
	for (size_t i = 1; i < im->section_count; i++) {
		const struct section *s = &im->sections[i];
		struct symtab t;
		struct reloc_iter it;
		struct reloc r;
		uint64_t addr;
		if ((s->type == SHT_SYMTAB || s->type == SHT_DYNSYM) && symtab_open(&t, im, s)) {
			for (size_t k = 0; k < t.count; k++) {
				const struct symbol sym = symtab_get(&t, k);
				c->symbols++;
				c->with_addr += symbol_addr(im, &sym, &addr);
			}
		}
		if (!reloc_open(&it, im, s))
			continue;
		while (reloc_next(&it, &r)) {
			c->relocs++;
			c->kinds[r.kind]++;
			c->with_target += reloc_target(&it, &r, &addr);
		}
	}
}

static void walk_file(const char *path, struct counts *c)
{
	struct notes notes;
	struct input in;
	struct heft_err err;
	notes_init(&notes);
	c->files++;
	if (input_open(&in, path, USE_SIZE, &notes, &err)) {
		uint64_t covered = 0;
		c->bytes += input_size(&in);
		for (size_t i = 0; i < in.image_count; i++) {
			walk_image(&in.images[i], c);
			covered += in.images[i].bytes.size;
		}
		for (size_t i = 0; i < in.parts.count; i++)
			covered += in.parts.data[i].size;
		if (covered != input_size(&in))
			printf("%s: covered %" PRIu64 " of %" PRIu64 "\n", path, covered,
			       input_size(&in));
		input_close(&in);
	} else {
		c->failed++;
		printf("error: %s\n", err.text);
	}
	for (size_t i = 0; i < notes.count; i++)
		printf("note: %s: %s (%" PRIu64 ")\n", path, notes.data[i].text,
		       notes.data[i].count);
	notes_release(&notes);
}

static int walk(int count, char **paths)
{
	struct counts c = { 0 };
	for (int i = 0; i < count; i++)
		walk_file(paths[i], &c);
	printf("%" PRIu64 " files %" PRIu64 " failed %" PRIu64 " bytes %" PRIu64 " images %" PRIu64
	       " sections\n%" PRIu64 " symbols %" PRIu64 " with address, %" PRIu64
	       " relocations %" PRIu64 " with target; kinds",
	       c.files, c.failed, c.bytes, c.images, c.sections, c.symbols, c.with_addr, c.relocs,
	       c.with_target);
	for (size_t i = 0; i < COUNT_OF(c.kinds); i++)
		printf(" %" PRIu64, c.kinds[i]);
	printf("\n");
	return 0;
}

/* ---- apart ------------------------------------------------------------------------- */

static bool is_apart(const struct image *im, const struct section *s)
{
	for (size_t i = 0; i < im->segment_count; i++) {
		const struct segment *seg = &im->segments[i];
		if (seg->type == PT_LOAD && seg->file_size > 0 &&
		    s->off < seg->off + seg->file_size && seg->off < s->off + s->file_size)
			return false;
	}
	return true;
}

static int apart(int count, char **paths)
{
	int bad = 0;
	for (int i = 0; i < count; i++) {
		struct input in;
		if (!input_open(&in, paths[i], USE_SIZE, NULL, NULL))
			continue;
		for (size_t k = 0; k < in.image_count; k++) {
			const struct image *im = &in.images[k];
			for (size_t n = 1; n < im->section_count; n++) {
				const struct section *s = &im->sections[n];
				if (s->alloc || s->file_size == 0 || is_apart(im, s))
					continue;
				printf("%s: " STR_FMT " lies in a segment\n", paths[i],
				       STR_ARG(s->name));
				bad = 1;
			}
		}
		input_close(&in);
	}
	return bad;
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	if (strcmp(argv[1], "walk") == 0)
		return walk(argc - 2, argv + 2);
	if (strcmp(argv[1], "apart") == 0)
		return apart(argc - 2, argv + 2);
	struct input in;
	struct heft_err err;
	if (!input_open(&in, argv[2], USE_SIZE, NULL, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 2;
	}
	const char *what = argv[1];
	for (size_t i = 0; i < in.image_count; i++) {
		if (strcmp(what, "sections") == 0)
			dump_sections(&in.images[i]);
		else if (strcmp(what, "segments") == 0)
			dump_segments(&in.images[i]);
		else if (strcmp(what, "symbols") == 0)
			dump_symbols(&in.images[i]);
		else if (strcmp(what, "members") == 0)
			printf(STR_FMT "\n", STR_ARG(in.images[i].member));
		else
			dump_relocs(&in.images[i]);
	}
	input_close(&in);
	return 0;
}
