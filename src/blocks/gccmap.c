#include "blocks/gccmap.h"

#include "base/vec.h"
#include "blocks/bbmap.h"

#include <stdarg.h>
#include <stdio.h>

enum { NO_ID = UINT32_MAX };

struct block {
	uint32_t id;     /* gcc's, or NO_ID: code in front of the first block that gcc names */
	uint32_t number; /* of its labels */
	uint32_t flags;  /* BBMAP_* */
	bool code;       /* it has instructions */
};

struct range {
	size_t first; /* in blocks */
	struct str section;
};

struct filter {
	struct text *out;
	struct text tail;          /* what came since the last instruction, and is no instruction */
	struct str section, typed; /* where we are; the name that the last .type told of */
	char type_mark;            /* '@' or '%' */
	struct str name;           /* of the function at hand, len 0: none */
	VEC(struct range) ranges;
	VEC(struct block) blocks;
	bool open;   /* the last block goes on */
	bool inside; /* inline assembly */
	uint32_t labels;
	uint64_t functions;
};

/* ---- words of a line ------------------------------------------------------------------------- */

static bool is_space(char c)
{
	return c == ' ' || c == '\t';
}

static struct str skip(struct str s, size_t n)
{
	return (struct str){ s.p + n, s.len - n };
}

static struct str trim(struct str s)
{
	while (s.len > 0 && is_space(s.p[0]))
		s = skip(s, 1);
	while (s.len > 0 && (is_space(s.p[s.len - 1]) || s.p[s.len - 1] == '\n'))
		s.len--;
	return s;
}

/* The text of a comment that begins its line; len 0: the line is none. */
static struct str comment(struct str line)
{
	size_t n = 0;
	while (n < line.len && (line.p[n] == '#' || line.p[n] == '/' || line.p[n] == '@' ||
				line.p[n] == ';' || line.p[n] == '!' || line.p[n] == '|'))
		n++;
	return n > 0 ? trim(skip(line, n)) : (struct str){ "", 0 };
}

/* What follows a directive, such as ".size"; len 0: the line is another one. */
static struct str directive(struct str line, struct str name)
{
	const struct str s = trim(line);
	return str_starts(s, name) && s.len > name.len && is_space(s.p[name.len])
		       ? trim(skip(s, name.len))
		       : (struct str){ "", 0 };
}

/* Up to the next `end`, which is cut off too; quoted text is not looked into. */
static struct str cut(struct str *rest, char end)
{
	size_t n = 0;
	bool quoted = false;
	while (n < rest->len && (quoted || rest->p[n] != end))
		quoted ^= rest->p[n++] == '"';
	const struct str part = trim((struct str){ rest->p, n });
	*rest = skip(*rest, n < rest->len ? n + 1 : n);
	return part;
}

/* ---- what gcc says of a block ---------------------------------------------------------------- */

static bool has_word(struct str list, struct str word)
{
	while (list.len > 0)
		if (str_eq(cut(&list, ','), word))
			return true;
	return false;
}

/* "EXIT [always]  count:1 (estimated locally) (ABNORMAL,SIBCALL) 5 [..] (FALLTHRU)": edges, each
 * with the block at its other end, and flags in capitals. */
static uint32_t flags_of_edges(struct str s, bool from)
{
	uint32_t flags = 0;
	bool to_exit = false;
	while (s.len > 0) {
		const struct str word = cut(&s, ' ');
		if (word.len == 0)
			continue;
		if (str_eq(word, STR("EXIT"))) {
			to_exit = true;
			flags |= from ? 0 : BBMAP_RETURN;
		} else if (word.p[0] >= '0' && word.p[0] <= '9') {
			to_exit = false;
		} else if (word.len > 2 && word.p[0] == '(' && word.p[1] >= 'A' &&
			   word.p[1] <= 'Z') {
			struct str list = { word.p + 1, word.len - 2 };
			if (from)
				flags |= has_word(list, STR("EH")) ? BBMAP_LANDING_PAD : 0;
			else if (to_exit)
				flags |= has_word(list, STR("SIBCALL")) ? BBMAP_TAIL_CALL : 0;
			else
				flags |= has_word(list, STR("FALLTHRU")) ? BBMAP_FALL_THROUGH : 0;
		}
	}
	return flags;
}

