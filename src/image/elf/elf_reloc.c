/* Iterates over relocation tables: gABI "Relocation" (REL, RELA, RELR), the generic-abi proposal
 * for CREL, Android's packed form "APS2" (bionic, tools/relocation_packer), and the relocations
 * that elf_kernel.c finds. */
#include "image/elf/elf_internal.h"

#include "base/sort.h"
#include "image/patched.h"

enum form {
	FORM_NONE,
	FORM_REL,
	FORM_RELA,
	FORM_RELR,
	FORM_CREL,
	FORM_APS2,
	FORM_KERNEL,
	FORM_MADE,
};

/* Indexes of reloc_iter.state. */
enum {
	ST_ENTSIZE = 0,   /* REL, RELA: bytes of an entry. */
	ST_BITS = 0,      /* RELR: bits of the bitmap that were not yet returned */
	ST_BITS_ADDR = 1, /* RELR: address of the lowest of these bits */
	ST_ADDEND = 1,    /* CREL, APS2: sum of the addends up to now */
	ST_TYPE = 2,      /* CREL: sum of the type deltas up to now */
	ST_SYMBOL = 3,    /* CREL: sum of the symbol deltas up to now */
	ST_FLAGS = 4,     /* CREL: number of flag bits of an entry. APS2: flags of the group. */
	ST_SHIFT = 5,     /* CREL: shift of offsets. APS2: r_info of the group. */
	ST_DELTA = 6,     /* APS2: difference of offsets in the group. */
	ST_GROUP = 0,     /* APS2: entries left in the group. */
	ST_LO = 7,        /* Linked images: start of section ST_INDEX, in which the last patched
			   * address lies */
	ST_HI = 8,        /* Linked images: end of that section */
	ST_INDEX = 9,
	ST_LIST = 0,  /* Kernel: number of the current list, from 1. */
	ST_LISTS = 1, /* Kernel: number of lists. */
	ST_MADE = 0,  /* Tables made by heft: index of the next entry. */
};

/* CREL: flags in the lowest bits of an entry's first byte. */
enum { CREL_SYMBOL = 1, CREL_TYPE = 2, CREL_ADDEND = 4 };

/* APS2: flags of a group. */
enum { APS2_BY_INFO = 1, APS2_BY_DELTA = 2, APS2_BY_ADDEND = 4, APS2_HAS_ADDEND = 8 };

static enum form elf_reloc_form_of(uint32_t type)
{
	switch (type) {
	case SHT_REL: return FORM_REL;
	case SHT_RELA: return FORM_RELA;
	case SHT_RELR:
	case SHT_AUTH_RELR:
	case SHT_ANDROID_RELR: return FORM_RELR;
	case SHT_CREL: return FORM_CREL;
	case SHT_ANDROID_REL:
	case SHT_ANDROID_RELA: return FORM_APS2;
	case SHT_KERNEL_RELOCS: return FORM_KERNEL;
	default: return FORM_NONE;
	}
}

bool section_is_reloc(const struct section *s)
{
	return elf_reloc_form_of(s->type) != FORM_NONE;
}

bool section_is_kept_reloc(const struct image *im, const struct section *s)
{
	return im->kind == IMAGE_EXEC && section_is_reloc(s) && !s->alloc &&
	       s->type != SHT_KERNEL_RELOCS;
}

static bool open_plain(struct reloc_iter *it)
{
	const struct section *s = it->section;
	const unsigned word = it->image->bits / 8;
	const uint64_t least = it->form == FORM_RELA ? 3 * word : 2 * word;
	uint64_t entsize = least;
	if (s->entsize > least && s->entsize <= 4096)
		entsize = s->entsize;
	else if (s->entsize != 0 && s->entsize != least)
		IMAGE_NOTE(it->image, s->off, s->file_size,
			   "relocation section %" PRIu32 " has entries of %" PRIu64 " bytes",
			   s->index, s->entsize);
	it->state[ST_ENTSIZE] = entsize;
	it->remaining = it->reader.size / entsize;
	return true;
}

