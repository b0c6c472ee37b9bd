#include "image/input.h"

#include "base/filename.h"
#include "base/text.h"
#include "base/unpack.h"
#include "image/boot_image.h"
#include "image/elf/elf_const.h"
#include "image/linkmap/linkmap_image.h"
#include <ctype.h>

#define MADE_FROM "; give heft the ELF program that it was made from"

static const struct {
	const char *magic;
	size_t size;
	const char *name;
	uint64_t off; /* of the magic */
} foreign[] = {
	{ "\xca\xfe\xba\xbe", 4, "a Java class" },
	{ "MZ", 2, "a DOS program" },
	{ "BC\xc0\xde", 4, "LLVM bitcode" },
	{ "\xde\xc0\x17\x0b", 4, "LLVM bitcode" },
	{ "\x1f\x8b", 2, "gzip-compressed" },
	{ "BZh", 3, "bzip2-compressed, which heft does not unpack" },
	{ "\x28\xb5\x2f\xfd", 4, "zstd-compressed" },
	{ "\x04\x22\x4d\x18", 4, "lz4-compressed" },
	{ "\xfd"
	  "7zXZ",
	  5, "xz-compressed" },
	{ "PK\x03\x04", 4, "a zip archive" },
	{ "PERFILE2", 8, "samples of perf record: see heft help blocks profile" },
	{ "Microsoft C/C++ MSF 7.00", 24,
	  "a PDB, the debug info of a program: give the program, and this with --debug-file" },
	{ "#!", 2, "a script" },
	{ "MDMP", 4, "a minidump of Windows, Breakpad or Crashpad" },
	{ "PAGEDU64", 8, "a dump of a Windows kernel" },
	{ "PAGEDUMP", 8, "a dump of a Windows kernel" },
	{ "USERDU64", 8, "an old user dump of Windows" },
	{ "USERDUMP", 8, "an old user dump of Windows" },
	{ "hibr", 4, "a hibernation file of Windows" },
	{ "HIBR", 4, "a hibernation file of Windows" },
	{ "KDUMP   ", 8, "a kernel dump of makedumpfile (kdump)" },
	{ "DISKDUMP", 8, "a kernel dump (diskdump)" },
	{ "makedumpfile", 12, "a kernel dump of makedumpfile, flattened (makedumpfile -R)" },
	{ "EMiL", 4, "the memory of a machine, by LiME" },
	{ "AVML", 4, "the memory of a machine, by AVML" },
	{ "QEVM", 4, "the state of a QEMU machine" },
	{ "\xd1\xba\xd1\xba", 4, "the state of a VMware machine" },
	{ "\xd2\xbe\xd2\xbe", 4, "the state of a VMware machine" },
	{ "\x7fVirtualBox SavedState", 22, "the state of a VirtualBox machine" },
	{ "JAVA PROFILE 1.0.", 17, "a heap dump of a Java VM" },
	{ "go1.7 heap dump\n", 16, "a heap dump of Go's runtime" },
	{ "heap profile:", 13, "a heap profile of an allocator: see pprof" },
	{ "heap_v2/", 8, "a heap profile of jemalloc: see jeprof" },
	{ "_FVH", 4, "a UEFI firmware volume; give heft the programs in it", 40 },
	{ "VZ\x64\x86", 4, "a TE image of UEFI; give heft the program that it was made from" },
	{ "VZ\x64\xaa", 4, "a TE image of UEFI; give heft the program that it was made from" },
	{ "UF2\n\x57\x51\x5d\x9e", 8, "a UF2 file" MADE_FROM },
};

/* Whether b begins with `first` and so many pairs of hexadecimal digits. */
static bool begins_with_hex(struct bytes b, const char *first, size_t pairs)
{
	const size_t head = strlen(first), size = head + 2 * pairs;
	if (b.size < size || memcmp(b.p, first, head) != 0)
		return false;
	for (size_t i = head; i < size; i++)
		if (!isxdigit(b.p[i]))
			return false;
	return true;
}

/* Names an image that a programmer or boot loader takes; NULL: b is none.  A record of Intel HEX
 * has 5 bytes and more, an S-record 4 and more behind its type.  An image for Espressif's boot
 * loaders begins with 0xe9, the count of its segments and the mode of its flash, 0 to 3. */
