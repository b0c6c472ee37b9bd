/* Reads `.size` files. */
#include "snapshot/sizefile_internal.h"
#include "snapshot/sums.h"

#include "base/gzip.h"

/* Greatest size of the unpacked text: UNPACKED_MIN bytes, or UNPACKED_RATIO times the size of the
 * file. Refuses a larger one. Snapshots of libc.a, LLVM and cmake unpack to 4 to 8 times their
 * size. */
#define UNPACKED_MIN   (UINT64_C(4) << 20)
#define UNPACKED_RATIO 50

/* Least bytes of text per symbol: a digit and a separator each for address, size and path. The line
 * with its name is not counted. */
enum { SYMBOL_TEXT = 6 };

/* The unpacked text, read line by line */
struct sizefile_read_in {
	struct snapshot *s;
	const char *path;
	struct bytes text;
	uint64_t pos, line;   /* `line`: number of the last line read */
	uint64_t symbol_line; /* Number of the line with the first symbol */
	struct sizefile_head head;
	struct notes *notes;
	struct heft_err *err;
	VEC(uint32_t) objects, sources, components; /* Per index in the file: text id */
	bool uncharged; /* True to skip the charges (struct snap_charge) */
	bool failed;
};

static bool sizefile_read_bad(struct sizefile_read_in *in, const char *problem)
{
	if (!in->failed)
		fail(in->err, HEFT_EFORMAT, HEFT_NO_OFFSET, "%s: line %" PRIu64 ": %s", in->path,
		     in->line, problem);
	in->failed = true;
	return false;
}

/* Returns the next line without its end. If there is none, fails and returns "". */
static struct str sizefile_read_next_line(struct sizefile_read_in *in)
{
	const char *from = (const char *)in->text.p + in->pos;
	const uint64_t left = in->text.size - in->pos;
	in->line++;
	if (in->failed || left == 0) {
		sizefile_read_bad(in, "the file ends before its symbols do");
		return STR("");
	}
	const char *end = memchr(from, '\n', left);
	const uint64_t size = end ? (uint64_t)(end - from) : left;
	in->pos += end ? size + 1 : size;
	return (struct str){ from, size };
}

/* Reads the number at the start of *s and moves *s after it. False if there is none. */
static bool sizefile_read_take_number(struct str *s, int64_t *ret)
{
	enum { SAFE = 19 }; /* A number with this many digits does not overflow */
	const bool minus = s->len > 0 && s->p[0] == '-';
	uint64_t v = 0;
	size_t i = minus;
	for (unsigned digit; i < s->len && (digit = (uint8_t)s->p[i] - (unsigned)'0') < 10; i++) {
		if (UNLIKELY(i >= SAFE) && v > (UINT64_MAX - digit) / 10)
			return false;
		v = v * 10 + digit;
	}
	if (i == minus)
		return false;
	*ret = (int64_t)(minus ? 0 - v : v);
	s->p += i;
	s->len -= i;
	return true;
}

/* Reads a line with a count of items. Fails if fewer bytes are left than items. */
static uint64_t sizefile_read_count(struct sizefile_read_in *in)
{
	struct str s = sizefile_read_next_line(in);
	int64_t v = 0;
	if (!in->failed && (!sizefile_read_take_number(&s, &v) || s.len > 0 || v < 0))
		sizefile_read_bad(in, "a count is wanted here");
	else if (!in->failed && (uint64_t)v > in->text.size - in->pos)
		sizefile_read_bad(in, "a count is larger than what follows");
	return in->failed ? 0 : (uint64_t)v;
}

/* Reads a line with a number per symbol of the section, and passes each to `put`. With `delta`,
 * they are differences, which are summed up. */
static void
sizefile_read_numbers(struct sizefile_read_in *in, const struct snap_section *sec, bool delta,
		      bool (*put)(struct sizefile_read_in *, struct snap_symbol *, int64_t))
{
	struct str s = sizefile_read_next_line(in);
	uint64_t last = 0;
	for (uint64_t i = 0; i < sec->count && !in->failed; i++) {
		int64_t v;
		if (i > 0 && s.len > 0 && s.p[0] == ' ')
			s.p++, s.len--;
		if (!sizefile_read_take_number(&s, &v)) {
			sizefile_read_bad(in, "a number is missing or damaged");
			return;
		}
		last = delta ? last + (uint64_t)v : (uint64_t)v;
		if (!put(in, &in->s->symbols.data[sec->first + i], (int64_t)last))
			return;
	}
	if (s.len > 0)
		sizefile_read_bad(in, "more numbers than symbols");
}

