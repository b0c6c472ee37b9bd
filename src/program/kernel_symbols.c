/* Makes a companion image with the symbols of a stripped Linux kernel. */
#include "program/companion_forms.h"

#include "base/sort.h"
#include "runtime/kallsyms.h"
#include "image/elf/elf_const.h"

#include <ctype.h>

/* True for a bootable kernel of AArch64 (Linux, Documentation/arch/arm64/booting.rst: "ARM\x64" at
 * offset 56). The image is a PE file of two sections: one for all code and read-only data, one for
 * all writable data. */
static bool is_boot_image(const struct image *im)
{
	enum { MAGIC_OFF = 56 };
	static const char magic[] = { 'A', 'R', 'M', 0x64 };
	return im->bytes.size >= MAGIC_OFF + sizeof magic && memcmp(im->bytes.p, "MZ", 2) == 0 &&
	       memcmp(im->bytes.p + MAGIC_OFF, magic, sizeof magic) == 0;
}

static const struct section *kernel_symbols_find(const struct image *im, struct kallsyms *k)
{
	const bool boot = is_boot_image(im);
	if (im->kind != IMAGE_EXEC || !(boot || image_section_find(im, "__ksymtab")))
		return NULL;
	each_section(s, im) {
		if (s->alloc && (boot || !s->exec) && s->type == SHT_PROGBITS &&
		    kallsyms_find(k, section_bytes(im, s), s->addr, im->big_endian, im->bits / 8))
			return s;
	}
	return NULL;
}

bool kernel_has_symbols(const struct image *im)
{
	struct kallsyms k;
	return kernel_symbols_find(im, &k) != NULL;
}

/* A data symbol without a stated size is skipped if its room, up to the next symbol or the
 * section's end, is too large: in .rodata, over READ_ONLY_MAX bytes (nameless strings); anywhere,
 * GAP_MIN or more if that end is aligned to more than the room (padding). */
enum { READ_ONLY_MAX = 128 << 10, GAP_MIN = 64 << 10 };

/* Returns the size of code without the filler that aligns the next function: int3 on x86, or a byte
 * that repeats too often to be an instruction. */
static uint64_t without_fill(struct bytes code)
{
	enum { OFTEN = 16, INT3 = 0xcc };
	uint64_t end = code.size;
	while (end > 0 && code.p[end - 1] == code.p[code.size - 1])
		end--;
	if (end == code.size || (code.p[end] != INT3 && code.size - end < OFTEN))
		return code.size;
	return end;
}

struct kernel_symbols_entry {
	uint64_t addr;
	uint64_t size; /* 0 if not stated */
	struct str name;
	char type;
};

typedef VEC(struct kernel_symbols_entry) entry_vec;

/* Adds symbols for the parts of kallsyms' own table, and for its end in a boot image. */
static void kernel_symbols_list_parts(const struct section *in, const struct kallsyms *k, bool boot,
				      entry_vec *ret)
{
	struct kallsyms_part parts[KALLSYMS_PARTS];
	uint64_t end = 0;
	kallsyms_parts(k, parts);
	for (size_t i = 0; i < KALLSYMS_PARTS; i++) {
		if (parts[i].size > 0)
			vec_push(ret, (struct kernel_symbols_entry){ in->addr + parts[i].off,
								     parts[i].size,
								     str_of(parts[i].name), 'r' });
		end = max_u64(end, parts[i].off + parts[i].size);
	}
	if (boot)
		vec_push(ret, (struct kernel_symbols_entry){ in->addr + end, 0,
							     STR("__end_kallsyms"), 'r' });
}

/* True if two names differ only in dots and underscores. */
static bool are_alike(struct str a, struct str b)
{
	size_t i = 0, k = 0;
	for (;;) {
		while (i < a.len && (a.p[i] == '_' || a.p[i] == '.'))
			i++;
		while (k < b.len && (b.p[k] == '_' || b.p[k] == '.'))
			k++;
		if (i == a.len || k == b.len)
			return i == a.len && k == b.len;
		if (a.p[i++] != b.p[k++])
			return false;
	}
}

/* True if a name is a bound of a section, defined by the linker script, such as __return_sites for
 * .return_sites. It owns no bytes, because the section's entries have other owners. */
static bool kernel_symbols_is_bound(const struct section *in, struct str name)
{
	static const char *const objects[] = { ".rodata", ".data", ".bss", ".init" };
	for (size_t i = 0; i < COUNT_OF(objects); i++)
		if (str_starts(in->name, str_of(objects[i])))
			return false;
	return !in->exec &&
	       (str_starts(name, STR("__start_")) || str_starts(name, STR("__stop_")) ||
		str_starts(name, STR("__end_")) || are_alike(in->name, name));
}