/* Reads APS2's header: magic, number of relocations, first offset (SLEB128). False if damaged. */
static bool open_aps2(struct reloc_iter *it)
{
	struct reader *r = &it->reader;
	const uint8_t *magic = read_take(r, 4);
	if (!magic || memcmp(magic, "APS2", 4) != 0)
		return false;
	it->remaining = (uint64_t)read_sleb(r);
	it->base = (uint64_t)read_sleb(r);
	/* Entries of a group may take no bytes. The file's size limits their number, because each
	 * entry patches a place in the file. */
	return reader_ok(r) && it->remaining <= it->image->bytes.size;
}

static void find_patched(struct reloc_iter *it)
{
	const struct image *im = it->image;
	const struct section *s = it->section;
	if (s->info == 0 || s->info >= im->section_count)
		return;
	/* In linked images, sh_info is the patched section only in tables that no loader reads. */
	if (im->kind == IMAGE_OBJECT || !s->alloc || s->flags & SHF_INFO_LINK)
		it->patched = &im->sections[s->info];
}

static void find_symbols(struct reloc_iter *it)
{
	const struct image *im = it->image;
	const uint32_t link = it->section->link;
	if (link == 0 || link >= im->section_count)
		return;
	const struct section *s = &im->sections[link];
	if (s->type == SHT_SYMTAB || s->type == SHT_DYNSYM)
		(void)symtab_open(&it->symbols, im, s);
}

bool reloc_open(struct reloc_iter *it, const struct image *im, const struct section *s)
{
	memset(it, 0, sizeof *it);
	it->image = im;
	it->section = s;
	it->form = (int)(s->made_relocs ? FORM_MADE : elf_reloc_form_of(s->type));
	if (it->form == FORM_NONE)
		return false;
	it->reader = reader_of(section_bytes(im, s), im->big_endian);
	bool ok = true;
	if (it->form == FORM_REL || it->form == FORM_RELA)
		ok = open_plain(it);
	else if (it->form == FORM_CREL) { /* The header is count * 8 + (addends ? 4 : 0) + shift */
		const uint64_t head = read_uleb(&it->reader);
		it->remaining = head >> 3;
		it->state[ST_FLAGS] = head & 4 ? 3 : 2;
		it->state[ST_SHIFT] = head & 3;
		ok = reader_ok(&it->reader);
	} else if (it->form == FORM_APS2)
		ok = open_aps2(it);
	else if (it->form == FORM_KERNEL)
		for (struct reader r = it->reader; reader_left(&r) >= KERNEL_RELOC_SIZE;)
			it->state[ST_LISTS] += read_u32(&r) == 0; /* In a kernel's relocations, a
								   * word of 0 begins a list */
	if (!ok) {
		IMAGE_NOTE(im, s->off, s->file_size,
			   "relocation section %" PRIu32 " is damaged at its start", s->index);
		return false;
	}
	find_patched(it);
	find_symbols(it);
	return true;
}

uint64_t reloc_count(const struct reloc_iter *it)
{
	return it->form == FORM_REL || it->form == FORM_RELA ? it->remaining : 0;
}

struct reloc_iter reloc_part(const struct reloc_iter *it, uint64_t first, uint64_t count)
{
	struct reloc_iter part = *it;
	ASSERT(first <= reloc_count(it) && count <= reloc_count(it) - first);
	reader_seek(&part.reader, it->reader.pos + first * it->state[ST_ENTSIZE]);
	part.remaining = count;
	return part;
}

static void place_object(struct reloc_iter *it, struct reloc *ret, uint64_t off)
{
	const struct section *s = it->patched;
	ret->addr = off;
	if (!s)
		return;
	/* In compressed sections, offsets count unpacked bytes, so they may exceed the size. */
	if (off > s->size && !s->compressed && !str_starts(s->name, STR(".zdebug_"))) {
		IMAGE_NOTE(it->image, it->section->off + ret->entry_off, ret->entry_size,
			   "a relocation of section %" PRIu32 " lies outside it", s->index);
		return;
	}
	ret->section = s->index;
	ret->alloc = s->alloc;
	if (s->alloc)
		ret->addr = s->addr + off;
}

