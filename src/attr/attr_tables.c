/* Claims tables about symbols: entries, names, versions, hash words, section groups, and arrays of
 * function pointers.
 *
 * Sources: gABI "Symbol Table", "Hash Table", "Section Groups"; LSB 5.0 "Symbol Versioning"; the
 * layout of .gnu.hash as the dynamic linkers read it. */
#include "attr/attr_scratch.h"

#include "image/elf/elf_const.h"
#include "program/go_table.h"
#include "program/symbol_rule.h"
#include "base/pool.h"

/* Claims all entries, then all names. In this order, claims have rising file offsets in most files,
 * and need no sorting. */
static void symbol_table(struct attr *a, const struct section *s, const label_id *labels)
{
	struct symtab t;
	if (!s || !attr_open_symbols(a, a->im, s, &t))
		return;
	for (size_t i = 1; i < t.count; i++) {
		const struct symbol sym = symtab_get_nameless(&t, i);
		const struct symbol_bytes b = symtab_bytes(&t, &sym);
		attr_put(a, s, b.entry_off, b.entry_size, labels[i], WHY_SYMBOL_ENTRY);
	}
	for (size_t i = 1; t.strings && i < t.count; i++) {
		const struct symbol sym = symtab_get(&t, i);
		const struct symbol_bytes b = symtab_bytes(&t, &sym);
		attr_put(a, t.strings, b.name_off, b.name_size, labels[i], WHY_NAME);
	}
}

static label_id dyn_label(const struct attr *a, uint64_t index)
{
	return index < a->scratch->dyn_count ? a->scratch->dyn_labels[index] : LABEL_NONE;
}

/* Claims bucket and chain words. Each word of the Bloom filter belongs to the first symbol that
 * sets bits in it. The symbol's hash is its chain word: only the lowest bit differs, and the filter
 * does not use that bit. */
static void gnu_hash(struct attr *a, const struct section *s)
{
	const uint64_t word = pointer_size(a->im);
	struct reader r = reader_of(section_bytes(a->im, s), a->im->big_endian);
	const uint64_t bucket_count = read_u32(&r), first = read_u32(&r), bloom = read_u32(&r);
	read_u32(&r);
	const uint64_t filter = r.pos;
	read_skip(&r, bloom * word);
	for (uint64_t i = 0; i < bucket_count && reader_left(&r) >= 4; i++) {
		const uint64_t off = r.pos;
		attr_put(a, s, off, 4, dyn_label(a, read_u32(&r)), WHY_HASH);
	}
	for (uint64_t i = first; i < a->scratch->dyn_count && reader_left(&r) >= 4; i++) {
		attr_put(a, s, r.pos, 4, dyn_label(a, i), WHY_HASH);
		const uint64_t bits = read_u32(&r) / (word * 8);
		if (bloom > 0)
			attr_put(a, s, filter + bits % bloom * word, word, dyn_label(a, i),
				 WHY_HASH);
	}
}

static void sysv_hash(struct attr *a, const struct section *s)
{
	/* On Alpha and S/390 words have 8 bytes. */
	const unsigned word = s->entsize == 8 ? 8 : 4;
	struct reader r = reader_of(section_bytes(a->im, s), a->im->big_endian);
	const uint64_t bucket_count = read_uint(&r, word);
	read_uint(&r, word);
	for (uint64_t i = 0; i < bucket_count && reader_left(&r) >= word; i++) {
		const uint64_t off = r.pos;
		attr_put(a, s, off, word, dyn_label(a, read_uint(&r, word)), WHY_HASH);
	}
	for (uint64_t i = 0; i < a->scratch->dyn_count && reader_left(&r) >= word; i++) {
		attr_put(a, s, r.pos, word, dyn_label(a, i), WHY_HASH);
		read_uint(&r, word);
	}
}

/* Returns the label of a name in the dynamic string table. LABEL_NONE if there is none. */
static label_id string_label(struct attr *a, const struct section *strings, uint64_t off)
{
	struct str name;
	if (!bytes_cstr(section_bytes(a->im, strings), off, &name) || name.len == 0)
		return LABEL_NONE;
	return label_borrow(a->f->labels, name);
}

