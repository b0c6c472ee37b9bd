/* Finds code for graphics processors. gpu_code.h describes the layouts. */
#include "runtime/gpu_code.h"

#include "base/unpack.h"

#include <stdio.h>

enum { FATBIN_PTX = 1, FATBIN_ELF = 2, FATBIN_LTO = 8, ENTRY_HEADER = 64 };
enum { GPU_ALIGN = 4, SMALLEST = 16 };
enum { BUNDLE_ENTRIES_MAX = 4096, BUNDLE_ZSTD = 1, TEXTS_MAX = 64 };
#define FATBIN_MAGIC  "\x50\xed\x55\xba"
#define BUNDLE_MAGIC  "__CLANG_OFFLOAD_BUNDLE__"
#define PACKED_MAGIC  "CCOB"
#define OFFLOAD_MAGIC "\x10\xff\x10\xad"
#define ZSTD_MAGIC    0xfd2fb528u

struct gpu_walk {
	struct bytes all;
	gpu_visit *visit;
	void *ctx;
};

static bool gpu_starts_with(struct bytes b, const char *magic)
{
	return b.size >= strlen(magic) && memcmp(b.p, magic, strlen(magic)) == 0;
}

struct bytes_place gpu_piece_place(const struct gpu_piece *p, uint64_t off, uint64_t size)
{
	off = add_sat(off, p->base);
	uint64_t end = add_sat(off, size);
	if (p->unpacked > 0) {
		off = (uint64_t)((double)off / (double)p->unpacked * (double)p->stored);
		end = (uint64_t)((double)end / (double)p->unpacked * (double)p->stored);
	}
	const uint64_t last = min_u64(end, p->stored);
	return (struct bytes_place){ p->at + off, off < last ? last - off : 0 };
}

static void visit_tables(const struct gpu_walk *w, uint64_t off, uint64_t size)
{
	const struct gpu_piece p = {
		.form = GPU_TABLES, .target = STR("tables"), .off = off, .size = size, .at = off
	};
	w->visit(w->ctx, &p);
}

/* Unpacks bytes into *ret, which the caller frees. */
static bool gpu_unpack(enum unpack_method how, struct bytes packed, uint64_t unpacked,
		       struct bytes *ret)
{
	struct heft_err err = { 0 };
	return unpacked > 0 && unpack_possible(how, packed.size, unpacked, &err) &&
	       unpack(how, packed, unpacked, ret, &err);
}

struct fatbin_entry {
	uint32_t kind, header, packed, arch;
	uint64_t size, flags, unpacked; /* `size`: bytes of the payload. `unpacked`: bytes after
					 * decompression */
};

static bool fatbin_entry_read(struct reader *r, struct fatbin_entry *ret)
{
	struct reader h = *r;
	ret->kind = read_u16(&h);
	read_skip(&h, 2);
	ret->header = read_u32(&h);
	ret->size = read_u64(&h);
	ret->packed = read_u32(&h);
	read_skip(&h, 8);
	ret->arch = read_u32(&h);
	read_skip(&h, 8);
	ret->flags = read_u64(&h);
	read_skip(&h, 8);
	ret->unpacked = read_u64(&h);
	return reader_ok(&h) && ret->header >= ENTRY_HEADER && ret->header <= reader_left(r) &&
	       ret->size <= reader_left(r) - ret->header;
}

static void visit_fatbin_entry(const struct gpu_walk *w, uint64_t at, const struct fatbin_entry *e)
{
	char target[24];
	const char *const front = e->kind == FATBIN_PTX   ? "compute"
				  : e->kind == FATBIN_LTO ? "lto"
							  : "sm";
	const char *const family = e->flags >> 20 & 1 ? "a" : e->flags >> 21 & 1 ? "f" : "";
	snprintf(target, sizeof target, "%s_%" PRIu32 "%s", front, e->arch, family);
	struct gpu_piece p = { .form = e->kind == FATBIN_PTX   ? GPU_PTX
				       : e->kind == FATBIN_LTO ? GPU_LTO
							       : GPU_CODE,
			       .target = str_of(target),
			       .off = at,
			       .size = e->header + e->size,
			       .at = at + e->header,
			       .stored = e->size,
			       .length = e->size };
	p.code = bytes_sub(w->all, p.at, p.stored);
	struct reader r = reader_of(p.code, false);
	struct bytes code = { 0 };
	if (p.form == GPU_CODE && read_u32(&r) == ZSTD_MAGIC && e->packed <= p.stored) {
		(void)gpu_unpack(UNPACK_ZSTD, bytes_sub(p.code, 0, e->packed), e->unpacked, &code);
		p.code = code;
		p.unpacked = e->unpacked;
		p.length = e->unpacked;
	}
	w->visit(w->ctx, &p);
	mem_free((void *)(uintptr_t)code.p);
}

