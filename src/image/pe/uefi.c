/* Firmware volumes of UEFI as packages of modules (Platform Initialization Specification, volume 3:
 * EFI_FIRMWARE_VOLUME_HEADER, EFI_FFS_FILE_HEADER, EFI_COMMON_SECTION_HEADER).  A volume holds
 * files, a file sections, of which one may hold a program and another its name; a section may be a
 * volume or sections again, also compressed.  The bytes of a compressed section are shared out to
 * the modules inside, in proportion to their size. */
#include "image/input.h"
#include "image/pe/pe.h"

#include "base/sort.h"
#include "base/unpack.h"

enum { SCAN_STEP = 0x1000, SCAN_MAX = 0x10000, SIGNATURE_OFF = 0x28, HEADER_MIN = 0x38 };
enum { FILE_HEADER = 24, LARGE_FILE_HEADER = 32, FILE_IS_LARGE = 1, FILE_RAW = 1, FILE_PAD = 0xf0 };
enum {
	SECTION_COMPRESSION = 0x01,
	SECTION_GUIDED = 0x02,
	SECTION_PE = 0x10,
	SECTION_TE = 0x12,
	SECTION_UI = 0x15,
	SECTION_VOLUME = 0x17,
};
/* Modules have VM addresses of their own, so far apart. */
enum { MODULE_SHIFT = 52, MODULES_MAX = 4095, NAME_MAX_CHARS = 200 };

struct range {
	uint64_t off, size;
};

/* Sections that stand in another one. */
struct nested {
	const char *name;
	uint64_t off, end;
};

struct uefi {
	struct input *in;
	const char *path;
	struct bytes bytes;
	bool unpacked;             /* the bytes are those of a compressed section */
	VEC(struct range) volumes; /* yet to be read */
	VEC(struct nested) nested; /* likewise */
	VEC(struct image) images;
};

/* ---- volumes --------------------------------------------------------------------------------- */

static bool is_volume(struct bytes b, uint64_t off, struct range *ret)
{
	const struct bytes head = bytes_sub(b, off, HEADER_MIN);
	struct reader r = reader_of(head, false);
	if (head.size < HEADER_MIN || memcmp(head.p + SIGNATURE_OFF, "_FVH", 4) != 0)
		return false;
	reader_seek(&r, 32);
	*ret = (struct range){ off, read_u64(&r) };
	return ret->size >= HEADER_MIN && ret->size <= b.size - off;
}

/* Space before the first volume is for the code that a processor starts with. */
static bool find_first(struct bytes b, struct range *ret)
{
	for (uint64_t off = 0; off < SCAN_MAX && off < b.size; off += SCAN_STEP)
		if (is_volume(b, off, ret))
			return true;
	return false;
}

bool uefi_matches(struct bytes bytes)
{
	struct range first;
	return find_first(bytes, &first);
}

static void add_part(struct uefi *u, enum ar_part_kind kind, uint64_t off, uint64_t size,
		     const char *name)
{
	if (size > 0)
		vec_push(&u->in->parts, (struct ar_part){ kind, off, size, str_of(name) });
}

/* ---- files and sections ---------------------------------------------------------------------- */

/* A number of three bytes. */
static uint32_t read_u24(struct reader *r)
{
	const uint32_t low = read_u16(r);
	return low | (uint32_t)read_u8(r) << 16;
}

static const char *guid_text(struct uefi *u, uint64_t off)
{
	struct reader r = reader_of(bytes_sub(u->bytes, off, 16), false);
	const uint32_t a = read_u32(&r);
	const uint16_t b = read_u16(&r), c = read_u16(&r);
	const uint8_t *d = read_take(&r, 8);
	return d ? arena_format(&u->in->arena, "%08x-%04x-%04x-%02x%02x-%02x%02x%02x%02x%02x%02x",
				a, b, c, d[0], d[1], d[2], d[3], d[4], d[5], d[6], d[7])
		 : "";
}

