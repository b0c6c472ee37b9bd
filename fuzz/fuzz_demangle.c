/* Input: one name.  Its first byte chooses: a linker name to demangle ("_" and "?"), one behind an
 * "M", or a demangled text to shorten.  Whatever comes, the result is bounded, has no NUL and is
 * the same again. */
#include "names/demangle.h"
#include "names/itanium.h"
#include "names/signature.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_style(struct str raw, enum heft_demangle style)
{
	struct demangler one = { 0 }, two = { 0 };
	const struct str a = demangle(&one, raw, style);
	ASSERT(a.p == raw.p || (a.len > 0 && a.len <= NAME_MAX_SIZE && !memchr(a.p, 0, a.len)));
	(void)demangle(&two, STR("_ZNSt6vectorIiSaIiEE9push_backERKi"), style);
	const struct str b = demangle(&two, raw, style);
	ASSERT(str_eq(a, b));
	demangler_release(&one);
	demangler_release(&two);
}

/* The estimate is in parts, which have at most about 70 characters each. */
static void check_bound(struct str raw)
{
	struct demangler d = { 0 };
	const struct str full = demangle(&d, raw, HEFT_NAMES_FULL);
	if (str_starts(raw, STR("_Z")) && full.p != raw.p)
		ASSERT(full.len <= add_sat(itanium_bound(raw), 16) * 70);
	demangler_release(&d);
}

static void check_cut(struct str text, enum sig_language language, unsigned keep)
{
	const size_t room = SIGNATURE_ROOM(text.len);
	char *const out = mem_alloc(room), *const again = mem_alloc(room);
	const size_t len = signature_cut(text, language, keep, out);
	ASSERT(len <= room);
	ASSERT(signature_cut(text, language, keep, again) == len && memcmp(out, again, len) == 0);
	mem_free(out);
	mem_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0 || size > 70000)
		return 0;
	if (data[0] == '_' || data[0] == '?') {
		const struct str raw = { (const char *)data, size };
		check_style(raw, HEFT_NAMES_SHORT);
		check_style(raw, HEFT_NAMES_FULL);
		check_bound(raw);
		return 0;
	}
	const struct str text = { (const char *)data + 1, size - 1 };
	if (data[0] == 'M') {
		check_style(text, HEFT_NAMES_SHORT);
		check_style(text, HEFT_NAMES_FULL);
		return 0;
	}
	const enum sig_language language = data[0] == 'R'   ? SIG_RUST
					   : data[0] == 'D' ? SIG_D
							    : SIG_CXX;
	check_cut(text, language, SIG_PARENS);
	check_cut(text, language, SIG_ARGUMENTS);
	check_cut(text, language, 0);
	return 0;
}