static bool sizefile_read_put_addr(struct sizefile_read_in *in, struct snap_symbol *y, int64_t v)
{
	(void)in;
	y->addr = (uint64_t)v;
	return true;
}

static bool sizefile_read_put_size(struct sizefile_read_in *in, struct snap_symbol *y, int64_t v)
{
	(void)in;
	y->size = (uint64_t)v; /* Of an overhead symbol, this is the padding, which
			        * settle_overhead() moves */
	return true;
}

static bool put_padding(struct sizefile_read_in *in, struct snap_symbol *y, int64_t v)
{
	(void)in;
	y->padding = v;
	return true;
}

static bool sizefile_read_put_path(struct sizefile_read_in *in, struct snap_symbol *y, int64_t v)
{
	if ((uint64_t)v >= in->objects.count)
		return sizefile_read_bad(in, "a path index is out of range");
	y->object = in->objects.data[v];
	y->source = in->sources.data[v];
	return true;
}

static bool put_component(struct sizefile_read_in *in, struct snap_symbol *y, int64_t v)
{
	if ((uint64_t)v >= in->components.count)
		return sizefile_read_bad(in, "a component index is out of range");
	y->component = in->components.data[v];
	return true;
}

static void sizefile_read_header(struct sizefile_read_in *in)
{
	const char *problem = NULL;
	uint64_t at = 0;
	if (!str_eq(sizefile_read_next_line(in), STR(SIZEFILE_CREATED)))
		sizefile_read_bad(in, "not a .size file: its first line differs");
	const struct str version = sizefile_read_next_line(in);
	in->head.several = str_eq(version, STR(SIZEFILE_V1_1));
	if (!in->head.several && !str_eq(version, STR(SIZEFILE_V1)))
		sizefile_read_bad(in, "a version of the .size format that heft does not know");
	const uint64_t size = sizefile_read_count(in);
	const struct bytes json = bytes_sub(in->text, in->pos, size);
	if (in->failed)
		return;
	if (!sizefile_json_read(in->s, &in->head, json, &at, &problem)) {
		for (uint64_t i = 0; i < at && i < json.size; i++)
			in->line += json.p[i] == '\n';
		in->line++;
		sizefile_read_bad(in, problem);
		return;
	}
	for (uint64_t i = 0; i < json.size; i++)
		in->line += json.p[i] == '\n';
	in->pos += size;
	if (sizefile_read_next_line(in).len != 0)
		sizefile_read_bad(in, "the JSON text has another length than stated");
	in->s->has_components = in->head.has_components;
	in->s->stored_padding = in->head.has_padding;
}

static void read_paths(struct sizefile_read_in *in)
{
	const uint64_t count = sizefile_read_count(in);
	for (uint64_t i = 0; i < count && !in->failed; i++) {
		const struct str s = sizefile_read_next_line(in);
		const char *tab = s.len > 0 ? memchr(s.p, '\t', s.len) : NULL;
		const size_t first = tab ? (size_t)(tab - s.p) : s.len;
		const struct str source = { s.p + first + (tab != NULL),
					    s.len - first - (tab != NULL) };
		vec_push(&in->objects, intern_add(&in->s->texts, (struct str){ s.p, first }));
		vec_push(&in->sources, intern_add(&in->s->texts, source));
	}
}

static void read_components(struct sizefile_read_in *in)
{
	const uint64_t count = in->head.has_components ? sizefile_read_count(in) : 0;
	for (uint64_t i = 0; i < count && !in->failed; i++)
		vec_push(&in->components, intern_add(&in->s->texts, sizefile_read_next_line(in)));
}