static void attr_tables_put_string(struct attr *a, const struct section *strings, uint64_t off,
				   label_id label)
{
	struct str name;
	if (bytes_cstr(section_bytes(a->im, strings), off, &name))
		attr_put(a, strings, off, name.len + 1, label, WHY_NAME);
}

/* A version section, whose records are linked by offsets. `left`: number of records that may still
 * be read, which bounds the work if damaged records overlap */
struct version_chain {
	struct attr *a;
	const struct section *s, *strings;
	bool need;
	uint64_t left;
};

static bool version_record(struct version_chain *v, uint64_t off, struct reader *ret)
{
	if (v->left == 0)
		return false;
	v->left--;
	*ret = reader_of(section_bytes(v->a->im, v->s), v->a->im->big_endian);
	reader_seek(ret, off);
	return true;
}

/* Claims the named records that belong to a version definition or requirement. If `owner` is
 * LABEL_NONE, the first name owns all of them. */
static label_id version_aux(struct version_chain *v, uint64_t off, unsigned count, label_id owner)
{
	struct reader r;
	for (unsigned i = 0; i < count && version_record(v, off, &r); i++) {
		read_skip(&r, v->need ? 8 : 0);
		const uint32_t name = read_u32(&r), next = read_u32(&r);
		if (!reader_ok(&r))
			break;
		if (owner == LABEL_NONE)
			owner = string_label(v->a, v->strings, name);
		attr_put(v->a, v->s, off, v->need ? 16 : 8, owner, WHY_VERSION);
		attr_tables_put_string(v->a, v->strings, name, owner);
		if (next == 0)
			break;
		off += next;
	}
	return owner;
}

/* Claims the requirements of .gnu.version_r for their libraries, and the definitions of
 * .gnu.version_d for the version names. */
static void versions(struct attr *a, const struct section *s, const struct section *strings)
{
	enum { LEAST = 8 };
	struct version_chain v = { a, s, strings, s->type == SHT_GNU_VERNEED,
				   section_bytes(a->im, s).size / LEAST };
	struct reader r;
	uint64_t off = 0;
	while (version_record(&v, off, &r)) {
		read_skip(&r, v.need ? 2 : 6);
		const unsigned count = read_u16(&r);
		const uint32_t word = read_u32(&r); /* Offset of the library's name, or a hash */
		const uint32_t aux = read_u32(&r), next = read_u32(&r);
		if (!reader_ok(&r))
			return;
		label_id owner = v.need ? string_label(a, strings, word) : LABEL_NONE;
		if (v.need)
			attr_tables_put_string(a, strings, word, owner);
		owner = version_aux(&v, off + aux, count, owner);
		attr_put(a, s, off, v.need ? 16 : 20, owner, WHY_VERSION);
		if (next == 0)
			return;
		off += next;
	}
}

/* Claims the name of each DT_NEEDED library for that library. */
static void needed_names(struct attr *a, const struct section *s, const struct section *strings)
{
	struct reader r = reader_of(section_bytes(a->im, s), a->im->big_endian);
	const unsigned word = (unsigned)pointer_size(a->im);
	while (reader_left(&r) >= 2 * (uint64_t)word) {
		const uint64_t tag = read_uint(&r, word), value = read_uint(&r, word);
		if (tag == DT_NULL)
			return;
		if (tag == DT_NEEDED)
			attr_tables_put_string(a, strings, value, string_label(a, strings, value));
	}
}

static bool is_pointer_array(const struct section *s)
{
	switch (s->type) {
	case SHT_INIT_ARRAY:
	case SHT_FINI_ARRAY:
	case SHT_PREINIT_ARRAY: return true;
	default:
		return s->alloc && !s->nobits &&
		       (str_starts(s->name, STR(".ctors")) || str_starts(s->name, STR(".dtors")));
	}
}

