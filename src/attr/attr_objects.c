/* Claims the overhead of object sections. If an object has a section per function or variable, one
 * symbol owns a whole section. The symbol then also owns the section's header, name and section
 * symbol, and those of its relocation section. gABI, "Sections" and "Symbol Table". */
#include "debug/dwarf.h"
#include "attr/attr_scratch.h"

#include "image/elf/elf_const.h"
#include "attr/attr.h"
#include "base/sort.h"

enum { PADDING_MAX = 16 };

struct object {
	struct attr *a;
	label_id *owners; /* Per section: its only owner. LABEL_NONE if several */
	const struct section *names;
	uint64_t header_size; /* Size of one section header */
};

/* Returns the owner of all bytes of a section except padding. LABEL_NONE if there are several. */
static label_id sole_owner(const struct attr *a, const struct section *s)
{
	const struct spans *vm = &a->vm;
	const struct span *k = spans_find(vm, s->addr);
	if (!k || !s->alloc || s->size == 0)
		return LABEL_NONE;
	const label_id label = k->label;
	const uint64_t end = s->addr + s->size;
	uint64_t at = s->addr;
	for (; k < vm->list.data + vm->list.count && k->start < end; k++) {
		if (k->start > at || k->label != label)
			return LABEL_NONE;
		at = k->start + k->size;
	}
	return add_sat(at, PADDING_MAX) >= end ? label : LABEL_NONE;
}

static void find_owners(struct object *o)
{
	const struct image *im = o->a->im;
	for (size_t i = 0; i < im->section_count; i++) {
		const struct section *s = &im->sections[i];
		enum dw_section which;
		bool dwo;
		o->owners[i] = s->type == SHT_GROUP ? attr_group_owner(o->a, s)
			       : !s->alloc && dw_section_of(s->name, &which, &dwo)
				       ? o->a->scratch->debug_owner
				       : sole_owner(o->a, s);
	}
	for (size_t i = 1; i < im->section_count; i++) {
		const struct section *s = &im->sections[i];
		if (section_is_reloc(s) && !s->alloc && s->info < im->section_count)
			o->owners[i] = o->owners[s->info];
	}
}

static const struct section *attr_objects_name_table(const struct image *im)
{
	struct reader r = reader_of(im->bytes, im->big_endian);
	reader_seek(&r, im->bits == 64 ? 62 : 50); /* At e_shstrndx */
	uint64_t index = read_u16(&r);
	if (index == SHN_XINDEX)
		index = im->sections[0].link;
	return index < im->section_count && im->sections[index].type == SHT_STRTAB
		       ? &im->sections[index]
		       : NULL;
}

static void attr_objects_put_header(struct object *o, size_t i)
{
	const struct image *im = o->a->im;
	const uint64_t off = im->shdr_off + i * o->header_size;
	struct reader r = reader_of(im->bytes, im->big_endian);
	claim(&o->a->file_claims, im->file_off + off, o->header_size, o->owners[i],
	      WHY_SYMBOL_ENTRY);
	reader_seek(&r, off); /* At sh_name */
	const uint32_t name = read_u32(&r);
	if (o->names && reader_ok(&r))
		attr_put(o->a, o->names, name, im->sections[i].name.len + 1, o->owners[i],
			 WHY_NAME);
}

static void put_section_symbols(struct object *o, const struct section *table)
{
	struct symtab t;
	if (!symtab_open(&t, o->a->im, table))
		return;
	for (size_t i = 1; i < t.count; i++) {
		const struct symbol s = symtab_get(&t, i);
		if (s.type == STT_SECTION && s.section < o->a->im->section_count)
			attr_put(o->a, table, i * t.entry_size, t.entry_size, o->owners[s.section],
				 WHY_SYMBOL_ENTRY);
	}
}

void attr_objects(struct attr *a)
{
	const struct image *im = a->im;
	struct object o = { .a = a, .header_size = im->bits == 64 ? 64 : 40 };
	ASSERT(im->kind == IMAGE_OBJECT && a->vm_claims.list.count == 0);
	if (im->section_count == 0 || im->shdr_size / o.header_size != im->section_count)
		return;
	o.owners = mem_zeroed(im->section_count, sizeof *o.owners);
	o.names = attr_objects_name_table(im);
	find_owners(&o);
	for (size_t i = 1; i < im->section_count; i++) {
		if (o.owners[i] != LABEL_NONE)
			attr_objects_put_header(&o, i);
		if (im->sections[i].type == SHT_SYMTAB)
			put_section_symbols(&o, &im->sections[i]);
	}
	mem_free(o.owners);
}

/* Claims the symbol table of an archive. An entry and its name belong to the symbol, or to the
 * owner of the member that defines the symbol. Forms: GNU's "/" and "/SYM64/" (System V ABI,
 * "Archive File"). */

static label_id owner_of_member(const struct source_file *f, const label_id *owners,
				uint64_t header)
{
	const struct input *in = f->input;
	size_t low;
	if (in->thin) {
		BISECT(low, 0, in->outside.count, mid, in->outside.data[mid].header < header);
		return low < in->outside.count && in->outside.data[low].header == header &&
				       in->outside.data[low].image < in->image_count
			       ? owners[in->outside.data[low].image]
			       : LABEL_NONE;
	}
	BISECT(low, 0, in->image_count, mid, in->images[mid].file_off <= header);
	return low < in->image_count ? owners[low] : LABEL_NONE;
}

static void one_table(const struct source_file *f, const struct ar_part *part,
		      const label_id *owners, struct claims *file)
{
	const unsigned width = str_eq(part->member, STR("/SYM64/")) ? 8 : 4;
	const struct bytes table = bytes_sub(f->input->file.bytes, part->off, part->size);
	struct reader entries = reader_of(table, true), names = entries;
	const uint64_t count = read_uint(&entries, width);
	const bool gnu = width == 8 || str_eq(part->member, STR("/"));
	if (!gnu || !reader_ok(&entries) || count > reader_left(&entries) / width)
		return;
	reader_seek(&names, entries.pos + count * width);
	for (uint64_t i = 0; i < count && reader_ok(&names); i++) {
		const uint64_t at = entries.pos, name_at = names.pos;
		const uint64_t header = read_uint(&entries, width);
		const struct str name = read_cstr(&names);
		const label_id label = owners ? owner_of_member(f, owners, header)
				       : name.len > 0 && reader_ok(&names)
					       ? label_copy(f->labels, name)
					       : LABEL_NONE;
		if (label == LABEL_NONE)
			continue;
		claim(file, part->off + at, width, label, WHY_SYMBOL_ENTRY);
		claim(file, part->off + name_at, name.len + 1, label, WHY_NAME);
	}
}

void attr_archive(const struct source_file *f, const label_id *owners, struct claims *file)
{
	for (size_t i = 0; i < f->input->parts.count; i++)
		if (f->input->parts.data[i].kind == AR_SYMBOL_TABLE)
			one_table(f, &f->input->parts.data[i], owners, file);
}
