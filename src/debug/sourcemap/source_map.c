/* Parses source maps (JSON). */
#include "debug/sourcemap/source_map.h"

#include "base/json_read.h"
#include "base/sort.h"

struct parsing {
	struct source_map *map;
	struct json_in in;
	const char *problem; /* What is wrong in the contents of the JSON. NULL if nothing */
	size_t first_source; /* Index of the current map's first source in map->sources */
	size_t first_row;
	uint64_t column; /* Column at which the section's map begins */
	bool skip;       /* True to skip the section, because it begins on another line */
	struct str root;
	bool has_mappings;
};

/* Reads a base-64 number of at most 32 bits, whose lowest bit is its sign. False if none. */
static bool read_vlq(struct str s, size_t *at, int64_t *ret)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "abcdefghijklmnopqrstuvwxyz0123456789+/";
	uint64_t v = 0;
	for (unsigned shift = 0; *at < s.len && shift <= 30; shift += 5) {
		/* A digit has 5 bits, and a sixth bit that says that more digits follow. */
		const char *digit = s.p[*at] != '\0' ? strchr(digits, s.p[*at]) : NULL;
		if (!digit)
			return false;
		(*at)++;
		const uint64_t d = (uint64_t)(digit - digits);
		v |= (d & 31) << shift;
		if (d & 32)
			continue;
		*ret = v & 1 ? -(int64_t)(v >> 1) : (int64_t)(v >> 1);
		return true;
	}
	return false;
}

/* Column, source, source line and source column of the previous segment. The next segment stores
 * differences to them */
struct segment_state {
	int64_t fields[4];
};

static void source_map_add_row(struct parsing *p, const struct segment_state *s, bool mapped)
{
	struct source_map *m = p->map;
	const bool ok = s->fields[1] >= 0 && s->fields[1] < INT32_MAX && s->fields[2] >= 0 &&
			s->fields[2] < UINT32_MAX;
	struct line_origin o = { 0, 0 };
	if (p->skip || s->fields[0] < 0 || m->origins.count >= FLAT_NONE - 1)
		return;
	if (mapped && ok)
		o = (struct line_origin){ (uint32_t)(p->first_source + (size_t)s->fields[1] + 1),
					  (uint32_t)s->fields[2] + 1 };
	const uint64_t at = p->column + (uint64_t)s->fields[0];
	vec_push(&m->rows, (struct flat_range){ at, at, (uint32_t)m->origins.count });
	vec_push(&m->origins, o);
}

/* Reads segments of 1, 4 or 5 numbers, with commas between. ";" ends the line. False if damaged. */
static bool read_mappings(struct parsing *p, struct str text)
{
	struct segment_state s = { { 0 } };
	size_t at = 0;
	while (at < text.len && text.p[at] != ';') {
		unsigned count = 0;
		int64_t v;
		while (count < 5 && read_vlq(text, &at, &v)) {
			if (count < 4)
				s.fields[count] += v;
			count++;
		}
		if (count != 1 && count < 4)
			return false;
		source_map_add_row(p, &s, count >= 4);
		if (at < text.len && text.p[at] == ',')
			at++;
		else if (at < text.len && text.p[at] != ';')
			return false;
	}
	return true;
}

static void read_sources(struct parsing *p)
{
	enum json_token t = json_next(&p->in);
	if (t != JSON_ARRAY) {
		(void)json_rest(&p->in, t);
		return;
	}
	while ((t = json_next(&p->in)) != JSON_ARRAY_END && t != JSON_END) {
		if (t != JSON_STRING && t != JSON_NULL)
			(void)json_rest(&p->in, t);
		/* A source may be null. Absolute paths and URLs stay as they are. */
		const struct str s = t == JSON_STRING ? text_str(&p->in.text) : STR("");
		vec_push(&p->map->sources, (struct str){ arena_copy(&p->map->arena, s), s.len });
	}
}

/* Counts and removes references to sources that the map lacks. All its sources must be known. */
static void check_sources(struct parsing *p)
{
	struct source_map *m = p->map;
	for (size_t i = p->first_row; i < m->rows.count; i++) {
		struct line_origin *o = &m->origins.data[m->rows.data[i].who];
		if (o->file <= m->sources.count)
			continue;
		*o = (struct line_origin){ 0, 0 };
		m->damaged++;
	}
}

static void source_map_read_sections(struct parsing *p);

/* Reads a member of a map. `inner`: the map is that of a section, and cannot have sections. */
static void source_map_read_member(struct parsing *p, bool inner)
{
	const struct str key = text_str(&p->in.text);
	const bool mappings = str_eq(key, STR("mappings")), root = str_eq(key, STR("sourceRoot"));
	if (str_eq(key, STR("sources"))) {
		read_sources(p);
	} else if (str_eq(key, STR("sections")) && !inner) {
		source_map_read_sections(p);
	} else if (mappings || root) {
		const enum json_token t = json_next(&p->in);
		if (t != JSON_STRING) {
			(void)json_rest(&p->in, t);
			return;
		}
		if (root)
			p->root = str_of(arena_copy(&p->map->arena, text_str(&p->in.text)));
		else if (!read_mappings(p, text_str(&p->in.text)))
			p->problem = "its mappings are damaged";
		p->has_mappings |= mappings;
	} else {
		json_skip(&p->in);
	}
}

