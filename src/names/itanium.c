/* Demangles C++ names with a library, after estimating the size of the text. */
#include "names/itanium.h"

#include <setjmp.h>
#ifdef HEFT_HAVE_IBERTY
#include <libiberty/demangle.h>
#endif

#ifdef HEFT_HAVE_CXXABI
extern char *__cxa_demangle(const char *mangled, char *buffer, size_t *size, int *status);
#endif

/* Estimates the size of the text. Reads the mangled text once, without a grammar. Groups (I..E and
 * so on) nest and consist of elements. A reference (S_, T0_) counts as much as the largest element
 * so far. When a group ends, its size is added to the element that contains it. The estimate is
 * mostly too high, because the target of a reference is at most an element. No name with a too low
 * estimate is known */

#define MAX_GROUPS 256

struct names_itanium_bound {
	uint64_t largest;          /* Size of the largest element so far */
	uint64_t sum[MAX_GROUPS];  /* Per open group: total size of its finished elements */
	uint64_t open[MAX_GROUPS]; /* Per open group: size of its current element */
	/* Per open group: number of elements that still belong to the current one.
	 * "M<class><member>" and vendor qualifiers have two parts. */
	uint32_t sticky[MAX_GROUPS];
	size_t depth;
	bool expressions; /* True after an expression was read */
	/* Set after an expression that ends with an E of its own (cl..E, tl..E). This E would be
	 * taken for the end of the group around it. If set, no element ends, so that the estimate
	 * stays an upper bound. */
	bool merging;
};

static void itanium_grow(struct names_itanium_bound *b, uint64_t by)
{
	b->open[b->depth] = add_sat(b->open[b->depth], by);
	b->largest = max_u64(b->largest, b->open[b->depth]);
}

static bool is_reference(struct str s, size_t i)
{
	const char c = i + 1 < s.len ? s.p[i + 1] : 0;
	if (s.p[i] != 'S' && s.p[i] != 'T')
		return false;
	return c == '_' || (c >= '0' && c <= '9') || (s.p[i] == 'S' && c >= 'A' && c <= 'Z');
}

static void itanium_open_group(struct names_itanium_bound *b)
{
	if (b->depth + 1 == MAX_GROUPS) { /* Real names never nest so deeply. Sets the estimate to
					   * the maximum */
		b->largest = UINT64_MAX;
		return;
	}
	b->depth++;
	b->sum[b->depth] = b->open[b->depth] = 0;
	b->sticky[b->depth] = 0;
	ASSERT(b->depth < COUNT_OF(b->sum));
}

/* Ends the innermost group. `more`: template arguments of the same element follow. */
static void close_group(struct names_itanium_bound *b, bool more)
{
	const uint64_t size = add_sat(b->sum[b->depth], b->open[b->depth]);
	if (b->depth > 0)
		b->depth--;
	else
		b->sum[0] = b->open[0] = 0;
	itanium_grow(b, add_sat(size, 2));
	if (more || b->merging)
		return;
	if (b->sticky[b->depth] > 0) {
		b->sticky[b->depth]--;
		return;
	}
	b->sum[b->depth] = add_sat(b->sum[b->depth], b->open[b->depth]);
	b->open[b->depth] = 0;
	ASSERT(b->depth < COUNT_OF(b->sum));
}

/* Reads the number at i, and the identifier after it. Returns the index after both. "A10_" and
 * "Li7E" have numbers without an identifier, so the skipped bytes may contain references. Each of
 * these is counted as if it doubled the largest element. */
static size_t identifier(struct names_itanium_bound *b, struct str s, size_t i)
{
	uint64_t size = 0;
	while (i < s.len && s.p[i] >= '0' && s.p[i] <= '9')
		size = min_u64(size * 10 + (uint64_t)(s.p[i++] - '0'), s.len);
	const size_t end = i + (size_t)min_u64(size, s.len - i);
	itanium_grow(b, size + 2);
	for (; i < end; i++) {
		if ((s.p[i] == 'S' || s.p[i] == 'T') && is_reference(s, i)) {
			itanium_grow(b, b->largest);
			b->largest = add_sat(b->largest, b->largest);
		}
	}
	ASSERT(end >= i && end <= s.len);
	return end;
}

static bool opens_group(struct str s, size_t i)
{
	const char next = i + 1 < s.len ? s.p[i + 1] : 0;
	switch (s.p[i]) {
	case 'I':
	case 'N':
	case 'F':
	case 'X':
	case 'J':
	case 'L': return true;
	case 'Z': return !(s.p[i - 1] == '_' && s.p[i - 2] == 'L'); /* L_Z..E has only one E */
	case 'l': return s.p[i - 1] == 'U';                         /* a lambda: Ul..E_ */
	case 'D': return next == 'T' || next == 't' || next == 'C'; /* decltype, or [a, b] */
	case 'T': return next == 't'; /* declares a template parameter that is a template (Tt) */
	default: return false;
	}
}

/* True if two letters begin an expression that may have an E of its own: a call, conversion,
 * initializer, new or sizeof...(pack). */
