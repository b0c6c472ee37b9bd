/* Reads the tools that made a program, and the modules or crates in it. */
#define _GNU_SOURCE /* For memmem(). */
#include "program/made_by.h"

#include "base/intern.h"
#include "base/json_read.h"
#include "base/unpack.h"

/* Greatest number of tools, bytes of a tool's name, and bytes of the unpacked list of crates.
 * Larger values are not genuine, and are ignored. */
enum { TOOLS_MAX = 16, TOOL_SIZE = 256, TEXT_SIZE = 1 << 20 };

void made_by_release(struct made_by *m)
{
	text_release(&m->tools);
	text_release(&m->parts);
	text_release(&m->settings);
}

bool made_by_is_linker(struct str tool)
{
	static const char *const beginnings[] = { "Linker: ", "mold ", "Wild ", "GNU ld ",
						  "GNU gold " };
	for (size_t i = 0; i < COUNT_OF(beginnings); i++)
		if (str_starts(tool, str_of(beginnings[i])))
			return true;
	return false;
}

static void begin_item(struct text *list)
{
	if (list->len > 0)
		text_add(list, STR(", "));
}

static void made_by_add_part(struct made_by *m, struct str name, struct str version)
{
	if (name.len == 0 || name.len + version.len > TEXT_SIZE - m->parts.len)
		return;
	begin_item(&m->parts);
	text_add(&m->parts, name);
	if (version.len > 0)
		text_add_char(&m->parts, ' ');
	text_add(&m->parts, version);
}

enum { GO_HEADER = 32, GO_INLINE = 2, GO_BIG_ENDIAN = 1, GO_SENTINEL = 16, GO_FRONT = 64 << 10 };

static const char go_magic[] = "\xff Go buildinf:";

/* Returns the string whose Go header (address, length: `width` bytes each) is at `addr`, or "". */
static struct str go_string(const struct image *im, uint64_t addr, unsigned width, bool big_endian)
{
	ASSERT(width == 4 || width == 8);
	struct reader r = reader_of(image_at(im, addr, 2 * (uint64_t)width), big_endian);
	const uint64_t at = read_uint(&r, width), len = read_uint(&r, width);
	const struct bytes b = image_at(im, at, len);
	return reader_ok(&r) && len <= TEXT_SIZE && b.size == len
		       ? (struct str){ (const char *)b.p, len }
		       : STR("");
}

static struct str inline_string(struct reader *r)
{
	const uint64_t len = read_uleb(r);
	const uint8_t *const p = len <= TEXT_SIZE ? read_take(r, len) : NULL;
	return p ? (struct str){ (const char *)p, len } : STR("");
}

/* Reads a line: "mod\tPATH\tVERSION\tSUM", "dep\t..." or "=>\t...", which replaces the module of
 * the line before. */
static void read_go_line(struct made_by *m, struct str line)
{
	const struct str kind = str_take(&line, '\t');
	if (str_eq(kind, STR("build"))) {
		begin_item(&m->settings);
		text_add(&m->settings, line);
		return;
	}
	const bool other = str_eq(kind, STR("=>"));
	if (!other && !str_eq(kind, STR("mod")) && !str_eq(kind, STR("dep")))
		return;
	const struct str path = str_take(&line, '\t'), version = str_take(&line, '\t');
	if (!other) {
		made_by_add_part(m, path, version);
		return;
	}
	text_adds(&m->parts, STR(" => "), path, STR(" "), version);
}

/* Returns the build information in `b`, to the end of its texts. `whole`: to the end of `b`. */
static struct bytes info_bytes(struct bytes b, bool whole)
{
	struct reader r = reader_at(b, false, sizeof go_magic);
	const uint8_t flags = read_u8(&r);
	reader_seek(&r, GO_HEADER);
	if (flags & GO_INLINE) {
		(void)inline_string(&r);
		(void)inline_string(&r);
	}
	return reader_ok(&r) ? bytes_sub(b, 0, whole ? b.size : r.pos) : (struct bytes){ NULL, 0 };
}

static struct bytes info_in(const struct image *im, const struct section *s, uint64_t most,
			    bool whole, uint64_t *ret_addr)
{
	const struct bytes b = section_bytes(im, s);
	const uint64_t size = min_u64(b.size, most);
	const uint8_t *const at = size > 0 ? memmem(b.p, size, go_magic, sizeof go_magic - 1)
					   : NULL;
	if (!at)
		return (struct bytes){ NULL, 0 };
	const uint64_t off = (uint64_t)(at - b.p);
	*ret_addr = s->addr + off;
	return info_bytes(bytes_sub(b, off, b.size - off), whole);
}