static const char *firmware_name(struct bytes b)
{
	static const char *const records[] = { "S0", "S1", "S2", "S3" };
	enum { ESP_HEADER = 24, SEGMENTS_MAX = 16, MODE_MAX = 3 };
	if (begins_with_hex(b, ":", 5))
		return "an Intel HEX file" MADE_FROM;
	for (size_t i = 0; i < COUNT_OF(records); i++)
		if (begins_with_hex(b, records[i], 4))
			return "a file of S-records" MADE_FROM;
	if (b.size > ESP_HEADER && b.p[0] == 0xe9 && b.p[1] > 0 && b.p[1] <= SEGMENTS_MAX &&
	    b.p[2] <= MODE_MAX)
		return "an image for Espressif's boot loader" MADE_FROM;
	return NULL;
}

/* NULL: none of these. */
static const char *foreign_name(struct bytes b)
{
	for (size_t i = 0; i < COUNT_OF(foreign); i++)
		if (b.size >= foreign[i].off + foreign[i].size &&
		    memcmp(b.p + foreign[i].off, foreign[i].magic, foreign[i].size) == 0)
			return foreign[i].name;
	return firmware_name(b);
}

/* mach_header: magic, cputype, cpusubtype, filetype; MH_CORE is 4 (<mach-o/loader.h>). */
static bool is_macho_core(struct bytes b)
{
	enum { MH_CORE = 4 };
	struct reader r = reader_of(b, false);
	uint32_t magic = read_u32(&r);
	const bool swapped = magic == 0xcefaedfe || magic == 0xcffaedfe;
	r = reader_of(b, swapped);
	magic = read_u32(&r);
	read_skip(&r, 8);
	return (magic == 0xfeedface || magic == 0xfeedfacf) && read_u32(&r) == MH_CORE &&
	       reader_ok(&r);
}

const char *input_foreign(struct bytes b)
{
	return is_macho_core(b) ? "a Mach-O core" : image_matches(b) ? NULL : foreign_name(b);
}

static bool unknown_type(const char *path, struct bytes b, struct heft_err *err)
{
	if (b.size < 4)
		return fail(err, HEFT_EFORMAT, 0,
			    "%s: file of %" PRIu64
			    " bytes is too short for a program, object or archive",
			    path, b.size);
	const char *name = foreign_name(b);
	if (name)
		return fail(err, HEFT_EUNSUPPORTED, 0,
			    "%s: not a program, object or archive (it is %s)", path, name);
	if (str_ends(str_of(path), STR(".bin")))
		return fail(err, HEFT_EUNSUPPORTED, 0,
			    "%s: not a program, object or archive; if it is firmware, give heft "
			    "the ELF program that it was made from",
			    path);
	return fail(err, HEFT_EUNSUPPORTED, 0, "%s: not a program, object or archive", path);
}

/* The tables that were made for the image are none of the program's. */
static void hide_tables(struct image *im)
{
	im->ehdr_size = im->phdr_size = im->shdr_size = 0;
	im->part_count = 0;
	for (size_t i = 1; i < im->section_count; i++)
		if (im->sections[i].type == SHT_STRTAB || im->sections[i].type == SHT_SYMTAB)
			im->sections[i].name = STR("");
}

static bool make_image(struct input *in, const char *path, struct heft_err *err)
{
	struct bytes elf;
	uint64_t content;
	if (!linkmap_image(in->linkmap, &elf, &content, err))
		return false;
	in->made = (void *)(uintptr_t)elf.p;
	in->images = mem_zeroed(1, sizeof *in->images);
	if (!elf_parse(in->images, &(struct image_place){ path, STR(""), 0, 0 }, elf, in->notes,
		       err)) {
		mem_free(in->images);
		in->images = NULL;
		return false;
	}
	in->image_count = 1;
	in->file.bytes = (struct bytes){ elf.p, content };
	hide_tables(in->images);
	return true;
}

static bool parse_linkmap(struct input *in, const char *path, struct heft_err *err)
{
	struct linkmap *map = mem_zeroed(1, sizeof *map);
	if (!linkmap_parse(map, path, in->file.bytes, in->notes, err)) {
		mem_free(map);
		return false;
	}
	in->linkmap = map;
	if (!make_image(in, path, err))
		return false;
	note(in->notes, path, HEFT_NO_OFFSET, 0,
	     "a linker map stands for its program: what sections are is told by their names, "
	     "contents are not known");
	return true;
}

/* in->file.bytes to images and parts. */
static bool image_input_parse(struct input *in, const char *path, struct heft_err *err)
{
	const struct bytes b = in->file.bytes;
	if (ar_matches(b))
		return ar_parse(in, path, err);
	if (fat_matches(b))
		return fat_parse(in, path, err);
	if (component_matches(b))
		return component_parse(in, path, err);
	if (!image_matches(b))
		return linkmap_matches(b) ? parse_linkmap(in, path, err)
					  : unknown_type(path, b, err);
	struct image *im = mem_zeroed(1, sizeof *im);
	if (!image_parse(im, &(struct image_place){ path, STR(""), 0, 0 }, b, in->notes, err)) {
		mem_free(im);
		return false;
	}
	in->images = im;
	in->image_count = 1;
	return true;
}