/* Returns the field before the next tab, and moves *s after the tab. */
static struct str take_field(struct str *s)
{
	const char *tab = s->len > 0 ? memchr(s->p, '\t', s->len) : NULL;
	const size_t size = tab ? (size_t)(tab - s->p) : s->len;
	const struct str field = { s->p, size };
	s->p += size + (tab != NULL);
	s->len -= size + (tab != NULL);
	return field;
}

/* Reads the name of a segment: "<2>.text" or ".text". */
static bool read_segment_name(struct sizefile_read_in *in, struct str field, uint32_t *ret)
{
	int64_t container = 0;
	if (in->head.several) {
		field.p++;
		if (field.len-- == 0 || !sizefile_read_take_number(&field, &container) ||
		    container < 0 || (uint64_t)container >= in->s->containers.count ||
		    field.len == 0 || field.p[0] != '>')
			return sizefile_read_bad(in, "a segment names no container");
		field.p++;
		field.len--;
	}
	const char *name = arena_copy(&in->s->arena, field);
	const size_t before = in->s->sections.count;
	*ret = snapshot_section(in->s, (uint32_t)container, name);
	return in->s->sections.count > before || sizefile_read_bad(in, "a segment occurs twice");
}

static void sizefile_read_segments(struct sizefile_read_in *in)
{
	struct str names = sizefile_read_next_line(in);
	struct str counts = sizefile_read_next_line(in);
	uint64_t total = 0;
	while (!in->failed && (names.len > 0 || counts.len > 0)) {
		struct str digits = take_field(&counts);
		int64_t count;
		uint32_t section;
		if (!read_segment_name(in, take_field(&names), &section))
			return;
		/* Each symbol has a line, so the text bounds the count. */
		if (!sizefile_read_take_number(&digits, &count) || digits.len > 0 || count < 0 ||
		    (uint64_t)count > in->text.size - total) {
			sizefile_read_bad(in, "the count of a segment is damaged");
			return;
		}
		in->s->sections.data[section].first = total;
		in->s->sections.data[section].count = (uint64_t)count;
		total += (uint64_t)count;
	}
	if (in->failed || total > (in->text.size - in->pos) / SYMBOL_TEXT) {
		sizefile_read_bad(in, "the segments have more symbols than the file");
		return;
	}
	/* Zeroed pages take no memory until they are used. */
	in->s->symbols.data = mem_zeroed(total + 1, sizeof *in->s->symbols.data);
	in->s->symbols.cap = total + 1;
	in->s->symbols.count = total;
}

static void sizefile_read_columns(struct sizefile_read_in *in, bool delta,
				  bool (*put)(struct sizefile_read_in *, struct snap_symbol *,
					      int64_t))
{
	for (size_t i = 0; i < in->s->sections.count && !in->failed; i++)
		sizefile_read_numbers(in, &in->s->sections.data[i], delta, put);
}

static bool take_hex(struct str field, uint64_t most, uint64_t *ret)
{
	*ret = 0;
	for (size_t i = 0; i < field.len; i++) {
		const char c = field.p[i];
		const int lower = c | 0x20;
		const int digit = c >= '0' && c <= '9'           ? c - '0'
				  : lower >= 'a' && lower <= 'f' ? lower - 'a' + 10
								 : -1;
		if (digit < 0 || *ret > most >> 4)
			return false;
		*ret = *ret << 4 | (uint64_t)digit;
	}
	return field.len > 0 && *ret <= most;
}

/* Reads the optional fields after the name, in hex: "0" and the number of aliases; then flags. */
static bool sizefile_read_fields(struct sizefile_read_in *in, struct str rest,
				 struct snap_symbol *y, uint64_t *ret_aliases)
{
	uint64_t flags = 0;
	*ret_aliases = 1;
	struct str field = take_field(&rest);
	if (field.len > 0 && field.p[0] == '0') {
		if (!take_hex(field, UINT32_MAX, ret_aliases) || *ret_aliases == 0)
			return sizefile_read_bad(in, "a count of aliases is damaged");
		field = take_field(&rest);
	}
	if (field.len > 0 && !take_hex(field, UINT16_MAX, &flags))
		return sizefile_read_bad(in, "flags of a symbol are damaged");
	y->flags = (uint16_t)flags;
	return true;
}

