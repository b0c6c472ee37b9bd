/* An ELF file's DWARF: units, walks over them, functions and what was inlined, look-ups by
 * address. */
#include "debug/walk.h"
#include "program/symbolize.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_flat(const struct flat *f, uint64_t who_end)
{
	uint64_t end = 0;
	size_t near = 0;
	for (size_t i = 0; i < f->spans.count; i++) {
		const struct flat_span *s = &f->spans.data[i];
		ASSERT(s->size > 0 && (i == 0 || s->addr >= end));
		ASSERT(s->who < who_end && s->size <= UINT64_MAX - s->addr);
		end = s->addr + s->size;
		ASSERT(flat_find(f, s->addr) == s && flat_find(f, end - 1) == s);
		near = i * 7 % f->spans.count;
		ASSERT(flat_find_near(f, s->addr, &near) == s && near == i);
	}
}

static void check_scopes(const struct scopes *s, const struct unit *u)
{
	uint64_t off = 0;
	ASSERT(s->list.count <= u->size);
	for (size_t i = 0; i < s->list.count; i++) {
		const struct scope *scope = &s->list.data[i];
		ASSERT(scope->parent == SCOPE_NONE || scope->parent < i);
		ASSERT(scope->function < s->functions.count);
		ASSERT(scope->die_off > off && scope->die_off < unit_end(u));
		off = scope->die_off;
	}
	check_flat(&s->code, s->list.count);
}

struct walked {
	uint64_t strings, lists, depth;
};

static void on_string(void *ctx, enum dw_section table, uint64_t off)
{
	ASSERT(table < DW_SECTIONS);
	((struct walked *)ctx)->strings += off != DW_NO_OFFSET;
}

static void on_list(void *ctx, enum dw_section in, uint64_t off)
{
	ASSERT(in < DW_SECTIONS);
	((struct walked *)ctx)->lists += off != DW_NO_OFFSET;
}

static bool on_enter(void *ctx, const struct die *d, const struct reader *attrs)
{
	ASSERT(d->abbrev && attrs->pos > d->off);
	((struct walked *)ctx)->depth++;
	return d->off % 3 != 0;
}

static void on_leave(void *ctx, uint64_t end)
{
	(void)end;
	((struct walked *)ctx)->lists++;
}

static void walk_unit(const struct unit *u)
{
	struct walked sums = { 0 };
	const struct walker w = { .ctx = &sums,
				  .string = on_string,
				  .list = on_list,
				  .enter = on_enter,
				  .leave = on_leave };
	unit_walk(u, &w);
	ASSERT(sums.strings <= u->size && sums.depth <= u->size);
}

static void read_units(struct dwarf *d, enum dw_section in)
{
	struct abbrev_cache cache = { 0 };
	struct scopes scopes = { 0 };
	struct units units;
	struct unit u, again;
	uint64_t end = 0;
	size_t index;
	units_init(&units, d);
	const size_t count = units_count(&units, in);
	for (size_t i = 0; i < count; i++) {
		ASSERT(units_get(&units, in, i, &u) && u.off >= end && u.size > 0);
		end = unit_end(&u);
		ASSERT(units_around(&units, in, end - 1, &index) && index == i);
		if (u.signature != 0)
			ASSERT(units_by_signature(&units, u.signature, &again));
		if (!unit_open(&u, &cache, NULL))
			continue;
		walk_unit(&u);
		scopes_read(&scopes, &units, &u);
		check_scopes(&scopes, &u);
	}
	ASSERT(!units_get(&units, in, count, &u));
	if (in == DW_INFO && units_at_addr(&units, 0x1000, &index))
		ASSERT(index < count);
	check_flat(&units.addrs, UINT64_MAX);
	scopes_release(&scopes);
	units_release(&units);
	abbrev_cache_release(&cache);
}

static uint64_t look_up(struct symbolizer *s, uint64_t addr)
{
	struct symbolized at;
	uint64_t sum = 0;
	if (!symbolizer_find(s, addr, &at))
		return 0;
	ASSERT(at.frame_count <= 4096);
	for (size_t i = 0; i < at.frame_count; i++) {
		const struct frame *f = &at.frames[i];
		sum = 31 * sum + strlen(f->file) + f->line + f->column;
		if (f->function)
			sum += strlen(f->function->name.p) + strlen(f->function->linkage.p);
	}
	return sum + strlen(at.unit);
}

/* The same answers up and down. */
static void symbolize(struct debuginfo *info, uint64_t seed)
{
	struct symbolizer s;
	uint64_t up = 0, down = 0;
	symbolizer_init(&s, info);
	look_up(&s, seed);
	const uint64_t bias = info->windows.count
				      ? info->windows.data[0].vm - info->windows.data[0].addr
				      : 0;
	const size_t count = min_u64(s.units.addrs.spans.count, 64);
	for (size_t i = 0; i < count; i++) {
		const struct flat_span *span = &s.units.addrs.spans.data[i];
		for (uint64_t k = 0; k < 16; k++)
			up += look_up(&s, span->addr + bias + span->size * k / 16);
	}
	for (size_t i = count; i-- > 0;) {
		const struct flat_span *span = &s.units.addrs.spans.data[i];
		for (uint64_t k = 16; k-- > 0;)
			down += look_up(&s, span->addr + bias + span->size * k / 16);
	}
	ASSERT(up == down);
	symbolizer_release(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in;
	struct notes notes;
	struct debuginfo d;
	notes_init(&notes);
	if (input_parse(&in, "fuzz", (struct bytes){ data, size }, &notes, NULL)) {
		for (size_t i = 0; i < in.image_count; i++) {
			debuginfo_open(&d, &in.images[i], NULL, &notes);
			read_units(&d.dwarf, DW_INFO);
			read_units(&d.dwarf, DW_TYPES);
			symbolize(&d, size > 8 ? data[8] * UINT64_C(0x101010101) : 0);
			debuginfo_close(&d);
		}
		input_close(&in);
	}
	notes_release(&notes);
	return 0;
}