struct bytes go_build_info(const struct image *im, uint64_t *ret_addr)
{
	static const char *const names[] = { ".go.buildinfo", "__go_buildinfo" };
	struct bytes found = { NULL, 0 };
	for (size_t i = 0; i < COUNT_OF(names) && found.size == 0; i++) {
		const struct section *s = image_section_find(im, names[i]);
		if (s)
			found = info_in(im, s, UINT64_MAX, true, ret_addr);
	}
	/* The build information is usually first in the writable data. */
	for (size_t i = 1; i < im->section_count && found.size == 0; i++) {
		const struct section *s = &im->sections[i];
		const uint64_t most = str_eq(s->name, STR(".data")) ? UINT64_MAX : GO_FRONT;
		if (s->alloc && s->write)
			found = info_in(im, s, most, false, ret_addr);
	}
	return found;
}

static void read_go(struct made_by *m, const struct image *im)
{
	uint64_t addr;
	struct reader r = reader_of(go_build_info(im, &addr), false);
	if (r.size < GO_HEADER)
		return;
	read_skip(&r, sizeof go_magic - 1);
	const uint8_t width = read_u8(&r), flags = read_u8(&r);
	struct str version, modules;
	if (flags & GO_INLINE) {
		reader_seek(&r, GO_HEADER);
		version = inline_string(&r);
		modules = inline_string(&r);
	} else if (width == 4 || width == 8) {
		r.big_endian = flags & GO_BIG_ENDIAN;
		version = go_string(im, read_uint(&r, width), width, r.big_endian);
		modules = go_string(im, read_uint(&r, width), width, r.big_endian);
	} else {
		return;
	}
	begin_item(&m->tools);
	text_add(&m->tools, version.len <= TOOL_SIZE ? version : STR("go"));
	/* A mark of GO_SENTINEL bytes precedes and follows the text of modules. */
	if (modules.len <= 2 * GO_SENTINEL)
		return;
	modules = (struct str){ modules.p + GO_SENTINEL, modules.len - 2 * (size_t)GO_SENTINEL };
	while (modules.len > 0)
		read_go_line(m, str_take(&modules, '\n'));
}

struct made_by_crate {
	struct text name, version;
	bool root;
	bool build; /* True if used only to build the program */
};

static void read_crate(struct json_in *in, struct made_by_crate *c)
{
	c->name.len = c->version.len = 0;
	c->root = c->build = false;
	while (json_next(in) == JSON_KEY) {
		const bool name = str_eq(text_str(&in->text), STR("name"));
		const bool version = str_eq(text_str(&in->text), STR("version"));
		const bool root = str_eq(text_str(&in->text), STR("root"));
		const bool kind = str_eq(text_str(&in->text), STR("kind"));
		const enum json_token value = json_next(in);
		if (value == JSON_STRING && (name || version))
			text_set(name ? &c->name : &c->version, text_str(&in->text));
		c->root = c->root || (root && value == JSON_TRUE);
		if (value == JSON_STRING && kind)
			c->build = str_eq(text_str(&in->text), STR("build"));
		if (value == JSON_OBJECT || value == JSON_ARRAY)
			(void)json_rest(in, value);
	}
}

/* Reads the crates: only the program's own crate if `root` is set, otherwise only the others. */
static void read_crates(struct made_by *m, struct bytes json, bool root)
{
	struct json_in in;
	struct made_by_crate c = { .root = false };
	json_in_init(&in, json);
	if (json_next(&in) != JSON_OBJECT)
		goto out;
	while (json_next(&in) == JSON_KEY) {
		const bool list = str_eq(text_str(&in.text), STR("packages"));
		const enum json_token value = json_next(&in);
		if (!list || value != JSON_ARRAY) {
			(void)json_rest(&in, value);
			continue;
		}
		while (json_next(&in) == JSON_OBJECT) {
			read_crate(&in, &c);
			if (c.build)
				text_add(&c.version, STR(" (build)"));
			if (c.root == root && !in.bad)
				made_by_add_part(m, text_str(&c.name), text_str(&c.version));
		}
	}
out:
	text_release(&c.name);
	text_release(&c.version);
	json_in_release(&in);
}

/* Unpacks the list of crates, up to TEXT_SIZE bytes. Its unpacked size is not stated. */
static bool unpack_list(struct bytes packed, struct text *ret, struct heft_err *err)
{
	struct unpack_stream *stream = NULL;
	uint8_t piece[4096];
	uint64_t made = sizeof piece;
	if (!unpack_stream_open_any(&stream, UNPACK_ZLIB, packed, err))
		return false;
	bool good = true;
	while (good && made == sizeof piece && ret->len < TEXT_SIZE) {
		good = unpack_stream_next(stream, piece, sizeof piece, &made, err);
		text_add(ret, (struct str){ (const char *)piece, made });
	}
	unpack_stream_close(stream);
	return good;
}

