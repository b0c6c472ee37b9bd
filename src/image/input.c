/* Opens input files: unpacks them if necessary and parses them to images and parts. */
#include "image/input.h"

#include "base/filename.h"
#include "base/text.h"
#include "base/unpack.h"
#include "image/elf/elf_const.h"
#include "image/linkmap_image.h"

static bool make_image(struct input *in, const char *path, struct heft_err *err)
{
	struct bytes elf;
	uint64_t content;
	if (!linkmap_image(in->linkmap, &elf, &content))
		return fail(err, HEFT_ELIMIT, HEFT_NO_OFFSET,
			    "%s: the sections of the linker map have more than 1 GiB", path);
	in->owned = (void *)(uintptr_t)elf.p;
	struct image *im = mem_zeroed(1, sizeof *im);
	if (!elf_parse(im, &(struct image_place){ path, STR(""), 0, 0 }, elf, in->notes, err)) {
		mem_free(im);
		return false;
	}
	in->images = im;
	in->image_count = 1;
	in->file.bytes = (struct bytes){ elf.p, content };
	/* Hides the tables that heft made: the program has no such headers and symbols. */
	im->ehdr_size = im->phdr_size = im->shdr_size = 0;
	im->part_count = 0;
	for (size_t i = 1; i < im->section_count; i++)
		if (im->sections[i].type == SHT_STRTAB || im->sections[i].type == SHT_SYMTAB)
			im->sections[i].name = STR("");
	return true;
}

bool linkmap_input(struct input *in, const char *path, struct heft_err *err)
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

/* Parses in->file.bytes to images and parts. Fails if heft does not read the format for `use`. */
static bool image_input_parse(struct input *in, enum file_use use, const char *path,
			      struct heft_err *err)
{
	const struct bytes b = in->file.bytes;
	in->format = file_format_of_plain(b);
	if (!file_format_serves(in->format, use) || (!in->format->open && !in->format->parse))
		return file_format_refuse(file_format_of(b, NULL), use, path, b.size, err);
	if (in->format->open)
		return in->format->open(in, path, err);
	struct image *im = mem_zeroed(1, sizeof *im);
	if (!image_parse(im, &(struct image_place){ path, STR(""), 0, 0 }, b, in->notes, err)) {
		mem_free(im);
		return false;
	}
	in->images = im;
	in->image_count = 1;
	ASSERT(im->bytes.p == b.p && im->bytes.size == b.size);
	return true;
}

/* Unpacks a packed file in place, if heft reads the packed format. False if that fails. */
static bool input_unpack(struct file *f, struct notes *notes, struct heft_err *err)
{
	bool packed;
	const uint64_t size = f->bytes.size;
	const struct file_format *format = file_format_of(f->bytes, &packed);
	if (!packed || (!format->open && !format->parse))
		return true;
	if (!unpack_in_place(f, notes, err))
		return false;
	if (format->kind != KIND_LINKER_MAP && format->kind != KIND_CORE)
		note(notes, f->path, HEFT_NO_OFFSET, 0,
		     "packed in %" PRIu64 " bytes: sizes are those of what is inside", size);
	return true;
}

/* Positions and values in a Linux boot image of x86 machines (bzImage, vmlinuz). "The Linux/x86
 * Boot Protocol" (Linux, Documentation/arch/x86/boot.rst). */
enum { SETUP_SECTORS = 0x1f1, BOOT_FLAG = 0x1fe, PAYLOAD_OFFSET = 0x248, SECTOR = 512 };
enum { VERSION_WITH_PAYLOAD = 0x208 };

/* Finds the packed kernel, which follows the code that unpacks it. False if `b` is no boot image,
 * or if its boot protocol is older than 2.08. *ret_kernel lies inside of `b`. */
static bool boot_image_kernel(struct bytes b, struct bytes *ret_kernel)
{
	struct reader r = reader_at(b, false, BOOT_FLAG);
	const bool flag = read_u16(&r) == 0xaa55;
	read_skip(&r, 2); /* Skips a jump */
	const uint8_t *magic = read_take(&r, 4);
	if (!flag || !magic || memcmp(magic, "HdrS", 4) != 0 || read_u16(&r) < VERSION_WITH_PAYLOAD)
		return false;
	reader_seek(&r, SETUP_SECTORS);
	const uint64_t stated = read_u8(&r), sectors = stated > 0 ? stated : 4;
	reader_seek(&r, PAYLOAD_OFFSET);
	const uint64_t off = read_u32(&r), size = read_u32(&r);
	*ret_kernel = bytes_sub(b, (sectors + 1) * SECTOR + off, size);
	return reader_ok(&r) && ret_kernel->size > 0;
}

/* Replaces a boot image by the kernel packed in it. All methods but gzip append the unpacked size
 * in 4 bytes, which are removed here. True if nothing was to be unpacked, false if unpacking
 * fails. */
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

static void images_mark_mapped(struct input *in)
{
	for (size_t i = 0; i < in->image_count; i++)
		if (in->images[i].file_off < in->file.bytes.size)
			in->images[i].mapped = file_is_mapped(&in->file) && input_has_offsets(in);
}

static bool parse_file(struct input *in, enum file_use use, const char *path, struct heft_err *err)
{
	if (!image_input_parse(in, use, path, err))
		return false;
	images_mark_mapped(in);
	return true;
}

/* Parses an open file, which *in then owns. False, with *err, on failure. The caller has zeroed
 * *in, except for settings. */