/* The functions below visit the pieces of the container at `start`. They return its end, or `start`
 * if it is damaged. */
static uint64_t visit_fatbin(const struct gpu_walk *w, uint64_t start)
{
	struct reader r = reader_of(w->all, false);
	struct fatbin_entry e;
	reader_seek(&r, start + strlen(FATBIN_MAGIC) + 2);
	const uint16_t header = read_u16(&r);
	const uint64_t size = read_u64(&r);
	if (!reader_ok(&r) || header < 16 || header > w->all.size - start ||
	    size > w->all.size - start - header)
		return start;
	visit_tables(w, start, header);
	struct reader in = reader_of(bytes_sub(w->all, start + header, size), false);
	while (fatbin_entry_read(&in, &e)) {
		visit_fatbin_entry(w, start + header + in.pos, &e);
		read_skip(&in, e.header + e.size);
	}
	return start + header + (reader_left(&in) >= ENTRY_HEADER ? in.pos : size);
}

/* Visits the entries of a bundle: `bundle` is the payload of `whole`, unpacked. Returns the size of
 * the entries and their table. */
static uint64_t visit_entries(const struct gpu_walk *w, const struct gpu_piece *whole,
			      struct bytes bundle)
{
	struct reader r = reader_of(bundle, false);
	/* left: bytes of code that may still be visited, because valid entries do not overlap */
	uint64_t end = 0, left = bundle.size;
	read_skip(&r, strlen(BUNDLE_MAGIC));
	const uint64_t count = read_u64(&r);
	for (uint64_t i = 0; i < count && i < BUNDLE_ENTRIES_MAX; i++) {
		const uint64_t off = read_u64(&r), size = read_u64(&r), length = read_u64(&r);
		const uint8_t *const id = read_take(&r, length);
		if (!id || off > bundle.size || size > bundle.size - off)
			break;
		end = max_u64(end, max_u64(off + size, r.pos));
		/* Keeps "gfx906:xnack-" of "hipv4-amdgcn-amd-amdhsa--gfx906:xnack-". */
		size_t target = (size_t)length;
		while (target > 1 && !(id[target - 1] == '-' && id[target - 2] == '-'))
			target--;
		target = target > 1 ? target : 0;
		struct gpu_piece p = *whole;
		p.target = (struct str){ (const char *)id + target, (size_t)length - target };
		p.base = off;
		p.length = size;
		if (size <= left)
			p.code = bytes_sub(bundle, off, size);
		if (size > 0)
			w->visit(w->ctx, &p);
		left -= min_u64(left, size);
	}
	return end;
}

static uint64_t visit_bundle(const struct gpu_walk *w, uint64_t start)
{
	const struct bytes here = bytes_sub(w->all, start, w->all.size - start);
	const struct gpu_piece whole = { .form = GPU_CODE, .at = start, .stored = here.size };
	const uint64_t size = visit_entries(w, &whole, here);
	visit_tables(w, start, size);
	return start + size;
}

/* Visits a compressed bundle. Version 1 does not state its size, so it extends to the end. */
static uint64_t visit_packed_bundle(const struct gpu_walk *w, uint64_t start)
{
	struct bytes bundle;
	struct reader r = reader_at(bytes_sub(w->all, start, w->all.size - start), false,
				    strlen(PACKED_MAGIC));
	const uint16_t version = read_u16(&r), method = read_u16(&r);
	const unsigned width = version >= 3 ? 8 : 4;
	const uint64_t size = version >= 2 ? read_uint(&r, width) : r.size;
	const uint64_t unpacked = read_uint(&r, width);
	read_skip(&r, 8);
	if (!reader_ok(&r) || size < r.pos || size > r.size)
		return start;
	const enum unpack_method how = method == BUNDLE_ZSTD ? UNPACK_ZSTD : UNPACK_ZLIB;
	const struct bytes packed = bytes_sub(w->all, start + r.pos, size - r.pos);
	if (gpu_unpack(how, packed, unpacked, &bundle)) {
		const struct gpu_piece whole = { .form = GPU_CODE,
						 .at = start + r.pos,
						 .stored = packed.size,
						 .unpacked = unpacked };
		if (gpu_starts_with(bundle, BUNDLE_MAGIC))
			(void)visit_entries(w, &whole, bundle);
		mem_free((void *)(uintptr_t)bundle.p);
	}
	visit_tables(w, start, size);
	return start + size;
}

