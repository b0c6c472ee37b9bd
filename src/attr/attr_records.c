/* Claims tables about functions, record by record, for the functions that they describe.
 *
 * For each format, a function reads the records. The address in a record shows its function. In
 * objects, a relocation gives that address. A relocation entry belongs to the owner of its record.
 *
 * Formats: LLVM's "Extensions" (.llvm_bb_addr_map, .stack_sizes, .llvm_jump_table_sizes) and
 * "CallGraphSection" (.llvm.callgraph); the comment of LLVM's MCPseudoProbe.h (.pseudo_probe,
 * .pseudo_probe_desc); "The SFrame format", versions 1 to 3; Linux, Documentation/bpf/btf.rst
 * (.BTF, .BTF.ext); libctf's ctf.h (.ctf). */
#include "attr/attr.h"

#include "base/sort.h"
#include "blocks/blockmap.h"
#include "image/arch.h"
#include "unwind/sframe.h"
#include "image/elf/elf_note.h"

/* A relocated field of a section, with its relocation entry. */
struct record_fix {
	uint64_t off, addr;
	uint64_t entry_off, entry_size;
	const struct section *table;
	bool absolute; /* True if the value is an address, false if it is a distance */
};

/* A function, by the number (GUID) that probe records use for it. */
struct record_guid {
	_Alignas(8) uint64_t guid;
	label_id label;
};

struct record_relocs {
	_Alignas(8) uint64_t patched;
	const struct section *table;
};

struct records {
	struct attr *attr;
	const struct section *in;
	struct bytes bytes; /* Bytes of the section */
	bool relocated;     /* True if relocations (`fixes`) give the addresses */
	VEC(struct record_fix) fixes;
	VEC(struct record_relocs) relocs;
	VEC(struct record_guid) guids;
	uint64_t left; /* Work limit: bytes that may still be read. Overlaps count each time */
};

static struct reader records_reader(const struct records *t)
{
	return reader_of(t->bytes, t->attr->im->big_endian);
}

static label_id records_row(const struct records *t, const char *row)
{
	return label_borrow(t->attr->f->labels, str_of(row));
}

/* Claims a record and its relocation entries for an owner. LABEL_NONE claims nothing. */
static void records_put(struct records *t, uint64_t off, uint64_t size, label_id owner)
{
	attr_put(t->attr, t->in, off, size, owner, WHY_SYMBOL_ENTRY);
	for (size_t i = vec_lower(&t->fixes, off); i < t->fixes.count; i++) {
		const struct record_fix *f = &t->fixes.data[i];
		if (f->off - off >= size)
			break;
		attr_put(t->attr, f->table, f->entry_off, f->entry_size, owner, WHY_RELOCATION);
	}
}

/* For BY_SYMBOL: claims bytes that describe no function for a row named `row`. */
static void records_put_row(struct records *t, uint64_t off, uint64_t size, const char *row)
{
	ASSERT(row[0] == '('); /* No symbol name begins with '(' */
	if (t->attr->owner == BY_SYMBOL)
		records_put(t, off, size, records_row(t, row));
}

/* Returns the address in the field at `off`. `value`: the stored value, used in linked images. */
static uint64_t records_addr(const struct records *t, uint64_t off, uint64_t value)
{
	const size_t i = vec_lower(&t->fixes, off);
	ASSERT(!t->relocated || t->attr->im->kind == IMAGE_OBJECT);
	if (!t->relocated)
		return value;
	return i < t->fixes.count && t->fixes.data[i].off == off ? t->fixes.data[i].addr : 0;
}

/* Returns the label of the function at `addr`. LABEL_NONE for address 0, which linkers write for
 * removed functions. */
static label_id records_owner(const struct records *t, uint64_t addr)
{
	const label_id owner = spans_label(&t->attr->vm, image_code_addr(t->attr->im, addr));
	return owner == LABEL_NONE && addr == 0 && t->attr->owner == BY_SYMBOL
		       ? records_row(t, "(tables about functions left out)")
		       : owner;
}

static uint64_t records_read_addr(const struct records *t, struct reader *r)
{
	const uint64_t off = r->pos;
	const uint64_t value = read_uint(r, (unsigned)pointer_size(t->attr->im));
	return records_addr(t, off, value);
}