/* Claims the entries of a pointer array for the functions that they point to. */
static void pointer_array(struct attr *a, const struct section *s, uint64_t start, uint64_t size)
{
	const uint64_t step = pointer_size(a->im);
	const uint64_t end = min_u64(add_sat(start, size), section_bytes(a->im, s).size);
	for (uint64_t off = start; off < end && end - off >= step; off += step) {
		uint64_t target;
		if (load_pointer(a->im, s->addr + off, &target) && target != 0)
			attr_put(a, s, off, step, spans_label(&a->vm, target), WHY_POINTER_ARRAY);
	}
}

void attr_symbol_tables(struct attr *a)
{
	symbol_table(a, a->scratch->symtab, a->scratch->sym_labels);
	symbol_table(a, a->scratch->dynsym, a->scratch->dyn_labels);
	each_section(s, a->im) {
		const bool dynamic = a->scratch->dynsym && s->link == a->scratch->dynsym->index;
		switch (s->type) {
		case SHT_SYMTAB_SHNDX: /* Extended section indexes: one word per symbol */
			for (size_t k = 1;
			     k < (dynamic ? a->scratch->dyn_count : a->scratch->sym_count); k++)
				attr_put(a, s, k * 4, 4,
					 dynamic ? a->scratch->dyn_labels[k]
						 : a->scratch->sym_labels[k],
					 WHY_SYMBOL_ENTRY);
			break;
		case SHT_GNU_VERSYM:
			for (uint64_t k = 1;
			     k < a->scratch->dyn_count && k * 2 < section_bytes(a->im, s).size; k++)
				attr_put(a, s, k * 2, 2, dyn_label(a, k), WHY_VERSION);
			break;
		case SHT_GNU_HASH: gnu_hash(a, s); break;
		case SHT_HASH: sysv_hash(a, s); break;
		default: break;
		}
	}
}

static void attr_tables_table(struct attr *a, const struct section *s)
{
	const bool has_strings = s->link > 0 && s->link < a->im->section_count &&
				 a->im->sections[s->link].type == SHT_STRTAB;
	const struct section *strings = has_strings ? &a->im->sections[s->link] : NULL;
	if (s->type == SHT_GROUP)
		attr_put(a, s, 0, s->file_size, attr_group_owner(a, s), WHY_GROUP);
	else if (strings && (s->type == SHT_GNU_VERNEED || s->type == SHT_GNU_VERDEF))
		versions(a, s, strings);
	else if (strings && s->type == SHT_DYNAMIC)
		needed_names(a, s, strings);
	else if (is_pointer_array(s))
		pointer_array(a, s, 0, section_bytes(a->im, s).size);
}

/* Claims marker symbols, such as ARM's mapping symbols, for the owner of their address. */
static void marks(struct attr *a)
{
	struct symtab t;
	struct span_cursor cursor = { &a->vm, 0 };
	if (a->owner != BY_SYMBOL || !a->scratch->symtab ||
	    !symtab_open(&t, a->im, a->scratch->symtab))
		return;
	for (size_t i = 1; i < t.count; i++) {
		if (i < a->scratch->sym_count && a->scratch->sym_labels[i] != LABEL_NONE)
			continue;
		const struct symbol s = symtab_get(&t, i);
		uint64_t addr;
		if (s.type == STT_FILE || s.type == STT_SECTION || !symbol_is_mark(&s) ||
		    !symbol_addr(a->im, &s, &addr))
			continue;
		const label_id owner = cursor_label(&cursor, addr);
		const struct symbol_bytes b = symtab_bytes(&t, &s);
		attr_put(a, a->scratch->symtab, b.entry_off, b.entry_size, owner, WHY_SYMBOL_ENTRY);
		if (t.strings)
			attr_put(a, t.strings, b.name_off, b.name_size, owner, WHY_NAME);
	}
}

