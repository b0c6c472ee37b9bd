/* Hashes the contents of symbols: code, data and relocations. */
#include "snapshot/contents.h"

#include "base/map.h"
#include "base/sort.h"

static void read_patches(struct contents *c, const struct section *s)
{
	struct reloc_iter it;
	struct reloc r;
	if (!section_is_reloc(s) || !reloc_open(&it, c->image, s))
		return;
	while (reloc_next(&it, &r)) {
		const uint64_t symbol = (uint64_t)r.symbol << 32 | r.type;
		if (r.alloc)
			vec_push(&c->patches, (struct patch){ r.addr, hash_mix(symbol, HASH_ODD_1) +
									      (uint64_t)r.addend });
	}
}

void contents_init(struct contents *ret, const struct image *im)
{
	*ret = (struct contents){ .image = im };
}

void contents_read(struct contents *c)
{
	if (c->read)
		return;
	c->read = true;
	for (size_t i = 1; i < c->image->section_count; i++)
		read_patches(c, &c->image->sections[i]);
	sort_by_key(c->patches.data, c->patches.count, sizeof *c->patches.data);
}

/* Adds the values that relocations write into the bytes to the hash. */
static void add_patches(const struct contents *c, uint64_t addr, uint64_t size,
			struct code_print *p)
{
	const struct patch *list = c->patches.data;
	for (size_t i = lower_bound(list, c->patches.count, sizeof *list, addr);
	     i < c->patches.count && list[i].addr - addr < size; i++) {
		print_add(p, list[i].addr - addr);
		p->whole = hash_mix(p->whole ^ list[i].what, HASH_ODD_2);
	}
}

void contents_release(struct contents *c)
{
	vec_release(&c->patches);
}

static bool contents_is_constant(const struct section *s)
{
	return s->alloc && !s->nobits && !s->compressed && !s->tls &&
	       (!s->write || str_starts(s->name, STR(".data.rel.ro")));
}

/* Returns a symbol's bytes. Empty if the program may write there, or if the file lacks some. */
static struct bytes constant_bytes(const struct contents *c, const struct section *s, uint64_t addr,
				   uint64_t size)
{
	if (addr == 0 || !contents_is_constant(s) || addr < s->addr)
		return (struct bytes){ NULL, 0 };
	const struct bytes b = bytes_sub(section_bytes(c->image, s), addr - s->addr, size);
	return b.size < size ? (struct bytes){ NULL, 0 } : b;
}

struct code_print contents_of(const struct contents *c, const struct section *s, uint64_t addr,
			      uint64_t size)
{
	const struct code_print unknown = { 0, 0 };
	struct code_print p;
	ASSERT(c->read);
	const struct bytes b = constant_bytes(c, s, addr, size);
	if (b.size == 0)
		return unknown;
	if (!s->exec)
		p = bytes_print(b);
	else if (!code_print(code_isa_of(c->image), b, addr, &p))
		return unknown;
	add_patches(c, addr, size, &p);
	return p;
}

struct code_print contents_of_x86(const struct contents *c, const struct section *s, uint64_t addr,
				  uint64_t size, const code_ref_vec *refs)
{
	const struct bytes b = constant_bytes(c, s, addr, size);
	ASSERT(c->read);
	if (b.size == 0)
		return (struct code_print){ 0, 0 };
	struct code_print p = x86_refs_print(b, code_isa_of(c->image) == CODE_X86_64, addr, refs);
	add_patches(c, addr, size, &p);
	return p;
}
