/* Lists the texts by which users know a linkage name. */
#define _GNU_SOURCE /* memmem */
#include "names/name_forms.h"

#include "names/generic.h"
#include "names/microsoft.h"

#include <ctype.h>

void name_forms_release(struct name_forms *f)
{
	demangler_release(&f->demangler);
	supersize_name_release(&f->super);
	text_release(&f->full);
	text_release(&f->cut);
	text_release(&f->dropped);
	text_release(&f->held);
	text_release(&f->plain);
}

static bool in_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '.' || (c & 0x80) != 0;
}

struct str name_plain(struct text *out, struct str text)
{
	out->len = 0;
	for (size_t i = 0; i < text.len; i++) {
		const char before = out->len > 0 ? out->p[out->len - 1] : ' ';
		if (text.p[i] != ' ')
			text_add_char(out, text.p[i]);
		else if (in_word(before) && i + 1 < text.len && in_word(text.p[i + 1]))
			text_add_char(out, ' ');
	}
	return out->len > 0 ? text_str(out) : STR("");
}

static void form_tell(struct name_forms *f, struct str text, enum name_form form)
{
	if (text.len > 0)
		f->each(f->ctx, name_plain(&f->plain, text), f->part ? NAME_PART : form);
}

/* Removes each `open`...`close` from the text. False if there is none. */
static bool piece_drop(struct text *out, struct str text, struct str open, char close)
{
	bool dropped = false;
	out->len = 0;
	while (text.len > 0) {
		const char *const at = memmem(text.p, text.len, open.p, open.len);
		const size_t size = at ? (size_t)(at - text.p) : text.len;
		const char *const end = at ? memchr(at, close, text.len - size) : NULL;
		text_add(out, (struct str){ text.p, end ? size : text.len });
		dropped = dropped || end;
		const size_t used = end ? (size_t)(end + 1 - text.p) : text.len;
		text = str_from(text, used);
	}
	return dropped;
}

/* Reports what is left of a text without its parameters and without "::<>", "!()", "<>", "()",
 * "[...]" and "[abi:x]". */
static void bare_tell(struct name_forms *f, struct str text)
{
	static const struct {
		const char *open;
		char close;
	} pieces[] = { { "[abi:", ']' }, { "[...", ']' }, { "::<>", '>' },
		       { "!()", ')' },   { "<>", '>' },   { "()", ')' } };
	form_tell(f, text, NAME_SHORT);
	for (size_t i = 0; i < COUNT_OF(pieces); i++) {
		if (!piece_drop(&f->dropped, text, str_of(pieces[i].open), pieces[i].close))
			continue;
		text_set(&f->held, text_str(&f->dropped));
		text = text_str(&f->held);
		form_tell(f, text, NAME_SHORT);
	}
}

static void cuts_tell(struct name_forms *f, struct str full, enum sig_language language)
{
	static const unsigned keeps[] = { SIG_PARENS, SIG_ARGUMENTS, SIG_PARENS | SIG_ARGUMENTS };
	struct text *const out = &f->cut;
	for (size_t i = 0; i < COUNT_OF(keeps); i++) {
		/* Makes room for SIGNATURE_ROOM(full.len) bytes. */
		text_set(out, full);
		text_adds(out, full, STR("                "));
		ASSERT(out->cap >= SIGNATURE_ROOM(full.len));
		out->len = signature_cut(full, language, keeps[i], out->p);
		if (keeps[i] & SIG_ARGUMENTS)
			form_tell(f, text_str(out), NAME_SHORT);
		else
			bare_tell(f, text_str(out));
	}
}

static void super_tell(struct name_forms *f, struct str full)
{
	supersize_split(&f->super, full, SUPERSIZE_TEXT);
	form_tell(f, f->super.full, NAME_SHORT);
	form_tell(f, f->super.template_name, NAME_SHORT);
	form_tell(f, f->super.plain, NAME_SHORT);
}

/* Reports all texts of a name without a suffix. */
static void base_tell(struct name_forms *f, struct str raw)
{
	enum sig_language language;
	form_tell(f, raw, NAME_LINKER);
	const struct str full = demangle(&f->demangler, raw, HEFT_NAMES_FULL);
	const bool mangled = full.p != raw.p;
	if (mangled) {
		text_set(&f->full, full);
		form_tell(f, full, NAME_FULL);
		form_tell(f, demangle(&f->demangler, raw, HEFT_NAMES_SHORT), NAME_SHORT);
	}
	if (mangled && demangle_language(raw, &language))
		cuts_tell(f, text_str(&f->full), language);
	else if (mangled)
		bare_tell(f, demangle(&f->demangler, raw, HEFT_NAMES_SHORT));
	if (mangled && !microsoft_likely(raw))
		super_tell(f, text_str(&f->full));
	else if (!mangled && memchr(raw.p, '(', raw.len)) /* A method of Go */
		super_tell(f, raw);
	if (!mangled || (demangle_language(raw, &language) && language == SIG_RUST))
		bare_tell(f, generic_name(&f->demangler, raw, &f->cut));
}

/* Reports "f() (.cold)" and the form that c++filt writes. */
static void clone_tell(struct name_forms *f, struct str raw, struct str full)
{
	const size_t base = demangle_base(raw);
	const struct str suffix = str_from(raw, base);
	if (full.p == raw.p || full.len < suffix.len + 3)
		return;
	text_set(&f->full, (struct str){ full.p, full.len - suffix.len - 2 });
	text_adds(&f->full, STR("[clone "), suffix, STR("]"));
	form_tell(f, text_str(&f->full), NAME_FULL);
}

static void forms_begin(struct name_forms *f, name_form_fn each, void *ctx)
{
	f->each = each;
	f->ctx = ctx;
	f->part = false;
}

void name_forms_of_linker(struct name_forms *f, struct str raw, name_form_fn each, void *ctx)
{
	const size_t base = demangle_base(raw);
	forms_begin(f, each, ctx);
	form_tell(f, raw, NAME_LINKER);
	f->part = true;
	if (base < raw.len)
		form_tell(f, (struct str){ raw.p, base }, NAME_PART);
}

void name_forms_each(struct name_forms *f, struct str raw, name_form_fn each, void *ctx)
{
	const size_t base = demangle_base(raw);
	forms_begin(f, each, ctx);
	if (base < raw.len) {
		form_tell(f, raw, NAME_LINKER);
		const struct str full = demangle(&f->demangler, raw, HEFT_NAMES_FULL);
		form_tell(f, full, NAME_FULL);
		clone_tell(f, raw, full);
		f->part = true;
	}
	base_tell(f, (struct str){ raw.p, base });
}

struct str name_identifier(struct str raw)
{
	size_t i = 2, n = 0;
	if (raw.len > 1 && raw.p[0] == '?') {
		const char *const end = memmem(raw.p, raw.len, "@@", 2);
		return end ? (struct str){ raw.p + 1, (size_t)(end - raw.p) - 1 } : raw;
	}
	if (raw.len < 4 || !str_starts(raw, STR("_Z")))
		return raw;
	i += raw.p[i] == 'L';
	while (i < raw.len && n < raw.len && isdigit((unsigned char)raw.p[i]))
		n = n * 10 + (size_t)(raw.p[i++] - '0');
	return n > 0 && n <= raw.len - i ? (struct str){ raw.p + i, n } : raw;
}
