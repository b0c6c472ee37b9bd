/* unwind.c - walks over .eh_frame and .debug_frame. */
#include "unwind/unwind.h"

#include "base/sort.h"
#include "base/map.h"
#include "base/vec.h"

/* A CIE: facts that its FDEs share. */
struct unwind_cie {
	uint64_t off;
	uint64_t personality;
	uint8_t address_size, segment_size; /* Sizes of an address and of a segment selector, in
					     * bytes */
	uint8_t func_encoding, lsda_encoding;
	bool sized; /* True with augmentation 'z': FDEs state the size of their augmentation data */
	struct unwind_rules rules;
	bool signal_frame;
	bool ok;
};

struct unwind_state {
	const struct unwind_section *section;
	VEC(struct unwind_cie) cies;
	struct map by_off; /* Index in `cies` by offset */
	size_t last;       /* Index of the previous FDE's CIE. Neighbours often share one */
	size_t fixup;      /* Index at which the search for the next fixup begins */
};

/* Length and identification, at the start of every entry. */
struct entry_head {
	uint64_t off, end; /* Range of the whole entry */
	uint64_t body;     /* Offset of the first byte after the identification */
	uint64_t cie_off;  /* FDE: offset of its CIE. */
	bool cie, terminator;
	bool short_body; /* True if too short to have an identification */
};

/* Greatest size of a CIE before its instructions. A larger CIE is damaged. Limits its cost. */
#define CIE_HEADER_MAX 512

/* Finds the target of a relocation at `off`. False without one. Calls mostly have rising `off`. */
static bool fixup_find(struct unwind_state *st, uint64_t off, uint64_t *ret)
{
	const struct unwind_section *s = st->section;
	size_t i = st->fixup;
	if (i > 0 && s->fixups[i - 1].off >= off)
		i = 0;
	const size_t near = i + 8;
	while (i < s->fixup_count && i < near && s->fixups[i].off < off)
		i++;
	if (i == near)
		BISECT(i, i, s->fixup_count, mid, s->fixups[mid].off < off);
	st->fixup = i;
	if (i == s->fixup_count || s->fixups[i].off != off)
		return false;
	*ret = s->fixups[i].target;
	return true;
}

static uint64_t pointer_base(const struct unwind_section *s, uint8_t encoding, uint64_t place,
			     uint64_t func)
{
	switch (encoding & EH_APPLY_MASK) {
	case EH_PCREL: return place;
	case EH_TEXTREL: return s->text_base;
	case EH_DATAREL: return s->data_base;
	case EH_FUNCREL: return func;
	default: return 0;
	}
}

/* Reads a pointer without following EH_INDIRECT. `func` is the base of EH_FUNCREL. False if r is
 * bad, or for a null pointer (stored as 0 and not relocated); *ret is then set, too. */
static bool unwind_read_pointer(struct unwind_state *st, struct reader *r, uint8_t encoding,
				uint8_t address_size, uint64_t func, uint64_t *ret)
{
	const struct unwind_section *s = st->section;
	const uint8_t apply = encoding & EH_APPLY_MASK;
	if (apply > EH_ALIGNED)
		reader_fail(r);
	if (apply == EH_ALIGNED) {
		const uint64_t place = s->addr + r->pos;
		read_skip(r, (0 - place) & (address_size - 1u));
		encoding = EH_ABSPTR;
	}
	const uint64_t off = r->pos;
	const uint64_t value = read_eh_value(r, encoding, address_size);
	const uint64_t base = pointer_base(s, encoding, s->addr + off, func);
	*ret = eh_add(base, value, address_size);
	if (!reader_ok(r))
		return false;
	return fixup_find(st, off, ret) || value != 0;
}

/* Replaces the address of an indirect pointer by the pointer stored there. False if unreadable. */
static bool unwind_follow(const struct unwind_section *s, uint8_t encoding, uint64_t *addr)
{
	if (!(encoding & EH_INDIRECT))
		return true;
	return s->load && s->load(s->load_ctx, *addr, addr);
}

/* Reads the head of the entry at `off`. False if fewer than 4 bytes are left or if the length
 * leaves the section. */
