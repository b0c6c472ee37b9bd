/* By symbol: claims the GPU code inside a program. Each kernel and architecture gets a row.
 *
 * .nv_fatbin: blocks of the bytes 50 ed 55 ba, a version, the size of their header (2 bytes each)
 * and the size of the rest (8). The rest has entries: a kind (1 is PTX, 2 an ELF file), a version
 * (2 bytes each), sizes of header (4) and payload (8), the packed size (4), at 28 the architecture,
 * at 40 flags, at 56 the unpacked size (layout by experiment with CUDA 13). .hip_fatbin: bundles of
 * clang, "__CLANG_OFFLOAD_BUNDLE__", a count, then for each entry offset, size and length of the
 * target's name (8 bytes each) and the name (Clang documentation, "Clang Offload Bundler"). Packed
 * bundles begin with "CCOB", a version and a method (2 bytes each; 1 is zstd, else zlib). From
 * version 2 on follows the total size, then the unpacked size (4 bytes each, from version 3 on 8)
 * and a hash of 8 bytes.
 *
 * Bytes of a packed kernel are counted in proportion to its unpacked bytes. */
#include "attr/attr.h"

#include "base/unpack.h"
#include "image/elf/elf_const.h"
#include "names/demangle.h"

#include <stdio.h>

enum { FATBIN_MAGIC = 0xba55ed50, FATBIN_PTX = 1, FATBIN_ELF = 2, ENTRY_HEADER = 64 };
enum { BUNDLE_ENTRIES_MAX = 4096, BUNDLE_ZSTD = 1 };
#define BUNDLE_MAGIC STR("__CLANG_OFFLOAD_BUNDLE__")
#define PACKED_MAGIC STR("CCOB")
#define ZSTD_MAGIC   0xfd2fb528u

/* One GPU program of a bundle. */
struct gpu_code {
	struct attr *attr;
	const struct section *in;
	uint64_t off, size; /* Offset from the start of the section. */
	uint64_t unpacked;  /* Unpacked size. 0 if not packed. */
	uint64_t base;      /* Offset of the code in the unpacked bytes */
	struct str target;  /* processor, like "sm_90" or "gfx906" */
	struct demangler *demangler;
};

/* Claims unpacked bytes of GPU code. For a packed entry, claims its share of the packed bytes. */
static void attr_gpu_claim_code(const struct gpu_code *g, uint64_t off, uint64_t size,
				label_id label)
{
	off = add_sat(off, g->base);
	uint64_t end = add_sat(off, size);
	if (g->unpacked > 0) {
		off = (uint64_t)((double)off / (double)g->unpacked * (double)g->size);
		end = (uint64_t)((double)end / (double)g->unpacked * (double)g->size);
	}
	if (off < end && off < g->size)
		attr_put(g->attr, g->in, g->off + off, min_u64(end, g->size) - off, label,
			 WHY_SYMBOL);
}

static label_id kernel_label(const struct gpu_code *g, struct str raw)
{
	const struct str name = demangle(g->demangler, raw, HEFT_NAMES_SHORT);
	return label_format(g->attr->f->labels, STR_FMT " (" STR_FMT ")", STR_ARG(name),
			    STR_ARG(g->target));
}

/* Returns the kernel name in an NVIDIA section name: ".text.NAME", ".nv.info.NAME". */
static struct str kernel_of_section(struct str name)
{
	static const char *const fronts[] = { ".text.",           ".nv.info.",  ".nv.constant0.",
					      ".nv.shared.",      ".rel.text.", ".rela.text.",
					      ".nv.capmerc.text." };
	for (size_t i = 0; i < COUNT_OF(fronts); i++) {
		const struct str front = str_of(fronts[i]);
		if (str_starts(name, front))
			return (struct str){ name.p + front.len, name.len - front.len };
	}
	return STR("");
}

/* Claims AMD's functions, and their descriptors NAME.kd. */
static void attr_gpu_claim_symbols(const struct gpu_code *g, const struct image *im)
{
	struct symtab t;
	const struct section *table = image_symbols(im);
	if (!table)
		table = image_section_type(im, SHT_DYNSYM, 1);
	if (!table || !symtab_open(&t, im, table))
		return;
	for (size_t i = 1; i < t.count; i++) {
		struct symbol s = symtab_get(&t, i);
		if (s.section == SYM_NO_SECTION || s.section >= im->section_count || s.size == 0 ||
		    s.name.len == 0)
			continue;
		const struct section *in = &im->sections[s.section];
		const bool named = kernel_of_section(in->name).len > 0;
		if (named || in->nobits || s.value < in->addr || s.value - in->addr >= in->size)
			continue;
		if (str_ends(s.name, STR(".kd")))
			s.name.len -= 3;
		attr_gpu_claim_code(g, in->off + (s.value - in->addr), s.size,
				    kernel_label(g, s.name));
	}
}