struct part {
	uint8_t type;
	uint64_t off, size, skip; /* skip: the header */
};

/* The next section of a file; false at the end, and where one is damaged. */
static bool next_section(struct uefi *u, uint64_t *at, uint64_t end, struct part *ret)
{
	const uint64_t off = *at;
	struct reader r = reader_of(bytes_sub(u->bytes, off, end > off ? end - off : 0), false);
	uint64_t size = read_u24(&r);
	ret->type = read_u8(&r);
	if (size == 0xffffff)
		size = read_u32(&r);
	if (!reader_ok(&r) || size < r.pos || size > r.size)
		return false;
	ret->off = off;
	ret->size = size;
	ret->skip = r.pos;
	*at = off + align_up(size, 4);
	return true;
}

/* UTF-16; what is no ASCII is a question mark. */
static const char *ui_text(struct uefi *u, const struct part *p)
{
	char text[NAME_MAX_CHARS + 1];
	size_t n = 0;
	struct reader r = reader_of(bytes_sub(u->bytes, p->off + p->skip, p->size - p->skip),
				    false);
	while (n < NAME_MAX_CHARS && reader_left(&r) >= 2) {
		const uint16_t c = read_u16(&r);
		if (c == 0)
			break;
		text[n++] = c >= ' ' && c < 0x7f ? (char)c : '?';
	}
	return arena_copy(&u->in->arena, (struct str){ text, n });
}

/* The name that the sections state, else `other`. */
static const char *name_of(struct uefi *u, uint64_t from, uint64_t end, const char *other)
{
	struct part p;
	while (next_section(u, &from, end, &p))
		if (p.type == SECTION_UI)
			return ui_text(u, &p);
	return other;
}

/* A program or driver. */
static bool add_module(struct uefi *u, const char *name, uint64_t off, uint64_t size)
{
	const struct bytes b = bytes_sub(u->bytes, off, size);
	const struct image_place at = { .path = u->path,
					.member = str_of(name),
					.file_off = off,
					.vm_bias = (uint64_t)u->images.count << MODULE_SHIFT };
	struct heft_err err;
	struct image im;
	if (u->unpacked || u->images.count == MODULES_MAX || !image_matches(b))
		return false;
	if (!image_parse(&im, &at, b, u->in->notes, &err)) {
		note(u->in->notes, u->path, off, size, "module %s is not read: %s", name, err.text);
		return false;
	}
	vec_push(&u->images, im);
	return true;
}

enum packing {
	PACKED_NOT,
	PACKED_EFI,
	PACKED_TIANO,
	PACKED_LZMA,
	PACKED_LZMA_X86,
	PACKED_OTHERWISE
};

/* EDK II's sections by the GUID of what packed them. */
static const struct {
	uint8_t guid[16];
	enum packing packing;
} packers[] = {
	{ { 0x98, 0x58, 0x4e, 0xee, 0x14, 0x39, 0x59, 0x42, 0x9d, 0x6e, 0xdc, 0x7b, 0xd7, 0x94,
	    0x03, 0xcf },
	  PACKED_LZMA },
	{ { 0xbd, 0xe6, 0x2a, 0xd4, 0x52, 0x13, 0xfb, 0x4b, 0x90, 0x9a, 0xca, 0x72, 0xa6, 0xea,
	    0xe8, 0x89 },
	  PACKED_LZMA_X86 },
	{ { 0xad, 0x80, 0x12, 0xa3, 0x1e, 0x48, 0xb6, 0x41, 0x95, 0xe8, 0x12, 0x7f, 0x4c, 0x98,
	    0x47, 0x79 },
	  PACKED_TIANO },
};

/* The type of a compressed section. */
static enum packing packing_of_type(uint8_t type)
{
	return type == 0 ? PACKED_NOT : type == 1 ? PACKED_EFI : PACKED_OTHERWISE;
}