/* Reads consecutive tables. `read` claims the table at `at` and returns its size, or 0 if there is
 * none. Zeros between tables get the row `zeros`. */
static void records_walk_tables(struct records *t, uint64_t (*read)(struct records *t, uint64_t at),
				const char *zeros)
{
	uint64_t at = 0, size;
	while (at < t->bytes.size && (size = read(t, at)) > 0) {
		ASSERT(at + size > at);
		at += size;
		const uint64_t start = at;
		while (at < t->bytes.size && t->bytes.p[at] == 0)
			at++;
		if (at > start)
			records_put_row(t, start, at - start, zeros);
	}
}

static void block_map_walk(struct records *t)
{
	VEC(struct bbmap_fix) fixes = { 0 };
	for (size_t i = 0; i < t->fixes.count; i++)
		if (t->fixes.data[i].absolute)
			vec_push(&fixes,
				 (struct bbmap_fix){ t->fixes.data[i].off, t->fixes.data[i].addr });
	struct bbmap_section map = { .bytes = t->bytes,
				     .addr_size = t->attr->im->bits / 8,
				     .big_endian = t->attr->im->big_endian,
				     .relocated = t->relocated,
				     .fixes = fixes.data,
				     .fix_count = fixes.count };
	struct bbmap_cursor c;
	enum bbmap_step step;
	map.form = block_map_form(t->in, &map);
	bbmap_open(&c, &map, false);
	while ((step = bbmap_next(&c)) != BBMAP_END)
		if (step == BBMAP_FUNCTION)
			records_put(t, c.entry.off, c.entry.size,
				    records_owner(t, c.entry.ranges.data[0].addr));
	bbmap_close(&c);
	vec_release(&fixes);
}

/* Claims .stack_sizes: for each function, an address and a stack size in ULEB128. */
static void stack_sizes_walk(struct records *t)
{
	struct reader r = records_reader(t);
	while (reader_left(&r) > 0) {
		const uint64_t off = r.pos, addr = records_read_addr(t, &r);
		(void)read_uleb(&r);
		if (reader_ok(&r))
			records_put(t, off, r.pos - off, records_owner(t, addr));
	}
}

/* Claims .llvm_jump_table_sizes: addresses and entry counts of the functions' jump tables. */
static void jump_tables_walk(struct records *t)
{
	struct reader r = records_reader(t);
	while (reader_left(&r) > 0) {
		const uint64_t off = r.pos, addr = records_read_addr(t, &r);
		read_skip(&r, pointer_size(t->attr->im));
		if (reader_ok(&r))
			records_put(t, off, r.pos - off, records_owner(t, addr));
	}
}

static void call_graph_walk(struct records *t)
{
	enum { VERSION_MAX = 0, HAS_DIRECT = 2, HAS_INDIRECT = 4, TYPE_ID = 8 };
	struct reader r = records_reader(t);
	while (reader_left(&r) > 0) {
		const uint64_t off = r.pos, width = pointer_size(t->attr->im);
		const unsigned version = read_u8(&r), flags = read_u8(&r);
		const uint64_t addr = records_read_addr(t, &r);
		read_skip(&r, TYPE_ID);
		if (flags & HAS_DIRECT)
			read_skip(&r, min_u64(read_uleb(&r), t->bytes.size) * width);
		if (flags & HAS_INDIRECT)
			read_skip(&r, min_u64(read_uleb(&r), t->bytes.size) * TYPE_ID);
		if (version > VERSION_MAX || !reader_ok(&r))
			return;
		records_put(t, off, r.pos - off, records_owner(t, addr));
	}
}

/* Claims .pseudo_probe_desc, the names of functions. Stores their GUIDs for the probes. */
static void probe_names_walk(struct records *t)
{
	struct reader r = records_reader(t);
	while (reader_left(&r) > 0) {
		const uint64_t off = r.pos, guid = read_u64(&r);
		read_skip(&r, 8); /* Skips a hash of the control flow. */
		const uint64_t size = read_uleb(&r);
		const uint8_t *name = read_take(&r, size);
		if (!name || size == 0)
			return;
		const struct str text = { (const char *)name, (size_t)size };
		const label_id label = label_copy(t->attr->f->labels, text);
		vec_push(&t->guids, (struct record_guid){ guid, label });
		records_put(t, off, r.pos - off, label);
	}
}

