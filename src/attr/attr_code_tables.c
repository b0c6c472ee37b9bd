/* Claims tables that describe code and types: tables of the Linux kernel, and Go's list of types.
 *
 * .typelink: distances of 4 bytes from the start of the descriptions of types ("struct moduledata"
 * of package runtime). __ksymtab: entries of three place-relative addresses of 4 bytes: the symbol,
 * its name and its namespace. __kcrctab: 4 bytes per entry (Linux, include/linux/export.h).
 * .return_sites and other tables of places in code: struct place_table. .orc_unwind_ip has a
 * place-relative address of 4 bytes per entry, .orc_unwind an entry of 6 bytes; .orc_lookup has 4
 * bytes for each 256 of the code (Linux, Documentation/arch/x86/orc-unwinder). */
#include "attr/attr.h"

#include "program/go_table.h"

enum { ORC_IP = 4, ORC_ENTRY = 6, ORC_LOOKUP = 4, ORC_BLOCK = 256 };
enum { EXPORT_FIELD = 4, EXPORT = 3 * EXPORT_FIELD, EXPORT_CRC = 4 };

static const struct section *attr_code_tables_table(const struct image *im, const char *name)
{
	const struct section *s = image_section_find(im, name);
	return s && s->alloc && !s->nobits ? s : NULL;
}

void attr_go_links(struct attr *a)
{
	const struct go_table *g = go_slot_open(a->f->go, a->im, NULL);
	ASSERT(g);
	if (g->types.start == 0)
		return;
	const struct go_part *p = &g->parts[GO_TYPE_LINKS];
	const struct section *s = image_section_at(a->im, p->addr);
	struct reader r = reader_of(image_at(a->im, p->addr, p->size), a->im->big_endian);
	while (s && reader_left(&r) >= GO_TYPE_LINK_SIZE) {
		const uint64_t off = p->addr - s->addr + r.pos;
		const uint64_t type = add_sat(g->types.start, (uint64_t)(int64_t)read_i32(&r));
		attr_put(a, s, off, GO_TYPE_LINK_SIZE, spans_label(&a->vm, type), WHY_RUNTIME);
	}
}

/* Claims the NUL-terminated name at the address `to`. */
static void export_string(struct attr *a, uint64_t to, label_id owner)
{
	const struct section *s = image_section_at(a->im, to);
	struct str name;
	if (s && str_eq(s->name, STR("__ksymtab_strings")) &&
	    bytes_cstr(section_bytes(a->im, s), to - s->addr, &name))
		attr_put(a, s, to - s->addr, name.len + 1, owner, WHY_NAME);
}

/* Claims the name to which the field at an address points. */
static void export_name(struct attr *a, uint64_t addr, label_id owner)
{
	struct reader r = reader_of(image_at(a->im, addr, EXPORT_FIELD), a->im->big_endian);
	const uint64_t to = addr + (uint64_t)(int64_t)read_i32(&r);
	if (reader_ok(&r))
		export_string(a, to, owner);
}

/* Claims the names of symbols that a kernel module exports. Relocations point to these names. */
static void export_relocs(struct attr *a, const struct section *entries,
			  const struct section *table)
{
	struct reloc_iter it;
	struct reloc r;
	uint64_t to;
	if (!section_is_reloc(table) || table->info != entries->index ||
	    !reloc_open(&it, a->im, table))
		return;
	while (reloc_next(&it, &r)) {
		const uint64_t field = (r.addr - entries->addr) % EXPORT;
		const label_id owner = spans_label(&a->vm, r.addr - field);
		if (field == 0)
			continue;
		attr_put(a, table, r.entry_off, r.entry_size, owner, WHY_RELOCATION);
		if (reloc_target(&it, &r, &to))
			export_string(a, to, owner);
	}
}

/* Returns the owner of the __ksymtab entry at `at`: `known`, or the owner of the address that the
 * entry exports. In the second case, claims the entry for it. */
static label_id export_owner(struct attr *a, const struct section *s, uint64_t at, label_id known)
{
	struct reader r = reader_of(image_at(a->im, at, EXPORT_FIELD), a->im->big_endian);
	if (known != LABEL_NONE || a->im->kind == IMAGE_OBJECT)
		return known;
	const uint64_t to = at + (uint64_t)(int64_t)read_i32(&r);
	const label_id owner = reader_ok(&r) ? spans_label(&a->vm, to) : LABEL_NONE;
	attr_put(a, s, at - s->addr, EXPORT, owner, WHY_DATA_REF);
	return owner;
}

/* Claims the name, namespace and checksum of each exported symbol for the owner of its entry. */
static void exports(struct attr *a, const char *entries, const char *checksums)
{
	const struct section *s = attr_code_tables_table(a->im, entries),
			     *crc = attr_code_tables_table(a->im, checksums);
	struct span_cursor cursor = { &a->vm, 0 };
	for (size_t i = 1; s && a->im->kind == IMAGE_OBJECT && i < a->im->section_count; i++)
		export_relocs(a, s, &a->im->sections[i]);
	for (uint64_t i = 0; s && i < s->file_size / EXPORT; i++) {
		const uint64_t at = s->addr + i * EXPORT;
		const label_id owner = export_owner(a, s, at, cursor_label(&cursor, at));
		if (owner == LABEL_NONE)
			continue;
		if (a->im->kind != IMAGE_OBJECT) {
			export_name(a, at + EXPORT_FIELD, owner);
			export_name(a, at + 2 * EXPORT_FIELD, owner);
		}
		if (crc && crc->file_size / EXPORT_CRC == s->file_size / EXPORT)
			attr_put(a, crc, i * EXPORT_CRC, EXPORT_CRC, owner, WHY_SYMBOL_ENTRY);
	}
}