static void read_auditable(struct made_by *m, const struct image *im)
{
	const struct section *s = image_section_find(im, ".dep-v0");
	struct text json = { 0 };
	struct heft_err err;
	if (!s)
		return;
	if (unpack_list(section_bytes(im, s), &json, &err)) {
		const struct bytes b = { (const uint8_t *)json.p, json.len };
		read_crates(m, b, true);
		read_crates(m, b, false);
	} else {
		note(im->notes, im->path, im->file_off + s->off, s->file_size,
		     "the list of crates in .dep-v0 cannot be unpacked: %s", err.text);
	}
	text_release(&json);
}

enum { HEADERS_SIZE = 512 };

struct str made_by_packer(const struct image *im)
{
	const struct bytes head = bytes_sub(im->bytes, 0, min_u64(im->bytes.size, HEADERS_SIZE));
	bool found = im->kind == IMAGE_EXEC && head.size > 0 &&
		     memmem(head.p, head.size, "UPX!", 4) != NULL;
	for (size_t i = 1; i < im->section_count && !found; i++)
		found = str_eq(im->sections[i].title, STR("__TEXT,upxTEXT"));
	return found || image_section_find(im, "UPX1") ? STR("UPX") : STR("");
}

void made_by_read(struct made_by *m, const struct image *im)
{
	ASSERT(m->tools.len == 0 && m->parts.len == 0 && m->settings.len == 0);
	text_add(&m->tools, made_by_packer(im));
	read_go(m, im);
	const struct section *s = image_section_find(im, ".comment");
	struct reader r = reader_of(s ? section_bytes(im, s) : (struct bytes){ NULL, 0 }, false);
	struct str seen[TOOLS_MAX];
	size_t count = 0;
	while (reader_left(&r) > 0 && count < TOOLS_MAX) {
		const struct str tool = read_cstr(&r);
		bool known = tool.len == 0 || tool.len > TOOL_SIZE;
		for (size_t i = 0; i < count; i++)
			known = known || str_eq(seen[i], tool);
		if (known)
			continue;
		seen[count++] = tool;
		begin_item(&m->tools);
		text_add(&m->tools, tool);
	}
	read_auditable(m, im);
}

enum { UNIT_TOOLS_MAX = 32, UNIT_TOOL_SIZE = 512 };

/* Compilers of units, each once, with the number of their units. */
struct unit_tools {
	struct intern texts;
	uint64_t counts[UNIT_TOOLS_MAX];
};

static void unit_tools_count(struct unit_tools *t, struct str producer, struct text *work)
{
	uint32_t id;
	work->len = 0;
	/* Writes the compiler's name and its options -O, -f, -g, -m and -s, without paths. */
	bool in_options = false;
	while (producer.len > 0) {
		const struct str word = str_take(&producer, ' ');
		in_options = in_options || str_starts(word, STR("-"));
		const bool kept = !in_options || (word.len > 1 && strchr("Ofgms", word.p[1]) &&
						  !memchr(word.p, '/', word.len));
		if (word.len == 0 || !kept || work->len + word.len >= UNIT_TOOL_SIZE)
			continue;
		if (work->len > 0)
			text_add_char(work, ' ');
		text_add(work, word);
	}
	if (work->len == 0 || (t->texts.entries.count == UNIT_TOOLS_MAX &&
			       !intern_find(&t->texts, text_str(work), &id)))
		return;
	t->counts[intern_add(&t->texts, text_str(work))]++;
}

void made_by_units(struct text *ret, struct text *ret_versions, struct debuginfo *info)
{
	bool versions[10] = { false };
	struct unit_tools tools = { .counts = { 0 } };
	struct abbrev_cache cache = { 0 };
	struct text work = { 0 };
	struct unit u;
	uint64_t off = 0;
	while (unit_next(&info->dwarf, DW_INFO, &off, &u))
		if (unit_open(&u, &cache, NULL)) {
			unit_tools_count(&tools, u.producer, &work);
			versions[min_u64(u.version, COUNT_OF(versions) - 1)] = true;
		}
	for (size_t i = 0; i < COUNT_OF(versions); i++)
		if (versions[i]) {
			text_add(ret_versions, ret_versions->len > 0 ? STR(", ") : STR(""));
			text_add_number(ret_versions, i);
		}
	for (size_t left = tools.texts.entries.count; left > 0; left--) {
		uint32_t most = 0;
		for (uint32_t i = 1; i < tools.texts.entries.count; i++)
			most = tools.counts[i] > tools.counts[most] ? i : most;
		ASSERT(tools.counts[most] > 0);
		text_add(ret, ret->len > 0 ? STR("; ") : STR(""));
		text_add_number(ret, tools.counts[most]);
		text_adds(ret, STR(" "), intern_get(&tools.texts, most));
		tools.counts[most] = 0;
	}
	abbrev_cache_release(&cache);
	intern_release(&tools.texts);
	text_release(&work);
}
