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

void contents_read(struct contents *ret, const struct image *im)
{
	*ret = (struct contents){ .image = im };
	for (size_t i = 1; i < im->section_count; i++)
		read_patches(ret, &im->sections[i]);
	sort_by_key(ret->patches.data, ret->patches.count, sizeof *ret->patches.data);
}

void contents_release(struct contents *c)
{
	vec_release(&c->patches);
}

static bool is_constant(const struct section *s)
{
	return s->alloc && !s->nobits && !s->compressed && !s->tls &&
	       (!s->write || str_starts(s->name, STR(".data.rel.ro")));
}

struct code_print contents_of(const struct contents *c, const struct section *s, uint64_t addr,
			      uint64_t size)
{
	const struct code_print unknown = { 0, 0 };
	struct code_print p;
	if (addr == 0 || size == 0 || !is_constant(s) || addr < s->addr)
		return unknown;
	const struct bytes b = bytes_sub(section_bytes(c->image, s), addr - s->addr, size);
	if (b.size < size)
		return unknown;
	if (!s->exec)
		p = bytes_print(b);
	else if (!code_print(code_isa_of(c->image->machine), b, addr, &p))
		return unknown;
	for (size_t i =
		     lower_bound(c->patches.data, c->patches.count, sizeof *c->patches.data, addr);
	     i < c->patches.count && c->patches.data[i].addr - addr < size; i++) {
		print_add(&p, c->patches.data[i].addr - addr);
		p.whole = hash_mix(p.whole ^ c->patches.data[i].what, HASH_ODD_2);
	}
	return p;
}