/* A Linux kernel table of places in code. At offset `address`, each entry has a 4-byte distance to
 * the place, or a whole address (struct exception_table_entry, bug_entry, alt_instr,
 * paravirt_patch_site, pci_fixup; objtool makes the other tables). A table may have several entry
 * sizes, which differ by kernel release. */
struct place_table {
	const char *name;
	uint8_t entry, address;
	bool whole;
};

static const struct place_table place_tables[] = {
	{ ".return_sites", 4, 0, false },     { ".retpoline_sites", 4, 0, false },
	{ ".call_sites", 4, 0, false },       { ".ibt_endbr_seal", 4, 0, false },
	{ ".smp_locks", 4, 0, false },        { "__ex_table", 12, 0, false },
	{ "__bug_table", 12, 0, false },      { "__bug_table", 12, 0, true },
	{ ".altinstructions", 12, 0, false }, { ".altinstructions", 13, 0, false },
	{ ".altinstructions", 14, 0, false }, { ".parainstructions", 16, 0, true },
	{ ".pci_fixup", 16, 12, false },
};

/* Reads the code address in entry i. Returns false after the last entry. */
static bool attr_code_tables_read_place(const struct attr *a, const struct section *s,
					const struct place_table *t, uint64_t i, uint64_t *ret)
{
	struct reader r = reader_of(section_bytes(a->im, s), a->im->big_endian);
	const uint64_t at = i * t->entry + t->address;
	reader_seek(&r, at);
	*ret = t->whole ? read_uint(&r, (unsigned)pointer_size(a->im))
			: s->addr + at + (uint64_t)(int64_t)read_i32(&r);
	return reader_ok(&r);
}

/* True if the first entries all point to code. Used to choose among several entry sizes. */
static bool leads_to_code(const struct attr *a, const struct section *s,
			  const struct place_table *t)
{
	enum { TRIED = 16 };
	uint64_t place, i;
	for (i = 0; i < TRIED && attr_code_tables_read_place(a, s, t, i, &place); i++) {
		const struct section *in = image_section_at(a->im, place);
		if (!in || !in->exec)
			return false;
	}
	return i > 0 && s->file_size % t->entry == 0;
}

static void places(struct attr *a, const struct place_table *t)
{
	const struct section *s = attr_code_tables_table(a->im, t->name);
	struct span_cursor cursor = { &a->vm, 0 };
	uint64_t place;
	if (!s || a->im->kind == IMAGE_OBJECT || !leads_to_code(a, s, t))
		return;
	for (uint64_t i = 0; attr_code_tables_read_place(a, s, t, i, &place); i++)
		attr_put(a, s, i * t->entry, t->entry, cursor_label(&cursor, place), WHY_DATA_REF);
}

/* Claims each word of .orc_lookup for the first code of the 256 bytes that the word describes. */
static void orc_lookup(struct attr *a)
{
	const struct section *s = image_section_find(a->im, ".orc_lookup"),
			     *text = image_section_find(a->im, ".text");
	struct span_cursor cursor = { &a->vm, 0 };
	if (!s || !text || s->size / ORC_LOOKUP > text->size / ORC_BLOCK + 2)
		return;
	for (uint64_t i = 0; i < s->size / ORC_LOOKUP; i++)
		attr_put(a, s, i * ORC_LOOKUP, ORC_LOOKUP,
			 cursor_label(&cursor, text->addr + i * ORC_BLOCK), WHY_UNWIND);
}

static void orc(struct attr *a)
{
	const struct section *ips = attr_code_tables_table(a->im, ".orc_unwind_ip");
	const struct section *entries = attr_code_tables_table(a->im, ".orc_unwind");
	struct span_cursor cursor = { &a->vm, 0 };
	if (!ips || !entries || ips->file_size / ORC_IP != entries->file_size / ORC_ENTRY)
		return;
	struct attr second = attr_partner(a); /* Collects the claims on .orc_unwind apart, so that
					       * both lists stay in order */
	struct reader r = reader_of(section_bytes(a->im, ips), a->im->big_endian);
	for (uint64_t i = 0; reader_left(&r) >= ORC_IP; i++) {
		const uint64_t place = ips->addr + i * ORC_IP;
		const uint64_t to = place + (uint64_t)(int64_t)read_i32(&r);
		/* In objects, relocations hold the addresses. The pass over relocations has already
		 * claimed these entries. */
		label_id owner = cursor_label(&cursor, place);
		if (owner == LABEL_NONE)
			owner = spans_label(&a->vm, to);
		attr_put(a, ips, i * ORC_IP, ORC_IP, owner, WHY_UNWIND);
		attr_put(&second, entries, i * ORC_ENTRY, ORC_ENTRY, owner, WHY_UNWIND);
	}
	claims_append(&a->vm_claims, &second.vm_claims);
}

void attr_code_tables(struct attr *a)
{
	exports(a, "__ksymtab", "__kcrctab");
	exports(a, "__ksymtab_gpl", "__kcrctab_gpl");
	for (size_t i = 0; i < COUNT_OF(place_tables); i++)
		places(a, &place_tables[i]);
	orc(a);
	orc_lookup(a);
}
