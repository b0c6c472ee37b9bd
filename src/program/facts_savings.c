/* Bytes of a linked file that it could do without. */
#include "program/facts.h"

#include "base/sort.h"
#include "image/elf/elf_const.h"

static void facts_savings_add(struct facts *f, const char *what, uint64_t bytes)
{
	if (bytes == 0)
		return;
	ASSERT(f->saving_count < SAVINGS_MAX);
	f->savings[f->saving_count++] = (struct saving){ what, bytes };
}

static uint64_t debug_bytes(const struct image *im)
{
	uint64_t bytes = 0;
	for (size_t i = 1; i < im->section_count; i++)
		if (!im->sections[i].alloc && section_name_is_debug(im->sections[i].name))
			bytes += im->sections[i].file_size;
	return min_u64(bytes, im->bytes.size);
}

/* The symbol table and its names. */
static uint64_t symbol_bytes(const struct image *im)
{
	const struct section *s = image_section_type(im, SHT_SYMTAB, 1);
	if (!s)
		return 0;
	uint64_t bytes = s->file_size;
	if (s->link < im->section_count && s->link != 0 && !im->sections[s->link].alloc)
		bytes += im->sections[s->link].file_size;
	return min_u64(bytes, im->bytes.size);
}

static uint64_t kept_reloc_bytes(const struct image *im)
{
	uint64_t bytes = 0;
	for (size_t i = 1; i < im->section_count; i++)
		if (section_is_kept_reloc(im, &im->sections[i]))
			bytes += im->sections[i].file_size;
	return min_u64(bytes, im->bytes.size);
}

/* Loaders since 2006 read the GNU hash table where there are both. */
static uint64_t hash_bytes_twice(const struct image *im)
{
	const struct section *old = image_section_type(im, SHT_HASH, 1);
	return old && image_section_type(im, SHT_GNU_HASH, 1) ? old->file_size : 0;
}

/* ---- RELR ------------------------------------------------------------------------------------ */

typedef VEC(uint64_t) place_vec;

/* Places that RELR can hold, and the bytes that REL or RELA spends on them. */
static uint64_t relative_places(const struct image *im, place_vec *places)
{
	uint64_t bytes = 0;
	for (size_t i = 1; i < im->section_count; i++) {
		struct reloc_iter it;
		struct reloc rel;
		const struct section *s = &im->sections[i];
		if ((s->type != SHT_REL && s->type != SHT_RELA) || !s->alloc ||
		    !reloc_open(&it, im, s))
			continue;
		while (reloc_next(&it, &rel)) {
			if (rel.kind != RELOC_RELATIVE || rel.addr % (im->bits / 8) != 0)
				continue;
			vec_push(places, rel.addr);
			bytes += rel.entry_size;
		}
	}
	return bytes;
}

/* gABI "Relative relocations": a word for a place, and words whose bits but the lowest one stand
 * for the words that follow. */
static uint64_t relr_bytes(const place_vec *places, unsigned word)
{
	const uint64_t reach = (8 * word - 1) * (uint64_t)word;
	uint64_t words = 0, next = 0;
	for (size_t i = 0; i < places->count; words++) {
		next = places->data[i++] + word;
		while (i < places->count && places->data[i] - next < reach) {
			while (i < places->count && places->data[i] - next < reach)
				i++;
			next += reach;
			words++;
		}
	}
	return words * word;
}

static uint64_t relr_saves(const struct image *im)
{
	place_vec places = { 0 };
	const uint64_t now = relative_places(im, &places);
	sort_by_key(places.data, places.count, sizeof *places.data);
	const uint64_t packed = relr_bytes(&places, im->bits / 8);
	vec_release(&places);
	return now > packed ? now - packed : 0;
}

void facts_add_savings(struct facts *f, const struct image *im)
{
	const struct section *comment = image_section_find(im, ".comment");
	facts_savings_add(f, "debug info", debug_bytes(im));
	facts_savings_add(f, "symbol table", symbol_bytes(im));
	facts_savings_add(f, "relocations kept by --emit-relocs", kept_reloc_bytes(im));
	facts_savings_add(f, "relative relocations packed as RELR", relr_saves(im));
	facts_savings_add(f, "old hash table beside the GNU one", hash_bytes_twice(im));
	facts_savings_add(f, ".comment", comment && !comment->alloc ? comment->file_size : 0);
	/* Sections of damaged files overlap. */
	for (size_t i = 0; i < f->saving_count; i++)
		f->saved = min_u64(f->saved + f->savings[i].bytes, im->bytes.size);
}
