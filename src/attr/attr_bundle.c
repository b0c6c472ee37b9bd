/* For BY_SYMBOL: claims files appended to a program, or stored in one of its sections. Each member
 * of a known format gets a row.
 *
 * zip: as in package/zip.h. CArchive of PyInstaller ("CArchive", PyInstaller's manual, "Advanced
 * Topics"): at the end "MEI", 0c 0b 0a 0b 0e, then big-endian words: size of the archive, offset
 * and size of its table, a version; then 64 bytes with the name of the Python library. An entry has
 * its own size, offset, packed and unpacked size, two bytes, and a name. squashfs (AppImage):
 * "hsqs", used bytes at offset 40 (Linux, Documentation/filesystems/squashfs).
 *
 * bun ("bun build --compile"): in a section ".bun" after its size, or appended. It ends in "\n----
 * Bun! ----\n". Before that text come the size of all earlier bytes (8 bytes), offset and size of a
 * table of modules, and four more words. A module has offsets and sizes of its name, its contents,
 * its source map and three more pieces, then four bytes (by experiment with bun 1.4).
 *
 * Node.js: below; pkg: in bundle_pkg.c; GRUB's modules and boot files of Scheme: boot_parts.h.
 *
 * Bytes of no known format stay [Unmapped]. */
#include "attr/bundle/bundle.h"

#include "image/elf/elf_const.h"
#include "image/elf/elf_note.h"
#include "package/zip.h"
#include "program/made_by.h"
#include "runtime/boot_parts.h"

enum { COOKIE = 88, COOKIE_WORDS = 8, ENTRY_MIN = 18, COOKIE_ROOM = 4096, SQUASHFS_USED = 40 };
enum { BUN_END = 32, BUN_MODULE = 52, BUN_PIECES = 5 };
#define BUN_MAGIC         STR("\n---- Bun! ----\n")
#define PYINSTALLER_MAGIC STR("MEI\014\013\012\013\016")

void bundle_put(const struct bundle *b, uint64_t off, uint64_t size, label_id label)
{
	if (off >= b->bytes.size)
		return;
	size = min_u64(size, b->bytes.size - off);
	if (b->in)
		attr_put(b->attr, b->in, off, size, label, WHY_MEMBER);
	else if (b->addr > 0)
		claim(&b->attr->vm_claims, b->addr + off, size, label, WHY_MEMBER);
	else
		claim(&b->attr->file_claims, b->attr->im->file_off + b->start + off, size, label,
		      WHY_MEMBER);
}

void bundle_member(const struct bundle *b, uint64_t off, uint64_t size, struct str name)
{
	bundle_put(b, off, size,
		   label_format(b->attr->f->labels, "(bundled " STR_FMT ")", STR_ARG(name)));
}

void bundle_tables(const struct bundle *b, uint64_t off, uint64_t size)
{
	bundle_put(b, off, size, label_borrow(b->attr->f->labels, STR("(bundle tables)")));
}

/* Claims the members of a zip, or returns false. Offsets may count from the start of the file. */
static bool zip_bundle(const struct bundle *b)
{
	struct zip z = { 0 };
	struct heft_err err = { 0 };
	if (!zip_parse(&z, b->attr->f->path, b->bytes, b->attr->f->notes, &err) ||
	    z.entries.count == 0) {
		zip_release(&z);
		return false;
	}
	vec_each(const struct zip_entry, e, &z.entries)
		bundle_member(b, e->off, e->data + e->packed - e->off, e->name);
	bundle_tables(b, z.directory, b->bytes.size - z.directory);
	zip_release(&z);
	return true;
}

static void pyinstaller_entries(const struct bundle *b, struct reader r, uint64_t base)
{
	while (reader_left(&r) >= ENTRY_MIN) {
		const uint64_t start = r.pos;
		const uint32_t size = read_u32(&r), off = read_u32(&r), packed = read_u32(&r);
		read_skip(&r, 6); /* skip the unpacked size, the compression flag and the type */
		if (size < ENTRY_MIN || size > r.size - start)
			return;
		const char *const name = (const char *)read_take(&r, size - ENTRY_MIN);
		if (packed > 0)
			bundle_member(b, base + off, packed,
				      (struct str){ name, strnlen(name, size - ENTRY_MIN) });
	}
}