/* Skips the probes of one function body. */
static void probes_skip(struct reader *r, uint64_t count)
{
	enum { HAS_DISCRIMINATOR = 0x40, IS_DISTANCE = 0x80, ADDRESS = 8 };
	for (; count > 0 && reader_ok(r); count--) {
		(void)read_uleb(r);
		const unsigned type = read_u8(r);
		if (type & IS_DISTANCE)
			(void)read_sleb(r);
		else
			read_skip(r, ADDRESS);
		if (type & HAS_DISCRIMINATOR)
			(void)read_uleb(r);
	}
}

/* Claims .pseudo_probe: function bodies, each followed by the bodies inlined into it. An inlined
 * body begins with the number of its call. */
static void probes_walk(struct records *t)
{
	struct reader r = records_reader(t);
	vec_sort(&t->guids);
	while (reader_left(&r) > 0) {
		const uint64_t off = r.pos, guid = read_u64(&r);
		uint64_t bodies = 1;
		r.pos = off;
		for (uint64_t i = 0; i < bodies && reader_ok(&r); i++) {
			if (i > 0)
				(void)read_uleb(&r);
			read_skip(&r, sizeof guid);
			const uint64_t probes = read_uleb(&r);
			bodies = add_sat(bodies, read_uleb(&r));
			probes_skip(&r, probes);
		}
		if (!reader_ok(&r))
			return;
		const size_t known = vec_lower(&t->guids, guid);
		if (known < t->guids.count && t->guids.data[known].guid == guid)
			records_put(t, off, r.pos - off, t->guids.data[known].label);
		else
			records_put_row(t, off, r.pos - off, "(probes of unknown functions)");
	}
}

/* The frames that SFrame has for one function: a range of bytes */
struct sframe_frames {
	_Alignas(8) uint64_t off;
	label_id owner;
};

/* Claims the frames of functions. A function's frames end where those of the next function begin.
 * The last frames end at `end`. */
static void sframe_put_frames(struct records *t, const struct sframe_frames *list, size_t count,
			      uint64_t end)
{
	for (size_t i = 0; i < count; i++)
		records_put(t, list[i].off, (i + 1 < count ? list[i + 1].off : end) - list[i].off,
			    list[i].owner);
}

/* Reads one SFrame table. Returns its size, or 0 if there is none. */
static uint64_t sframe_table(struct records *t, uint64_t at)
{
	struct sframe f;
	struct sframe_entry e;
	VEC(struct sframe_frames) frames = { 0 };
	if (!sframe_open(&f, t->bytes, at, t->attr->im->big_endian))
		return 0;
	records_put_row(t, at, f.entries - at, "(header of SFrame)");
	for (uint64_t i = 0; i < f.count && sframe_entry_read(&f, i, &e); i++) {
		const uint64_t addr = records_addr(t, e.off, t->in->addr + e.distance);
		const label_id owner = records_owner(t, addr);
		records_put(t, e.off, f.entry_size, owner);
		vec_push(&frames, (struct sframe_frames){ e.frames, owner });
	}
	ASSERT(frames.count <= f.count);
	vec_sort(&frames);
	sframe_put_frames(t, frames.data, frames.count, f.frames_end);
	vec_release(&frames);
	return f.end - at;
}

static void sframe_walk(struct records *t)
{
	records_walk_tables(t, sframe_table, "(header of SFrame)");
}

enum { BTF_MAGIC = 0xeb9f, BTF_HEADER_MIN = 24, BTF_TYPE_SIZE = 12 };

enum btf_kind {
	BTF_INT = 1,
	BTF_ARRAY = 3,
	BTF_STRUCT,
	BTF_UNION,
	BTF_ENUM,
	BTF_FUNC = 12,
	BTF_FUNC_PROTO,
	BTF_VAR,
	BTF_DATASEC,
	BTF_DECL_TAG = 17,
	BTF_ENUM64 = 19
};

