#include "image/raw/raw_internal.h"

#include "base/sort.h"
#include "image/elf/elf_const.h"

/* ---- chunks ---------------------------------------------------------------------------------- */

void raw_put(struct raw_build *b, uint64_t addr, const uint8_t *p, uint64_t size)
{
	struct raw_chunk *last = b->chunks.count > 0 ? &b->chunks.data[b->chunks.count - 1] : NULL;
	const uint64_t off = b->bytes.count;
	if (size == 0)
		return;
	vec_reserve(&b->bytes, size);
	memcpy(b->bytes.data + off, p, size);
	b->bytes.count += size;
	if (last && last->addr + last->size == addr)
		last->size += size;
	else
		vec_push(&b->chunks, (struct raw_chunk){ addr, off, size });
}

/* Sorts chunks and cuts what one states of an address that another has; returns how many are
 * left. */
static size_t take_apart(struct raw_chunk *list, size_t count, const char *path,
			 struct notes *notes)
{
	uint64_t end = 0, twice = 0;
	size_t kept = 0;
	sort_by_key(list, count, sizeof *list);
	for (size_t i = 0; i < count; i++) {
		struct raw_chunk c = list[i];
		const uint64_t cut = kept > 0 && end > c.addr ? min_u64(end - c.addr, c.size) : 0;
		twice += cut;
		c.addr += cut;
		c.off += cut;
		c.size -= cut;
		if (c.size == 0)
			continue;
		end = c.addr + c.size;
		struct raw_chunk *last = kept > 0 ? &list[kept - 1] : NULL;
		if (last && last->addr + last->size == c.addr && last->off + last->size == c.off)
			last->size += c.size;
		else
			list[kept++] = c;
	}
	if (twice > 0)
		note(notes, path, HEFT_NO_OFFSET, twice,
		     "bytes are left out: others are at the same addresses");
	return kept;
}

void raw_take(struct raw *r, struct raw_chunk *list, size_t count, const char *path,
	      struct notes *notes)
{
	count = take_apart(list, count, path, notes);
	for (size_t i = 0; i < count && i < RAW_CHUNKS_MAX; i++)
		vec_push(&r->chunks, list[i]);
}

/* Chunks that touch become one, as their bytes are copied in order. */
static void add_copied(struct raw *r, uint64_t addr, uint64_t off, uint64_t size)
{
	struct raw_chunk *last = r->chunks.count > 0 ? &r->chunks.data[r->chunks.count - 1] : NULL;
	if (last && last->addr + last->size == addr)
		last->size += size;
	else if (r->chunks.count < RAW_CHUNKS_MAX)
		vec_push(&r->chunks, (struct raw_chunk){ addr, off, size });
}

void raw_finish(struct raw_build *b)
{
	struct raw *r = b->raw;
	const size_t count = take_apart(b->chunks.data, b->chunks.count, b->path, b->notes);
	uint64_t total = 0, named = 0;
	for (size_t i = 0; i < count; i++)
		total += b->chunks.data[i].size;
	uint8_t *copy = mem_alloc(total + 1);
	uint64_t at = 0;
	for (size_t i = 0; i < count; i++) {
		const struct raw_chunk *c = &b->chunks.data[i];
		memcpy(copy + at, b->bytes.data + c->off, c->size);
		add_copied(r, c->addr, at, c->size);
		at += c->size;
	}
	for (size_t i = 0; i < r->chunks.count; i++)
		named += r->chunks.data[i].size;
	if (named < total)
		vec_push(&r->parts,
			 (struct image_part){ named, total - named, "[further pieces]" });
	r->owned = copy;
	r->bytes = (struct bytes){ copy, total };
	vec_release(&b->chunks);
	vec_release(&b->bytes);
}

/* ---- text ------------------------------------------------------------------------------------ */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static struct str trimmed(struct str s)
{
	while (s.len > 0 && is_blank(s.p[0])) {
		s.p++;
		s.len--;
	}
	while (s.len > 0 && is_blank(s.p[s.len - 1]))
		s.len--;
	return s;
}

bool raw_line_next(struct raw_lines *l, struct str *ret)
{
	while (l->pos < l->text.len) {
		const char *start = l->text.p + l->pos;
		const size_t left = l->text.len - l->pos;
		const char *end = memchr(start, '\n', left);
		const size_t len = end ? (size_t)(end - start) : left;
		l->off = l->pos;
		l->pos += len + (end != NULL);
		l->line++;
		*ret = trimmed((struct str){ start, len });
		if (ret->len > 0)
			return true;
	}
	return false;
}