/* Sets the patched address of an entry of a linked image. For sections without an address,
 * --emit-relocs keeps offsets. */
static void place_linked(struct reloc_iter *it, struct reloc *ret, uint64_t addr)
{
	const struct section *s = it->patched;
	ret->addr = addr;
	if (s && !s->alloc) {
		ret->section = s->index;
		ret->addr = addr - s->addr;
		return;
	}
	ret->alloc = true;
	if (s)
		ret->addr = addr = add_sat(addr, s->vm_bias);
	if (addr - it->state[ST_LO] >= it->state[ST_HI] - it->state[ST_LO]) {
		const struct elf_piece *p = elf_pieces_at(&it->image->index->sections, addr);
		if (!p)
			return;
		it->state[ST_LO] = p->addr;
		it->state[ST_HI] = p->end;
		it->state[ST_INDEX] = p->index;
	}
	ret->section = (uint32_t)it->state[ST_INDEX];
}

/* Completes an entry with known r_offset, type and symbol. Returns true. */
static bool elf_reloc_finish(struct reloc_iter *it, struct reloc *ret, uint64_t r_offset)
{
	if (it->image->kind == IMAGE_OBJECT)
		place_object(it, ret, r_offset);
	else
		place_linked(it, ret, r_offset);
	if (ret->type != it->last_type) {
		it->last_type = ret->type;
		it->last_kind = reloc_kind(it->image->machine, ret->type);
	}
	ret->kind = it->form == FORM_RELR ? RELOC_RELATIVE : it->last_kind;
	return true;
}

static bool elf_reloc_damaged(struct reloc_iter *it, uint64_t entry_off)
{
	it->remaining = 0;
	it->reader.pos = it->reader.size;
	IMAGE_NOTE(it->image, it->section->off + entry_off, it->section->file_size - entry_off,
		   "relocation section %" PRIu32 " is damaged", it->section->index);
	return false;
}

static void split_info(const struct image *im, uint64_t info, struct reloc *ret)
{
	if (im->bits == 32) {
		ret->symbol = (uint32_t)info >> 8;
		ret->type = info & 0xff;
	} else if (im->machine == EM_MIPS) {
		/* r_sym (32 bits), r_ssym, r_type3, r_type2, r_type (8 bits each), in this order in
		 * both byte orders (64-bit ELF Object File Specification, 2.9). */
		if (!im->big_endian)
			info = info << 32 | __builtin_bswap32((uint32_t)(info >> 32));
		ret->symbol = (uint32_t)(info >> 32);
		ret->type = info & 0xffffff;
	} else {
		ret->symbol = (uint32_t)(info >> 32);
		/* SPARC stores other data in the upper bits of the type. */
		ret->type = (uint32_t)(im->machine == EM_SPARCV9 ? info & 0xff : info);
	}
}

static bool next_plain(struct reloc_iter *it, struct reloc *ret)
{
	const struct image *im = it->image;
	uint64_t off, info;
	if (it->remaining == 0)
		return false;
	it->remaining--;
	ret->entry_off = it->reader.pos;
	ret->entry_size = it->state[ST_ENTSIZE];
	ret->has_addend = it->form == FORM_RELA;
	const uint8_t *entry = read_take(&it->reader, ret->entry_size);
	ASSERT(entry); /* open_plain() has counted the entries */
	/* With a constant size, the compiler removes the reader's checks. */
	if (im->bits == 64) {
		struct reader r = reader_of((struct bytes){ entry, 24 }, im->big_endian);
		off = read_u64(&r);
		info = read_u64(&r);
		ret->addend = ret->has_addend ? read_i64(&r) : 0;
	} else {
		struct reader r = reader_of((struct bytes){ entry, 12 }, im->big_endian);
		off = read_u32(&r);
		info = read_u32(&r);
		ret->addend = ret->has_addend ? read_i32(&r) : 0;
	}
	split_info(im, info, ret);
	return elf_reloc_finish(it, ret, off);
}