bool input_is_core(struct bytes b, bool *ret_packed)
{
	enum unpack_method method;
	uint8_t head[EI_NIDENT + 2];
	*ret_packed = unpack_guess(b, &method);
	if (*ret_packed && unpack_head(method, b, head, sizeof head) < sizeof head)
		return false;
	if (!*ret_packed && b.size < sizeof head)
		return false;
	if (!*ret_packed)
		memcpy(head, b.p, sizeof head);
	if (!elf_matches((struct bytes){ head, sizeof head }))
		return false;
	struct reader r = reader_make(head, sizeof head, head[EI_DATA] == ELFDATA2MSB);
	reader_seek(&r, EI_NIDENT);
	return read_u16(&r) == ET_CORE;
}

bool input_knows(struct bytes b)
{
	return image_matches(b) || ar_matches(b) || fat_matches(b) || foreign_name(b);
}

bool input_unpack(struct file *f, struct notes *notes, struct heft_err *err)
{
	enum unpack_method method;
	uint8_t head[4096];
	if (!unpack_guess(f->bytes, &method))
		return true;
	const struct bytes b = { head, unpack_head(method, f->bytes, head, sizeof head) };
	const bool map = linkmap_begins(b);
	const uint64_t packed = f->bytes.size;
	if (!map && !image_matches(b) && !component_matches(b) && !ar_matches(b) && !fat_matches(b))
		return true;
	if (!unpack_in_place(f, notes, err))
		return false;
	if (!map)
		note(notes, f->path, HEFT_NO_OFFSET, 0,
		     "packed in %" PRIu64 " bytes: sizes are those of what is inside", packed);
	return true;
}

/* A boot image becomes the program inside of it.  Behind what is packed otherwise than by gzip
 * stands its unpacked size, 4 bytes. */
static bool unpack_kernel(struct file *f, struct notes *notes, struct heft_err *err)
{
	enum { SIZE = 4 };
	struct bytes packed;
	enum unpack_method method;
	uint8_t head[EI_NIDENT];
	if (!boot_image_kernel(f->bytes, &packed) || !unpack_guess(packed, &method))
		return true;
	if (method != UNPACK_GZIP && packed.size > SIZE)
		packed.size -= SIZE;
	if (unpack_head(method, packed, head, sizeof head) < sizeof head ||
	    !elf_matches((struct bytes){ head, sizeof head }))
		return true;
	const uint64_t off = (uint64_t)(packed.p - f->bytes.p), size = packed.size;
	if (!unpack_part_in_place(f, packed, notes, err))
		return false;
	note(notes, f->path, off, size,
	     "a boot image of Linux: what follows is about the kernel that is packed in it");
	return true;
}

static bool parse_file(struct input *in, const char *path, struct heft_err *err)
{
	if (!image_input_parse(in, path, err))
		return false;
	for (size_t i = 0; i < in->image_count; i++)
		if (in->images[i].file_off < in->file.bytes.size)
			in->images[i].mapped = in->file.mapped != NULL && input_has_offsets(in);
	return true;
}

bool input_adopt(struct input *in, struct file *f, struct notes *notes, struct heft_err *err)
{
	memset(in, 0, sizeof *in);
	in->notes = notes;
	in->file = *f;
	if (input_unpack(&in->file, notes, err) && unpack_kernel(&in->file, notes, err) &&
	    parse_file(in, in->file.path, err))
		return true;
	input_close(in);
	return false;
}

bool input_open(struct input *in, const char *path, struct notes *notes, struct heft_err *err)
{
	struct file f;
	memset(in, 0, sizeof *in);
	if (!file_open(&f, path, err))
		return false;
	bool packed;
	if (input_is_core(f.bytes, &packed) && packed && !unpack_in_place(&f, notes, err)) {
		file_close(&f);
		return false;
	}
	return input_adopt(in, &f, notes, err);
}

bool input_parse(struct input *in, const char *path, struct bytes bytes, struct notes *notes,
		 struct heft_err *err)
{
	memset(in, 0, sizeof *in);
	in->notes = notes;
	in->file.bytes = bytes;
	if (image_input_parse(in, arena_copy(&in->arena, str_of(path)), err))
		return true;
	input_close(in);
	return false;
}

