/* Claims Free Pascal's type information and virtual method tables in programs without symbols. The
 * owner is the name of the type, which both contain.
 *
 * Sources: rtl/inc/objpash.inc (layout of the tables of classes) and rtl/objpas/typinfo.pp. After
 * the type information, a word holds its address, for other units. A method table begins with the
 * object's size and the negated size. Its fourth word points to the class name. From the 13th word
 * on, it holds method addresses. A name begins with its length. */

#include "image/elf/elf_const.h"
#include "attr/attr.h"
#include "image/resource_type.h"

#include <stdio.h>

enum { KIND_LAST = 40, INFO_MOST = 1 << 16, HEAD_WORDS = 12, NAME_WORD = 3 };

/* A walk over the words of a section. */
struct pascal_walk {
	struct attr *a;
	const struct section *in;
	struct reader words;
	unsigned size;      /* Size of a word in bytes */
	uint64_t last;      /* End of the last type information or table found */
	label_id type;      /* Label of the last type information found */
	uint64_t from, end; /* Range of the record that is being read */
};

static uint64_t pascal_word(const struct pascal_walk *w, uint64_t addr)
{
	struct reader r = w->words;
	reader_seek(&r, addr - w->in->addr);
	return read_uint(&r, w->size);
}

static unsigned pascal_byte(const struct pascal_walk *w, uint64_t addr)
{
	struct reader r = w->words;
	reader_seek(&r, addr - w->in->addr);
	return read_u8(&r);
}

static bool pascal_is_letter(unsigned c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' || c == '$';
}

/* Reads the name at an address of the section: its length, then letters. "" if there is none. */
static struct str pascal_name(const struct pascal_walk *w, uint64_t addr)
{
	struct reader r = w->words;
	reader_seek(&r, addr - w->in->addr);
	const unsigned length = read_u8(&r);
	const uint8_t *p = read_take(&r, length);
	if (!p || length == 0 || !pascal_is_letter(p[0]))
		return STR("");
	for (unsigned i = 0; i < length; i++)
		if (p[i] <= ' ' || p[i] >= 0x7f)
			return STR("");
	return (struct str){ (const char *)p, length };
}

static void pascal_claim(struct pascal_walk *w, uint64_t from, uint64_t end, label_id label)
{
	ASSERT(from < end && from >= w->in->addr);
	claim(&w->a->vm_claims, from, end - from, label, WHY_RUNTIME);
	w->last = end;
}

/* True if a word of [from, end) points to a name inside the last type information. Such words are
 * in the tables that lead from an enumeration's names to its values. */
static bool leads_to_names(const struct pascal_walk *w, uint64_t from, uint64_t end)
{
	enum { STEP = 4 };
	for (; w->type != LABEL_NONE && from + w->size <= end; from += STEP) {
		const uint64_t to = pascal_word(w, from);
		if (to > w->from && to < w->end - w->size)
			return true;
	}
	return false;
}

/* Claims the type information before `addr`, if the word there points to its start. Else false. */
static bool pascal_info(struct pascal_walk *w, uint64_t addr)
{
	const uint64_t from = pascal_word(w, addr), end = addr + w->size;
	if (from < w->last || from >= addr || addr - from > INFO_MOST || from % w->size != 0)
		return false;
	const unsigned kind = pascal_byte(w, from);
	const bool is_info = kind >= 1 && kind <= KIND_LAST;
	const bool follows = from - w->last < 2 * (uint64_t)w->size;
	const struct str name = pascal_name(w, from + 1);
	label_id type = w->type;
	if (is_info && name.len > 0 && from + 2 + name.len <= addr) {
		type = w->type = label_copy(w->a->f->labels, name);
		w->from = from;
		w->end = end;
	} else if (follows && is_info && pascal_byte(w, from + 1) == 0 &&
		   !leads_to_names(w, from, addr)) {
		type = label_borrow(w->a->f->labels, STR("(types without a name)"));
	} else if (!follows || !leads_to_names(w, from, addr)) {
		return false;
	}
	pascal_claim(w, from, end, type);
	return true;
}