static bool unwind_read_head(struct unwind_state *st, uint64_t off, struct entry_head *ret)
{
	const struct unwind_section *s = st->section;
	struct reader r = reader_of(s->bytes, s->big_endian);
	*ret = (struct entry_head){ .off = off };
	reader_seek(&r, off);
	uint64_t length = read_u32(&r);
	const bool is64 = length == UINT32_MAX;
	if (is64)
		length = read_u64(&r);
	if (!reader_ok(&r) || length > reader_left(&r))
		return false;
	ret->end = r.pos + length;
	ret->terminator = length == 0;
	/* The identification in .eh_frame has 4 bytes, even after a 64-bit length. */
	const unsigned width = is64 && s->debug_frame ? 8 : 4;
	const uint64_t id_off = r.pos;
	r.size = ret->end;
	const uint64_t id = read_uint(&r, width);
	ret->short_body = !reader_ok(&r);
	ret->body = r.pos;
	if (s->debug_frame)
		ret->cie = id == (width == 8 ? UINT64_MAX : UINT32_MAX);
	else
		ret->cie = id == 0;
	/* .debug_frame states the offset of the CIE, .eh_frame the distance to it. */
	uint64_t target;
	if (!ret->cie && !ret->short_body) {
		if (!s->debug_frame)
			ret->cie_off = id_off - id;
		else
			ret->cie_off = fixup_find(st, id_off, &target) ? target - s->addr : id;
	}
	ASSERT(ret->end > off && ret->end <= s->bytes.size);
	return true;
}

static const struct unwind_cie *unwind_cie_find(struct unwind_state *st, uint64_t off)
{
	if (st->last < st->cies.count && st->cies.data[st->last].off == off)
		return &st->cies.data[st->last];
	uint32_t i;
	struct map_at at = map_at(&st->by_off, hash_u64(off));
	while (map_next(&st->by_off, &at, &i)) {
		if (st->cies.data[i].off == off) {
			st->last = i;
			return &st->cies.data[i];
		}
	}
	return NULL;
}

/* Reads the data of one augmentation letter. False for an unknown letter. */
static bool read_letter(struct unwind_state *st, struct reader *r, char letter,
			struct unwind_cie *c)
{
	switch (letter) {
	case 'L': c->lsda_encoding = read_u8(r); return true;
	case 'R': c->func_encoding = read_u8(r); return true;
	case 'S': c->signal_frame = true; return true;
	case 'B': /* AArch64: return addresses are signed with the B key */
	case 'G': /* AArch64: frames with memory tags */ return true;
	case 'P': {
		const uint8_t encoding = read_u8(r);
		if (encoding != EH_OMIT &&
		    !unwind_read_pointer(st, r, encoding, c->address_size, 0, &c->personality))
			c->personality = 0;
		return true;
	}
	default: return false;
	}
}

static void note_letter(const struct unwind_state *st, const struct unwind_cie *c, char letter)
{
	const struct unwind_section *s = st->section;
	note(s->notes, s->path, s->file_off + c->off, 0,
	     "call frame information has an augmentation of unknown meaning (0x%02x)",
	     (unsigned)(unsigned char)letter);
}

/* Reads the augmentation data. After an unknown letter, skips the others, because the size of its
 * data is unknown. 'z' gives the end of all data. */
static void read_augmentation(struct unwind_state *st, struct reader *r, struct str letters,
			      struct unwind_cie *c)
{
	if (letters.len == 0)
		return;
	if (letters.p[0] != 'z') {
		note_letter(st, c, letters.p[0]);
		return;
	}
	c->sized = true;
	struct reader data = read_sub(r, read_uleb(r));
	if (!reader_ok(r))
		return;
	/* Positions are relative to the section's start, for pc-relative pointers. */
	data = (struct reader){ r->base, r->pos, r->pos - data.size, READER_GOOD, r->big_endian };
	for (size_t i = 1; i < letters.len; i++) {
		if (!read_letter(st, &data, letters.p[i], c)) {
			note_letter(st, c, letters.p[i]);
			break;
		}
	}
	if (!reader_ok(&data))
		reader_fail(r);
}