static bool pyinstaller_bundle(const struct bundle *b)
{
	const struct str magic = PYINSTALLER_MAGIC;
	const struct bytes all = b->bytes;
	uint64_t cookie = all.size; /* Offset of the last archive's trailer (its "cookie") */
	for (uint64_t back = COOKIE;
	     cookie == all.size && back <= all.size && back <= COOKIE + COOKIE_ROOM; back++)
		if (memcmp(all.p + (all.size - back), magic.p, magic.len) == 0)
			cookie = all.size - back;
	struct reader r = reader_of(bytes_sub(b->bytes, cookie, b->bytes.size - cookie), true);
	read_skip(&r, COOKIE_WORDS);
	const uint64_t size = read_u32(&r), table = read_u32(&r), table_size = read_u32(&r);
	const uint64_t end = cookie + COOKIE;
	if (!reader_ok(&r) || size > end || size < COOKIE || table > size ||
	    table_size > size - table)
		return false;
	const uint64_t base = end - size;
	pyinstaller_entries(b, reader_of(bytes_sub(b->bytes, base + table, table_size), true),
			    base);
	bundle_tables(b, base + table, table_size);
	bundle_tables(b, cookie, COOKIE);
	return true;
}

/* Claims the parts of a module (name, contents, source map ...) under its name. */
static void bun_module(const struct bundle *b, struct bytes all, struct reader *r, uint64_t base)
{
	const uint64_t name = read_u32(r), size = read_u32(r);
	const struct bytes at = bytes_sub(all, min_u64(name, all.size), size);
	struct str path = { (const char *)at.p, at.size };
	/* Virtual folder below which Bun names its modules. */
	const struct str volume = STR("/$bunfs/");
	const char *folder = str_starts(path, volume)
				     ? memchr(path.p + volume.len, '/', path.len - volume.len)
				     : NULL;
	if (folder)
		path = str_from(path, (size_t)(folder + 1 - path.p));
	for (unsigned i = 0; i < BUN_PIECES; i++) {
		const uint64_t off = read_u32(r), piece = read_u32(r);
		if (piece > 0 && off < all.size)
			bundle_member(b, base + off, min_u64(piece, all.size - off), path);
	}
	read_skip(r, 4);
}

static bool bun_bundle(const struct bundle *b)
{
	const struct str magic = BUN_MAGIC;
	const struct bytes all = b->bytes;
	if (all.size < BUN_END + magic.len ||
	    memcmp(all.p + (all.size - magic.len), magic.p, magic.len) != 0)
		return false;
	const uint64_t end = all.size - magic.len - BUN_END;
	struct reader r = reader_of(bytes_sub(all, end, BUN_END), false);
	const uint64_t size = read_u64(&r), table = read_u32(&r), table_size = read_u32(&r);
	if (size > end || table > size || table_size > size - table || table_size % BUN_MODULE != 0)
		return false;
	const struct bytes data = bytes_sub(all, end - size, size);
	struct reader modules = reader_of(bytes_sub(data, table, table_size), false);
	while (reader_left(&modules) >= BUN_MODULE)
		bun_module(b, data, &modules, end - size);
	const uint64_t start = b->in ? 0 : end - size; /* Sections begin with their size */
	bundle_tables(b, start, all.size - start);
	return true;
}

/* Claims Node.js single executable applications (its documentation, "Single executable
 * applications"): a blob in a note, a resource or a section.
 *
 * The blob, by experiment with Node.js 20, 22 and 25: the magic 0x143da20, a word of flags, path
 * and contents of the script (of the snapshot, with the flag useSnapshot). Each other part needs
 * its flag: V8's compiled code; the number of assets, and name and contents of each; the number of
 * options (execArgv), and the options. All texts have their size in 8 bytes before them. Between
 * flags and path are 0 bytes, 1 (how options are extended, version 24) or 2 (also kind of module,
 * version 25). No field states how many. A number is right if all later sizes fit. */