/* How the contents of a section of sections stand in it, and where. */
static enum packing packing_of(const struct uefi *u, const struct part *p, struct range *ret)
{
	enum { PROCESSING_REQUIRED = 1 };
	struct reader r = reader_of(bytes_sub(u->bytes, p->off, p->size), false);
	reader_seek(&r, p->skip);
	*ret = (struct range){ p->off + p->skip, p->size - p->skip };
	if (p->type == SECTION_COMPRESSION) {
		read_skip(&r, 4); /* the size of its contents */
		const enum packing packing = packing_of_type(read_u8(&r));
		if (!reader_ok(&r) || packing == PACKED_OTHERWISE)
			return PACKED_OTHERWISE;
		*ret = (struct range){ p->off + r.pos, reader_left(&r) };
		return packing;
	}
	const uint8_t *guid = read_take(&r, sizeof packers[0].guid);
	const uint16_t data = read_u16(&r), attributes = read_u16(&r);
	if (!reader_ok(&r) || data < r.pos || data > p->size)
		return PACKED_OTHERWISE;
	*ret = (struct range){ p->off + data, p->size - data };
	for (size_t i = 0; i < COUNT_OF(packers); i++)
		if (memcmp(guid, packers[i].guid, sizeof packers[i].guid) == 0)
			return packers[i].packing;
	return attributes & PROCESSING_REQUIRED ? PACKED_OTHERWISE : PACKED_NOT;
}

static bool read_packed(struct uefi *u, const char *name, const struct range *at,
			enum packing packing);

static void read_wrapped(struct uefi *u, const char *name, const struct part *p)
{
	struct range at;
	const enum packing packing = packing_of(u, p, &at);
	if (packing == PACKED_NOT) {
		vec_push(&u->nested, (struct nested){ name, at.off, at.off + at.size });
		return;
	}
	if (packing == PACKED_OTHERWISE && !u->unpacked)
		note(u->in->notes, u->path, at.off, at.size,
		     "a section is compressed by another method than LZMA and EFI's: its modules "
		     "are "
		     "not known");
	if (packing == PACKED_OTHERWISE || u->unpacked || !read_packed(u, name, &at, packing))
		add_part(u, FV_PACKED, at.off, at.size, name);
}

static void read_section(struct uefi *u, const char *name, const struct part *p)
{
	const uint64_t off = p->off + p->skip, size = p->size - p->skip;
	struct range volume;
	const bool program = p->type == SECTION_PE || p->type == SECTION_TE;
	if (program && add_module(u, name, off, size))
		return;
	if (p->type == SECTION_GUIDED || p->type == SECTION_COMPRESSION)
		read_wrapped(u, name, p);
	else if (p->type == SECTION_VOLUME && is_volume(u->bytes, off, &volume) &&
		 volume.size <= size)
		vec_push(&u->volumes, volume);
	else
		add_part(u, FV_OTHER, off, size, name);
}

static void read_sections(struct uefi *u, const char *name, uint64_t from, uint64_t end)
{
	struct part p;
	name = name_of(u, from, end, name);
	while (next_section(u, &from, end, &p))
		read_section(u, name, &p);
}

/* One file; returns the bytes of its header, 0 where there is none. */
static uint64_t read_file_header(struct uefi *u, uint64_t at, uint64_t end, uint64_t *ret_size,
				 uint8_t *ret_type)
{
	struct reader r = reader_of(bytes_sub(u->bytes, at, end - at), false);
	read_skip(&r, 18);
	*ret_type = read_u8(&r);
	const uint8_t attributes = read_u8(&r);
	*ret_size = read_u24(&r);
	read_skip(&r, 1);
	if (attributes & FILE_IS_LARGE)
		*ret_size = read_u64(&r);
	return reader_ok(&r) && *ret_size >= r.pos && *ret_size <= r.size ? r.pos : 0;
}

