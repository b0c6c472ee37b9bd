/* Chooses the scheme of a linkage name and demangles the name. */
#include "names/demangle.h"

#include "names/itanium.h"
#include "names/microsoft.h"
#include "names/module_name.h"
#include "names/rust.h"

#include <stdlib.h>
#ifdef HEFT_HAVE_IBERTY
#include <libiberty/demangle.h>
#endif

/* D_MAX_RAW: longest D name in bytes. Longer ones stay mangled. D_STACK: bytes of stack per byte of
 * the name, because dlang_demangle recurses (160 bytes), and d_bound keeps a number (8 bytes). */
#define D_MAX_RAW ((size_t)8 << 10)
#define D_STACK   168

/* Bytes of stack for any Rust name, because rust_v0 limits its depth. */
#define RUST_STACK ((size_t)48 << 10)

/* Greatest size of a D name's text, estimated by d_bound. Others stay mangled. */
#define D_MAX_BOUND ((uint64_t)1 << 20)

void demangler_release(struct demangler *d)
{
	mem_free(d->buffer);
	memory_disown(d->owned);
	free(d->library);
	*d = (struct demangler){ 0 };
}

static void room(struct demangler *d, size_t need)
{
	if (need <= d->capacity)
		return;
	d->capacity = need + need / 2 + 256;
	d->buffer = mem_resize(d->buffer, d->capacity);
}

void demangler_moved(struct demangler *d, char *library)
{
	d->library = library;
	if (d->owned)
		memory_own_moved(d->owned, library);
	else
		d->owned = memory_own(free, library);
}

void demangler_room(struct demangler *d, size_t need)
{
	if (need <= d->library_capacity)
		return;
	const size_t size = need + need / 2 + 256;
	char *larger = realloc(d->library, size);
	if (!larger)
		call_raise(HEFT_ENOMEM, "out of memory");
	demangler_moved(d, larger);
	d->library_capacity = size;
	ASSERT(d->library_capacity >= need);
}

static struct str nothing(void)
{
	return (struct str){ "", 0 };
}

/* Copies the first `len` bytes of `raw` to d->buffer, with NUL. */
static const char *terminated(struct demangler *d, struct str raw, size_t len)
{
	room(d, len + 1);
	memcpy(d->buffer, raw.p, len);
	d->buffer[len] = 0;
	return d->buffer;
}

#ifdef HEFT_HAVE_IBERTY

/* Reads the back reference "Q<n>" at i. n has base 26: capital letters, then a small one. Returns
 * the index after it. Sets *target to the index that it leads to, or to i if it is invalid. */
static size_t d_reference(struct str raw, size_t i, size_t *target)
{
	uint64_t n = 0;
	size_t at = i + 1;
	while (at < raw.len && raw.p[at] >= 'A' && raw.p[at] <= 'Z' && n < raw.len)
		n = n * 26 + (uint64_t)(raw.p[at++] - 'A');
	*target = i;
	if (at == raw.len || raw.p[at] < 'a' || raw.p[at] > 'z')
		return at;
	n = n * 26 + (uint64_t)(raw.p[at] - 'a');
	if (n > 0 && n <= i)
		*target = i - (size_t)n;
	ASSERT(at < raw.len);
	return at + 1;
}

/* Returns an upper bound on the number of parts that libiberty visits for a D name. At a reference,
 * libiberty visits all parts from the target to the reference again, or only an identifier. */
static uint64_t d_bound(struct str raw)
{
	ASSERT(raw.len <= D_MAX_RAW);
	uint64_t before[D_MAX_RAW + 1];
	size_t next = 0;
	before[0] = 0;
	for (size_t i = 0; i < raw.len; i++) {
		uint64_t cost = 1;
		size_t target = i;
		if (raw.p[i] == 'Q' && i >= next)
			next = d_reference(raw, i, &target);
		if (target < i && (raw.p[target] < '0' || raw.p[target] > '9'))
			cost = add_sat(before[i] - before[target], 1);
		before[i + 1] = add_sat(before[i], cost);
	}
	return before[raw.len];
}

static struct str demangle_d(struct demangler *d, struct str raw)
{
	if (d_bound(raw) > D_MAX_BOUND)
		return nothing();
	char *text = dlang_demangle(terminated(d, raw, raw.len), 0);
	if (!text)
		return nothing();
	const size_t len = strlen(text);
	demangler_room(d, len + 1);
	memcpy(d->library, text, len);
	free(text); /* From the library's malloc */
	return (struct str){ d->library, len };
}

#else

static struct str demangle_d(struct demangler *d, struct str raw)
{
	(void)d, (void)raw;
	return nothing();
}

#endif

enum scheme {
	SCHEME_NONE,
	SCHEME_CXX,
	SCHEME_RUST_LEGACY,
	SCHEME_RUST,
	SCHEME_D,
	SCHEME_MICROSOFT,
	SCHEME_MODULE /* A language of module_name.h */
};