enum { NODE_MAGIC = 0x143da20, NODE_CACHE = 4, NODE_ASSETS = 8, NODE_OPTIONS = 16 };
enum { MORE_MAX = 2 };

static struct str bundle_node_read_text(struct reader *r)
{
	const uint64_t size = read_u64(r);
	const uint8_t *const p = read_take(r, size);
	return p ? (struct str){ (const char *)p, size } : STR("");
}

/* Moves the reader to the path. False if the blob has no known form. */
static bool find_path(struct reader *r)
{
	for (uint64_t more = 0; more <= MORE_MAX; more++) {
		struct reader at = *r;
		read_skip(&at, more);
		const struct reader path = at;
		(void)bundle_node_read_text(&at);
		(void)bundle_node_read_text(&at);
		if (!reader_ok(&at))
			continue;
		*r = path;
		return true;
	}
	return false;
}

/* Claims a member: its name and its contents. */
static void put_member(const struct bundle *b, struct reader *r)
{
	const uint64_t start = r->pos;
	const struct str name = bundle_node_read_text(r);
	(void)bundle_node_read_text(r);
	if (reader_ok(r))
		bundle_member(b, start, r->pos - start, name);
}

/* Claims the members of a pkg archive among the assets, before the archive itself. */
static void put_archive(const struct bundle *b, struct reader r, uint64_t assets)
{
	struct bytes archive = { 0 }, manifest = { 0 };
	uint64_t off = 0;
	while (assets-- > 0 && reader_left(&r) > 0) {
		const struct str name = bundle_node_read_text(&r),
				 contents = bundle_node_read_text(&r);
		if (!reader_ok(&r))
			break;
		if (str_eq(name, STR("__pkg_manifest__")))
			manifest = bundle_bytes(contents);
		if (!str_eq(name, STR("__pkg_archive__")))
			continue;
		archive = bundle_bytes(contents);
		off = r.pos - archive.size;
	}
	if (archive.size > 0 && manifest.size > 0)
		bundle_pkg_archive(b, archive, off, manifest);
}

static void put_options(const struct bundle *b, struct reader *r)
{
	const uint64_t start = r->pos;
	uint64_t count = read_u64(r);
	while (count-- > 0 && reader_left(r) > 0)
		(void)bundle_node_read_text(r);
	if (reader_ok(r))
		bundle_put(b, start, r->pos - start,
			   label_borrow(b->attr->f->labels, STR("(bundled execArgv)")));
}

static void bundle_node(const struct bundle *b)
{
	struct reader r = reader_of(b->bytes, b->attr->im->big_endian);
	const uint32_t magic = read_u32(&r), flags = read_u32(&r);
	if (magic != NODE_MAGIC || !find_path(&r))
		return;
	put_member(b, &r);
	const uint64_t cache = r.pos;
	if (flags & NODE_CACHE)
		(void)bundle_node_read_text(&r);
	if (reader_ok(&r) && r.pos > cache)
		bundle_put(b, cache, r.pos - cache,
			   label_borrow(b->attr->f->labels, STR("(bundled code cache)")));
	uint64_t assets = flags & NODE_ASSETS ? read_u64(&r) : 0;
	put_archive(b, r, assets);
	while (assets-- > 0 && reader_left(&r) > 0)
		put_member(b, &r);
	if (flags & NODE_OPTIONS)
		put_options(b, &r);
}

/* Claims the members of a Node.js blob. The rest of the blob gets a row of its own. */
static void node_put(const struct bundle *b)
{
	bundle_node(b);
	bundle_put(b, 0, b->bytes.size,
		   label_borrow(b->attr->f->labels, STR("(Node.js application)")));
}