static void release_images(struct input *in)
{
	for (size_t i = 0; i < in->image_count; i++)
		image_release(&in->images[i]);
	mem_free(in->images);
	in->images = NULL;
	in->image_count = 0;
	vec_release(&in->parts);
}

/* The bytes of a slice, which is an image or, such as an archive, a part; none where there is no
 * slice of this name.  *ret_names: of all slices. */
static struct bytes find_slice(const struct input *in, struct str arch, struct text *ret_names)
{
	struct bytes found = { NULL, 0 };
	for (size_t i = 0; i < in->image_count + in->parts.count; i++) {
		const bool image = i < in->image_count;
		const struct ar_part *part = image ? NULL : &in->parts.data[i - in->image_count];
		const struct str name = image ? in->images[i].member : part->member;
		if (name.len == 0)
			continue;
		text_add(ret_names, ret_names->len > 0 ? STR(", ") : STR(""));
		text_add(ret_names, name);
		if (str_eq(name, arch))
			found = image ? in->images[i].bytes
				      : bytes_sub(in->file.bytes, part->off, part->size);
	}
	return found;
}

bool input_take_slice(struct input *in, const char *path, const char *arch, struct heft_err *err)
{
	struct text names = { 0 };
	if (!arch || !in->fat)
		return true;
	const struct bytes slice = find_slice(in, str_of(arch), &names);
	if (slice.size == 0)
		(void)fail(err, HEFT_EARG, HEFT_NO_OFFSET,
			   "%s: has no slice for %s; there are " STR_FMT, path, arch,
			   STR_ARG(text_str(&names)));
	text_release(&names);
	if (slice.size == 0)
		return false;
	release_images(in);
	in->archive = in->fat = false;
	in->file.bytes = slice;
	return parse_file(in, path, err);
}

/* The first image whose name, or its last part, is that of a member; NULL: none. */
static const struct image *member_find(const struct input *in, struct str name, size_t *ret_count)
{
	const struct image *found = NULL, *by_last = NULL;
	*ret_count = 0;
	for (size_t i = 0; i < in->image_count; i++) {
		const struct image *im = &in->images[i];
		if (str_eq(im->member, name)) {
			found = found ? found : im;
			++*ret_count;
		} else if (!by_last && str_eq(file_name_str(im->member), name)) {
			by_last = im;
		}
	}
	return found ? found : by_last;
}

bool input_member_split(const char *path, struct str *ret_file, struct str *ret_member)
{
	const struct str s = str_of(path);
	const char *open = strchr(path, '(');
	if (!open || open == path || !str_ends(s, STR(")")))
		return false;
	*ret_file = (struct str){ path, (size_t)(open - path) };
	*ret_member = (struct str){ open + 1, s.len - ret_file->len - 2 };
	return ret_member->len > 0;
}

bool input_take_member(struct input *in, const char *path, struct str member, struct heft_err *err)
{
	size_t count;
	const struct image *im = in->archive ? member_find(in, member, &count) : NULL;
	if (!im)
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "%s: %s has no such member", path,
			    in->file.path);
	if (count > 1)
		note(in->notes, path, HEFT_NO_OFFSET, 0,
		     "%zu members have this name: the first is taken", count);
	const struct bytes bytes = im->bytes;
	const bool mapped = im->mapped;
	release_images(in);
	in->archive = in->thin = in->fat = in->component = false;
	in->outside_size = 0;
	in->outside.count = 0;
	in->file.bytes = bytes;
	if (!parse_file(in, path, err))
		return false;
	for (size_t i = 0; i < in->image_count; i++)
		in->images[i].mapped = mapped;
	return true;
}

void input_close(struct input *in)
{
	release_images(in);
	for (size_t i = 0; i < in->outside_files.count; i++)
		file_close(&in->outside_files.data[i]);
	vec_release(&in->outside_files);
	vec_release(&in->outside);
	arena_release(&in->arena);
	if (in->linkmap)
		linkmap_release(in->linkmap);
	mem_free(in->linkmap);
	mem_free(in->made);
	if (in->file.path) /* else the bytes are input_parse's caller's */
		file_close(&in->file);
	memset(in, 0, sizeof *in);
}

const char *input_member_path(struct arena *a, const char *path, struct str member)
{
	const char *slash = strrchr(path, '/');
	const bool absolute = member.len > 0 && member.p[0] == '/';
	const int dir = slash && !absolute ? (int)(slash - path) + 1 : 0;
	return arena_format(a, "%.*s" STR_FMT, dir, path, STR_ARG(member));
}