static enum scheme other_scheme(struct str raw)
{
	if (microsoft_likely(raw))
		return SCHEME_MICROSOFT;
	return module_name_likely(raw) ? SCHEME_MODULE : SCHEME_NONE;
}

static enum scheme scheme_of(struct str raw)
{
	if (raw.len < 4 || raw.p[0] != '_')
		return other_scheme(raw);
	switch (raw.p[1]) {
	case 'Z':
		return raw.p[2] == 'N' && rust_legacy_size(raw) != 0 ? SCHEME_RUST_LEGACY
								     : SCHEME_CXX;
	case 'R': return SCHEME_RUST;
	case 'D': return SCHEME_D;
	/* A block function of Apple's clang: ___Z1fv_block_invoke. */
	case '_': return str_starts(raw, STR("___Z")) ? SCHEME_CXX : other_scheme(raw);
	default: return other_scheme(raw);
	}
}

/* Removes the underscore that Mach-O puts before every name. */
static struct str without_underscore(struct str raw)
{
	const char third = raw.len > 2 && raw.p[0] == '_' && raw.p[1] == '_' ? raw.p[2] : 0;
	return third == 'Z' || third == 'R' || third == 'D' ? str_from(raw, 1) : raw;
}

/* Returns the index in `raw` at which the suffix (.cold, @@VERSION) begins. raw.len if there is
 * none. */
static size_t suffix_at(struct str raw, enum scheme scheme)
{
	if (scheme == SCHEME_RUST_LEGACY) /* Legacy Rust names contain "." */
		return rust_legacy_size(raw);
	const char *const dot = memchr(raw.p, '.', raw.len);
	const size_t end = dot ? (size_t)(dot - raw.p) : raw.len;
	if (scheme == SCHEME_MICROSOFT) /* Microsoft's names contain "@" */
		return end;
	const char *const at = memchr(raw.p, '@', end);
	return at ? (size_t)(at - raw.p) : end;
}

struct text_job {
	struct demangler *d;
	struct str raw; /* The linkage name without its suffix */
	enum scheme scheme;
	bool brief; /* Microsoft's scheme: true for the brief name */
	struct str ret;
};

static void run_scheme(void *ctx)
{
	struct text_job *job = ctx;
	struct demangler *d = job->d;
	const struct str raw = job->raw;
	ASSERT(raw.len > 0);
	demangler_room(d, NAME_MAX_SIZE);
	switch (job->scheme) {
	case SCHEME_CXX: job->ret = itanium_demangle(d, terminated(d, raw, raw.len)); return;
	case SCHEME_D: job->ret = demangle_d(d, raw); return;
	case SCHEME_RUST:
		job->ret = (struct str){ d->library, rust_v0(raw, d->library, NAME_MAX_SIZE) };
		return;
	case SCHEME_RUST_LEGACY:
		job->ret = (struct str){ d->library, rust_legacy(raw, d->library, NAME_MAX_SIZE) };
		return;
	case SCHEME_MICROSOFT: {
		demangler_room(d, MICROSOFT_ROOM + NAME_MAX_SIZE);
		char *const out = d->library + MICROSOFT_ROOM;
		job->ret = (struct str){ out, microsoft_name(raw, job->brief, d->library, out,
							     NAME_MAX_SIZE) };
		return;
	}
	case SCHEME_MODULE:
	case SCHEME_NONE: return;
	}
}

/* Returns the bytes of stack that a name needs. 0 if it is too long. */
static size_t stack_for(enum scheme scheme, size_t len)
{
	switch (scheme) {
	case SCHEME_CXX: return len > ITANIUM_MAX_RAW ? 0 : len * ITANIUM_STACK + 1;
	case SCHEME_D: return len > D_MAX_RAW ? 0 : len * D_STACK + 1;
	case SCHEME_MICROSOFT: return MICROSOFT_STACK;
	case SCHEME_RUST:
	case SCHEME_RUST_LEGACY:
	case SCHEME_MODULE:
	case SCHEME_NONE: break;
	}
	return RUST_STACK;
}

/* Demangles the first `len` bytes of raw. The result is in d->library. It is "" if they are no name
 * of the scheme. */
static struct str demangle_text(struct demangler *d, struct str raw, size_t len, enum scheme scheme,
				bool brief)
{
	struct text_job job = { d, { raw.p, len }, scheme, brief, nothing() };
	const size_t need = stack_for(scheme, len);
	if (need > 0 && need <= STACK_FREE / 2)
		run_scheme(&job);
	else if (need > 0)
		(void)stack_call(&d->stack, need, run_scheme, &job);
	return job.ret;
}

static struct str demangle_full_name(struct demangler *d, struct str text, struct str suffix)
{
	if (suffix.len == 0)
		return text;
	const size_t len = text.len + suffix.len + 3;
	room(d, len);
	memcpy(d->buffer, text.p, text.len);
	memcpy(d->buffer + text.len, " (", 2);
	memcpy(d->buffer + text.len + 2, suffix.p, suffix.len);
	d->buffer[len - 1] = ')';
	return (struct str){ d->buffer, len };
}