/* Finds Node.js blobs in notes. `addr` is the address of the notes, or 0. */
static void node_notes(struct attr *a, struct bytes bytes, uint64_t align, uint64_t addr)
{
	struct reader r = reader_of(bytes, a->im->big_endian);
	struct elf_note n;
	while (elf_note_next(&r, align, &n)) {
		if (!str_eq(n.owner, STR("NODE_SEA_BLOB")) || n.desc.size == 0)
			continue;
		const uint64_t off = (uint64_t)(n.desc.p - bytes.p);
		node_put(&(struct bundle){ .attr = a,
					   .start = (uint64_t)(n.desc.p - a->im->bytes.p),
					   .bytes = n.desc,
					   .addr = addr > 0 ? addr + off : 0 });
	}
}

/* Claims Node.js blobs in ELF files: notes in a section, or in a segment without a section. */
static void node_of_elf(struct attr *a)
{
	const struct section *s = image_section_find(a->im, ".note.node.sea");
	each_segment(g, a->im) {
		if (g->type == PT_NOTE)
			node_notes(a, segment_bytes(a->im, g), g->align,
				   image_at(a->im, g->addr, 1).size > 0 ? g->addr : 0);
	}
	if (!s)
		return;
	node_notes(a, section_bytes(a->im, s), s->align, 0);
	claim(&a->file_claims, a->im->file_off + s->off, s->file_size,
	      label_borrow(a->f->labels, STR("(Node.js application)")), WHY_MEMBER);
}

/* Claims the files in a Node.js application for Windows. They are in a resource, NODE_SEA_BLOB. */
static void node_of_pe(struct attr *a)
{
	const struct str name = STR("resource RCDATA/NODE_SEA_BLOB");
	const struct section *table = image_section_type(a->im, SHT_SYMTAB, 1);
	struct symtab t;
	if (!table || !symtab_open(&t, a->im, table))
		return;
	for (size_t i = 1; i < t.count; i++) {
		const struct symbol s = symtab_get(&t, i);
		if (!str_eq(s.name, name) || s.value == 0)
			continue;
		const struct bytes bytes = image_at(a->im, s.value, s.size);
		if (bytes.size > 0)
			node_put(&(struct bundle){ .attr = a,
						   .start = (uint64_t)(bytes.p - a->im->bytes.p),
						   .bytes = bytes,
						   .addr = s.value });
	}
}

static bool squashfs_bundle(const struct bundle *b)
{
	struct reader r = reader_of(b->bytes, false);
	if (b->bytes.size < SQUASHFS_USED || memcmp(b->bytes.p, "hsqs", 4) != 0)
		return false;
	reader_seek(&r, SQUASHFS_USED);
	const uint64_t used = read_u64(&r);
	if (!reader_ok(&r))
		return false;
	bundle_put(b, 0, used, label_borrow(b->attr->f->labels, STR("(bundled squashfs)")));
	return true;
}

/* Returns the end of the last byte that the image's headers describe. */
static uint64_t image_end(const struct image *im)
{
	uint64_t end = max_u64(im->shdr_off + im->shdr_size, im->phdr_off + im->phdr_size);
	for (size_t i = 1; i < im->section_count; i++)
		end = max_u64(end, im->sections[i].off + im->sections[i].file_size);
	for (size_t i = 0; i < im->segment_count; i++)
		end = max_u64(end, im->segments[i].off + im->segments[i].file_size);
	return end;
}

static void in_section(struct attr *a, const char *name, bool (*members)(const struct bundle *b))
{
	const struct section *s = image_section_find(a->im, name);
	if (s && !s->nobits)
		(void)members(&(struct bundle){ a, s, s->off, section_bytes(a->im, s), 0 });
}

void attr_node(struct attr *a)
{
	ASSERT(a->owner == BY_SYMBOL);
	if (image_states_sizes(a->im))
		node_of_elf(a);
	else
		node_of_pe(a);
	/* For Mach-O: the blob is a section named NODE_SEA_BLOB. */
	each_section(s, a->im) {
		if (!s->nobits && str_eq(s->title, STR("NODE_SEA,__NODE_SEA_BLOB")))
			node_put(&(struct bundle){
				.attr = a, .in = s, .bytes = section_bytes(a->im, s) });
	}
}