static void claim_kernels(const struct gpu_code *g, struct bytes code)
{
	struct image im;
	struct notes notes;
	struct heft_err err = { 0 };
	const struct image_place at = { .path = g->attr->im->path };
	notes_init(&notes); /* Drops notes: they concern an image that the user did not name. */
	if (file_format_of_plain(code)->parse && image_parse(&im, &at, code, &notes, &err)) {
		attr_gpu_claim_symbols(g, &im);
		for (size_t i = 1; i < im.section_count; i++) {
			const struct section *s = &im.sections[i];
			const struct str kernel = kernel_of_section(s->name);
			if (kernel.len > 0)
				attr_gpu_claim_code(g, s->off, s->file_size,
						    kernel_label(g, kernel));
		}
		image_release(&im);
	}
	notes_release(&notes);
}

static void claim_packed(struct gpu_code *g, struct bytes packed, uint64_t unpacked)
{
	struct bytes code;
	struct heft_err err = { 0 };
	if (unpacked == 0 || !unpack_possible(UNPACK_ZSTD, packed.size, unpacked, &err) ||
	    !unpack(UNPACK_ZSTD, packed, unpacked, &code, &err))
		return;
	g->unpacked = unpacked;
	claim_kernels(g, code);
	mem_free((void *)(uintptr_t)code.p);
}

static label_id attr_gpu_rest_label(const struct gpu_code *g, const char *what)
{
	return label_format(g->attr->f->labels, "(%s " STR_FMT ")", what, STR_ARG(g->target));
}

static void claim_rest(const struct gpu_code *g, uint64_t off, uint64_t size, const char *what)
{
	attr_put(g->attr, g->in, off, size, attr_gpu_rest_label(g, what), WHY_SECTION);
}

struct fatbin_entry {
	uint32_t kind, header, packed, arch;
	uint64_t size, unpacked; /* Size of the entry as stored, and unpacked */
};

static bool attr_gpu_read_entry(struct reader *r, struct fatbin_entry *ret)
{
	struct reader h = *r;
	ret->kind = read_u16(&h);
	read_skip(&h, 2);
	ret->header = read_u32(&h);
	ret->size = read_u64(&h);
	ret->packed = read_u32(&h);
	read_skip(&h, 8);
	ret->arch = read_u32(&h);
	read_skip(&h, 24);
	ret->unpacked = read_u64(&h);
	return reader_ok(&h) && ret->header >= ENTRY_HEADER && ret->header <= reader_left(r) &&
	       ret->size <= reader_left(r) - ret->header;
}

static void claim_entry(struct gpu_code *g, struct bytes all, uint64_t at,
			const struct fatbin_entry *e)
{
	char target[24];
	const bool ptx = e->kind == FATBIN_PTX;
	g->target = (struct str){ target, (size_t)snprintf(target, sizeof target,
							   ptx ? "compute_%" PRIu32 : "sm_%" PRIu32,
							   e->arch) };
	g->off = at + e->header;
	g->size = e->size;
	g->unpacked = 0;
	const struct bytes payload = bytes_sub(all, g->off, e->size);
	struct reader r = reader_of(payload, false);
	const bool zstd = read_u32(&r) == ZSTD_MAGIC && e->packed <= payload.size;
	if (!ptx && zstd)
		claim_packed(g, bytes_sub(payload, 0, e->packed), e->unpacked);
	else if (!ptx)
		claim_kernels(g, payload);
	claim_rest(g, at, e->header + e->size, ptx ? "PTX" : "GPU code");
}

static void attr_gpu_note_damage(const struct attr *a, const struct section *s, uint64_t off)
{
	note(a->f->notes, a->f->path, a->im->file_off + s->off + off, s->size - off,
	     "section " STR_FMT " has no table of GPU code here; the rest of it has no owner",
	     STR_ARG(s->name));
}

static void nv_fatbin(struct gpu_code *g)
{
	const struct bytes all = section_bytes(g->attr->im, g->in);
	struct reader r = reader_of(all, false);
	struct fatbin_entry e;
	while (reader_left(&r) >= 16) {
		const uint64_t start = r.pos;
		const uint32_t magic = read_u32(&r);
		read_skip(&r, 2);
		const uint16_t header = read_u16(&r);
		const uint64_t size = read_u64(&r);
		if (magic == 0) { /* A zero word is alignment. */
			reader_seek(&r, start + 8);
			continue;
		}
		if (magic != FATBIN_MAGIC || header < 16 || header > all.size - start ||
		    size > all.size - start - header) {
			attr_gpu_note_damage(g->attr, g->in, start);
			return;
		}
		g->target = STR("tables");
		claim_rest(g, start, header, "GPU code");
		struct reader in = reader_of(bytes_sub(all, start + header, size), false);
		while (attr_gpu_read_entry(&in, &e)) {
			claim_entry(g, all, start + header + in.pos, &e);
			read_skip(&in, e.header + e.size);
		}
		if (reader_left(&in) >= ENTRY_HEADER)
			attr_gpu_note_damage(g->attr, g->in, start + header + in.pos);
		reader_seek(&r, start + header + size);
	}
}

