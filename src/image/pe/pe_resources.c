/* Reads resources ("PE Format", The .rsrc Section): a tree of three levels, by type, by name or
 * number, by language. Each resource becomes a symbol "resource TYPE/NAME". */
#include "image/pe/pe_internal.h"
#include "image/resource_type.h"

enum { LEVELS = 3, DIRECTORY_SIZE = 16, ENTRY_SIZE = 8, LEAF_SIZE = 16, NAME_CHARS_MAX = 200 };
#define HIGH_BIT UINT32_C(0x80000000)

const char *resource_type_name(uint64_t type)
{
	static const char *const names[] = {
		[1] = "CURSOR",      [2] = "BITMAP",        [3] = "ICON",
		[4] = "MENU",        [5] = "DIALOG",        [6] = "STRING",
		[7] = "FONTDIR",     [8] = "FONT",          [9] = "ACCELERATOR",
		[10] = "RCDATA",     [11] = "MESSAGETABLE", [12] = "GROUP_CURSOR",
		[14] = "GROUP_ICON", [16] = "VERSION",      [17] = "DLGINCLUDE",
		[19] = "PLUGPLAY",   [20] = "VXD",          [21] = "ANICURSOR",
		[22] = "ANIICON",    [23] = "HTML",         [24] = "MANIFEST",
	};
	return type < COUNT_OF(names) ? names[type] : NULL;
}

struct resources {
	struct pe *p;
	uint64_t rva;
	const char *names[LEVELS]; /* Names on the path to the current directory */
};

static struct reader pe_resources_reader_at(const struct resources *x, uint64_t off)
{
	const struct pe_section *s;
	return pe_at(x->p, x->rva + off, &s);
}

/* Reads a UTF-16 string after its length. Returns ASCII, with '?' for other characters. */
static const char *pe_resources_string_at(struct resources *x, uint64_t off)
{
	char text[NAME_CHARS_MAX];
	struct reader r = pe_resources_reader_at(x, off);
	size_t n = read_u16(&r);
	n = n < NAME_CHARS_MAX ? n : NAME_CHARS_MAX;
	for (size_t i = 0; i < n; i++) {
		const uint16_t c = read_u16(&r);
		text[i] = c >= ' ' && c < 0x7f ? (char)c : '?';
	}
	return arena_copy(&x->p->build.im->arena, (struct str){ text, reader_ok(&r) ? n : 0 });
}

/* Adds the symbol of a resource and returns its index. 0 if the resource is damaged. */
static uint32_t read_leaf(struct resources *x, uint64_t off)
{
	struct pe *p = x->p;
	struct reader r = pe_resources_reader_at(x, off);
	const uint32_t rva = read_u32(&r), size = read_u32(&r);
	if (!reader_ok(&r) || rva == 0 || !pe_spend(p, LEAF_SIZE))
		return 0;
	const char *name = arena_format(&p->build.im->arena, "resource %s/%s", x->names[0],
					x->names[1]);
	const uint32_t symbol = pe_symbol(p, str_of(name), rva, size);
	pe_put(p, x->rva + off, LEAF_SIZE, symbol, 0);
	return symbol;
}

/* Reads a directory. Returns the symbol of the first resource in its subtree, which also owns the
 * directory's bytes. 0 without a resource. Recursion is at most LEVELS deep. */
static uint32_t pe_resources_read_directory(struct resources *x, uint64_t off, unsigned level)
{
	ASSERT(level < LEVELS);
	struct pe *p = x->p;
	struct reader r = pe_resources_reader_at(x, off);
	uint32_t first = 0;
	read_skip(&r, 12);
	const uint32_t count = (uint32_t)read_u16(&r) + read_u16(&r);
	for (uint32_t i = 0; i < count && reader_left(&r) >= ENTRY_SIZE; i++) {
		const uint64_t at = x->rva + off + r.pos;
		const uint32_t id = read_u32(&r), to = read_u32(&r);
		uint32_t symbol = 0;
		if (!pe_spend(p, ENTRY_SIZE))
			return first;
		const char *name = id & HIGH_BIT ? pe_resources_string_at(x, id & ~HIGH_BIT)
				   : level == 0  ? resource_type_name(id)
						 : NULL;
		x->names[level] = name ? name
				       : arena_format(&p->build.im->arena,
						      level == 0 ? "type %u" : "%u", (unsigned)id);
		if (!(to & HIGH_BIT) && level == LEVELS - 1)
			symbol = read_leaf(x, to);
		else if (to & HIGH_BIT && level < LEVELS - 1)
			symbol = pe_resources_read_directory(x, to & ~HIGH_BIT, level + 1);
		if (symbol != 0)
			pe_put(p, at, ENTRY_SIZE, symbol, 0);
		first = first ? first : symbol;
	}
	if (first != 0)
		pe_put(p, x->rva + off, DIRECTORY_SIZE, first, 0);
	return first;
}

void pe_read_resources(struct pe *p)
{
	struct resources x = { .p = p, .rva = p->directories[PE_RESOURCE].addr };
	if (x.rva != 0)
		pe_resources_read_directory(&x, 0, 0);
}