/* Claims a part that the program loads. GRUB's modules state their names in a section. */
static void boot_part_put(void *ctx, const struct boot_part *p)
{
	const struct bundle *b = ctx;
	struct str name = p->name;
	struct image im;
	struct notes notes;
	struct heft_err err = { 0 };
	const struct image_place at = { .path = b->attr->im->path };
	notes_init(&notes); /* The user gets no notes about this image, which is inside a file */
	const bool parsed = p->object.size > 0 && file_format_of_plain(p->object)->parse &&
			    image_parse(&im, &at, p->object, &notes, &err);
	const struct section *s = parsed ? image_section_find(&im, ".modname") : NULL;
	if (s)
		(void)bytes_cstr(section_bytes(&im, s), 0, &name);
	bundle_member(b, p->off, p->size, name);
	if (parsed)
		image_release(&im);
	notes_release(&notes);
}

void attr_bundle(struct attr *a)
{
	const struct image *im = a->im;
	const uint64_t end = image_end(im), size = im->bytes.size;
	ASSERT(a->owner == BY_SYMBOL);
	/* pkg extends the string table of a Mach-O program to the end of the file. The reason is
	 * that a signed program has no bytes outside its tables. */
	const struct section *s = image_made_names(im);
	if (s) {
		(void)bundle_pkg(
			&(struct bundle){ .attr = a, .in = s, .bytes = section_bytes(im, s) });
	}
	const struct bundle all = { .attr = a, .bytes = im->bytes };
	const struct bundle rest = { .attr = a,
				     .start = end,
				     .bytes = bytes_sub(im->bytes, end, size - end) };
	if (end < size && bundle_pkg(&rest))
		return;
	for (size_t i = 1; i < im->section_count; i++) {
		struct bundle b = { a, &im->sections[i], 0, section_bytes(im, &im->sections[i]),
				    0 };
		if (boot_parts_may_begin(b.bytes))
			boot_parts_walk(b.bytes, (unsigned)pointer_size(im), im->big_endian,
					boot_part_put, &b);
	}
	if (!image_states_loading(im))
		return;
	in_section(a, "pydata", pyinstaller_bundle);
	in_section(a, ".bun", bun_bundle);
	if (end < size && !squashfs_bundle(&rest) && !pyinstaller_bundle(&rest) &&
	    !bun_bundle(&rest))
		(void)zip_bundle(&all);
}

/* Returns the end of the headers. ELF headers have a known size. Headers of other files end at the
 * first section. */
static uint64_t headers_end(const struct image *im)
{
	if (image_states_loading(im))
		return max_u64(im->ehdr_size, im->phdr_off + im->phdr_size);
	uint64_t first = im->bytes.size;
	for (size_t i = 1; i < im->section_count; i++)
		if (im->sections[i].file_size > 0)
			first = min_u64(first, im->sections[i].off);
	return first;
}

/* Claims a packed program: first the VM bytes after the headers, then the remaining file bytes.
 * File claims win over VM claims. */
void attr_packed(struct attr *a)
{
	const struct image *im = a->im;
	ASSERT(a->owner == BY_SYMBOL);
	const struct str packer = made_by_packer(im);
	const uint64_t start = headers_end(im), end = image_end(im);
	ASSERT(packer.len > 0);
	const label_id label = label_format(a->f->labels, "(packed by " STR_FMT ")",
					    STR_ARG(packer));
	if (end < im->bytes.size)
		claim(&a->file_claims, im->file_off + end, im->bytes.size - end, label, WHY_MEMBER);
	each_segment(g, im) {
		const uint64_t skip = start > g->off ? min_u64(start - g->off, g->file_size) : 0;
		if (g->type == PT_LOAD && g->vm_size > skip)
			claim(&a->vm_claims, g->addr + skip, g->vm_size - skip, label, WHY_MEMBER);
	}
}