/* Reads the symbols of a section. Cuts a group of aliases (symbols that share bytes) at its end. */
static void sizefile_read_symbols(struct sizefile_read_in *in, const struct snap_section *sec)
{
	uint64_t open = 0, aliases; /* `open`: number of symbols that the current alias list
				     * still lacks */
	for (uint64_t i = 0; i < sec->count && !in->failed; i++) {
		struct snap_symbol *y = &in->s->symbols.data[sec->first + i];
		struct str rest = sizefile_read_next_line(in);
		y->section = (uint32_t)(sec - in->s->sections.data);
		y->full_name = intern_add(&in->s->texts, take_field(&rest));
		if (!sizefile_read_fields(in, rest, y, &aliases))
			return;
		if (open > 0 && aliases > 1) {
			sizefile_read_bad(in, "an alias list begins inside another");
			return;
		}
		if (open == 0) {
			aliases = min_u64(aliases, sec->count - i);
			y->alias_count = (uint32_t)aliases;
			open = aliases - 1;
			continue;
		}
		y->alias_count = y[-1].alias_count;
		y->alias_place = y[-1].alias_place + 1;
		open--;
	}
}

static void read_disassembly(struct sizefile_read_in *in)
{
	struct str numbers = in->head.has_disassembly ? sizefile_read_next_line(in) : STR("");
	int64_t symbol;
	while (!in->failed && numbers.len > 0) {
		if (!sizefile_read_take_number(&numbers, &symbol) ||
		    (uint64_t)symbol >= in->s->symbols.count) {
			sizefile_read_bad(in, "disassembly of a symbol that is not there");
			return;
		}
		if (numbers.len > 0 && numbers.p[0] == ' ')
			numbers.p++, numbers.len--;
		const uint64_t size = sizefile_read_count(in);
		const struct bytes b = bytes_sub(in->text, in->pos, size);
		in->pos += b.size;
		in->s->symbols.data[symbol].disassembly = intern_add(
			&in->s->texts, (struct str){ (const char *)b.p, b.size });
	}
}

typedef VEC(uint32_t) text_ids;

/* Consecutive charges with the same number in a column */
struct charge_run {
	struct snap_charge *first, *end;
	uint64_t number;
};

/* Sets the names of charges. *names: number of the last text that was the name of an earlier
 * charge. Number 2 means the text after it. False if a number is out of range. */
static bool charge_names_set(const struct sizefile_read_in *in, const text_ids *texts,
			     uint64_t *names, const struct charge_run *r)
{
	for (struct snap_charge *c = r->first; c < r->end; c++) {
		const uint64_t text = r->number == 2 ? ++*names : r->number - 2;
		if (r->number < 2 ? c->symbol == SNAP_NO_SYMBOL : text >= texts->count)
			return false;
		c->name = r->number == 0   ? in->s->symbols.data[c->symbol].full_name
			  : r->number == 1 ? SNAP_PLAIN_NAME
					   : texts->data[text];
	}
	return true;
}

/* Sets snap_charge.symbol. The line has the difference between the index of a charge's symbol and
 * that of the charge before. `last`: index of that symbol plus 1, or 0 if there is none. False if
 * an index is out of range. */
static bool charge_symbols_set(const struct sizefile_read_in *in, uint64_t *last,
			       const struct charge_run *r)
{
	for (struct snap_charge *c = r->first; c < r->end; c++) {
		*last += r->number;
		if (*last > in->s->symbols.count)
			return false;
		c->symbol = *last == 0 ? SNAP_NO_SYMBOL : (uint32_t)(*last - 1);
	}
	return true;
}

/* Sets a member (the column) of some struct snap_charge to a number. False if it is out of range.
 */