/* Returns the size of the data after a BTF type's three words, for a type with `count` members. */
static uint64_t btf_more(enum btf_kind kind, uint64_t count)
{
	switch (kind) {
	case BTF_INT:
	case BTF_VAR:
	case BTF_DECL_TAG: return 4;
	case BTF_ARRAY: return 12;
	case BTF_STRUCT:
	case BTF_UNION:
	case BTF_DATASEC:
	case BTF_ENUM64: return 12 * count;
	case BTF_ENUM:
	case BTF_FUNC_PROTO: return 8 * count;
	case BTF_FUNC: break;
	}
	return 0;
}

static const char *btf_row(enum btf_kind kind)
{
	switch (kind) {
	case BTF_STRUCT:
	case BTF_UNION: return "(BTF structs)";
	case BTF_ENUM:
	case BTF_ENUM64: return "(BTF enums)";
	case BTF_FUNC_PROTO: return "(BTF function types)";
	case BTF_INT:
	case BTF_ARRAY:
	case BTF_FUNC:
	case BTF_VAR:
	case BTF_DATASEC:
	case BTF_DECL_TAG: break;
	}
	return "(BTF other types)";
}

/* Claims BTF types. A function's or variable's type belongs to it. Others get a row per kind. */
static void btf_types(struct records *t, struct bytes strings, uint64_t at, uint64_t size)
{
	struct reader r = reader_of(bytes_sub(t->bytes, at, size), t->attr->im->big_endian);
	while (reader_left(&r) >= BTF_TYPE_SIZE) {
		const uint64_t start = r.pos;
		const uint32_t name_off = read_u32(&r), info = read_u32(&r);
		const enum btf_kind kind = info >> 24 & 31;
		struct str name = STR("");
		read_skip(&r, 4 + btf_more(kind, info & 0xffff));
		if (!reader_ok(&r))
			return;
		if (kind == BTF_FUNC || kind == BTF_VAR)
			(void)bytes_cstr(strings, name_off, &name);
		if (name.len > 0)
			records_put(t, at + start, r.pos - start,
				    label_borrow(t->attr->f->labels, name));
		else
			records_put_row(t, at + start, r.pos - start, btf_row(kind));
	}
}

/* Claims one BTF blob. A section has several blobs if the linker does not know BTF and concatenates
 * the blobs of objects. Returns the blob's size, or 0 if there is none. */
static uint64_t btf_blob(struct records *t, uint64_t at)
{
	struct reader r = records_reader(t);
	reader_seek(&r, at);
	const bool known = read_u16(&r) == BTF_MAGIC;
	read_skip(&r, 2);
	const uint64_t header = read_u32(&r), types = read_u32(&r), types_size = read_u32(&r);
	const uint64_t strings = read_u32(&r), strings_size = read_u32(&r);
	if (!reader_ok(&r) || !known || header < BTF_HEADER_MIN)
		return 0;
	const uint64_t from = at + header;
	records_put_row(t, at, header, "(BTF other types)");
	btf_types(t, bytes_sub(t->bytes, from + strings, strings_size), from + types, types_size);
	records_put_row(t, from + strings, strings_size, "(BTF strings)");
	return header + max_u64(types + types_size, strings + strings_size);
}

static void btf_walk(struct records *t)
{
	records_walk_tables(t, btf_blob, "(BTF other types)");
}

/* Claims one part of .BTF.ext: the size of a record, then a name, a count and records for each
 * section of code. Each record begins with an address. */
static void btf_ext_part(struct records *t, uint64_t off, uint64_t size)
{
	struct reader r = records_reader(t);
	reader_seek(&r, off);
	const uint64_t end = add_sat(off, size), record = read_u32(&r);
	records_put_row(t, off, sizeof(uint32_t), "(BTF headers)");
	while (reader_ok(&r) && r.pos < end && record >= sizeof(uint32_t)) {
		records_put_row(t, r.pos, 2 * sizeof(uint32_t), "(BTF headers)");
		read_skip(&r, sizeof(uint32_t));
		for (uint64_t count = read_u32(&r); count > 0 && reader_left(&r) > 0; count--) {
			const uint64_t at = r.pos;
			read_skip(&r, record);
			if (reader_ok(&r))
				records_put(t, at, record,
					    records_owner(t, records_addr(t, at, 0)));
		}
	}
}