static bool next_relr(struct reloc_iter *it, struct reloc *ret)
{
	struct reader *r = &it->reader;
	const unsigned word = it->image->bits / 8;
	const uint64_t mask = it->image->bits == 64 ? UINT64_MAX : UINT32_MAX;
	uint64_t spent = 0;
	while (it->state[ST_BITS] == 0) {
		if (reader_left(r) < word)
			return false;
		ret->entry_off = r->pos;
		const uint64_t v = read_elf_word(r, it->image->bits);
		spent = word;
		if ((v & 1) == 0) { /* An address. The next bitmap is for the words after it */
			it->base = v + word;
			ret->entry_size = spent;
			return elf_reloc_finish(it, ret, v);
		}
		it->state[ST_BITS] = v >> 1;
		it->state[ST_BITS_ADDR] = it->base;
		it->base += (uint64_t)word * (it->image->bits - 1u);
	}
	/* The second and later addresses of a bitmap cost no bytes, so they get the offset of the
	 * bitmap's word. */
	ret->entry_off = r->pos - word;
	ret->entry_size = spent;
	const unsigned skip = (unsigned)__builtin_ctzll(it->state[ST_BITS]);
	const uint64_t addr = it->state[ST_BITS_ADDR] + (uint64_t)skip * word;
	it->state[ST_BITS] = skip == 63 ? 0 : it->state[ST_BITS] >> (skip + 1);
	it->state[ST_BITS_ADDR] = addr + word;
	return elf_reloc_finish(it, ret, addr & mask);
}

/* Reads an entry of CREL: ULEB128 of (offset delta << flag bits | flags), then SLEB128 deltas of
 * symbol, type and addend. A delta is present if its flag is set. False at the end, or at
 * damage. */
static bool next_crel(struct reloc_iter *it, struct reloc *ret)
{
	struct reader *r = &it->reader;
	if (it->remaining == 0)
		return false;
	it->remaining--;
	ret->entry_off = r->pos;
	const unsigned flag_bits = (unsigned)it->state[ST_FLAGS];
	const uint8_t first = read_u8(r);
	const unsigned flags = first & ((1u << flag_bits) - 1);
	uint64_t delta = (first & 0x7f) >> flag_bits;
	if (first & 0x80)
		delta += read_uleb(r) << (7 - flag_bits);
	if (flags & CREL_SYMBOL)
		it->state[ST_SYMBOL] += (uint64_t)read_sleb(r);
	if (flags & CREL_TYPE)
		it->state[ST_TYPE] += (uint64_t)read_sleb(r);
	if (flags & CREL_ADDEND)
		it->state[ST_ADDEND] += (uint64_t)read_sleb(r);
	if (!reader_ok(r))
		return elf_reloc_damaged(it, ret->entry_off);
	it->base += delta << it->state[ST_SHIFT];
	if (it->image->bits == 32)
		it->base &= UINT32_MAX;
	ret->entry_size = r->pos - ret->entry_off;
	ret->symbol = (uint32_t)it->state[ST_SYMBOL];
	ret->type = (uint32_t)it->state[ST_TYPE];
	ret->has_addend = flag_bits == 3;
	ret->addend = it->image->bits == 64 ? (int64_t)it->state[ST_ADDEND]
					    : (int32_t)(uint32_t)it->state[ST_ADDEND];
	return elf_reloc_finish(it, ret, it->base);
}

static bool elf_reloc_open_group(struct reloc_iter *it)
{
	struct reader *r = &it->reader;
	it->state[ST_GROUP] = (uint64_t)read_sleb(r);
	const uint64_t flags = (uint64_t)read_sleb(r);
	it->state[ST_FLAGS] = flags;
	if (flags & APS2_BY_DELTA)
		it->state[ST_DELTA] = (uint64_t)read_sleb(r);
	if (flags & APS2_BY_INFO)
		it->state[ST_SHIFT] = (uint64_t)read_sleb(r);
	if (!(flags & APS2_HAS_ADDEND))
		it->state[ST_ADDEND] = 0;
	else if (flags & APS2_BY_ADDEND)
		it->state[ST_ADDEND] += (uint64_t)read_sleb(r);
	return reader_ok(r) && it->state[ST_GROUP] > 0 && it->state[ST_GROUP] <= it->remaining;
}