static void read_file(struct uefi *u, uint64_t at, uint64_t head, uint64_t size, uint8_t type)
{
	const uint64_t end = at + size, from = at + head;
	if (type == FILE_PAD || type == FILE_RAW) {
		add_part(u, type == FILE_PAD ? FV_FREE : FV_OTHER, from, end - from,
			 guid_text(u, at));
		return;
	}
	read_sections(u, guid_text(u, at), from, end);
}

/* The files begin behind the header, or behind an extended one. */
static uint64_t first_file(struct uefi *u, const struct range *v)
{
	struct reader r = reader_of(bytes_sub(u->bytes, v->off, v->size), false);
	reader_seek(&r, 0x30);
	const uint16_t header = read_u16(&r);
	read_skip(&r, 2);
	const uint16_t extended = read_u16(&r);
	reader_seek(&r, extended + UINT64_C(16));
	const uint64_t size = extended ? read_u32(&r) : 0;
	return reader_ok(&r) ? max_u64(header, align_up(extended + size, 8)) : v->size;
}

/* FFS 2 and 3; other volumes hold variables. */
static bool has_files(struct uefi *u, const struct range *v)
{
	static const uint8_t ffs[2][16] = {
		{ 0x78, 0xe5, 0x8c, 0x8c, 0x3d, 0x8a, 0x1c, 0x4f, 0x99, 0x35, 0x89, 0x61, 0x85,
		  0xc3, 0x2d, 0xd3 },
		{ 0x7a, 0xc0, 0x73, 0x54, 0xcb, 0x3d, 0xca, 0x4d, 0xbd, 0x6f, 0x1e, 0x96, 0x89,
		  0xe7, 0x34, 0x9a },
	};
	const uint8_t *guid = u->bytes.p + v->off + 16;
	return memcmp(guid, ffs[0], 16) == 0 || memcmp(guid, ffs[1], 16) == 0;
}

static void read_volume(struct uefi *u, const struct range *v)
{
	const uint64_t end = v->off + v->size;
	uint64_t at = v->off + min_u64(first_file(u, v), v->size), size;
	uint8_t type;
	if (!has_files(u, v)) {
		add_part(u, FV_OTHER, at, end - at, "variables");
		return;
	}
	while (at < end) {
		const uint64_t head = read_file_header(u, at, end, &size, &type);
		if (head == 0)
			break;
		read_file(u, at, head, size, type);
		at = v->off + align_up(at + size - v->off, 8);
	}
	if (at < end)
		add_part(u, FV_FREE, at, end - at, "");
}

static void read_all(struct uefi *u)
{
	while (u->volumes.count > 0 || u->nested.count > 0) {
		if (u->nested.count > 0) {
			const struct nested n = u->nested.data[--u->nested.count];
			read_sections(u, n.name, n.off, n.end);
			continue;
		}
		const struct range v = u->volumes.data[--u->volumes.count];
		read_volume(u, &v);
	}
	vec_release(&u->volumes);
	vec_release(&u->nested);
}

/* ---- compressed sections --------------------------------------------------------------------- */

/* `part` of `whole` as a share of so many bytes. */
static uint64_t scale(uint64_t part, uint64_t size, uint64_t whole)
{
	return (uint64_t)((unsigned __int128)part * size / whole);
}

/* All of [at] goes to what the unpacked bytes hold, but for headers and free space. */
static void share_out(struct uefi *u, const struct input *inner, const struct range *at)
{
	uint64_t total = 0, done = 0;
	for (size_t i = 0; i < inner->parts.count; i++)
		if (inner->parts.data[i].kind != FV_FREE)
			total += inner->parts.data[i].size;
	for (size_t i = 0; i < inner->parts.count; i++) {
		const struct ar_part *p = &inner->parts.data[i];
		if (p->kind == FV_FREE)
			continue;
		const uint64_t from = scale(done, at->size, total);
		done += p->size;
		add_part(u, FV_SHARE, at->off + from, scale(done, at->size, total) - from,
			 arena_copy(&u->in->arena, p->member));
	}
	if (total == 0)
		add_part(u, FV_PACKED, at->off, at->size, "");
}