static bool file_adopt(struct input *in, struct file *f, enum file_use use, struct notes *notes,
		       struct heft_err *err)
{
	ASSERT(use < USE_COUNT);
	in->notes = notes;
	in->file = *f;
	if (input_unpack(&in->file, notes, err) && unpack_kernel(&in->file, notes, err) &&
	    parse_file(in, use, in->file.path, err))
		return true;
	input_close(in);
	return false;
}

bool input_adopt(struct input *in, struct file *f, enum file_use use, struct notes *notes,
		 struct heft_err *err)
{
	memset(in, 0, sizeof *in);
	return file_adopt(in, f, use, notes, err);
}

bool input_open(struct input *in, const char *path, enum file_use use, struct notes *notes,
		struct heft_err *err)
{
	struct file f;
	memset(in, 0, sizeof *in);
	return file_open(&f, path, err) && file_adopt(in, &f, use, notes, err);
}

bool input_open_portion(struct input *in, const char *path, enum file_use use, struct notes *notes,
			struct heft_err *err)
{
	struct file f;
	*in = (struct input){ .in_portions = true };
	return file_open(&f, path, err) && file_adopt(in, &f, use, notes, err);
}

bool input_parse(struct input *in, const char *path, struct bytes bytes, struct notes *notes,
		 struct heft_err *err)
{
	memset(in, 0, sizeof *in);
	in->notes = notes;
	in->file.bytes = bytes;
	if (image_input_parse(in, USE_SIZE, arena_copy(&in->arena, str_of(path)), err))
		return true;
	input_close(in);
	return false;
}

void input_add_image(struct input *in, const struct image *im)
{
	ASSERT(im->file_off >= in->done);
	if (in->image_count == in->image_cap)
		in->images = vec_grow(in->images, &in->image_cap, in->image_count + 1,
				      sizeof *in->images);
	in->images[in->image_count++] = *im;
	in->done = im->file_off + im->bytes.size;
}

void input_add_part(struct input *in, enum ar_part_kind kind, uint64_t end, struct str member)
{
	if (end <= in->done)
		return;
	struct ar_part *last = in->parts.count ? &in->parts.data[in->parts.count - 1] : NULL;
	if (last && last->off + last->size == in->done && last->kind == kind &&
	    str_eq(last->member, member))
		last->size = end - last->off;
	else
		vec_push(&in->parts, (struct ar_part){ kind, in->done, end - in->done, member });
	in->done = end;
}

static void release_images(struct input *in)
{
	for (size_t i = 0; i < in->image_count; i++)
		image_release(&in->images[i]);
	mem_free(in->images);
	in->images = NULL;
	in->image_count = in->image_cap = 0;
	vec_release(&in->parts);
}

bool input_next_portion(struct input *in)
{
	if (!in->rest)
		return false;
	/* The bytes of the portion need no memory until they are read again. */
	for (size_t i = 0; i < in->image_count; i++) {
		in->sections_before += in->images[i].section_count;
		image_forget(&in->images[i], in->images[i].bytes);
	}
	in->images_before += in->image_count;
	in->begin = in->done;
	release_images(in);
	ar_read(in);
	images_mark_mapped(in);
	ASSERT(in->begin < in->done || !in->rest);
	return in->begin < in->done;
}

/* Returns the bytes of a slice. Empty if there is no slice of this name. A slice is an image, or a
 * part if it is an archive. *ret_names lists the names of all slices. */
static struct bytes find_slice(const struct input *in, struct str arch, struct text *ret_names)
{
	struct bytes found = { NULL, 0 };
	for (size_t i = 0; i < in->image_count + in->parts.count; i++) {
		const bool image = i < in->image_count;
		const struct ar_part *part = image ? NULL : &in->parts.data[i - in->image_count];
		const struct str name = image ? in->images[i].member : part->member;
		if (name.len == 0)
			continue;
		text_adds(ret_names, ret_names->len > 0 ? STR(", ") : STR(""), name);
		if (str_eq(name, arch))
			found = image ? in->images[i].bytes
				      : bytes_sub(in->file.bytes, part->off, part->size);
	}
	return found;
}

bool input_take_slice(struct input *in, const char *path, const char *arch, struct heft_err *err)
{
	struct text names = { 0 };
	ASSERT(arch);
	if (!in->fat)
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
	in->done = 0;
	in->file.bytes = slice;
	return parse_file(in, USE_SIZE, path, err);
}

/* Returns the first image with this member name, else the first with this file name. NULL without
 * one. *ret_count counts the images with this member name. */
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

bool input_take_member(struct input *in, enum file_use use, const char *path, struct str member,
		       struct heft_err *err)
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
	in->done = 0;
	in->outside.count = 0;
	in->file.bytes = bytes;
	if (!parse_file(in, use, path, err))
		return false;
	for (size_t i = 0; i < in->image_count; i++)
		in->images[i].mapped = mapped;
	return true;
}

void input_close(struct input *in)
{
	if (in->rest)
		ar_close(in);
	release_images(in);
	for (size_t i = 0; i < in->outside_files.count; i++)
		file_close(&in->outside_files.data[i]);
	vec_release_all(&in->outside_files, &in->outside);
	arena_release(&in->arena);
	if (in->linkmap)
		linkmap_release(in->linkmap);
	mem_free_all(in->linkmap, in->owned);
	if (in->file.path) /* Without a path, the caller of input_parse() owns the bytes */
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