/* Returns the value of a text of an offload binary, like "gfx1100" for "arch". */
static struct str offload_text(struct bytes b, uint64_t texts, uint64_t count, struct str key)
{
	struct reader r = reader_at(b, false, texts);
	for (uint64_t i = 0; i < count && i < TEXTS_MAX; i++) {
		struct reader k = r, v = r;
		reader_seek(&k, read_u64(&r));
		reader_seek(&v, read_u64(&r));
		const struct str name = read_cstr(&k), value = read_cstr(&v);
		if (!reader_ok(&r))
			break;
		if (reader_ok(&k) && reader_ok(&v) && str_eq(name, key))
			return value;
	}
	return STR("");
}

static uint64_t visit_offload(const struct gpu_walk *w, uint64_t start)
{
	static const uint8_t forms[] = { GPU_CODE, GPU_CODE, GPU_LTO,  GPU_CODE,
					 GPU_CODE, GPU_PTX,  GPU_SPIRV };
	enum { FATBIN = 4 };
	struct reader r = reader_at(bytes_sub(w->all, start, w->all.size - start), false,
				    strlen(OFFLOAD_MAGIC));
	const uint32_t version = read_u32(&r);
	const uint64_t size = read_u64(&r), entry = read_u64(&r);
	if (!reader_ok(&r) || size < r.pos || size > r.size)
		return start;
	const struct bytes b = bytes_sub(w->all, start, size);
	r = reader_at(b, false, entry);
	const uint16_t kind = read_u16(&r);
	read_skip(&r, 6);
	const uint64_t texts = read_u64(&r), count = read_u64(&r), off = read_u64(&r);
	const uint64_t length = read_u64(&r);
	if (version == 1 && reader_ok(&r) && off <= size && length <= size - off) {
		const struct str arch = offload_text(b, texts, count, STR("arch"));
		const struct gpu_piece p = {
			.form = kind < COUNT_OF(forms) ? forms[kind] : GPU_CODE,
			.target = arch.len > 0 ? arch
					       : offload_text(b, texts, count, STR("triple")),
			.at = start + off,
			.stored = length,
			.length = length,
			.code = bytes_sub(b, off, length)
		};
		if (kind == FATBIN && gpu_starts_with(p.code, FATBIN_MAGIC))
			(void)visit_fatbin(w, p.at);
		w->visit(w->ctx, &p);
	}
	visit_tables(w, start, size);
	return start + size;
}

static const struct gpu_container {
	const char *magic;
	uint64_t (*visit)(const struct gpu_walk *w, uint64_t start);
} containers[] = {
	{ FATBIN_MAGIC, visit_fatbin },
	{ BUNDLE_MAGIC, visit_bundle },
	{ PACKED_MAGIC, visit_packed_bundle },
	{ OFFLOAD_MAGIC, visit_offload },
};

static const struct gpu_container *gpu_container_of(struct bytes b)
{
	for (size_t i = 0; i < COUNT_OF(containers); i++)
		if (gpu_starts_with(b, containers[i].magic))
			return &containers[i];
	return NULL;
}

bool gpu_code_begins(struct bytes b)
{
	return gpu_container_of(b) != NULL;
}

bool gpu_code_alone(struct str section)
{
	static const char *const names[] = { ".nv_fatbin", "__nv_relfatbin", ".hip_fatbin",
					     ".llvm.offloading" };
	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (str_eq(section, str_of(names[i])))
			return true;
	return false;
}

/* Returns the offset of the next fat binary or bundle from `at` on, or the size of `b`. Packed
 * bundles and offload binaries are not searched: their short magic numbers prove too little. */
static uint64_t gpu_search(struct bytes b, uint64_t at)
{
	uint32_t fatbin, bundle, here;
	memcpy(&fatbin, FATBIN_MAGIC, sizeof fatbin);
	memcpy(&bundle, BUNDLE_MAGIC, sizeof bundle);
	for (at = align_up(at, GPU_ALIGN); at < b.size && b.size - at >= SMALLEST;
	     at += GPU_ALIGN) {
		memcpy(&here, b.p + at, sizeof here);
		if (here == fatbin || here == bundle)
			return at;
	}
	return b.size;
}

uint64_t gpu_code_walk(struct bytes b, gpu_visit *visit, void *ctx, uint64_t *first)
{
	const struct gpu_walk w = { b, visit, ctx };
	uint64_t unread = 0;
	*first = b.size;
	for (uint64_t at = 0; at < b.size && b.size - at >= SMALLEST;) {
		const struct gpu_container *c = gpu_container_of(bytes_sub(b, at, b.size - at));
		const uint64_t end = c ? c->visit(&w, at) : at;
		struct reader r = reader_at(b, false, at);
		ASSERT(end >= at && end <= b.size);
		if (end > at || read_u32(&r) == 0) {
			at = align_up(max_u64(end, at + 1), GPU_ALIGN);
			continue;
		}
		const uint64_t next = gpu_search(b, at + 1);
		*first = min_u64(*first, at);
		unread += next - at;
		at = next;
	}
	return unread;
}