/* Parses a CIE: DWARF 5 section 6.4.1; LSB 5.0 Core "The Common Information Entry Format". */
static bool parse_cie(struct unwind_state *st, const struct entry_head *h, struct unwind_cie *c)
{
	const struct unwind_section *s = st->section;
	struct reader r = reader_of(s->bytes, s->big_endian);
	r.size = min_u64(h->end, h->body + CIE_HEADER_MAX);
	r.pos = h->body;
	const uint8_t version = read_u8(&r);
	if (version != 1 && version != 3 && version != 4)
		return false;
	struct str letters = read_cstr(&r);
	if (version == 4) {
		c->address_size = read_u8(&r);
		c->segment_size = read_u8(&r);
		if (!eh_address_size_ok(c->address_size) || c->segment_size > 8)
			return false;
	}
	if (str_starts(letters, STR("eh"))) { /* gcc 2: a pointer to exception data follows */
		read_skip(&r, c->address_size);
		letters = (struct str){ letters.p + 2, letters.len - 2 };
	}
	c->rules.code_align = read_uleb(&r);
	c->rules.data_align = read_sleb(&r);
	c->rules.return_reg = version == 1 ? read_u8(&r) : read_uleb(&r);
	if (reader_ok(&r))
		read_augmentation(st, &r, letters, c);
	c->rules.cie_off = r.pos;
	c->rules.cie_end = h->end;
	return reader_ok(&r);
}

static const struct unwind_cie *cie_add(struct unwind_state *st, const struct entry_head *h)
{
	const struct unwind_cie *known = unwind_cie_find(st, h->off);
	if (known)
		return known;
	ASSERT(st->cies.count < UINT32_MAX);
	struct unwind_cie c = { .off = h->off,
				.address_size = st->section->address_size,
				.func_encoding = EH_ABSPTR,
				.lsda_encoding = EH_OMIT };
	c.ok = !h->short_body && parse_cie(st, h, &c);
	st->last = st->cies.count;
	vec_push(&st->cies, c);
	map_add(&st->by_off, hash_u64(h->off), (uint32_t)st->last);
	return &st->cies.data[st->last];
}

/* Returns the CIE of an FDE, or NULL. In .eh_frame it precedes its FDEs and is known already. In
 * .debug_frame it may come later. */
static const struct unwind_cie *cie_of(struct unwind_state *st, uint64_t off)
{
	const struct unwind_cie *known = unwind_cie_find(st, off);
	struct entry_head h;
	if (known || !st->section->debug_frame)
		return known;
	if (off >= st->section->bytes.size || !unwind_read_head(st, off, &h) || !h.cie)
		return NULL;
	return cie_add(st, &h);
}

static void read_lsda(struct unwind_state *st, struct reader *r, const struct unwind_cie *c,
		      struct unwind_entry *ret)
{
	const struct unwind_section *s = st->section;
	if (c->lsda_encoding == EH_OMIT || reader_left(r) == 0)
		return;
	if (!unwind_read_pointer(st, r, c->lsda_encoding, c->address_size, ret->func_addr,
				 &ret->lsda_addr)) {
		ret->lsda_addr = 0;
		return;
	}
	ret->has_lsda = unwind_follow(s, c->lsda_encoding, &ret->lsda_addr);
	if (ret->has_lsda)
		return;
	ret->lsda_addr = 0;
	note(s->notes, s->path, s->file_off + ret->off, ret->size,
	     "unwind entry's language-specific data is behind a pointer that cannot be read");
}