static void source_map_read(struct parsing *p, bool inner)
{
	p->first_source = p->map->sources.count;
	p->first_row = p->map->rows.count;
	p->root = STR("");
	while (json_next(&p->in) == JSON_KEY)
		source_map_read_member(p, inner);
	struct source_map *m = p->map;
	for (size_t i = p->first_source; i < m->sources.count && p->root.len > 0; i++) {
		const struct str s = m->sources.data[i];
		const char *between = str_ends(p->root, STR("/")) ? "" : "/";
		if (s.len == 0 || s.p[0] == '/')
			continue;
		m->sources.data[i] = str_of(arena_format(&m->arena, STR_FMT "%s" STR_FMT,
							 STR_ARG(p->root), between, STR_ARG(s)));
	}
	check_sources(p);
}

/* Reads the line and column at which the code of a section begins. */
static void read_offset(struct parsing *p)
{
	int64_t v;
	if (json_next(&p->in) != JSON_OBJECT)
		return;
	while (json_next(&p->in) == JSON_KEY) {
		const bool line = str_eq(text_str(&p->in.text), STR("line"));
		const bool column = str_eq(text_str(&p->in.text), STR("column"));
		const enum json_token t = json_next(&p->in);
		if (t == JSON_NUMBER && json_integer(&p->in, &v) && v >= 0) {
			p->skip |= line && v > 0;
			p->column = column ? (uint64_t)v : p->column;
		} else {
			(void)json_rest(&p->in, t);
		}
	}
}

/* Reads a section. If its map comes before its position, reads the map again. */
static void source_map_read_section(struct parsing *p)
{
	struct json_in map = { .depth = 0 };
	bool found = false;
	p->column = 0;
	p->skip = false;
	while (json_next(&p->in) == JSON_KEY) {
		if (str_eq(text_str(&p->in.text), STR("offset"))) {
			read_offset(p);
		} else if (str_eq(text_str(&p->in.text), STR("map"))) {
			const struct str s = json_rest(&p->in, json_next(&p->in));
			json_in_init(&map, (struct bytes){ (const uint8_t *)s.p, s.len });
			found = true;
		} else {
			json_skip(&p->in);
		}
	}
	if (!found)
		return;
	struct json_in outer = p->in;
	p->in = map;
	if (json_next(&p->in) == JSON_OBJECT)
		source_map_read(p, true);
	json_in_release(&p->in);
	p->in = outer;
}

static void source_map_read_sections(struct parsing *p)
{
	enum json_token t = json_next(&p->in);
	if (t != JSON_ARRAY) {
		(void)json_rest(&p->in, t);
		return;
	}
	while ((t = json_next(&p->in)) != JSON_ARRAY_END && t != JSON_END) {
		if (t == JSON_OBJECT)
			source_map_read_section(p);
		else
			(void)json_rest(&p->in, t);
	}
	p->first_source = p->map->sources.count;
	p->first_row = p->map->rows.count;
}

static uint64_t source_map_skip_space(struct bytes b, uint64_t i)
{
	while (i < b.size && b.p[i] != 0 && strchr(" \t\r\n", b.p[i]))
		i++;
	return i;
}

bool source_map_matches(struct bytes b)
{
	uint64_t i = source_map_skip_space(b, 0);
	if (i >= b.size || b.p[i] != '{')
		return false;
	i = source_map_skip_space(b, i + 1);
	return i < b.size && b.p[i] == '"';
}

bool source_map_parse(struct source_map *m, struct bytes b, const char **ret_problem,
		      uint64_t *ret_pos)
{
	struct parsing p = { .map = m, .root = STR("") };
	memset(m, 0, sizeof *m);
	json_in_init(&p.in, b);
	if (json_next(&p.in) == JSON_OBJECT)
		source_map_read(&p, false);
	else
		p.problem = "it is no object";
	/* A damaged map may have mappings of its own before its sections: checks all rows. */
	p.first_row = 0;
	check_sources(&p);
	if (p.in.bad)
		p.problem = p.in.problem;
	else if (!p.problem && !p.has_mappings)
		p.problem = "it has no mappings";
	*ret_problem = p.problem;
	*ret_pos = p.in.pos;
	json_in_release(&p.in);
	ASSERT(m->rows.count == m->origins.count);
	/* A row ends where the next one begins. If several rows have the same offset, only the last
	 * gets a size. */
	sort_by_key(m->rows.data, m->rows.count, sizeof *m->rows.data);
	uint64_t end = UINT64_MAX;
	for (size_t i = m->rows.count; i-- > 0;) {
		m->rows.data[i].end = end;
		end = m->rows.data[i].addr;
	}
	return p.problem == NULL;
}

void source_map_release(struct source_map *m)
{
	vec_release_all(&m->sources, &m->rows, &m->origins);
	arena_release(&m->arena);
}
