/* Claims the resources of Free Pascal's programs for systems other than Windows. They form a tree
 * of three levels: type, name or number, language. Source: rtl/inc/fpintres.pp.
 *
 *     head: address of the root; 4 bytes; 4 bytes; address of handles
 *     node: number, or address of a name; number of entries with a name: 4 bytes; of entries with
 *            a number: 4 bytes; address of the first entry
 *     leaf, by language: number of the language; 4 bytes; size: 4 bytes; address of the bytes */
#include "attr/attr.h"

#include "image/resource_type.h"

#include <stdio.h>

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

static void tree_claim_all(struct attr *a, const struct section *s)
{
	struct pascal_tree t = { .a = a,
				 .in = s,
				 .bytes = section_bytes(a->im, s),
				 .word = (unsigned)pointer_size(a->im) };
	struct reader r = reader_of(t.bytes, a->im->big_endian);
	struct pascal_node root;
	t.left = t.bytes.size / tree_node_size(&t);
	if (!tree_read(&t, read_uint(&r, t.word), &root))
		return;
	for (uint64_t i = 0; i < (uint64_t)root.named + root.numbered && t.left > 0; i++)
		(void)tree_claim(&t, root.first + i * tree_node_size(&t), 0);
}

void attr_pascal_resources(struct attr *a)
{
	for (size_t i = 1; i < a->im->section_count; i++) {
		const struct section *s = &a->im->sections[i];
		if (str_eq(s->name, STR("fpc.resources")) && !s->nobits)
			tree_claim_all(a, s);
	}
}