static void btf_ext_walk(struct records *t)
{
	enum { PARTS = 3 };
	struct reader r = records_reader(t);
	const bool known = read_u16(&r) == BTF_MAGIC;
	read_skip(&r, 2);
	const uint64_t header = read_u32(&r);
	if (!known || !reader_ok(&r))
		return;
	records_put_row(t, 0, header, "(BTF headers)");
	for (unsigned i = 0; i < PARTS && r.pos + 8 <= header; i++) {
		const uint64_t off = read_u32(&r), size = read_u32(&r);
		if (reader_ok(&r) && size > 0)
			btf_ext_part(t, header + off, size);
	}
}

static uint64_t ctf_dictionary(struct records *t, uint64_t at)
{
	enum { CTF_MAGIC = 0xdff2, CTF_VERSION_3 = 4, IS_PACKED = 1, NAMES = 3, PARTS = 8 };
	static const char *const rows[PARTS] = { "(CTF labels)",    "(CTF variables)",
						 "(CTF functions)", "(CTF variables)",
						 "(CTF functions)", "(CTF variables)",
						 "(CTF types)",     "(CTF strings)" };
	struct reader r = records_reader(t);
	uint64_t starts[PARTS + 1];
	reader_seek(&r, at);
	const unsigned magic = read_u16(&r), version = read_u8(&r), flags = read_u8(&r);
	if (magic != CTF_MAGIC || version != CTF_VERSION_3 || flags & IS_PACKED) {
		records_put_row(t, at, t->bytes.size - at, "(CTF)");
		return 0;
	}
	read_skip(&r, NAMES * sizeof(uint32_t));
	for (unsigned i = 0; i < PARTS; i++)
		starts[i] = read_u32(&r);
	starts[PARTS] = starts[PARTS - 1] + read_u32(&r);
	const uint64_t parts = r.pos;
	records_put_row(t, at, parts - at, "(CTF labels)");
	for (unsigned i = 0; i < PARTS && reader_ok(&r); i++)
		if (starts[i + 1] > starts[i])
			records_put_row(t, parts + starts[i], starts[i + 1] - starts[i], rows[i]);
	return parts + starts[PARTS] - at;
}

static void ctf_walk(struct records *t)
{
	records_walk_tables(t, ctf_dictionary, "(CTF labels)");
}

/* Claims LTO sections. .gnu.lto_NAME.NUMBER.HASH describes one function or variable.
 * .gnu.lto_.decls.HASH, without NAME, describes several. */
static void gimple_walk(struct records *t)
{
	const struct str prefix = STR(".gnu.lto_"), all = t->in->name;
	struct str name = { all.p + prefix.len, all.len - prefix.len };
	for (unsigned parts = 0; parts < 2 && name.len > 0; parts++) {
		while (name.len > 0 && name.p[name.len - 1] != '.')
			name.len--;
		name.len -= name.len > 0;
	}
	if (name.len > 0)
		records_put(t, 0, t->bytes.size, label_copy(t->attr->f->labels, name));
	else
		records_put_row(t, 0, t->bytes.size, "(GIMPLE for link-time optimisation)");
}

/* Notes that have a name or describe a function.
 *
 * .note.stapsdt: probes of SystemTap. A record has the addresses of the probe, of .stapsdt.base and
 * of its semaphore, then provider, name and arguments, each NUL-terminated (SystemTap's wiki,
 * "UserSpaceProbeImplementation"). .gnu.build.attributes: compiler options of a function, or of a
 * range of code. The description is the start and end of the range, and empty means the previous
 * range (Fedora's wiki, "Toolchain/Watermark"). .MIPS.options: a record of kind and size for each
 * object that was linked, without its name: which registers the object uses (MIPS ABI supplement,
 * "Register information"). */

enum { NT_STAPSDT = 3, NT_BUILD_OPEN = 0x100, NT_BUILD_FUNC = 0x101 };

/* Returns the owner of a whole range. LABEL_NONE if the range has several owners. */
static label_id range_owner(const struct attr *a, struct bytes desc)
{
	const unsigned width = (unsigned)(desc.size / 2);
	struct reader r = reader_of(desc, a->im->big_endian);
	if (width != 4 && width != 8)
		return LABEL_NONE;
	const uint64_t start = read_uint(&r, width), end = read_uint(&r, width);
	const label_id owner = spans_label(&a->vm, start);
	return end > start && spans_label(&a->vm, end - 1) == owner ? owner : LABEL_NONE;
}