/* x86 and AArch64; a jump that leaves the function is a tail call. */
static bool is_indirect_jump(struct str line)
{
	struct str s = trim(line);
	struct str word = cut(&s, s.len > 0 && memchr(s.p, '\t', s.len) ? '\t' : ' ');
	if (str_eq(word, STR("notrack")))
		word = cut(&s, memchr(s.p, '\t', s.len) ? '\t' : ' ');
	if (str_eq(word, STR("notrack jmp")))
		word = STR("jmp");
	return (str_eq(word, STR("jmp")) && s.len > 0 && trim(s).p[0] == '*') ||
	       str_eq(word, STR("br"));
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static void PRINTF_LIKE(2, 3) add(struct text *t, const char *fmt, ...)
{
	char line[160];
	va_list args;
	va_start(args, fmt);
	const int size = vsnprintf(line, sizeof line, fmt, args);
	va_end(args);
	ASSERT(size >= 0 && (size_t)size < sizeof line);
	text_add(t, (struct str){ line, (size_t)size });
}

static void flush_tail(struct filter *f)
{
	text_add(f->out, text_str(&f->tail));
	f->tail.len = 0;
}

/* The end of a block is behind its last instruction, in front of what pads the next one. */
static void close_block(struct filter *f)
{
	if (f->open && f->blocks.data[f->blocks.count - 1].code)
		add(f->out, ".LHEFTE%" PRIu32 ":\n", f->blocks.data[f->blocks.count - 1].number);
	f->open = false;
	flush_tail(f);
}

static void open_block(struct filter *f, uint32_t id)
{
	struct block *last = f->open ? &f->blocks.data[f->blocks.count - 1] : NULL;
	if (last && last->id == NO_ID && id != NO_ID) {
		last->id = id;
		return;
	}
	/* What is caught in a block without instructions is caught in the next one. */
	const uint32_t pad = last && !last->code ? last->flags & BBMAP_LANDING_PAD : 0;
	close_block(f);
	vec_push(&f->blocks, (struct block){ .id = id, .number = f->labels++, .flags = pad });
	f->open = true;
}

static void open_range(struct filter *f)
{
	close_block(f);
	vec_push(&f->ranges, (struct range){ f->blocks.count, f->section });
	open_block(f, NO_ID);
}

/* Blocks of a range that count. */
static bool is_real(const struct block *b)
{
	return b->code && b->id != NO_ID;
}

static size_t range_end(const struct filter *f, size_t i)
{
	return i + 1 < f->ranges.count ? f->ranges.data[i + 1].first : f->blocks.count;
}

static size_t count_blocks(const struct filter *f, size_t range)
{
	size_t count = 0;
	for (size_t i = f->ranges.data[range].first; i < range_end(f, range); i++)
		count += is_real(&f->blocks.data[i]);
	return count;
}

static void put_section(struct filter *f, struct str section)
{
	struct str rest = section;
	const struct str name = cut(&rest, ','), flags = cut(&rest, ',');
	cut(&rest, ',');
	const struct str group = cut(&rest, ',');
	const bool grouped = flags.len > 0 && memchr(flags.p, 'G', flags.len) && group.len > 0;
	add(f->out, "\t.pushsection .llvm_bb_addr_map,\"o%s\",%c0x6fff4c0a,", grouped ? "G" : "",
	    f->type_mark);
	text_add(f->out, name);
	if (grouped) {
		text_add_char(f->out, ',');
		text_add(f->out, group);
		text_add(f->out, STR(",comdat"));
	}
	text_add_char(f->out, '\n');
}

static void put_range(struct filter *f, size_t range)
{
	const struct block *b = &f->blocks.data[f->ranges.data[range].first];
	const struct block *end = f->blocks.data + range_end(f, range);
	char before = 'B';
	while (b < end && !is_real(b))
		b++;
	uint32_t last = b->number;
	add(f->out, "\t.dc.a .LHEFTB%" PRIu32 "\n\t.uleb128 %zu\n", last, count_blocks(f, range));
	for (; b < end; b++) {
		if (!is_real(b))
			continue;
		add(f->out,
		    "\t.uleb128 %" PRIu32 ", .LHEFTB%" PRIu32 "-.LHEFT%c%" PRIu32
		    ", .LHEFTE%" PRIu32 "-.LHEFTB%" PRIu32 ", %" PRIu32 "\n",
		    b->id, b->number, before, last, b->number, b->number, b->flags);
		before = 'E';
		last = b->number;
	}
}

/* The entry of the function at hand, which ends. */
static void end_function(struct filter *f)
{
	size_t count = 0;
	close_block(f);
	for (size_t i = 0; i < f->ranges.count; i++)
		count += count_blocks(f, i) > 0;
	if (count > 0) {
		put_section(f, f->ranges.data[0].section);
		add(f->out, "\t.byte 2, %d\n", count > 1 ? BBMAP_MULTI_RANGE : 0);
		if (count > 1)
			add(f->out, "\t.uleb128 %zu\n", count);
		for (size_t i = 0; i < f->ranges.count; i++)
			if (count_blocks(f, i) > 0)
				put_range(f, i);
		text_add(f->out, STR("\t.popsection\n"));
		f->functions++;
	}
	f->ranges.count = f->blocks.count = 0;
	f->name.len = 0;
}

/* ---- lines ----------------------------------------------------------------------------------- */

static bool is_cold_part(const struct filter *f, struct str label)
{
	return f->name.len > 0 && str_starts(label, f->name) &&
	       str_starts(skip(label, f->name.len), STR(".cold"));
}

static void see_label(struct filter *f, struct str label)
{
	if (f->typed.len == 0 || !str_eq(label, f->typed))
		return;
	f->typed.len = 0;
	if (!is_cold_part(f, label)) {
		end_function(f);
		f->name = label;
	}
	open_range(f);
}

static void see_directive(struct filter *f, struct str line)
{
	const struct str section = directive(line, STR(".section"));
	struct str rest = directive(line, STR(".type"));
	if (section.len > 0)
		f->section = section;
	else if (str_eq(trim(line), STR(".text")) || str_eq(trim(line), STR(".data")) ||
		 str_eq(trim(line), STR(".bss")))
		f->section = trim(line);
	else if (rest.len > 0) {
		const struct str name = cut(&rest, ',');
		rest = trim(rest);
		if (rest.len > 1 && str_eq(skip(rest, 1), STR("function"))) {
			f->typed = name;
			f->type_mark = rest.p[0];
		}
	}
}

static void see_comment(struct filter *f, struct str text)
{
	struct block *b = f->open ? &f->blocks.data[f->blocks.count - 1] : NULL;
	if (str_starts(text, STR("BLOCK ")) && f->name.len > 0) {
		uint64_t id = 0;
		size_t i = 6;
		for (; i < text.len && text.p[i] >= '0' && text.p[i] <= '9' && id < NO_ID; i++)
			id = id * 10 + (uint64_t)(text.p[i] - '0');
		if (i > 6 && id < NO_ID)
			open_block(f, (uint32_t)id);
	} else if (b && str_starts(text, STR("SUCC:"))) {
		b->flags |= flags_of_edges(skip(text, 5), false);
	} else if (b && str_starts(text, STR("PRED:"))) {
		b->flags |= flags_of_edges(skip(text, 5), true);
	}
}

static void see_code(struct filter *f, struct str line)
{
	struct block *b = &f->blocks.data[f->blocks.count - 1];
	flush_tail(f);
	if (!b->code)
		add(f->out, ".LHEFTB%" PRIu32 ":\n", b->number);
	b->code = true;
	text_add(f->out, line);
	if (is_indirect_jump(line) && !(b->flags & BBMAP_RETURN))
		b->flags |= BBMAP_INDIRECT_JUMP;
}

/* Back from another section, gcc names it without its flags. */
static bool same_section(struct str a, struct str b)
{
	return str_eq(cut(&a, ','), cut(&b, ','));
}

/* Instructions begin with a tab and a letter; inline assembly is code whatever it is. */
static bool is_code(const struct filter *f, struct str line)
{
	return f->open && same_section(f->section, f->ranges.data[f->ranges.count - 1].section) &&
	       (f->inside ||
		(line.len > 1 && line.p[0] == '\t' && line.p[1] >= 'a' && line.p[1] <= 'z'));
}

static void see_line(struct filter *f, struct str line)
{
	const struct str text = comment(line);
	const size_t label = line.len > 0 && !is_space(line.p[0]) && text.len == 0 ? trim(line).len
										   : 0;
	if (str_eq(text, STR("APP")))
		f->inside = true;
	if (is_code(f, line)) {
		see_code(f, line);
	} else {
		if (!f->inside && text.len > 0)
			see_comment(f, text);
		else if (!f->inside && label > 1 && line.p[label - 1] == ':')
			see_label(f, (struct str){ line.p, label - 1 });
		else if (!f->inside)
			see_directive(f, line);
		text_add(&f->tail, line);
	}
	if (str_eq(text, STR("NO_APP")))
		f->inside = false;
	struct str size = directive(line, STR(".size"));
	if (!f->inside && f->name.len > 0 && str_eq(cut(&size, ','), f->name))
		end_function(f);
}

uint64_t gccmap_filter(struct str assembly, struct text *ret)
{
	struct filter f = { .out = ret, .section = STR(".text"), .type_mark = '@' };
	while (assembly.len > 0) {
		const char *end = memchr(assembly.p, '\n', assembly.len);
		const size_t size = end ? (size_t)(end - assembly.p) + 1 : assembly.len;
		see_line(&f, (struct str){ assembly.p, size });
		assembly = skip(assembly, size);
	}
	if (f.name.len > 0)
		end_function(&f);
	flush_tail(&f);
	text_release(&f.tail);
	vec_release(&f.ranges);
	vec_release(&f.blocks);
	return f.functions;
}