/* Parses an FDE: DWARF 5 section 6.4.1; LSB 5.0 Core "The Frame Description Entry Format". */
static bool parse_fde(struct unwind_state *st, const struct entry_head *h,
		      const struct unwind_cie *c, struct unwind_entry *ret)
{
	enum { OFFSET_EXTENDED = 5, DEF_CFA = 0xc, DEF_CFA_EXPRESSION = 0xf };
	const struct unwind_section *s = st->section;
	struct reader r = reader_of(s->bytes, s->big_endian);
	r.size = h->end;
	r.pos = h->body;
	read_skip(&r, c->segment_size);
	if (c->func_encoding == EH_OMIT)
		return false;
	(void)unwind_read_pointer(st, &r, c->func_encoding, c->address_size, 0, &ret->func_addr);
	const uint8_t size_format = c->func_encoding & EH_UNSIGNED_MASK;
	const uint64_t size = read_eh_value(&r, size_format, c->address_size);
	if (!reader_ok(&r) || !unwind_follow(s, c->func_encoding, &ret->func_addr))
		return false;
	/* A CIE may state a larger address size than the image's. */
	const uint8_t width = c->address_size < s->address_size ? c->address_size : s->address_size;
	ret->func_addr = eh_add(0, ret->func_addr, width);
	ret->func_size = eh_add(0, size, width);
	ret->signal_frame = c->signal_frame;
	ret->rules = c->rules;
	ret->rules.fde_off = r.pos;
	if (!c->sized)
		return true;
	const uint64_t data_size = read_uleb(&r);
	if (!reader_ok(&r) || data_size > reader_left(&r))
		return false;
	struct reader rules = r;
	read_skip(&rules, data_size);
	ret->rules.fde_off = rules.pos;
	/* If a frame is set up already, the instructions begin with a rule for the frame or a
	 * register, not with an advance (DWARF 5 section 6.4.2). */
	uint8_t op = 0;
	while (op == 0 && reader_left(&rules) > 0)
		op = read_u8(&rules);
	ret->in_frame = op >> 6 == 2 || op == OFFSET_EXTENDED ||
			(op >= DEF_CFA && op <= DEF_CFA_EXPRESSION);
	r.size = r.pos + data_size;
	read_lsda(st, &r, c, ret);
	return reader_ok(&r);
}

void unwind_init(struct unwind_iter *it, const struct unwind_section *s)
{
	struct unwind_state *st = mem_zeroed(1, sizeof *st);
	ASSERT(eh_address_size_ok(s->address_size));
	st->section = s;
	it->section = s;
	it->reader = reader_of(s->bytes, s->big_endian);
	it->cies = st;
}

void unwind_release(struct unwind_iter *it)
{
	struct unwind_state *st = it->cies;
	if (!st)
		return;
	vec_release(&st->cies);
	map_release(&st->by_off);
	mem_free(st);
	it->cies = NULL;
}

bool unwind_next(struct unwind_iter *it, struct unwind_entry *ret)
{
	const struct unwind_section *s = it->section;
	struct unwind_state *st = it->cies;
	struct entry_head h;
	const uint64_t left = reader_left(&it->reader);
	if (left == 0)
		return false;
	if (!unwind_read_head(st, it->reader.pos, &h)) {
		note(s->notes, s->path, s->file_off + it->reader.pos, left,
		     "unwind table ends early: the length of an entry leaves the section");
		it->reader.pos = it->reader.size;
		return false;
	}
	it->reader.pos = h.end;
	*ret = (struct unwind_entry){ .off = h.off, .size = h.end - h.off };
	if (h.terminator) {
		ret->terminator = ret->ok = true;
		return true;
	}
	if (h.cie) {
		const struct unwind_cie *c = cie_add(st, &h);
		ret->cie = true;
		ret->ok = c->ok;
		ret->personality = c->personality;
		ret->signal_frame = c->signal_frame;
	} else if (!h.short_body) {
		const struct unwind_cie *c = cie_of(st, h.cie_off);
		ret->cie_off = h.cie_off;
		ret->ok = c && c->ok && parse_fde(st, &h, c, ret);
	}
	if (ret->ok)
		return true;
	*ret = (struct unwind_entry){ .off = h.off, .size = h.end - h.off, .cie = ret->cie };
	note(s->notes, s->path, s->file_off + h.off, ret->size, "unwind entry is damaged");
	return true;
}

/* The functions below read the look-up table .eh_frame_hdr. */

static bool hdr_odd(const struct unwind_section *s, const char *why)
{
	note(s->notes, s->path, s->file_off, s->bytes.size, "unwind look-up table is damaged: %s",
	     why);
	return false;
}

/* Reads a pointer. "Data-relative" pointers are relative to the start of .eh_frame_hdr. */
static uint64_t read_hdr_pointer(struct reader *r, uint8_t encoding, uint8_t address_size,
				 uint64_t addr)
{
	const uint8_t apply = encoding & EH_APPLY_MASK;
	const uint64_t place = addr + r->pos;
	const uint64_t value = read_eh_value(r, encoding, address_size);
	const uint64_t base = apply == EH_PCREL ? place : apply == EH_DATAREL ? addr : 0;
	return eh_add(base, value, address_size);
}