static bool unpack_section(struct bytes packed, enum packing packing, struct bytes *ret,
			   struct heft_err *err)
{
	switch (packing) {
	case PACKED_LZMA: return unpack(UNPACK_LZMA, packed, 0, ret, err);
	case PACKED_LZMA_X86: return unpack(UNPACK_LZMA_X86, packed, 0, ret, err);
	case PACKED_TIANO: return unpack(UNPACK_TIANO, packed, 0, ret, err);
	/* Vendors have sections of this type in either form. */
	default:
		return unpack(UNPACK_EFI, packed, 0, ret, err) ||
		       unpack(UNPACK_TIANO, packed, 0, ret, err);
	}
}

/* One that stands in another is no further looked into. */
static bool read_packed(struct uefi *u, const char *name, const struct range *at,
			enum packing packing)
{
	struct heft_err err;
	struct bytes plain;
	if (!unpack_section(bytes_sub(u->bytes, at->off, at->size), packing, &plain, &err)) {
		note(u->in->notes, u->path, at->off, at->size,
		     "a compressed section cannot be unpacked: %s", err.text);
		return false;
	}
	struct input in = { .notes = u->in->notes };
	struct uefi inner = { .in = &in, .path = u->path, .bytes = plain, .unpacked = true };
	read_sections(&inner, name, 0, plain.size);
	read_all(&inner);
	share_out(u, &in, at);
	input_close(&in);
	mem_free((void *)(uintptr_t)plain.p);
	return true;
}

/* ---- all together ---------------------------------------------------------------------------- */

/* Top-level volumes, and the space between them, which is no part of any. */
static void list_volumes(struct uefi *u)
{
	uint64_t done = 0;
	struct range v;
	for (uint64_t at = 0; at < u->bytes.size; at += SCAN_STEP) {
		if (!is_volume(u->bytes, at, &v))
			continue;
		add_part(u, FAT_PADDING, done, at - done, "");
		vec_push(&u->volumes, v);
		done = at + v.size;
		at = done - done % SCAN_STEP - (done % SCAN_STEP == 0 ? SCAN_STEP : 0);
	}
	add_part(u, FAT_PADDING, done, u->bytes.size - done, "");
}

static int by_offset(const void *a, const void *b)
{
	const struct range *x = a, *y = b;
	return x->off < y->off ? -1 : x->off > y->off;
}

/* What is between modules and parts are headers and padding. */
static void add_headers(struct uefi *u)
{
	VEC(struct range) all = { 0 };
	uint64_t done = 0;
	for (size_t i = 0; i < u->in->parts.count; i++)
		vec_push(&all,
			 (struct range){ u->in->parts.data[i].off, u->in->parts.data[i].size });
	for (size_t i = 0; i < u->images.count; i++)
		vec_push(&all, (struct range){ u->images.data[i].file_off,
					       u->images.data[i].bytes.size });
	if (all.count > 0)
		qsort(all.data, all.count, sizeof *all.data, by_offset);
	for (size_t i = 0; i < all.count; i++) {
		add_part(u, FV_HEADERS, done, all.data[i].off - done, "");
		done = all.data[i].off + all.data[i].size;
	}
	add_part(u, FV_HEADERS, done, u->bytes.size - done, "");
	vec_release(&all);
}

bool uefi_parse(struct input *in, const char *path, struct heft_err *err)
{
	struct uefi u = { .in = in, .path = path, .bytes = in->file.bytes };
	(void)err;
	in->archive = in->firmware = true;
	list_volumes(&u);
	read_all(&u);
	add_headers(&u);
	in->images = mem_zeroed(u.images.count + 1, sizeof *in->images);
	for (size_t i = 0; i < u.images.count; i++)
		in->images[i] = u.images.data[i];
	in->image_count = u.images.count;
	vec_release(&u.images);
	return true;
}
