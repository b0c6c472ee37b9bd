/* Finds GHC's info tables by their form. */
#include "runtime/ghc_tables.h"

#include "base/sort.h"

enum { WORD = 8, LEAST = 2 * WORD, MOST_WORDS = 4096, TEXT_MOST = 256 };

/* A candidate: an address that may be the code after an info table. */
struct ghc_look {
	const struct ghc_image *im;
	const struct ghc_code *code;
	uint64_t off; /* Offset of the candidate in the code */
};

/* Reads `size` bytes that begin `back` bytes before the candidate. 0 if the code begins later. */
static uint64_t look_back(const struct ghc_look *l, uint64_t back, unsigned size)
{
	struct reader r = reader_of(l->code->bytes, l->im->big_endian);
	if (back > l->off)
		return 0;
	reader_seek(&r, l->off - back);
	return read_uint(&r, size);
}

/* True if a text at the address begins like "package:Module". */
static bool look_leads_to_text(const struct ghc_look *l, uint64_t addr)
{
	const struct bytes b = l->im->load(l->im->ctx, addr, TEXT_MOST);
	for (uint64_t i = 0; i < b.size && b.p[i] > ' ' && b.p[i] < 0x7f; i++)
		if (b.p[i] == ':')
			return i > 0 && i + 1 < b.size && b.p[i + 1] >= 'A' && b.p[i + 1] <= 'Z';
	return false;
}

/* True if an object's numbers of pointers and other words fit its type. */
static bool words_fit(unsigned type, uint64_t pointers, uint64_t others)
{
	/* CONSTR_1_0 to CONSTR_0_2, FUN_1_0 to FUN_0_2, THUNK_1_0 to THUNK_0_2 */
	static const uint8_t few[][2] = { { 1, 0 }, { 0, 1 }, { 2, 0 }, { 1, 1 }, { 0, 2 } };
	static const uint8_t groups[] = { GHC_CONSTRUCTOR, GHC_FUNCTION, GHC_THUNK };
	for (size_t i = 0; i < COUNT_OF(groups); i++) {
		const unsigned at = type - groups[i] - 1u;
		if (at < COUNT_OF(few))
			return pointers == few[at][0] && others == few[at][1];
	}
	return pointers < MOST_WORDS && others < MOST_WORDS;
}

/* True if a word is the bitmap of a small frame: 6 bits of size, then a bit for each word. */
static bool is_bitmap(uint64_t word)
{
	enum { SIZE_BITS = 6 };
	const uint64_t size = word & 63;
	return size <= 64 - SIZE_BITS && word >> SIZE_BITS >> size == 0;
}

/* Reads the distance to the table's SRT. If a word before the table has it, adds the word to
 * t->size. False if it leads to no SRT. */
static bool look_srt(const struct ghc_look *l, struct ghc_table *t)
{
	int64_t field = (int32_t)look_back(l, 4, 4);
	if (field == 0)
		return true;
	if (!l->im->inline_srt) {
		if (field != 1 || t->size + (uint64_t)WORD > l->off)
			return false;
		/* The word with the distance precedes a function's arity. Two words about its
		 * arguments precede that word if no pattern describes them. */
		const unsigned back = t->type <= GHC_FUNCTION_LAST ? 4 * WORD : 3 * WORD;
		field = (int64_t)look_back(l, back, WORD);
		t->size += WORD;
	}
	t->data = t->entry + (uint64_t)field;
	return t->data % WORD == 0 && l->im->load(l->im->ctx, t->data, WORD).size == WORD;
}

static bool look_function(const struct ghc_look *l, struct ghc_table *t)
{
	enum { ARGUMENTS_MOST = 40, ARITY_MOST = 64, GENERAL = 1 };
	const uint64_t arguments = look_back(l, 3 * WORD, 4);
	const uint64_t arity = look_back(l, 3 * WORD - 4, 4);
	t->size = LEAST + WORD + (arguments <= GENERAL ? 2 * WORD : 0);
	if (arguments > ARGUMENTS_MOST || arity == 0 || arity > ARITY_MOST || t->size > l->off ||
	    !look_srt(l, t))
		return false;
	t->slow = arguments <= GENERAL ? t->entry + look_back(l, t->size, WORD) : 0;
	return true;
}

