/* Claims Node.js single executable applications (its documentation, "Single executable
 * applications"): a blob in a note, a resource or a section.
 *
 * The blob, by experiment with Node.js 20, 22 and 25: the magic 0x143da20, a word of flags, path
 * and contents of the script (of the snapshot, with the flag useSnapshot). Each further part needs
 * its flag: V8's compiled code; the number of assets, and name and contents of each; the number of
 * options (execArgv), and the options. All texts have their size in 8 bytes before them. Between
 * flags and path are 0 bytes, 1 (how options are extended, version 24) or 2 (also kind of module,
 * version 25). No field states the number. The number is right if all later sizes fit. */
#include "attr/bundle/bundle.h"

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

void bundle_node(const struct bundle *b)
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