/* Claims a table of virtual methods that begins at `addr`. False if there is none. */
static bool pascal_table(struct pascal_walk *w, uint64_t addr)
{
	const unsigned shift = 64 - 8 * w->size;
	const uint64_t size = pascal_word(w, addr), minus = pascal_word(w, addr + w->size);
	const uint64_t text = pascal_word(w, addr + NAME_WORD * w->size);
	if (size < w->size || size > INT32_MAX || (size + minus) << shift != 0 ||
	    !(text >= w->in->addr && text - w->in->addr < w->in->size))
		return false;
	const struct str name = pascal_name(w, text);
	if (name.len == 0)
		return false;
	uint64_t end = addr + HEAD_WORDS * (uint64_t)w->size;
	const uint64_t limit = w->in->addr + w->in->size;
	while (end + w->size <= limit) {
		const struct section *to = image_section_at(w->a->im, pascal_word(w, end));
		if (!to || !to->exec)
			break;
		end += w->size;
	}
	w->type = label_copy(w->a->f->labels, name);
	w->from = addr;
	w->end = min_u64(end, limit);
	pascal_claim(w, addr, w->end, w->type);
	return true;
}

/* Writes the addresses that the relocations of a table state into a copy of a section's bytes. */
static void relocs_write(const struct image *im, const struct section *table,
			 const struct section *s, uint8_t *copy, uint64_t size)
{
	const unsigned word = (unsigned)pointer_size(im);
	struct reloc_iter it;
	struct reloc r;
	uint64_t to;
	if (!section_is_reloc(table) || !reloc_open(&it, im, table))
		return;
	while (reloc_next(&it, &r)) {
		const uint64_t at = r.addr - s->addr;
		if (!r.alloc || at >= size || size - at < word || !reloc_target(&it, &r, &to))
			continue;
		for (unsigned i = 0; i < word; i++)
			copy[at + (im->big_endian ? word - 1 - i : i)] = (uint8_t)(to >> 8 * i);
	}
}

/* Returns a copy of a section's bytes, with the addresses as relocations state them. */
static uint8_t *pascal_copy(const struct image *im, const struct section *s)
{
	const struct bytes b = section_bytes(im, s);
	uint8_t *copy = mem_zeroed((size_t)b.size, 1);
	if (b.size > 0)
		memcpy(copy, b.p, (size_t)b.size);
	for (size_t i = 1; i < im->section_count; i++)
		relocs_write(im, &im->sections[i], s, copy, b.size);
	return copy;
}

static void pascal_section(struct attr *a, const struct section *s, struct bytes bytes)
{
	struct pascal_walk w = { .a = a,
				 .in = s,
				 .words = reader_of(bytes, a->im->big_endian),
				 .size = (unsigned)pointer_size(a->im),
				 .last = s->addr };
	const uint64_t end = s->addr + w.words.size;
	uint64_t addr = align_up(s->addr, w.size);
	while (addr < end && end - addr >= w.size)
		addr = pascal_info(&w, addr) || pascal_table(&w, addr) ? align_up(w.last, w.size)
								       : addr + w.size;
}

/* Claims the resources of Free Pascal's programs for systems other than Windows. They form a tree
 * of three levels: type, name or number, language. Source: rtl/inc/fpintres.pp.
 *
 *     head: address of the root; 4 bytes; 4 bytes; address of handles
 *     node: number, or address of a name; number of entries with a name: 4 bytes; of entries with
 *            a number: 4 bytes; address of the first entry
 *     leaf, by language: number of the language; 4 bytes; size: 4 bytes; address of the bytes */

enum { LEVELS = 3, NAME_MOST = 200 };

struct pascal_tree {
	struct attr *a;
	const struct section *in;
	struct bytes bytes;
	unsigned word;
	uint64_t left; /* Nodes that may still be read; initially the maximum that fits into the
		        * section */
	char names[LEVELS][NAME_MOST];
};

struct pascal_node {
	uint64_t id, first;
	uint32_t named, numbered;
};

static unsigned tree_node_size(const struct pascal_tree *t)
{
	return 2 * t->word + 8;
}

