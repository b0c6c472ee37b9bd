/* line_header.c - reads the header of a line program (DWARF 5, 6.2.4), before its opcodes. */
#include "debug/form.h"
#include "debug/line_internal.h"

/* Describes one field of each entry in a table of directories or files (version 5): what it
 * contains, and its form */
struct entry_field {
	uint64_t content; /* What the field contains: DW_LNCT_* */
	uint16_t form;
};

struct entry_format {
	struct entry_field fields[UINT8_MAX];
	uint8_t count;
};

/* A directory or a file */
struct line_header_entry {
	struct str path;
	uint64_t dir;
};

/* State of reading the tables. `r` ends at the opcodes */
struct line_header_tables {
	struct line_program *p;
	struct reader r;
	uint64_t str_offsets_base;
	uint64_t bad_names;
};

/* Reads a field. LLVM may embed the source text, whose field is a string too. */
static void line_header_read_field(struct line_header_tables *t, const struct entry_field *f,
				   struct line_header_entry *e)
{
	struct line_program *p = t->p;
	const struct form_sizes sizes = { p->version, p->address_size, p->offset_size };
	struct value v;
	value_read(&t->r, f->form, sizes, &v);
	if (f->content == DW_LNCT_directory_index)
		e->dir = v.u;
	if (f->content == DW_LNCT_path &&
	    !value_text(p->dwarf, t->str_offsets_base, p->offset_size, &v, &e->path))
		t->bad_names += reader_ok(&t->r);
}

static void read_format(struct line_header_tables *t, struct entry_format *f)
{
	f->count = read_u8(&t->r);
	for (uint8_t i = 0; i < f->count; i++) {
		f->fields[i].content = read_uleb(&t->r);
		f->fields[i].form = read_form(&t->r);
	}
}

/* Reads an entry. False, with the reader bad, if the entry is truncated or has no bytes. Entries
 * without bytes would have no limit on their number. */
static bool line_header_read_entry(struct line_header_tables *t, const struct entry_format *f,
				   struct line_header_entry *ret)
{
	const uint64_t start = t->r.pos;
	*ret = (struct line_header_entry){ .path = { "", 0 } };
	for (uint8_t i = 0; i < f->count; i++)
		line_header_read_field(t, &f->fields[i], ret);
	if (t->r.pos == start)
		reader_fail(&t->r);
	return reader_ok(&t->r);
}

static void read_tables_5(struct line_header_tables *t)
{
	struct line_program *p = t->p;
	struct entry_format f;
	struct line_header_entry e;
	read_format(t, &f);
	for (uint64_t left = read_uleb(&t->r); left > 0 && line_header_read_entry(t, &f, &e);
	     left--)
		vec_push(&p->dirs, e.path);
	read_format(t, &f);
	for (uint64_t left = read_uleb(&t->r); left > 0 && line_header_read_entry(t, &f, &e);
	     left--)
		vec_push(&p->files, (struct line_file){ e.path, e.dir });
	if (p->dirs.count == 0)
		vec_push(&p->dirs, p->comp_dir);
	else if (p->dirs.data[0].len == 0)
		p->dirs.data[0] = p->comp_dir;
}

bool line_read_file(struct line_program *p, struct reader *r)
{
	const struct str name = read_cstr(r);
	if (name.len == 0)
		return false;
	const uint64_t dir = read_uleb(r);
	(void)read_uleb(r); /* Skip the time */
	(void)read_uleb(r); /* Skip the size */
	if (reader_ok(r))
		vec_push(&p->files, (struct line_file){ name, dir });
	return reader_ok(r);
}

static void read_tables_2(struct line_header_tables *t)
{
	struct line_program *p = t->p;
	vec_push(&p->dirs, p->comp_dir);
	for (struct str s; (s = read_cstr(&t->r)).len > 0;)
		vec_push(&p->dirs, s);
	vec_push(&p->files, (struct line_file){ .name = { "", 0 } });
	while (line_read_file(p, &t->r))
		;
}

