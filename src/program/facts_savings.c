/* Finds the unneeded bytes of a linked file. */
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

/* Returns the size in bytes of the symbol table and its names. */
static uint64_t symbol_bytes(const struct image *im)
{
	const struct section *s = image_section_type(im, SHT_SYMTAB, 1);
	if (!s)
		return 0;
	uint64_t bytes = s->file_size;
	const struct section *names = image_made_names(im);
	if (names)
		bytes += names->file_size;
	else if (s->link < im->section_count && s->link != 0 && !im->sections[s->link].alloc)
		bytes += im->sections[s->link].file_size;
	return min_u64(bytes, im->bytes.size);
}

typedef VEC(uint64_t) place_vec;

/* Lists the relative relocations that RELR can express. Returns the bytes that they take in REL or
 * RELA. */
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

/* Returns the size in bytes of these relocations in RELR form (gABI "Relative relocations"). RELR
 * has a word with an address, then bit masks. Each bit except the lowest marks one of the next
 * words. */
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

void facts_add_savings(struct facts *f, const struct image *im)
{
	const struct section *comment = image_section_find(im, ".comment");
	const struct section *old_hash = image_section_type(im, SHT_HASH, 1);
	const bool twice = old_hash && image_section_type(im, SHT_GNU_HASH, 1);
	uint64_t debug = 0, kept = 0;
	place_vec places = { 0 };
	const uint64_t relative = relative_places(im, &places);
	sort_by_key(places.data, places.count, sizeof *places.data);
	const uint64_t relr = min_u64(relr_bytes(&places, im->bits / 8), relative);
	vec_release(&places);
	for (size_t i = 1; i < im->section_count; i++) {
		const struct section *s = &im->sections[i];
		debug += !s->alloc && section_name_is_debug(s->name) ? s->file_size : 0;
		kept += section_is_kept_reloc(im, s) ? s->file_size : 0;
	}
	ASSERT(f->saving_count == 0);
	facts_savings_add(f, "debug info", min_u64(debug, im->bytes.size));
	facts_savings_add(f, "symbol table", symbol_bytes(im));
	facts_savings_add(f, "relocations kept by --emit-relocs", min_u64(kept, im->bytes.size));
	facts_savings_add(f, "relative relocations packed as RELR", relative - relr);
	/* Loaders since 2006 prefer the GNU hash table. */
	facts_savings_add(f, "old hash table beside the GNU one", twice ? old_hash->file_size : 0);
	facts_savings_add(f, ".comment", comment && !comment->alloc ? comment->file_size : 0);
	/* Limits the sum, because sections of damaged files may overlap. */
	for (size_t i = 0; i < f->saving_count; i++)
		f->saved = min_u64(f->saved + f->savings[i].bytes, im->bytes.size);
}
