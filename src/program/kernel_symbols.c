#include "program/kernel_symbols.h"

#include "base/sort.h"
#include "debug/runtime/kallsyms.h"
#include "image/elf_const.h"
#include "program/made_image.h"

#include <ctype.h>

/* The table, and the section that holds it; NULL where there is none. */
static const struct section *find(const struct image *im, struct kallsyms *k)
{
	if (im->kind != IMAGE_EXEC || !image_section_find(im, "__ksymtab"))
		return NULL;
	for (size_t i = 1; i < im->section_count; i++) {
		const struct section *s = &im->sections[i];
		if (s->alloc && !s->exec && s->type == SHT_PROGBITS &&
		    kallsyms_find(k, section_bytes(im, s), im->big_endian, im->bits / 8))
			return s;
	}
	return NULL;
}

bool kernel_has_symbols(const struct image *im)
{
	struct kallsyms k;
	return find(im, &k) != NULL;
}

static uint8_t binding(char type)
{
	if (strchr("VvWw", type))
		return STB_WEAK;
	return isupper((unsigned char)type) ? STB_GLOBAL : STB_LOCAL;
}

/* ---- sizes ----------------------------------------------------------------------------------- */

/* Behind the read-only objects stand strings, which have no symbols: what would reach so far is no
 * object.  Neither is what would reach over such a piece of memory up to an address that is a
 * multiple of more. */
enum { READ_ONLY_MAX = 128 << 10, GAP_MIN = 64 << 10 };

/* The table states no sizes.  Code ends in front of the bytes that align what follows: int3 of x86,
 * or one byte so often that it is no instruction. */
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

/* `room` is what is left up to the next symbol. */
static uint64_t symbol_size(const struct image *im, const struct section *in, uint64_t addr,
			    uint64_t room)
{
	if (in->exec)
		return without_fill(image_at(im, addr, room));
	const uint64_t end = addr + room, multiple = end & (~end + 1);
	if (str_eq(in->name, STR(".rodata")) && room > READ_ONLY_MAX)
		return 0;
	return room >= GAP_MIN && room < multiple ? 0 : room;
}

/* ---- symbols --------------------------------------------------------------------------------- */

struct entry {
	uint64_t addr;
	uint64_t size; /* 0: not stated */
	struct str name;
	char type;
};

typedef VEC(struct entry) entry_vec;

/* The parts of the table itself have no symbols. */
static void list_parts(const struct section *in, const struct kallsyms *k, entry_vec *ret)
{
	struct kallsyms_part parts[KALLSYMS_PARTS];
	kallsyms_parts(k, parts);
	for (size_t i = 0; i < KALLSYMS_PARTS; i++)
		if (parts[i].size > 0)
			vec_push(ret, (struct entry){ in->addr + parts[i].off, parts[i].size,
						      str_of(parts[i].name), 'r' });
}

static void list_symbols(struct arena *arena, const struct kallsyms *k, entry_vec *ret)
{
	struct kallsyms_iter it;
	kallsyms_iter(&it, k);
	while (kallsyms_next(&it)) {
		const struct str name = { arena_copy(arena, it.name), it.name.len };
		vec_push(ret, (struct entry){ it.addr, 0, name, it.type });
	}
}

/* Whether two names are the same but for dots and low lines. */
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

static bool holds_objects(struct str section)
{
	return str_starts(section, STR(".rodata")) || str_starts(section, STR(".data")) ||
	       str_starts(section, STR(".bss")) || str_starts(section, STR(".init"));
}

/* What the linker script defines at the ends of a section that is a table is no object: others know
 * better whose its entries are.  __return_sites begins section .return_sites. */
static bool is_bound(const struct section *in, struct str name)
{
	return !in->exec && !holds_objects(in->name) &&
	       (str_starts(name, STR("__start_")) || str_starts(name, STR("__stop_")) ||
		str_starts(name, STR("__end_")) || are_alike(in->name, name));
}

/* Absolute numbers and the ends of sections are in no section. */
static void put_symbol(struct image_build *b, const struct image *im, const struct entry *e,
		       uint64_t next)
{
	const struct section *in = image_section_at(im, e->addr);
	if (!in || e->name.len == 0 || is_bound(in, e->name))
		return;
	const uint64_t end = min_u64(next, in->addr + in->size);
	const struct symbol s = {
		.name = e->name,
		.section = in->index,
		.value = e->addr,
		.size = e->size > 0 ? e->size : symbol_size(im, in, e->addr, end - e->addr),
		.type = in->exec ? STT_FUNC : STT_OBJECT,
		.bind = binding(e->type),
	};
	if (s.size > 0)
		build_symbol(b, &(struct made_symbol){ .symbol = s });
}

static void put_symbols(struct image_build *b, const struct image *im, entry_vec *list)
{
	uint64_t next = UINT64_MAX; /* the nearest address above the one at work */
	sort_by_key(list->data, list->count, sizeof *list->data);
	for (size_t i = list->count; i-- > 0;) {
		if (i + 1 < list->count && list->data[i + 1].addr != list->data[i].addr)
			next = list->data[i + 1].addr;
		put_symbol(b, im, &list->data[i], next);
	}
}

bool kernel_symbols_open(const struct image *im, struct input *ret, struct notes *notes)
{
	struct kallsyms k;
	struct image_build build;
	entry_vec list = { 0 };
	const struct section *in = find(im, &k);
	if (!in)
		return false;
	*ret = (struct input){ .images = mem_zeroed(1, sizeof *ret->images),
			       .image_count = 1,
			       .notes = notes };
	made_image_begin(&build, &ret->images[0], im, im->path, notes);
	list_parts(in, &k, &list);
	list_symbols(&ret->images[0].arena, &k, &list);
	put_symbols(&build, im, &list);
	build_finish(&build, 0, 0);
	vec_release(&list);
	return true;
}
