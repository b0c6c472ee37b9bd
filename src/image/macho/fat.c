/* Parses Mach-O universal files: fat_header and fat_arch, fat_arch_64 (mach-o/fat.h),
 * big-endian. */
#include "image/macho/macho_internal.h"

#include "base/sort.h"
#include "image/input.h"

/* Limits. Java classes have the same magic. In place of the count, they have a version of at least
 * 45. So a count above ARCHES_MAX means another format. */
enum { HEADER_SIZE = 8, ARCHES_MAX = 40, SLICE_SHIFT = 52 };

/* A slice, from a fat_arch. Sorted by `off`. */
struct fat_slice {
	uint64_t off, size;
	uint64_t cpu;
};

struct fat {
	struct fat_slice slices[ARCHES_MAX];
	size_t count;
	uint64_t header; /* Bytes of the header and its table. */
};

static bool read_fat(struct bytes b, struct fat *ret)
{
	struct reader r = reader_of(b, true);
	const uint32_t magic = read_u32(&r), count = read_u32(&r);
	const bool wide = magic == 0xcafebabf;
	if (!reader_ok(&r) || (magic != 0xcafebabe && !wide) || count == 0 || count > ARCHES_MAX)
		return false;
	ret->count = count;
	for (size_t i = 0; i < count; i++) {
		ret->slices[i].cpu = read_u32(&r);
		read_skip(&r, 4);
		ret->slices[i].off = wide ? read_u64(&r) : read_u32(&r);
		ret->slices[i].size = wide ? read_u64(&r) : read_u32(&r);
		read_skip(&r, wide ? 8 : 4);
	}
	ret->header = r.pos;
	sort_by_key(ret->slices, count, sizeof *ret->slices);
	return reader_ok(&r);
}

bool fat_matches(struct bytes bytes)
{
	struct fat fat;
	return read_fat(bytes, &fat);
}

static const char *fat_arch_name(struct arena *a, uint64_t cpu)
{
	static const struct {
		uint32_t cpu;
		const char *name;
	} names[] = { { 7, "i386" },           { 0x01000007, "x86_64" },   { 12, "arm" },
		      { 0x0100000c, "arm64" }, { 0x0200000c, "arm64_32" }, { 18, "ppc" },
		      { 0x01000012, "ppc64" } };
	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (names[i].cpu == cpu)
			return names[i].name;
	return arena_format(a, "cpu %" PRIu64, cpu);
}

/* Adds a slice. A slice that is not a Mach-O file, such as an archive, becomes a part. */
static void add_slice(struct input *in, const char *path, const struct fat_slice *s, size_t number)
{
	const struct bytes bytes = bytes_sub(in->file.bytes, s->off, s->size);
	const struct str arch = str_of(fat_arch_name(&in->arena, s->cpu));
	struct heft_err err;
	const struct image_place at = { .path = path,
					.member = arch,
					.file_off = s->off,
					.vm_bias = (uint64_t)number << SLICE_SHIFT };
	struct image im;
	if (macho_matches(bytes) && macho_parse(&im, &at, bytes, in->notes, &err)) {
		input_add_image(in, &im);
		return;
	}
	note(in->notes, path, s->off, s->size, "slice " STR_FMT " is not read: %s", STR_ARG(arch),
	     macho_matches(bytes) ? err.text : "it is no Mach-O file");
	input_add_part(in, AR_OTHER_MEMBER, s->off + s->size, arch);
}

bool fat_parse(struct input *in, const char *path, struct heft_err *err)
{
	const uint64_t size = in->file.bytes.size;
	struct fat fat;
	if (!read_fat(in->file.bytes, &fat))
		return fail(err, HEFT_EFORMAT, 0, "%s: damaged Mach-O universal file", path);
	in->archive = in->fat = true;
	input_add_part(in, FAT_HEADERS, fat.header, STR(""));
	for (size_t i = 0; i < fat.count; i++) {
		struct fat_slice s = fat.slices[i];
		if (s.off < in->done || s.off > size || s.size > size - s.off) {
			note(in->notes, path, s.off, s.size,
			     "slice %zu overlaps another or goes beyond the end of the file", i);
			continue;
		}
		input_add_part(in, FAT_PADDING, s.off, STR(""));
		add_slice(in, path, &s, i);
	}
	input_add_part(in, FAT_PADDING, size, STR(""));
	return true;
}