static bool tree_read(struct pascal_tree *t, uint64_t addr, struct pascal_node *ret)
{
	struct reader r = reader_of(t->bytes, t->a->im->big_endian);
	if (t->left == 0 || addr < t->in->addr)
		return false;
	t->left--;
	reader_seek(&r, addr - t->in->addr);
	ret->id = read_uint(&r, t->word);
	ret->named = read_u32(&r);
	ret->numbered = read_u32(&r);
	ret->first = read_uint(&r, t->word);
	return reader_ok(&r);
}

static void tree_put(const struct pascal_tree *t, uint64_t addr, uint64_t size, label_id label)
{
	if (addr >= t->in->addr)
		attr_put(t->a, t->in, addr - t->in->addr, size, label, WHY_RUNTIME);
}

/* Sets the name of an entry of a level. Returns the size of the name's bytes in the file, or 0. */
static uint64_t tree_name(struct pascal_tree *t, const struct pascal_node *n, unsigned level)
{
	const uint64_t off = n->id - t->in->addr;
	const bool text = n->id >= t->in->addr && off < t->bytes.size;
	const char *known = level == 0 && !text ? resource_type_name(n->id) : NULL;
	const uint8_t *p = text ? t->bytes.p + off : NULL;
	const uint64_t most = text ? min_u64(t->bytes.size - off, NAME_MOST - 1) : 0;
	uint64_t len = 0;
	while (len < most && p[len] > ' ' && p[len] < 0x7f)
		len++;
	if (text)
		snprintf(t->names[level], NAME_MOST, "%.*s", (int)len, (const char *)p);
	else if (known)
		snprintf(t->names[level], NAME_MOST, "%s", known);
	else
		snprintf(t->names[level], NAME_MOST, "%s%" PRIu64, level == 0 ? "type " : "",
			 n->id);
	return text ? len + 1 : 0;
}

/* Claims an entry of a level and its subtree. Returns the label of the first resource. LABEL_NONE
 * if there is none. Recursion is at most LEVELS deep. */
static label_id tree_claim(struct pascal_tree *t, uint64_t addr, unsigned level)
{
	struct pascal_node n;
	label_id owner = LABEL_NONE;
	ASSERT(level < LEVELS);
	if (!tree_read(t, addr, &n))
		return LABEL_NONE;
	const uint64_t text = tree_name(t, &n, level);
	if (level == LEVELS - 1) {
		owner = label_format(t->a->f->labels, "resource %s/%s", t->names[0], t->names[1]);
		tree_put(t, n.first, n.numbered, owner);
	}
	const uint64_t count = level == LEVELS - 1 ? 0 : (uint64_t)n.named + n.numbered;
	for (uint64_t i = 0; i < count && t->left > 0; i++) {
		const label_id below = tree_claim(t, n.first + i * tree_node_size(t), level + 1);
		owner = owner == LABEL_NONE ? below : owner;
	}
	tree_put(t, addr, tree_node_size(t), owner);
	if (text > 0)
		tree_put(t, n.id, text, owner);
	return owner;
}

static void tree_claim_all(struct attr *a, const struct section *s, struct bytes bytes)
{
	struct pascal_tree t = {
		.a = a, .in = s, .bytes = bytes, .word = (unsigned)pointer_size(a->im)
	};
	struct reader r = reader_of(t.bytes, a->im->big_endian);
	struct pascal_node root;
	t.left = t.bytes.size / tree_node_size(&t);
	if (!tree_read(&t, read_uint(&r, t.word), &root))
		return;
	for (uint64_t i = 0; i < (uint64_t)root.named + root.numbered && t.left > 0; i++)
		(void)tree_claim(&t, root.first + i * tree_node_size(&t), 0);
}

void attr_pascal(struct attr *a)
{
	const struct image *im = a->im;
	for (size_t i = 1; i < im->section_count && im->kind == IMAGE_EXEC; i++) {
		const struct section *s = &im->sections[i];
		const bool resources = str_eq(s->name, STR("fpc.resources"));
		if (s->nobits || (!resources && (s->exec || !section_is_data(s))))
			continue;
		uint8_t *copy = pascal_copy(im, s);
		const struct bytes bytes = { copy, section_bytes(im, s).size };
		if (!resources)
			pascal_section(a, s, bytes);
		else
			tree_claim_all(a, s, bytes);
		mem_free(copy);
	}
}