/* True if a loader could use the encoding: absolute, pc-relative or data-relative. */
static bool encoding_ok(uint8_t encoding)
{
	const uint8_t apply = encoding & (EH_APPLY_MASK | EH_INDIRECT);
	return apply == 0 || apply == EH_PCREL || apply == EH_DATAREL;
}

bool unwind_hdr_parse(struct unwind_hdr *h, const struct unwind_section *s)
{
	ASSERT(eh_address_size_ok(s->address_size));
	*h = (struct unwind_hdr){ .reader = reader_of(s->bytes, s->big_endian),
				  .address_size = s->address_size,
				  .addr = s->addr };
	struct reader *r = &h->reader;
	const uint8_t version = read_u8(r);
	const uint8_t frame_encoding = read_u8(r);
	const uint8_t count_encoding = read_u8(r);
	h->encoding = read_u8(r);
	if (!reader_ok(r) || version != 1)
		return hdr_odd(s, "too short, or of unknown version");
	if (frame_encoding != EH_OMIT)
		h->eh_frame_addr = read_hdr_pointer(r, frame_encoding, s->address_size, s->addr);
	if (!encoding_ok(frame_encoding))
		h->eh_frame_addr = 0;
	uint64_t stated = 0;
	if (count_encoding != EH_OMIT)
		stated = read_eh_value(r, count_encoding, s->address_size);
	if (!reader_ok(r))
		return hdr_odd(s, "header is cut short");
	h->table_off = r->pos;
	if (h->encoding == EH_OMIT || count_encoding == EH_OMIT)
		return true;
	if (!encoding_ok(h->encoding) || eh_width(h->encoding, h->address_size) == 0)
		return hdr_odd(s, "table encoding of unknown meaning");
	h->entry_size = (uint8_t)(2 * eh_width(h->encoding, h->address_size));
	h->table_off = h->reader.pos;
	const uint64_t room = reader_left(&h->reader) / h->entry_size;
	h->count = min_u64(stated, room);
	if (stated > room)
		note(s->notes, s->path, s->file_off, s->bytes.size,
		     "unwind look-up table states more entries than it has room for");
	return true;
}

bool unwind_hdr_get(const struct unwind_hdr *h, uint64_t i, uint64_t *ret_func, uint64_t *ret_fde)
{
	if (i >= h->count)
		return false;
	ASSERT(h->entry_size > 0);
	struct reader r = h->reader;
	reader_seek(&r, h->table_off + i * h->entry_size);
	if (h->encoding == (EH_DATAREL | EH_SDATA4)) {
		*ret_func = eh_add(h->addr, (uint64_t)(int64_t)read_i32(&r), h->address_size);
		*ret_fde = eh_add(h->addr, (uint64_t)(int64_t)read_i32(&r), h->address_size);
	} else {
		*ret_func = read_hdr_pointer(&r, h->encoding, h->address_size, h->addr);
		*ret_fde = read_hdr_pointer(&r, h->encoding, h->address_size, h->addr);
	}
	return reader_ok(&r);
}

/* The functions below read encoded pointers. */

unsigned eh_width(uint8_t encoding, uint8_t address_size)
{
	switch (encoding & EH_FORMAT_MASK) {
	case EH_ABSPTR:
	case EH_SIGNED: return address_size;
	case EH_UDATA2:
	case EH_SDATA2: return 2;
	case EH_UDATA4:
	case EH_SDATA4: return 4;
	case EH_UDATA8:
	case EH_SDATA8: return 8;
	default: return 0;
	}
}

uint64_t read_eh_value(struct reader *r, uint8_t encoding, uint8_t address_size)
{
	ASSERT(eh_address_size_ok(address_size));
	const uint8_t format = encoding & EH_FORMAT_MASK;
	if (format == EH_ULEB)
		return read_uleb(r);
	if (format == EH_SLEB)
		return (uint64_t)read_sleb(r);
	/* A reserved format has width 0, which marks r bad. */
	const unsigned width = eh_width(encoding, address_size);
	if (format & EH_SIGNED && width == 2)
		return (uint64_t)(int64_t)read_i16(r);
	if (format & EH_SIGNED && width == 4)
		return (uint64_t)(int64_t)read_i32(r);
	return read_uint(r, width);
}
