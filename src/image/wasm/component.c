/* Parses WebAssembly components: "Component Model", Binary.md. Components have sections like
 * modules. Some sections contain a whole module or component. */
#include "image/input.h"
#include "image/wasm/wasm_internal.h"

enum { HEADER_SIZE = 8, LAYER = 1, CORE_MODULE = 1, COMPONENT = 4, CUSTOM = 0 };
enum { DEPTH_MAX = 16, MODULE_SHIFT = 52, MODULES_MAX = 4095 };

/* Constants of the custom section "component-name". */
enum { NAMES_OF_SORT = 1, SORT_CORE = 0, SORT_CORE_MODULE = 0x11 };

/* A component that is being read. Its next section is at `off`. */
struct component {
	uint64_t off, end;
	uint64_t modules; /* Number of its modules that were read so far. */
	struct str prefix;
	struct reader names; /* Names of its modules: a list of index and name. May be empty */
};

struct component_components {
	struct input *in;
	const char *path;
	struct component stack[DEPTH_MAX];
	size_t depth;
};

bool component_matches(struct bytes b)
{
	struct reader r = reader_at(b, false, 6);
	return wasm_matches(b) && read_u16(&r) == LAYER && reader_ok(&r);
}

struct section_of_component {
	unsigned id;
	uint64_t start, off, end; /* Offsets of its header, its contents and its end. */
};

static bool section_read(const struct component_components *c, const struct component *of,
			 struct section_of_component *ret)
{
	struct reader r = reader_at(bytes_sub(c->in->file.bytes, 0, of->end), false, of->off);
	ret->start = of->off;
	ret->id = read_u8(&r);
	const uint64_t size = read_uleb(&r);
	ret->off = r.pos;
	read_skip(&r, size);
	ret->end = r.pos;
	return reader_ok(&r);
}

/* Finds the names of core modules, a subsection of "component-name". False if there are none. */
static bool component_names_find(struct reader r, struct reader *ret)
{
	if (!str_eq(wasm_name(&r), STR("component-name")))
		return false;
	while (reader_left(&r) > 0) {
		const uint8_t kind = read_u8(&r);
		struct reader sub = read_sub(&r, read_uleb(&r));
		if (kind != NAMES_OF_SORT || read_u8(&sub) != SORT_CORE ||
		    read_u8(&sub) != SORT_CORE_MODULE)
			continue;
		*ret = sub;
		return reader_ok(&sub);
	}
	return false;
}

/* Returns the name of the next module: "main" from the names, or else "module[0]". A module of an
 * inner component has that component's number as a prefix. */
static struct str module_name(const struct component_components *c, const struct component *of)
{
	struct reader r = of->names;
	struct str name = STR("");
	for (uint64_t left = min_u64(read_uleb(&r), MODULES_MAX); left > 0 && reader_ok(&r);
	     left--) {
		const uint64_t index = read_uleb(&r);
		const struct str found = wasm_name(&r);
		if (index == of->modules && reader_ok(&r))
			name = found;
	}
	struct arena *a = &c->in->arena;
	return str_of(name.len > 0
			      ? arena_format(a, STR_FMT STR_FMT, STR_ARG(of->prefix), STR_ARG(name))
			      : arena_format(a, STR_FMT "module[%" PRIu64 "]", STR_ARG(of->prefix),
					     of->modules));
}

static void module_read(struct component_components *c, struct component *of,
			const struct section_of_component *s)
{
	struct input *in = c->in;
	const struct bytes b = bytes_sub(in->file.bytes, s->off, s->end - s->off);
	const struct image_place at = { .path = c->path,
					.member = module_name(c, of),
					.file_off = s->off,
					.vm_bias = (uint64_t)in->image_count << MODULE_SHIFT };
	struct image im;
	struct heft_err err;
	of->modules++;
	input_add_part(c->in, COMPONENT_HEADERS, s->off, STR(""));
	if (in->image_count == MODULES_MAX || !wasm_matches(b) ||
	    !wasm_parse(&im, &at, b, in->notes, &err)) {
		note(in->notes, c->path, s->off, b.size,
		     "a module of the component is not read%s%s",
		     in->image_count < MODULES_MAX && wasm_matches(b) ? ": " : "",
		     in->image_count < MODULES_MAX && wasm_matches(b) ? err.text : "");
		input_add_part(c->in, AR_OTHER_MEMBER, s->end, STR(""));
		return;
	}
	input_add_image(in, &im);
}

static void component_open(struct component_components *c, uint64_t off, uint64_t end,
			   struct str prefix)
{
	struct component *new = &c->stack[c->depth++];
	*new = (struct component){ .off = off + HEADER_SIZE, .end = end, .prefix = prefix };
	new->names = reader_make(NULL, 0, false);
	input_add_part(c->in, COMPONENT_HEADERS, off + HEADER_SIZE, STR(""));
	/* Finds the names of a component's modules. The section with the names follows the
	 * modules. */
	struct component at = *new;
	struct section_of_component s;
	while (at.off < at.end && section_read(c, &at, &s)) {
		struct reader r = reader_of(bytes_sub(c->in->file.bytes, s.off, s.end - s.off),
					    false);
		if (s.id == CUSTOM && component_names_find(r, &new->names))
			return;
		at.off = s.end;
	}
}

static void section_take(struct component_components *c, const struct section_of_component *s)
{
	struct component *of = &c->stack[c->depth - 1];
	const struct bytes b = bytes_sub(c->in->file.bytes, s->off, s->end - s->off);
	of->off = s->end;
	if (s->id == CORE_MODULE)
		module_read(c, of, s);
	else if (s->id == COMPONENT && c->depth < DEPTH_MAX && component_matches(b))
		component_open(c, s->off, s->end,
			       str_of(arena_format(&c->in->arena, "%zu.", c->in->image_count)));
	else
		input_add_part(c->in, COMPONENT_SECTION, s->end, STR(""));
}

bool component_parse(struct input *in, const char *path, struct heft_err *err)
{
	struct component_components c = { .in = in, .path = path };
	(void)err;
	in->archive = in->component = true;
	component_open(&c, 0, in->file.bytes.size, STR(""));
	while (c.depth > 0) {
		const struct component *of = &c.stack[c.depth - 1];
		struct section_of_component s;
		if (of->off < of->end && section_read(&c, of, &s)) {
			section_take(&c, &s);
			continue;
		}
		if (of->off < of->end)
			note(in->notes, path, of->off, of->end - of->off,
			     "a section of the component goes beyond its end");
		input_add_part(in, COMPONENT_SECTION, of->end, STR(""));
		c.depth--;
	}
	ASSERT(in->done == in->file.bytes.size);
	return true;
}