/* Reads the table before a candidate. False if there is no table. */
static bool look_table(const struct ghc_look *l, struct ghc_table *ret)
{
	const uint64_t type = look_back(l, WORD, 4);
	ASSERT(type > 0 && type < GHC_TYPES);
	if (l->off < LEAST + WORD)
		return false;
	*ret = (struct ghc_table){ .entry = l->code->addr + l->off,
				   .size = LEAST,
				   .type = (uint8_t)type };
	const uint64_t pointers = look_back(l, LEAST, 4), others = look_back(l, LEAST - 4, 4);
	if (type == GHC_RETURN)
		return is_bitmap(look_back(l, LEAST, WORD)) && look_srt(l, ret);
	if (type == GHC_RETURN_BIG)
		return look_srt(l, ret);
	ret->words = pointers + others;
	if (!words_fit((unsigned)type, pointers, others))
		return false;
	if (type <= GHC_CONSTRUCTOR_LAST) {
		ret->size = LEAST + WORD;
		ret->data = ret->entry + look_back(l, ret->size, WORD);
		return look_back(l, 4, 4) < MOST_WORDS && look_leads_to_text(l, ret->data);
	}
	if (type <= GHC_FUNCTION_LAST)
		return look_function(l, ret);
	/* Objects of the runtime itself have no SRT. */
	return type <= GHC_SELECTOR ? look_srt(l, ret) : look_back(l, 4, 4) == 0;
}

/* Adds the tables whose code begins in [from, to) of the code. */
static void ghc_tables_scan(struct ghc_tables *t, struct ghc_look *l, uint64_t from, uint64_t to)
{
	struct ghc_table found;
	struct reader r = reader_of(l->code->bytes, l->im->big_endian);
	/* The first word after `from` that may be a type. Most words are not types. */
	l->off = from + (0 - (l->code->addr + from)) % WORD + WORD;
	reader_seek(&r, l->off - WORD);
	for (; l->off < to; l->off += WORD) {
		const uint32_t type = read_u32(&r);
		read_skip(&r, WORD - 4);
		if (type - 1u >= GHC_TYPES - 1u || !look_table(l, &found))
			continue;
		/* Drops tables inside this one: some of its words looked like shorter tables. */
		while (t->list.count > 0 && vec_last(&t->list)->entry >= found.entry - found.size)
			t->list.count--;
		vec_push(&t->list, found);
	}
}

enum { WINDOW = 4096, WINDOWS = 64, DENSE = 8 };

/* True if several pages of code, at equal distances, are full of tables. */
static bool ghc_code_is_likely(const struct ghc_image *im)
{
	uint64_t all = 0, next = 0, done = 0;
	struct ghc_tables t = { 0 };
	bool any = false;
	for (size_t i = 0; i < im->count; i++)
		all += im->code[i].bytes.size;
	const uint64_t step = max_u64(WINDOW, all / WINDOWS);
	for (size_t i = 0; i < im->count && !any; i++) {
		struct ghc_look l = { .im = im, .code = &im->code[i] };
		const uint64_t size = l.code->bytes.size;
		for (; next - done < size && !any; next += step) {
			t.list.count = 0;
			ghc_tables_scan(&t, &l, next - done, min_u64(size, next - done + WINDOW));
			any = t.list.count >= DENSE;
		}
		done += size;
	}
	ghc_tables_release(&t);
	return any;
}

/* True if the tables look like those of a compiler, unlike random numbers: some are functions, and
 * some lead to objects or texts. If too few lead there, many must be functions and many frames. */
static bool ghc_tables_agree(const struct ghc_tables *t)
{
	enum { FEWEST = 16, SOME = 64, MANY = 8 };
	const size_t count = t->list.count;
	size_t led = 0, functions = 0, frames = 0;
	for (size_t i = 0; i < count; i++) {
		const unsigned type = t->list.data[i].type;
		led += t->list.data[i].data != 0;
		functions += type >= GHC_FUNCTION && type <= GHC_FUNCTION_LAST;
		frames += type == GHC_RETURN;
	}
	return count >= FEWEST && functions > count / SOME &&
	       (led > count / SOME || (functions > count / MANY && frames > count / MANY));
}

void ghc_tables_find(struct ghc_tables *t, const struct ghc_image *im)
{
	memset(t, 0, sizeof *t);
	if (!ghc_code_is_likely(im))
		return;
	for (size_t i = 0; i < im->count; i++) {
		struct ghc_look l = { .im = im, .code = &im->code[i] };
		ASSERT(i == 0 || l.code->addr > l.code[-1].addr);
		ghc_tables_scan(t, &l, 0, l.code->bytes.size);
	}
	if (!ghc_tables_agree(t))
		ghc_tables_release(t);
	ASSERT(vec_sorted(&t->list));
}

void ghc_tables_release(struct ghc_tables *t)
{
	vec_release(&t->list);
}

const struct ghc_table *ghc_table_at(const struct ghc_tables *t, uint64_t entry)
{
	const struct ghc_table *at = vec_before(&t->list, entry);
	return at && at->entry == entry ? at : NULL;
}