/* Claims an entry of a symbol table that is not in ELF's form. */
static void made_entry(struct attr *a, size_t i, struct span_cursor *cursor)
{
	const struct image_entry *e = &a->im->entries[i];
	ASSERT(i < a->im->entry_count && e->section < a->im->section_count);
	label_id label = LABEL_NONE;
	uint64_t addr;
	struct symbol s;
	if (e->symbol != 0 && e->symbol < a->scratch->sym_count)
		label = a->scratch->sym_labels[e->symbol];
	else if (e->symbol == 0)
		label = cursor_label(cursor, e->addr);
	/* A mapping symbol belongs to the owner of its address. */
	if (label == LABEL_NONE && e->symbol != 0 && image_entry_symbol(a->im, e, &s) &&
	    s.type != STT_FILE && s.type != STT_SECTION && symbol_is_mark(&s) &&
	    symbol_addr(a->im, &s, &addr))
		label = cursor_label(cursor, addr);
	if (label == LABEL_NONE)
		vec_push(&a->scratch->late, (uint32_t)i);
	else
		attr_put(a, &a->im->sections[e->section], e->off, e->size, label, WHY_SYMBOL_ENTRY);
}

/* Claims the entries in scratch->late, whose owner was unknown before, in two rounds. The second
 * round claims page hashes, which belong to entries that get their owner in the first round. */
void attr_late_entries(struct attr *a)
{
	size_t done = 0;
	marks(a);
	for (unsigned pass = 0; pass < 2 && done < a->scratch->late.count; pass++) {
		const size_t end = a->scratch->late.count;
		attr_commit_vm(a);
		struct span_cursor cursor = { &a->vm, 0 };
		for (; done < end; done++)
			made_entry(a, a->scratch->late.data[done], &cursor);
	}
	vec_release(&a->scratch->late);
}

/* Claims each function descriptor, and the bytes until the next one, for its function. */
static void descriptors(struct attr *a)
{
	enum { WORD = 8, WORDS_MOST = 3 };
	const uint64_t *words;
	size_t count;
	const struct section *opd = image_descriptors(a->im, &words, &count);
	for (size_t i = 0, size; opd && i < count; i += size) {
		const struct section *in = image_section_at(a->im, words[i]);
		const label_id owner = in && in->exec ? spans_label(&a->vm, words[i]) : LABEL_NONE;
		size = 1;
		if (owner == LABEL_NONE)
			continue;
		for (; size < WORDS_MOST && i + size < count; size++) {
			in = image_section_at(a->im, words[i + size]);
			if (in && in->exec)
				break;
		}
		attr_put(a, opd, i * WORD, size * WORD, owner, WHY_DATA_REF);
	}
}

void attr_tables(struct attr *a)
{
	const struct go_table *g = go_slot_open(a->f->go, a->im, NULL);
	const struct go_part *methods = g ? &g->parts[GO_METHOD_TABLES] : NULL;
	const struct section *in = g ? image_section_at(a->im, methods->addr) : NULL;
	struct span_cursor cursor = { &a->vm, 0 };
	ASSERT(a->scratch->late.count == 0);
	for (size_t i = 0; i < a->im->entry_count; i++)
		made_entry(a, i, &cursor);
	descriptors(a);
	for (size_t i = 1; i < a->im->section_count; i++)
		if (!a->im->sections[i].nobits)
			attr_tables_table(a, &a->im->sections[i]);
	if (in)
		pointer_array(a, in, methods->addr - in->addr, methods->size);
}

/* Claims a relocation entry for the owner of the bytes that it patches. An entry for a GOT slot
 * belongs to the slot's symbol. */

static label_id attr_relocs_owner_of(const struct attr *a, const struct reloc_iter *it,
				     const struct reloc *r, struct span_cursor *cursor)
{
	uint64_t target;
	if (!r->alloc)
		return LABEL_NONE;
	const label_id owner = cursor_label(cursor, r->addr);
	if (owner != LABEL_NONE)
		return owner;
	if (r->kind == RELOC_JUMP_SLOT && r->symbol < a->scratch->dyn_count)
		return a->scratch->dyn_labels[r->symbol];
	/* A word without an owner belongs to the target of its pointer, as in .init_array and the
	 * kernel's tables about code. */
	return reloc_target(it, r, &target) ? spans_label(&a->vm, target) : LABEL_NONE;
}

/* The section that the current relocations patch. */
struct attr_relocs_patched {
	const struct section *in; /* NULL if they patch no section */
	bool array; /* True for an array of pointers, such as .init_array. Each entry belongs to the
		     * function it points to. */
	bool table; /* True for a table about code, with fields of struct attr_relocs_field */
};

