/* Reads the build attributes of ARM files (.ARM.attributes). */
#include "image/elf/arm_attributes.h"

#include "image/elf/elf_const.h"

enum { TAG_FILE = 1, TAG_CPU_RAW_NAME = 4, TAG_CPU_NAME = 5, TAG_CPU_ARCH = 6 };
enum { TAG_CPU_ARCH_PROFILE = 7, TAG_ARM_ISA_USE = 8, TAG_THUMB_ISA_USE = 9 };
enum { TAG_COMPATIBILITY = 32 };

struct attributes {
	uint64_t arch, profile, thumb;
	bool arm_known; /* True if the attributes state whether ARM instructions are used */
	bool arm;
};

static void arm_attributes_read_one(struct reader *r, struct attributes *a)
{
	const uint64_t tag = read_uleb(r);
	const bool is_text = tag == TAG_CPU_RAW_NAME || tag == TAG_CPU_NAME ||
			     (tag > TAG_COMPATIBILITY && tag % 2 == 1);
	const uint64_t value = is_text ? 0 : read_uleb(r);
	if (is_text || tag == TAG_COMPATIBILITY)
		(void)read_cstr(r);
	if (tag == TAG_CPU_ARCH)
		a->arch = value;
	else if (tag == TAG_CPU_ARCH_PROFILE)
		a->profile = value;
	else if (tag == TAG_THUMB_ISA_USE)
		a->thumb = value;
	else if (tag == TAG_ARM_ISA_USE)
		a->arm = value != 0, a->arm_known = true;
}

/* Reads the attributes of the whole file from the subsection "aeabi". */
static void read_vendor(struct reader r, struct attributes *a)
{
	while (reader_left(&r) > 0) {
		const uint64_t begin = r.pos, tag = read_u8(&r), size = read_u32(&r);
		if (!reader_ok(&r) || size < r.pos - begin || size > r.size - begin)
			return;
		struct reader part = reader_of(
			(struct bytes){ r.base + r.pos, begin + size - r.pos }, r.big_endian);
		while (tag == TAG_FILE && reader_ok(&part) && reader_left(&part) > 0)
			arm_attributes_read_one(&part, a);
		reader_seek(&r, begin + size);
	}
}

static void arm_attributes_read_table(struct bytes b, bool big_endian, struct attributes *a)
{
	struct reader r = reader_of(b, big_endian);
	if (read_u8(&r) != 'A')
		return;
	while (reader_left(&r) > 0) {
		const uint64_t begin = r.pos, size = read_u32(&r);
		const struct str vendor = read_cstr(&r);
		if (!reader_ok(&r) || size < r.pos - begin || size > r.size - begin)
			return;
		if (str_eq(vendor, STR("aeabi")))
			read_vendor(
				reader_of((struct bytes){ r.base + r.pos, begin + size - r.pos },
					  big_endian),
				a);
		reader_seek(&r, begin + size);
	}
}

bool arm_thumb_alone(const struct image *im)
{
	const struct section *s = im->machine == EM_ARM
					  ? image_section_type(im, SHT_ARM_ATTRIBUTES, 1)
					  : NULL;
	struct attributes a = { 0 };
	if (!s || s->compressed)
		return false;
	arm_attributes_read_table(section_bytes(im, s), im->big_endian, &a);
	/* True for v6-M, v6S-M, v7E-M, v8-M baseline and mainline, v8.1-M. */
	const bool m_profile = (a.arch >= 11 && a.arch <= 13) || a.arch == 16 || a.arch == 17 ||
			       a.arch == 21;
	return a.profile == 'M' || m_profile || (a.thumb != 0 && a.arm_known && !a.arm);
}