static bool charge_numbers_set(const struct sizefile_read_in *in, const text_ids *texts,
			       unsigned column, const struct charge_run *r)
{
	const uint64_t v = r->number;
	ASSERT(texts->count > 0 && in->s->containers.count > 0);
	const uint64_t last = column == CHARGE_FILE || column == CHARGE_VM ? UINT64_MAX
			      : column == CHARGE_CONTAINER ? in->s->containers.count - 1
			      : column == CHARGE_DEBUG     ? 1
							   : texts->count - 1;
	const uint32_t text = v < texts->count ? texts->data[v] : 0;
	for (struct snap_charge *c = r->first; c < r->end && v <= last; c++)
		switch (column) {
		case CHARGE_FILE: c->file = v; break;
		case CHARGE_VM: c->vm = c->file - v; break;
		case CHARGE_SPACE: c->space = text; break;
		case CHARGE_SOURCE: c->source = text; break;
		case CHARGE_OBJECT: c->object = text; break;
		case CHARGE_COMPONENT: c->component = text; break;
		case CHARGE_PACKAGE: c->package = text; break;
		case CHARGE_CONTAINER: c->container = (uint32_t)v; break;
		default: c->debug = v == 1; break;
		}
	return v <= last;
}

/* Reads a number and how many charges (at most `most`) have it: "7*3" is 7 for three charges, "7"
 * for one. `alone`: true for file sizes, which are written for each charge. So a charge takes at
 * least two bytes of the file, which limits the number of charges. */
static bool charge_run_read(struct str *s, bool alone, uint64_t most, int64_t *ret,
			    int64_t *ret_count)
{
	*ret_count = 1;
	if (!sizefile_read_take_number(s, ret))
		return false;
	if (alone || s->len == 0 || s->p[0] != '*')
		return true;
	s->p++, s->len--;
	return sizefile_read_take_number(s, ret_count) && *ret_count > 0 &&
	       (uint64_t)*ret_count <= most;
}

/* Reads a line with one number per charge (struct snap_charge). `names`: number of the last text
 * before those that are names of charges. */
static void read_charge_column(struct sizefile_read_in *in, const text_ids *texts, uint64_t names,
			       unsigned column)
{
	struct str s = sizefile_read_next_line(in);
	const uint64_t count = in->s->charges.count;
	uint64_t last = 0;
	for (uint64_t i = 0, end; i < count && !in->failed; i = end) {
		int64_t v, same;
		if (i > 0 && s.len > 0 && s.p[0] == ' ')
			s.p++, s.len--;
		if (!charge_run_read(&s, column == CHARGE_FILE, count - i, &v, &same)) {
			sizefile_read_bad(in, "a number of a charge is missing or damaged");
			return;
		}
		end = i + (uint64_t)same;
		struct snap_charge *list = in->s->charges.data;
		const struct charge_run r = { list + i, list + end, (uint64_t)v };
		if (!(column == CHARGE_NAME     ? charge_names_set(in, texts, &names, &r)
		      : column == CHARGE_SYMBOL ? charge_symbols_set(in, &last, &r)
						: charge_numbers_set(in, texts, column, &r)))
			sizefile_read_bad(in, "a number of a charge is out of range");
	}
	if (s.len > 0)
		sizefile_read_bad(in, "more numbers than charges");
}

/* Fails if the sums over all charges overflow. */
static void check_charges(struct sizefile_read_in *in)
{
	uint64_t file = 0, vm = 0;
	for (size_t i = 0; i < in->s->charges.count; i++) {
		file = add_sat(file, in->s->charges.data[i].file);
		vm = add_sat(vm, in->s->charges.data[i].vm);
	}
	if (file > INT64_MAX || vm == UINT64_MAX)
		sizefile_read_bad(in, "the charges are more than a file can hold");
}

static void read_charges(struct sizefile_read_in *in)
{
	text_ids texts = { 0 };
	if (in->head.charges == 0)
		return;
	vec_push(&texts, 0);
	const uint64_t places = sizefile_read_count(in), count = sizefile_read_count(in);
	for (uint64_t i = 0; i < count && !in->failed; i++)
		vec_push(&texts, intern_add(&in->s->texts, sizefile_read_next_line(in)));
	/* Each file size takes at least two bytes: a digit, and a blank or line end. */
	if (in->head.charges > (in->text.size - in->pos) / 2)
		sizefile_read_bad(in, "there are more charges than the file has room for");
	for (uint64_t i = 0; i < in->head.charges && !in->failed; i++)
		vec_push(&in->s->charges, (struct snap_charge){ .symbol = SNAP_NO_SYMBOL });
	for (unsigned column = 0; column < CHARGE_COLUMNS && !in->failed; column++)
		if (column != CHARGE_PACKAGE || in->pos < in->text.size)
			read_charge_column(in, &texts, places, column);
	if (!in->failed)
		check_charges(in);
	vec_release(&texts);
}