static bool scheme_language(enum scheme scheme, enum sig_language *ret)
{
	switch (scheme) {
	case SCHEME_CXX: *ret = SIG_CXX; return true;
	case SCHEME_D: *ret = SIG_D; return true;
	case SCHEME_RUST:
	case SCHEME_RUST_LEGACY: *ret = SIG_RUST; return true;
	case SCHEME_MICROSOFT:
	case SCHEME_MODULE:
	case SCHEME_NONE: break;
	}
	return false;
}

bool demangle_language(struct str raw, enum sig_language *ret)
{
	return scheme_language(scheme_of(without_underscore(raw)), ret);
}

size_t demangle_base(struct str raw)
{
	const struct str name = without_underscore(raw);
	const enum scheme scheme = scheme_of(name);
	ASSERT(name.p >= raw.p && name.p + name.len == raw.p + raw.len);
	if (scheme != SCHEME_NONE && scheme != SCHEME_MODULE)
		return suffix_at(name, scheme) + (size_t)(name.p - raw.p);
	const char *const at = raw.len > 1 ? memchr(raw.p + 1, '@', raw.len - 1) : NULL;
	return suffix_start((struct str){ raw.p, at ? (size_t)(at - raw.p) : raw.len });
}

bool demangle_module(struct demangler *d, struct str raw, struct str *ret,
		     struct module_name *parts)
{
	const struct str name = without_underscore(raw);
	if (scheme_of(name) != SCHEME_MODULE)
		return false;
	/* A rule writes at most two bytes per byte: "$" becomes ", ". Swift's names may also have
	 * one letter for a repeated word, and two for a known type. */
	room(d, 4 * name.len + 160);
	if (!module_name_read(name, d->buffer, d->capacity, parts) || parts->len > NAME_MAX_SIZE)
		return false;
	*ret = (struct str){ d->buffer, parts->len };
	ASSERT(parts->brief <= ret->len && parts->package <= ret->len);
	return true;
}

struct str demangle(struct demangler *d, struct str raw, enum heft_demangle style)
{
	const struct str name = without_underscore(raw);
	const enum scheme scheme = style == HEFT_NAMES_RAW ? SCHEME_NONE : scheme_of(name);
	if (scheme == SCHEME_NONE || memchr(name.p, 0, name.len))
		return style == HEFT_NAMES_SHORT ? suffix_without_promotion(raw) : raw;
	if (scheme == SCHEME_MODULE) {
		struct module_name parts;
		struct str whole;
		if (!demangle_module(d, raw, &whole, &parts))
			return raw;
		return style == HEFT_NAMES_SHORT ? (struct str){ whole.p, parts.brief } : whole;
	}
	ASSERT(name.len > 0);
	const size_t end = suffix_at(name, scheme);
	ASSERT(end > 0 && end <= name.len);
	const struct str text = demangle_text(d, name, end, scheme, style == HEFT_NAMES_SHORT);
	if (text.len == 0 || text.len > NAME_MAX_SIZE)
		return raw;
	struct str result = text;
	enum sig_language language;
	if (style != HEFT_NAMES_SHORT) {
		const struct str suffix = str_from(name, end);
		result = demangle_full_name(d, text, suffix);
	} else if (scheme_language(scheme, &language)) {
		room(d, SIGNATURE_ROOM(text.len));
		const size_t len = signature_cut(text, language, SIG_PARENS, d->buffer);
		if (len > 0)
			result = (struct str){ d->buffer, len };
	}
	return result.len <= NAME_MAX_SIZE ? result : raw;
}

/* Suffixes that compilers and linkers add to names. */

static bool is_suffix_word(struct str s)
{
	static const char *const words[] = { "cold",     "constprop",  "isra",    "llvm",
					     "lto_priv", "part",       "clone",   "__part",
					     "__uniq",   "localalias", "unlikely" };
	size_t digits = 0;
	while (digits < s.len && s.p[digits] >= '0' && s.p[digits] <= '9')
		digits++;
	if (digits > 0 && digits == s.len)
		return true;
	for (size_t i = 0; i < COUNT_OF(words); i++)
		if (str_eq(s, str_of(words[i])))
			return true;
	return false;
}

struct str suffix_without_promotion(struct str name)
{
	const struct str mark = STR(".llvm.");
	struct str base = name;
	while (base.len > 0 && base.p[base.len - 1] >= '0' && base.p[base.len - 1] <= '9')
		base.len--;
	const bool promoted = base.len < name.len && base.len > mark.len && str_ends(base, mark);
	return promoted ? (struct str){ base.p, base.len - mark.len } : name;
}

size_t suffix_start(struct str name)
{
	size_t end = name.len;
	for (size_t i = name.len; i > 1; i--) {
		if (name.p[i - 1] != '.')
			continue;
		if (!is_suffix_word((struct str){ name.p + i, end - i }))
			break;
		end = i - 1;
	}
	ASSERT(end <= name.len);
	return end > 0 ? end : name.len;
}