static bool next_aps2(struct reloc_iter *it, struct reloc *ret)
{
	struct reader *r = &it->reader;
	const struct image *im = it->image;
	if (it->remaining == 0)
		return false;
	ret->entry_off = r->pos;
	if (it->state[ST_GROUP] == 0 && !elf_reloc_open_group(it))
		return elf_reloc_damaged(it, ret->entry_off);
	const uint64_t flags = it->state[ST_FLAGS];
	it->remaining--;
	it->state[ST_GROUP]--;
	it->base += flags & APS2_BY_DELTA ? it->state[ST_DELTA] : (uint64_t)read_sleb(r);
	const uint64_t info = flags & APS2_BY_INFO ? it->state[ST_SHIFT] : (uint64_t)read_sleb(r);
	if ((flags & APS2_HAS_ADDEND) && !(flags & APS2_BY_ADDEND))
		it->state[ST_ADDEND] += (uint64_t)read_sleb(r);
	if (!reader_ok(r))
		return elf_reloc_damaged(it, ret->entry_off);
	if (im->bits == 32)
		it->base &= UINT32_MAX;
	ret->entry_size = r->pos - ret->entry_off;
	split_info(im, info, ret);
	ret->has_addend = it->section->type == SHT_ANDROID_RELA;
	ret->addend = ret->has_addend ? (int64_t)it->state[ST_ADDEND] : 0;
	if (im->bits == 32)
		ret->addend = (int32_t)(uint32_t)ret->addend;
	return elf_reloc_finish(it, ret, it->base);
}

static bool next_kernel(struct reloc_iter *it, struct reloc *ret)
{
	struct reader *r = &it->reader;
	uint32_t word = 0;
	while (word == 0 && reader_left(r) >= KERNEL_RELOC_SIZE) {
		ret->entry_off = r->pos;
		word = read_u32(r);
		it->state[ST_LIST] += word == 0;
	}
	if (word == 0)
		return false;
	ret->entry_size = KERNEL_RELOC_SIZE;
	/* Sets the type of a kernel's relocation, which depends on its list. The last list has
	 * 4-byte fields. With several lists, the first has 8-byte fields, and a list between them
	 * has distances without a known target. */
	const bool last = it->state[ST_LIST] == it->state[ST_LISTS];
	if (it->image->machine == EM_386)
		ret->type = R_386_32;
	else
		ret->type = last                      ? R_X86_64_32S
			    : it->state[ST_LIST] == 1 ? R_X86_64_64
						      : R_X86_64_PC32;
	ret->kind = ret->type == R_X86_64_PC32 && it->image->machine == EM_X86_64 ? RELOC_OTHER
										  : RELOC_RELATIVE;
	uint64_t place;
	if (elf_kernel_place(it->image, word, &place))
		place_linked(it, ret, place);
	return true;
}

bool reloc_next(struct reloc_iter *it, struct reloc *ret)
{
	memset(ret, 0, sizeof *ret);
	switch (it->form) {
	case FORM_REL:
	case FORM_RELA: return next_plain(it, ret);
	case FORM_RELR: return next_relr(it, ret);
	case FORM_CREL: return next_crel(it, ret);
	case FORM_APS2: return next_aps2(it, ret);
	case FORM_KERNEL: return next_kernel(it, ret);
	case FORM_MADE:
		if (it->state[ST_MADE] == it->section->made_reloc_count)
			return false;
		*ret = it->section->made_relocs[it->state[ST_MADE]++];
		return elf_reloc_finish(it, ret, ret->addr);
	default: return false;
	}
}

void image_list_patched(const struct image *im, place_vec *ret)
{
	each_section(s, im) {
		struct reloc_iter it;
		struct reloc rel;
		if (!section_is_reloc(s) || !reloc_open(&it, im, s))
			continue;
		while (reloc_next(&it, &rel))
			if (rel.alloc)
				vec_push(ret, rel.addr);
	}
	vec_sort(ret);
}