static void stap_probes_walk(struct records *t)
{
	struct attr *a = t->attr;
	struct reader r = records_reader(t);
	struct elf_note n;
	for (uint64_t at = 0; elf_note_next(&r, t->in->align, &n); at = r.pos) {
		if (n.type != NT_STAPSDT || !str_eq(n.owner, STR("stapsdt")))
			continue;
		struct reader probe = reader_of(n.desc, a->im->big_endian);
		read_skip(&probe, 3 * pointer_size(a->im));
		const struct str provider = read_cstr(&probe), name = read_cstr(&probe);
		if (reader_ok(&probe))
			attr_put(a, t->in, at, r.pos - at,
				 label_format(a->f->labels, "(probe " STR_FMT ":" STR_FMT ")",
					      STR_ARG(provider), STR_ARG(name)),
				 WHY_NAME);
	}
}

/* Claims .gnu.build.attributes. Records for several functions share one row. */
static void build_attributes_walk(struct records *t)
{
	struct attr *a = t->attr;
	const label_id many = label_borrow(a->f->labels, STR("(build attributes)"));
	struct reader r = records_reader(t);
	struct elf_note n;
	label_id open = many, function = many;
	for (uint64_t at = 0; elf_note_next(&r, t->in->align, &n); at = r.pos) {
		label_id *last = n.type == NT_BUILD_FUNC ? &function : &open;
		const label_id owner = range_owner(a, n.desc);
		if (n.type != NT_BUILD_OPEN && n.type != NT_BUILD_FUNC)
			continue;
		if (n.desc.size > 0)
			*last = owner != LABEL_NONE ? owner : many;
		attr_put(a, t->in, at, r.pos - at, *last, WHY_NAME);
	}
}

/* Claims .MIPS.options. Its records share one row, because a record does not name its object. */
static void register_masks_walk(struct records *t)
{
	struct attr *a = t->attr;
	enum { ODK_REGINFO = 1 };
	const label_id label = label_borrow(a->f->labels, STR("(register masks)"));
	struct reader r = records_reader(t);
	while (reader_left(&r) >= 2) {
		const uint64_t at = r.pos;
		const uint8_t kind = read_u8(&r), size = read_u8(&r);
		if (size < 2 || reader_left(&r) < size - 2u)
			break;
		read_skip(&r, size - 2u);
		if (kind == ODK_REGINFO)
			attr_put(a, t->in, at, size, label, WHY_NAME);
	}
}

struct record_format {
	const char *name; /* Section name. A '*' at the end stands for any suffix. */
	void (*walk)(struct records *t);
	unsigned owners; /* Bits of enum owner for which the format is read */
	const char *row; /* Without `walk`: the whole section gets this row */
};

enum { OWNER_SYMBOL = 1 << BY_SYMBOL, OWNER_ANY = OWNER_SYMBOL | 1 << BY_UNIT | 1 << BY_FILE };

/* Probe names come first, because the format of probes needs the names. */
static const struct record_format record_formats[] = {
	{ ".llvm_bb_addr_map", block_map_walk, OWNER_ANY },
	{ ".bb_addr_map", block_map_walk, OWNER_ANY },
	{ ".bb_info", block_map_walk, OWNER_ANY },
	{ ".stack_sizes", stack_sizes_walk, OWNER_ANY },
	{ ".llvm_jump_table_sizes", jump_tables_walk, OWNER_ANY },
	{ ".llvm.callgraph", call_graph_walk, OWNER_ANY },
	{ ".sframe", sframe_walk, OWNER_ANY },
	{ ".BTF", btf_walk, OWNER_SYMBOL },
	{ ".BTF.ext", btf_ext_walk, OWNER_ANY },
	{ ".pseudo_probe_desc", probe_names_walk, OWNER_SYMBOL },
	{ ".pseudo_probe", probes_walk, OWNER_SYMBOL },
	{ ".ctf", ctf_walk, OWNER_SYMBOL },
	{ ".llvm.lto", NULL, OWNER_SYMBOL, "(bitcode for link-time optimisation)" },
	{ ".llvmbc", NULL, OWNER_SYMBOL, "(bitcode for link-time optimisation)" },
	{ ".llvmcmd", NULL, OWNER_SYMBOL, "(command lines of the compiler)" },
	{ ".gnu.lto_*", gimple_walk, OWNER_SYMBOL },
	{ ".note.stapsdt", stap_probes_walk, OWNER_SYMBOL },
	{ ".gnu.build.attributes*", build_attributes_walk, OWNER_SYMBOL },
	{ ".MIPS.options", register_masks_walk, OWNER_SYMBOL },
};