/* Adds a symbol whose bytes end before `next`. Skips absolute numbers and ends of sections. */
static void kernel_symbols_put(struct image_build *b, const struct image *im,
			       const struct kernel_symbols_entry *e, uint64_t next)
{
	const struct section *in = image_section_at(im, e->addr);
	if (!in || e->name.len == 0 || kernel_symbols_is_bound(in, e->name))
		return;
	/* A boot image has code and data in one section. In Linux 7, .data may be executable. */
	const bool code = is_boot_image(im) ? strchr("TtWw", e->type) != NULL
					    : in->exec && !str_starts(in->name, STR(".data"));
	const uint64_t end = min_u64(next, in->addr + in->size), multiple = end & (~end + 1);
	const uint64_t room = end - e->addr;
	uint64_t size = e->size > 0 ? e->size : room;
	ASSERT(next > e->addr);
	if (e->size == 0 && code)
		size = without_fill(image_at(im, e->addr, room));
	else if (e->size == 0 && ((str_eq(in->name, STR(".rodata")) && room > READ_ONLY_MAX) ||
				  (room >= GAP_MIN && room < multiple)))
		return;
	const bool weak = strchr("VvWw", e->type), global = isupper((unsigned char)e->type);
	const struct symbol s = {
		.name = e->name,
		.section = in->index,
		.value = e->addr,
		.size = size,
		.type = code ? STT_FUNC : STT_OBJECT,
		.bind = weak     ? STB_WEAK
			: global ? STB_GLOBAL
				 : STB_LOCAL,
	};
	if (s.size > 0)
		build_symbol(b, &(struct made_symbol){ .symbol = s });
}

/* True if a symbol only marks the end of a part of a boot image (arch/arm64/kernel/vmlinux.lds.S of
 * Linux), whose sections are lost. */
static bool kernel_symbols_is_end(const struct kernel_symbols_entry *e)
{
	static const char *const ends[] = { "_etext",
					    "_einittext",
					    "_edata",
					    "__irqentry_text_end",
					    "__softirqentry_text_end",
					    "__entry_text_end",
					    "__kprobes_text_end",
					    "__idmap_text_end",
					    "__hyp_text_end",
					    "__inittext_end",
					    "__exittext_end",
					    "__alt_instructions_end",
					    "__initdata_end",
					    "__init_end" };
	for (size_t i = 0; i < COUNT_OF(ends); i++)
		if (str_eq(e->name, str_of(ends[i])))
			return true;
	return str_starts(e->name, STR("__stop_")) || str_starts(e->name, STR("__end_"));
}

/* Removes symbols that mark the end of a part of a boot image. If no other symbol is at their
 * address, puts "(data without symbols)" in their place. */
static void settle_ends(entry_vec *list)
{
	size_t kept = 0;
	for (size_t i = 0, next; i < list->count; i = next) {
		const size_t group = kept;
		for (next = i; next < list->count && list->data[next].addr == list->data[i].addr;
		     next++)
			if (!kernel_symbols_is_end(&list->data[next]))
				list->data[kept++] = list->data[next];
		if (kept == group)
			list->data[kept++] = (struct kernel_symbols_entry){
				list->data[i].addr, 0, STR("(data without symbols)"), 'r'
			};
	}
	list->count = kept;
}

bool kernel_symbols_open(const struct image *im, struct input *ret, struct notes *notes)
{
	struct kallsyms k;
	struct image_build build;
	struct kallsyms_iter it;
	uint64_t shift = 0;
	entry_vec list = { 0 };
	const struct section *in = kernel_symbols_find(im, &k);
	if (!in)
		return false;
	*ret = (struct input){ .images = mem_zeroed(1, sizeof *ret->images),
			       .image_count = 1,
			       .notes = notes };
	ASSERT(in->type == SHT_PROGBITS && im->kind == IMAGE_EXEC);
	made_image_begin(&build, &ret->images[0], im, im->path, notes);
	kernel_symbols_list_parts(in, &k, is_boot_image(im), &list);
	/* In a boot image, symbols have other addresses. _stext shows the difference, `shift`. */
	kallsyms_iter(&it, &k);
	while (is_boot_image(im) && kallsyms_next(&it))
		if (str_eq(it.name, STR("_stext"))) {
			shift = in->addr - it.addr;
			break;
		}
	kallsyms_iter(&it, &k);
	while (kallsyms_next(&it)) {
		const struct str name = { arena_copy(&ret->images[0].arena, it.name), it.name.len };
		vec_push(&list, (struct kernel_symbols_entry){ it.addr + shift, 0, name, it.type });
	}
	uint64_t next = UINT64_MAX; /* Nearest address above the current one */
	vec_sort(&list);
	if (is_boot_image(im))
		settle_ends(&list);
	for (size_t i = list.count; i-- > 0;) {
		if (i + 1 < list.count && list.data[i + 1].addr != list.data[i].addr)
			next = list.data[i + 1].addr;
		kernel_symbols_put(&build, im, &list.data[i], next);
	}
	build_finish(&build, 0, 0);
	vec_release(&list);
	return true;
}