/* Moves the size of an overhead symbol to its padding. */
static bool settle_overhead(struct sizefile_read_in *in, struct snap_symbol *y)
{
	if (!in->s->stored_padding)
		y->padding = (int64_t)y->size;
	y->size -= (uint64_t)y->padding;
	return (int64_t)y->size >= 0 ||
	       sizefile_read_bad(in, "an overhead symbol is smaller than its padding");
}

static bool settle_symbol(struct sizefile_read_in *in, struct snap_symbol *y,
			  const struct snap_symbol *before)
{
	const struct snapshot *s = in->s;
	if (snap_is_overhead(snapshot_text(s, y->full_name)))
		return settle_overhead(in, y);
	if (s->stored_padding)
		return true;
	if ((int64_t)y->size < 0)
		return sizefile_read_bad(in, "a symbol has a negative size");
	if (before && (before->section != y->section ||
		       !snap_segment_is_native(s->sections.data[y->section].name)))
		before = NULL;
	if (before && y->alias_place > 0 && y->addr == before->addr && (int64_t)y->addr > 0)
		y->size = before->size;
	switch (snap_gap(y, before, &y->padding)) {
	case SNAP_TWICE:
		return sizefile_read_bad(in, "two symbols at one address that are no aliases");
	case SNAP_INSIDE: return sizefile_read_bad(in, "a symbol lies inside the one before it");
	default: return true;
	}
}

static void settle_padding(struct sizefile_read_in *in)
{
	struct snap_symbol *y = in->s->symbols.data;
	for (size_t i = 0; i < in->s->symbols.count && !in->failed; i++) {
		in->line = in->symbol_line + i;
		if (!settle_symbol(in, &y[i], i > 0 ? &y[i - 1] : NULL))
			return;
	}
}

/* Moves a segment's symbols from `first` on to one of the sections that heft's JSON member
 * lists. */
static bool sizefile_read_move_symbols(struct sizefile_read_in *in,
				       const struct snap_section *segments, uint64_t first,
				       const struct snap_section *like)
{
	struct snapshot *s = in->s;
	const size_t known = s->sections.count;
	if (like->container >= s->containers.count || like->count > s->symbols.count - first)
		return false;
	const uint32_t section = snapshot_section_like(s, like);
	struct snap_section *sec = &s->sections.data[section];
	sec->size = like->size;
	sec->first = first;
	sec->count = like->count;
	const struct snap_section *last = NULL;
	for (uint64_t i = first; i < first + like->count; i++) {
		const struct snap_section *segment = &segments[s->symbols.data[i].section];
		if (segment != last && (segment->container != like->container ||
					strcmp(segment->name, snap_segment(sec)) != 0))
			return false;
		last = segment;
		s->symbols.data[i].section = section;
	}
	return section == known && (like->sums == NULL || sums_read(s, sec, str_of(like->sums)));
}

/* Replaces the segments by the sections that the JSON member of heft lists. */
static void split_segments(struct sizefile_read_in *in)
{
	struct snapshot *s = in->s;
	struct snap_section *segments = s->sections.data;
	uint64_t first = 0;
	bool fine = true;
	s->sections.data = NULL;
	s->sections.count = s->sections.cap = 0;
	intern_release(&s->section_keys);
	for (size_t i = 0; i < in->head.sections.count && fine; i++) {
		fine = sizefile_read_move_symbols(in, segments, first, &in->head.sections.data[i]);
		first += in->head.sections.data[i].count;
	}
	if (!fine || first != s->symbols.count)
		sizefile_read_bad(in, "the sections noted by heft are not those of the symbols");
	for (size_t i = 0; i < s->containers.count; i++)
		vec_release(&s->containers.data[i].section_sizes);
	mem_free(segments);
}