/* Lists the relocation tables of an object, or those that a linker kept in a program. */
static void records_list_relocs(struct records *t)
{
	const struct image *im = t->attr->im;
	for (size_t i = 1; i < im->section_count; i++)
		if (section_is_reloc(&im->sections[i]) && im->sections[i].info > 0)
			vec_push(&t->relocs,
				 (struct record_relocs){ im->sections[i].info, &im->sections[i] });
	vec_sort(&t->relocs);
}

/* Returns symbol + addend of a relocation that patches data but makes no pointer. 0 for others. */
static uint64_t records_symbol_addr(const struct records *t, const struct reloc_iter *it,
				    const struct reloc *r, uint64_t off)
{
	const struct reloc_field field = reloc_field(t->attr->im, r->type);
	uint64_t addr;
	if (field.op != RELOC_OP_SET || r->symbol >= it->symbols.count)
		return 0;
	const struct symbol s = symtab_get(&it->symbols, r->symbol);
	struct reader at = records_reader(t);
	reader_seek(&at, off);
	const uint64_t addend = r->has_addend ? (uint64_t)r->addend : read_uint(&at, field.width);
	return symbol_addr(it->image, &s, &addr) ? addr + addend : 0;
}

static void records_read_fixes(struct records *t)
{
	const struct image *im = t->attr->im;
	t->fixes.count = 0;
	for (size_t i = vec_lower(&t->relocs, t->in->index);
	     i < t->relocs.count && t->relocs.data[i].patched == t->in->index; i++) {
		const struct section *table = t->relocs.data[i].table;
		struct reloc_iter it;
		struct reloc r;
		if (!reloc_open(&it, im, table))
			continue;
		while (reloc_next(&it, &r)) {
			const struct reloc_field field = reloc_field(im, r.type);
			struct record_fix f = { .off = r.addr - (r.alloc ? t->in->addr : 0),
						.entry_off = r.entry_off,
						.entry_size = r.entry_size,
						.table = table,
						.absolute = field.op == RELOC_OP_SET };
			if (!reloc_target(&it, &r, &f.addr))
				f.addr = records_symbol_addr(t, &it, &r, f.off);
			vec_push(&t->fixes, f);
		}
	}
	vec_sort(&t->fixes);
}

static bool record_format_is(const struct record_format *f, struct str section)
{
	struct str name = str_of(f->name);
	if (name.p[name.len - 1] != '*')
		return str_eq(section, name);
	name.len--;
	return str_starts(section, name);
}

static void records_read(struct records *t, const struct section *s, const struct record_format *f)
{
	if (s->nobits || !record_format_is(f, s->name) || s->file_size > t->left)
		return;
	t->left -= s->file_size;
	t->in = s;
	t->bytes = section_bytes(t->attr->im, s);
	t->relocated = t->attr->im->kind == IMAGE_OBJECT;
	records_read_fixes(t);
	if (f->walk)
		f->walk(t);
	else
		records_put_row(t, 0, t->bytes.size, f->row);
}

void attr_records(struct attr *a)
{
	struct records t = { .attr = a, .left = a->im->bytes.size };
	records_list_relocs(&t);
	for (size_t i = 0; i < COUNT_OF(record_formats); i++)
		for (size_t k = 1; k < a->im->section_count; k++)
			if (record_formats[i].owners >> a->owner & 1)
				records_read(&t, &a->im->sections[k], &record_formats[i]);
	vec_release_all(&t.fixes, &t.relocs, &t.guids);
}