static void attr_relocs_go_to(struct attr_relocs_patched *p, const struct image *im, uint64_t addr)
{
	const struct section *in = p->in;
	if (in && addr - in->addr < in->size)
		return;
	in = image_section_at(im, addr);
	*p = (struct attr_relocs_patched){
		.in = in,
		.array = in && is_pointer_array(in),
		.table = in && !in->exec && !in->nobits && !section_is_data(in),
	};
}

/* A field of a table about code (the kernel's __ksymtab, __bug_table, .return_sites ...). The
 * field, and all bytes until the next field, belong to what the field points to. */
struct attr_relocs_field {
	uint64_t addr;
	label_id owner;
	const struct section *in; /* NULL if there is no field yet */
};

enum { FIELD_MAX = 16 };

static void claim_field(struct attr *a, const struct attr_relocs_field *f, uint64_t end)
{
	const uint64_t size = min_u64(end - f->addr, FIELD_MAX);
	if (f->in && end > f->addr)
		attr_put(a, f->in, f->addr - f->in->addr, size, f->owner, WHY_DATA_REF);
}

static void entries(struct attr *a, const struct section *s)
{
	struct reloc_iter it;
	struct reloc r;
	struct span_cursor cursor = { &a->vm, 0 };
	struct attr_relocs_patched patched = { 0 };
	struct attr_relocs_field last = { 0 };
	if (!reloc_open(&it, a->im, s) || (it.patched && !it.patched->alloc))
		return;
	while (reloc_next(&it, &r)) {
		const label_id owner = attr_relocs_owner_of(a, &it, &r, &cursor);
		attr_relocs_go_to(&patched, a->im, r.addr);
		if (r.entry_size > 0)
			attr_put(a, s, r.entry_off, r.entry_size, owner, WHY_RELOCATION);
		if (it.patched && r.alloc) {
			/* Fields come in rising order. A field whose target has no owner belongs to
			 * the previous field's owner. */
			const bool same = last.in == patched.in;
			claim_field(a, &last, same ? r.addr : last.addr + FIELD_MAX);
			last = (struct attr_relocs_field){ r.addr,
							   owner == LABEL_NONE && same ? last.owner
										       : owner,
							   patched.table ? patched.in : NULL };
		}
		if (patched.array)
			attr_put(a, patched.in, r.addr - patched.in->addr, pointer_size(a->im),
				 owner, WHY_POINTER_ARRAY);
	}
	claim_field(a, &last, last.addr + FIELD_MAX);
	image_forget(a->im, section_bytes(a->im, s));
}

/* The relocation tables. Each has a copy of the attr that collects its claims. */
struct attr_relocs_tables {
	VEC(const struct section *) list;
	struct attr *parts;
};

static void table_job(void *ctx, size_t i, unsigned worker)
{
	const struct attr_relocs_tables *t = ctx;
	(void)worker;
	entries(&t->parts[i], t->list.data[i]);
}

static void side_by_side(struct attr *a, struct attr_relocs_tables *t)
{
	t->parts = mem_zeroed(t->list.count, sizeof *t->parts);
	for (size_t i = 0; i < t->list.count; i++)
		t->parts[i] = attr_partner(a);
	parallel_for(a->f->threads, t->list.count, table_job, t);
	for (size_t i = 0; i < t->list.count; i++) {
		claims_append(&a->vm_claims, &t->parts[i].vm_claims);
		claims_append(&a->file_claims, &t->parts[i].file_claims);
	}
	mem_free(t->parts);
}

void attr_relocs(struct attr *a)
{
	struct attr_relocs_tables t = { 0 };
	for (size_t i = 1; i < a->im->section_count; i++)
		if (section_is_reloc(&a->im->sections[i]))
			vec_push(&t.list, &a->im->sections[i]);
	/* Reading an object's relocations may make notes. One thread keeps their order fixed. */
	if (a->im->kind == IMAGE_EXEC)
		side_by_side(a, &t);
	for (size_t i = 0; a->im->kind != IMAGE_EXEC && i < t.list.count; i++)
		entries(a, t.list.data[i]);
	vec_release(&t.list);
}