static void sizefile_read_take_stacks(struct sizefile_read_in *in)
{
	struct snapshot *s = in->s;
	uint64_t at = 0;
	for (size_t i = 0; i + 2 < in->head.stacks.count; i += 3) {
		const uint32_t *v = in->head.stacks.data + i;
		at += v[0];
		if (at >= s->symbols.count) {
			sizefile_read_bad(
				in, "stacks noted by heft are of more symbols than there are");
			return;
		}
		s->symbols.data[at].stack = v[1] + 1;
		s->symbols.data[at++].stack_besides = (uint8_t)v[2];
	}
}

/* For files of other tools: sets the sizes of sections to those that the file states by name. */
static void take_sizes(struct snapshot *s)
{
	for (uint32_t i = 0; i < s->containers.count; i++) {
		const struct snap_container *c = &s->containers.data[i];
		for (size_t k = 0; k < c->section_sizes.count; k++) {
			const uint32_t found = snapshot_find_section(s, i,
								     c->section_sizes.data[k].name);
			if (found != SNAP_NO_SECTION)
				s->sections.data[found].size = c->section_sizes.data[k].size;
		}
	}
}

static void sizefile_read_body(struct sizefile_read_in *in)
{
	read_paths(in);
	if (in->failed || in->objects.count == 0)
		return; /* There are no symbols */
	read_components(in);
	sizefile_read_segments(in);
	sizefile_read_columns(in, true, sizefile_read_put_addr);
	sizefile_read_columns(in, false, sizefile_read_put_size);
	if (in->head.has_padding)
		sizefile_read_columns(in, false, put_padding);
	sizefile_read_columns(in, true, sizefile_read_put_path);
	if (in->head.has_components)
		sizefile_read_columns(in, true, put_component);
	in->symbol_line = in->line + 1;
	for (size_t i = 0; i < in->s->sections.count && !in->failed; i++)
		sizefile_read_symbols(in, &in->s->sections.data[i]);
	if (!in->failed)
		read_disassembly(in);
	const bool passed = in->uncharged && in->head.charges > 0;
	if (!in->failed && !passed)
		read_charges(in);
	if (!in->failed && !passed && in->pos < in->text.size)
		note(in->notes, in->path, HEFT_NO_OFFSET, in->text.size - in->pos,
		     "bytes behind the last symbol are ignored");
	if (!in->failed)
		settle_padding(in);
}

static bool sizefile_read_text(struct sizefile_read_in *in)
{
	struct snapshot *s = in->s;
	snapshot_init(s);
	sizefile_read_header(in);
	if (!in->failed)
		sizefile_read_body(in);
	if (!in->failed && s->by_heft)
		split_segments(in);
	else if (!in->failed)
		take_sizes(s);
	if (!in->failed)
		sizefile_read_take_stacks(in);
	ASSERT(in->failed || in->pos <= in->text.size);
	vec_release_all(&in->head.sections, &in->head.stacks, &in->objects, &in->sources,
			&in->components);
	if (in->failed)
		snapshot_release(s);
	return !in->failed;
}

static bool sizefile_read_packed(struct sizefile_read_in *in)
{
	const struct bytes b = in->text;
	struct heft_err why;
	if (!gzip_matches(b))
		return sizefile_read_text(in);
	const uint64_t most = max_u64(UNPACKED_MIN, b.size * UNPACKED_RATIO);
	if (!gzip_unpack(b, most, &in->text, NULL, &why))
		return fail(in->err, HEFT_EFORMAT, why.offset, "%s: %s", in->path, why.text);
	void *const unpacked = (void *)(uintptr_t)in->text.p;
	const bool ok = sizefile_read_text(in);
	mem_free(unpacked);
	return ok;
}

bool sizefile_read(struct snapshot *ret, const char *path, struct bytes b, struct notes *notes,
		   struct heft_err *err)
{
	return sizefile_read_packed(&(struct sizefile_read_in){
		.s = ret, .path = path, .text = b, .notes = notes, .err = err });
}

bool sizefile_read_uncharged(struct snapshot *ret, const char *path, struct bytes b,
			     struct notes *notes, struct heft_err *err)
{
	return sizefile_read_packed(&(struct sizefile_read_in){
		.s = ret, .path = path, .text = b, .notes = notes, .err = err, .uncharged = true });
}