static int digit(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
				      : -1;
}

bool raw_hex(struct str digits, uint8_t ret[static RAW_RECORD_MAX], size_t *ret_count)
{
	if (digits.len % 2 != 0 || digits.len / 2 > RAW_RECORD_MAX)
		return false;
	*ret_count = digits.len / 2;
	for (size_t i = 0; i < *ret_count; i++) {
		const int high = digit(digits.p[2 * i]), low = digit(digits.p[2 * i + 1]);
		if (high < 0 || low < 0)
			return false;
		ret[i] = (uint8_t)(high * 16 + low);
	}
	return true;
}

uint8_t raw_sum(const uint8_t *p, size_t count)
{
	unsigned sum = 0;
	for (size_t i = 0; i < count; i++)
		sum += p[i];
	return (uint8_t)sum;
}

/* ---- padding --------------------------------------------------------------------------------- */

enum { RUN_MIN = 64, RUNS_MAX = 512 };

uint64_t raw_least_run(uint64_t size)
{
	return max_u64(RUN_MIN, size / RUNS_MAX);
}

/* Bytes from the start that are all zeros, or all 0xff. */
static uint64_t run_length(struct bytes b)
{
	uint64_t n = 0;
	if (b.size == 0 || (b.p[0] != 0 && b.p[0] != 0xff))
		return 0;
	while (n < b.size && b.p[n] == b.p[0])
		n++;
	return n;
}

void raw_runs(struct bytes b, uint64_t least, raw_run_fn fn, void *ctx)
{
	uint64_t start = 0, at = 0;
	while (at < b.size) {
		const uint64_t n = run_length(bytes_sub(b, at, b.size - at));
		if (n < least && n < b.size) {
			at += max_u64(n, 1);
			continue;
		}
		if (at > start)
			fn(ctx, start, at - start, false);
		fn(ctx, at, n, true);
		start = at += n;
	}
	if (at > start)
		fn(ctx, start, at - start, false);
}

/* ---- files ----------------------------------------------------------------------------------- */

static const struct {
	const char *format;
	bool (*matches)(struct bytes b);
	void (*parse_text)(struct raw_build *b, struct str text);
	void (*parse)(struct raw_build *b, struct bytes file);
} formats[] = {
	{ "Intel HEX", ihex_matches, ihex_parse, NULL },
	{ "S-record", srec_matches, srec_parse, NULL },
	{ "UF2", uf2_matches, NULL, uf2_parse },
};

bool raw_matches(struct bytes b)
{
	for (size_t i = 0; i < COUNT_OF(formats); i++)
		if (formats[i].matches(b))
			return true;
	return esp_matches(b);
}

static void parse_records(struct raw *r, const char *path, struct bytes b, struct notes *notes)
{
	struct raw_build build = { .raw = r, .path = path, .notes = notes };
	for (size_t i = 0; i < COUNT_OF(formats); i++) {
		if (!formats[i].matches(b))
			continue;
		r->format = formats[i].format;
		if (formats[i].parse)
			formats[i].parse(&build, b);
		else
			formats[i].parse_text(&build, (struct str){ (const char *)b.p, b.size });
		break;
	}
	raw_finish(&build);
}

bool raw_parse(struct raw *r, const char *path, struct bytes b, struct notes *notes,
	       struct heft_err *err)
{
	memset(r, 0, sizeof *r);
	if (esp_matches(b))
		esp_parse(r, path, b, notes);
	else
		parse_records(r, path, b, notes);
	return r->chunks.count > 0 || fail(err, HEFT_EFORMAT, HEFT_NO_OFFSET,
					   "%s: has no data: not one record is sound", path);
}

void raw_plain(struct raw *r, const char *path, struct bytes b, uint64_t base, struct notes *notes)
{
	*r = (struct raw){ .format = "raw", .bytes = b };
	struct raw_chunk all = { base, 0, min_u64(b.size, UINT64_MAX - base) };
	if (all.size < b.size)
		note(notes, path, all.size, b.size - all.size,
		     "%" PRIu64 " bytes lie beyond the end of the address space",
		     b.size - all.size);
	raw_take(r, &all, 1, path, notes);
}

void raw_release(struct raw *r)
{
	vec_release(&r->chunks);
	vec_release(&r->parts);
	mem_free(r->owned);
	memset(r, 0, sizeof *r);
}