static bool has_own_end(char a, char b)
{
	switch (a) {
	case 'c': return b == 'l' || b == 'v' || b == 'p';
	case 'i':
	case 't': return b == 'l';
	case 'n': return b == 'w' || b == 'a';
	case 's': return b == 'P';
	case 'u': return true; /* An expression of a vendor */
	default: return false;
	}
}

static size_t token(struct names_itanium_bound *b, struct str s, size_t i)
{
	const char c = s.p[i], next = i + 1 < s.len ? s.p[i + 1] : 0;
	if (c >= '1' && c <= '9')
		return identifier(b, s, i);
	if (is_reference(s, i)) {
		const uint64_t largest = b->largest;
		b->sum[b->depth] = add_sat(b->sum[b->depth], b->open[b->depth]);
		itanium_grow(b, add_sat(largest, 2));
		while (i < s.len && s.p[i] != '_')
			i++;
		return i + 1;
	}
	if (c == 'E')
		close_group(b, next == 'I');
	else if (c == 'M' || c == 'U' || c == 'A' || c == 'D' || c == 'Z')
		b->sticky[b->depth]++;
	b->expressions |= c == 'X' || (c == 'D' && (next == 'T' || next == 't'));
	b->merging |= b->expressions && has_own_end(c, next);
	if (opens_group(s, i))
		itanium_open_group(b);
	itanium_grow(b, c == 'S' ? 20 : 2);
	return i + 1;
}

uint64_t itanium_bound(struct str mangled)
{
	/* Each reference at most doubles the text before it. This simple bound is enough for three
	 * of four names. */
	uint32_t references = 0;
	for (size_t i = 0; i + 1 < mangled.len; i++)
		references += (mangled.p[i] == 'S' || mangled.p[i] == 'T') &&
			      mangled.p[i + 1] < 'a';
	const uint64_t simple = references > 16 ? UINT64_MAX
						: (uint64_t)mangled.len * 20 << references;
	if (simple <= ITANIUM_MAX_BOUND)
		return simple;
	struct names_itanium_bound b;
	b.depth = 0;
	b.largest = b.sum[0] = b.open[0] = 0;
	b.sticky[0] = 0;
	b.expressions = b.merging = false;
	for (size_t i = 2; i < mangled.len && b.largest != UINT64_MAX;)
		i = token(&b, mangled, i);
	uint64_t total = b.largest;
	for (size_t d = 0; d <= b.depth; d++)
		total = add_sat(total, add_sat(b.sum[d], b.open[d]));
	ASSERT(b.depth < COUNT_OF(b.sum));
	return total;
}

#ifdef HEFT_HAVE_IBERTY

struct printed {
	struct demangler *d; /* Its `library` receives the text */
	size_t len;
	jmp_buf too_long;
};

static void itanium_print(const char *text, size_t len, void *opaque)
{
	struct printed *out = opaque;
	if (len > NAME_MAX_SIZE - out->len)
		longjmp(out->too_long, 1);
	demangler_room(out->d, out->len + len + 1);
	memcpy(out->d->library + out->len, text, len);
	out->len += len;
}

/* Runs libiberty's demangler. A longjmp out of it leaks nothing: its nodes are on the stack. */
static bool run_iberty(struct printed *out, const char *mangled)
{
	const int options = DMGL_PARAMS | DMGL_ANSI | DMGL_NO_RECURSE_LIMIT;
	if (setjmp(out->too_long) != 0)
		return false;
	return cplus_demangle_v3_callback(mangled, options, itanium_print, out) != 0;
}

static struct str names_itanium_by_iberty(struct demangler *d, const char *mangled)
{
	struct printed out = { .d = d, .len = 0 };
	if (!run_iberty(&out, mangled))
		return (struct str){ mangled, 0 };
	return (struct str){ d->library, out.len };
}

#else

/* Without libiberty, these names stay mangled. */
static struct str names_itanium_by_iberty(struct demangler *d, const char *mangled)
{
	(void)d;
	return (struct str){ mangled, 0 };
}

#endif

#ifdef HEFT_HAVE_CXXABI
static struct str by_cxxabi(struct demangler *d, const char *mangled)
{
	int status = 0;
	demangler_room(d, 1024);
	size_t size = d->library_capacity;
	char *text = __cxa_demangle(mangled, d->library, &size, &status);
	if (!text)
		return (struct str){ mangled, 0 };
	demangler_moved(d, text);
	if (size > d->library_capacity) /* `size` is what was used, not the capacity */
		d->library_capacity = size;
	return str_of(text);
}
#endif

struct str itanium_demangle(struct demangler *d, const char *mangled)
{
	const struct str name = str_of(mangled);
	if (name.len > ITANIUM_MAX_RAW)
		return (struct str){ mangled, 0 };
#ifdef HEFT_HAVE_CXXABI
	struct str text = { mangled, 0 };
	if (itanium_bound(name) <= ITANIUM_MAX_BOUND || names_itanium_by_iberty(d, mangled).len > 0)
		text = by_cxxabi(d, mangled);
	if (text.len > 0)
		return text;
#endif
	return names_itanium_by_iberty(d, mangled);
}