static void line_header_read_tables(struct line_header_tables *t)
{
	struct line_program *p = t->p;
	struct dwarf *d = p->dwarf;
	const uint64_t start = t->r.pos;
	if (p->version >= 5)
		read_tables_5(t);
	else
		read_tables_2(t);
	if (!reader_ok(&t->r))
		note(d->notes, d->path, HEFT_NO_OFFSET, p->off + p->header_size - start,
		     "the table of files of a line program is damaged at .debug_line+0x%" PRIx64,
		     t->r.bad);
	if (t->bad_names > 0)
		note(d->notes, d->path, HEFT_NO_OFFSET, 0,
		     "names of files are missing in the line program at .debug_line+0x%" PRIx64,
		     p->off);
}

static bool address_size_ok(uint8_t size)
{
	return size >= 1 && size <= 8;
}

static void set_address_size(struct line_program *p, uint8_t size)
{
	if (!address_size_ok(size))
		return;
	p->address_size = size;
	p->addr_mask = size == 8 ? UINT64_MAX : (UINT64_C(1) << (8 * size)) - 1;
}

/* Reads the fixed fields from r, which ends at the opcodes. False if they are damaged. */
static bool line_header_read_fields(struct line_program *p, struct reader *r)
{
	p->min_inst_length = read_u8(r);
	p->max_ops = p->version >= 4 ? read_u8(r) : 1;
	p->default_is_stmt = read_u8(r) != 0;
	p->line_base = read_i8(r);
	p->line_range = read_u8(r);
	p->opcode_base = read_u8(r);
	if (p->line_range > 0)
		p->reciprocal = UINT32_C(65536) / p->line_range + 1;
	for (unsigned i = 1; i < p->opcode_base; i++)
		p->opcode_lengths[i] = read_u8(r);
	return reader_ok(r) && p->opcode_base > 0;
}

enum { LENGTH_MOST = 12 }; /* Greatest size of an initial length */

/* Reads the header before the tables. Returns what is wrong, or NULL. r then ends with the header,
 * and p->reader is at the opcodes. */
static const char *read_start(struct line_program *p, struct reader *r)
{
	struct dwarf *d = p->dwarf;
	const uint64_t length = read_initial_length(r, &p->offset_size);
	if (!reader_ok(r))
		return "it has no length";
	if (length > reader_left(r))
		note(d->notes, d->path, HEFT_NO_OFFSET, length - reader_left(r),
		     "the line program at .debug_line+0x%" PRIx64 " is cut off", p->off);
	r->size = r->pos + min_u64(length, reader_left(r));
	dwarf_part(d, DW_LINE, p->off, r->size);
	p->size = r->size - p->off;
	p->version = read_u16(r);
	if (!reader_ok(r) || p->version < 2 || p->version > DW_VERSION_NEXT)
		return "its version is not known";
	if (p->version >= 5) {
		set_address_size(p, read_u8(r));
		(void)read_u8(r); /* Size of segment selectors, which no supported machine has */
	}
	const uint64_t header_length = read_uint(r, p->offset_size);
	if (!reader_ok(r) || header_length > reader_left(r))
		return "its header is longer than itself";
	p->reader = *r;
	p->reader.pos = r->pos + header_length;
	p->header_size = p->reader.pos - p->off;
	r->size = p->reader.pos;
	return line_header_read_fields(p, r) ? NULL : "its header is damaged";
}

bool line_open(struct line_program *p, struct dwarf *d, uint64_t off, uint8_t address_size,
	       struct str comp_dir, uint64_t str_offsets_base)
{
	struct line_header_tables t = { .p = p,
					.r = dwarf_reader(d, DW_LINE),
					.str_offsets_base = str_offsets_base };
	*p = (struct line_program){ .dwarf = d, .off = off, .comp_dir = comp_dir };
	set_address_size(p, address_size_ok(address_size) ? address_size : 8);
	const char *trouble = "it is outside";
	if (off < t.r.size) {
		t.r.pos = off;
		dwarf_part(d, DW_LINE, off, off + LENGTH_MOST);
		trouble = read_start(p, &t.r);
	}
	if (trouble) {
		note(d->notes, d->path, HEFT_NO_OFFSET, p->size,
		     "the line program at .debug_line+0x%" PRIx64 " cannot be read: %s", off,
		     trouble);
		*p = (struct line_program){ 0 };
		return false;
	}
	line_header_read_tables(&t);
	line_start_sequence(p);
	ASSERT(p->dirs.count > 0);
	return true;
}

void line_release(struct line_program *p)
{
	vec_release_all(&p->dirs, &p->files);
}