/* Claims the entries of a bundle. The bundle begins at g->off, or is unpacked from the bytes there.
 * Returns the size of the entries and their table. */
static uint64_t claim_entries(struct gpu_code *g, struct bytes bundle)
{
	const struct gpu_code whole = *g;
	struct reader r = reader_of(bundle, false);
	uint64_t end = 0,
		 left = bundle.size; /* Bytes of code that may still be read. Valid entries do
				      * not overlap. */
	read_skip(&r, BUNDLE_MAGIC.len);
	const uint64_t count = read_u64(&r);
	for (uint64_t i = 0; i < count && i < BUNDLE_ENTRIES_MAX; i++) {
		const uint64_t off = read_u64(&r), size = read_u64(&r), length = read_u64(&r);
		const uint8_t *const id = read_take(&r, length);
		if (!id || off > bundle.size || size > bundle.size - off)
			break;
		end = max_u64(end, max_u64(off + size, r.pos));
		*g = whole;
		/* Keeps "gfx906:xnack-" of "hipv4-amdgcn-amd-amdhsa--gfx906:xnack-". */
		size_t target = (size_t)length;
		while (target > 1 && !(id[target - 1] == '-' && id[target - 2] == '-'))
			target--;
		target = target > 1 ? target : 0;
		g->target = (struct str){ (const char *)id + target, (size_t)length - target };
		g->base = off;
		if (size <= left)
			claim_kernels(g, bytes_sub(bundle, off, size));
		left -= min_u64(left, size);
		attr_gpu_claim_code(g, 0, size, attr_gpu_rest_label(g, "GPU code"));
	}
	*g = whole;
	return end;
}

static bool attr_gpu_starts_with(struct bytes b, struct str magic)
{
	return b.size >= magic.len && memcmp(b.p, magic.p, magic.len) == 0;
}

/* Claims a packed bundle. A version 1 bundle has no size field: it extends to the end. */
static uint64_t claim_packed_bundle(struct gpu_code *g, struct bytes all, uint64_t start)
{
	struct bytes bundle;
	struct heft_err err = { 0 };
	struct reader r = reader_of(bytes_sub(all, start, all.size - start), false);
	read_skip(&r, PACKED_MAGIC.len);
	const uint16_t version = read_u16(&r), method = read_u16(&r);
	const unsigned width = version >= 3 ? 8 : 4;
	const uint64_t size = version >= 2 ? read_uint(&r, width) : r.size;
	const uint64_t unpacked = read_uint(&r, width);
	read_skip(&r, 8);
	if (!reader_ok(&r) || size < r.pos || size > r.size)
		return start;
	const enum unpack_method how = method == BUNDLE_ZSTD ? UNPACK_ZSTD : UNPACK_ZLIB;
	const struct bytes packed = bytes_sub(all, start + r.pos, size - r.pos);
	if (unpack_possible(how, packed.size, unpacked, &err) &&
	    unpack(how, packed, unpacked, &bundle, &err)) {
		g->off = start + r.pos;
		g->size = packed.size;
		g->unpacked = unpacked;
		if (attr_gpu_starts_with(bundle, BUNDLE_MAGIC))
			(void)claim_entries(g, bundle);
		mem_free((void *)(uintptr_t)bundle.p);
	}
	g->unpacked = 0;
	g->target = STR("tables");
	claim_rest(g, start, size, "GPU code");
	return start + size;
}

/* Claims the bundles. Bundles begin at multiples of a page. */
static void hip_fatbin(struct gpu_code *g)
{
	const struct bytes all = section_bytes(g->attr->im, g->in);
	uint64_t at = 0;
	while (all.size - at >= BUNDLE_MAGIC.len) {
		const struct bytes here = bytes_sub(all, at, all.size - at);
		uint64_t end = at;
		if (attr_gpu_starts_with(here, BUNDLE_MAGIC)) {
			g->off = at;
			g->size = here.size;
			const uint64_t size = claim_entries(g, here);
			g->target = STR("tables");
			claim_rest(g, at, size, "GPU code");
			end = at + size;
		} else if (attr_gpu_starts_with(here, PACKED_MAGIC))
			end = claim_packed_bundle(g, all, at);
		if (end == at && at == 0) {
			attr_gpu_note_damage(g->attr, g->in, 0);
			return;
		}
		at = min_u64(all.size, align_up(max_u64(end, at + 1), 8));
	}
}

void attr_gpu(struct attr *a)
{
	struct demangler d = { 0 };
	ASSERT(a->owner == BY_SYMBOL);
	for (size_t i = 1; i < a->im->section_count; i++) {
		struct gpu_code g = { .attr = a, .in = &a->im->sections[i], .demangler = &d };
		if (g.in->nobits)
			continue;
		if (str_eq(g.in->name, STR(".nv_fatbin")) ||
		    str_eq(g.in->name, STR("__nv_relfatbin")))
			nv_fatbin(&g);
		else if (str_eq(g.in->name, STR(".hip_fatbin")))
			hip_fatbin(&g);
	}
	demangler_release(&d);
}
