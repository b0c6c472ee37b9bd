#include "names/package_name.h"

#include "names/rust.h"
#include "names/out.h"

#include <ctype.h>
#include <stdio.h>

/* True if the Go compiler made the symbol. The words "type" and "go" are no packages, although
 * host names such as go.uber.org begin with them. Until Go 1.19, they have a dot instead of the
 * colon. */
static bool is_made_by_compiler(struct str name)
{
	static const char *const words[] = { "(",        "itab.",       "string.",   "func.",
					     "struct",   "interface",   "map.zero",  "importpath.",
					     "builtin.", "buildid",     "constinfo", "cuinfo",
					     "typelink", "link.pkghash" };
	if (str_starts(name, STR("type.")) || str_starts(name, STR("type:")) ||
	    str_starts(name, STR("go:")))
		return true;
	return str_starts(name, STR("go.")) && STARTS_WITH(str_from(name, 3), words) > 0;
}

static bool is_of_path(char c)
{
	return is_ident(c) || (c != '\0' && strchr("./%~-", c) != NULL);
}

/* Returns the text before the first dot after the last slash. Types in brackets do not count. */
static struct str qualifier(struct str name)
{
	size_t end = 0, start = 0;
	while (end < name.len && name.p[end] != '[' && name.p[end] != '(')
		end++;
	for (size_t i = 0; i < end; i++)
		if (name.p[i] == '/')
			start = i + 1;
	const char *const dot = start < end ? memchr(name.p + start, '.', end - start) : NULL;
	return (struct str){ name.p, dot ? (size_t)(dot - name.p) : 0 };
}

/* Returns the import path of the first type in the text that has an import path. */
static struct str qualifier_inside(struct str text)
{
	for (size_t at = 0; at < text.len;) {
		size_t end = at;
		while (end < text.len && is_of_path(text.p[end]))
			end++;
		while (at < end && text.p[at] == '.')
			at++;
		const struct str found = qualifier((struct str){ text.p + at, end - at });
		if (found.len > 0)
			return found;
		at = end + 1;
	}
	return STR("");
}

/* Returns the import path in a name that the compiler made: "type:*T", "type:.eq.T",
 * "go:itab.*T,I". Names in ".namedata." have no complete path. */
static struct str made_qualifier(struct str name)
{
	static const char *const paths[] = { "link.pkghash.", "link.pkghashbytes." };
	static const char *const words[] = { ".eq.",       ".hash.",   ".importpath.", "itab.",
					     "interface:", "map.zero", "string.",      "func." };
	name = str_from(name, name.p[0] == 't' ? 5 : 3);
	const size_t path = STARTS_WITH(name, paths);
	if (path > 0)
		return str_from(name, path);
	if (str_starts(name, STR(".namedata.")))
		return STR("");
	return qualifier_inside(str_from(name, STARTS_WITH(name, words)));
}

/* True if the name has a suffix of C compilers, for parts and copies of functions. */
static bool has_c_suffix(struct str name)
{
	static const char *const words[] = { "cold",     "part", "isra",       "constprop",
					     "lto_priv", "llvm", "localalias", "resolver" };
	const char *const dot = memchr(name.p, '.', name.len);
	if (!dot)
		return false;
	const struct str rest = str_from(name, (size_t)(dot - name.p) + 1);
	for (size_t i = 0; i < COUNT_OF(words); i++) {
		const size_t len = strlen(words[i]);
		if (str_starts(rest, str_of(words[i])) && (rest.len == len || rest.p[len] == '.'))
			return true;
	}
	return rest.len > 0 && is_digit(rest.p[0]);
}

struct str go_package(struct str name)
{
	if (is_made_by_compiler(name))
		return made_qualifier(name);
	return has_c_suffix(name) ? STR("") : qualifier(name);
}

bool go_package_is_path(struct str text)
{
	for (size_t i = 0; i < text.len; i++)
		if (!is_of_path(text.p[i]))
			return false;
	return text.len > 0 && text.len < 256;
}

size_t go_package_text(struct str path, char *out)
{
	size_t len = 0;
	for (size_t i = 0; i < path.len; i++) {
		const bool escape = path.p[i] == '%' && path.len - i > 2 &&
				    hex_value(path.p[i + 1]) >= 0 && hex_value(path.p[i + 2]) >= 0;
		const int c = escape ? hex_value(path.p[i + 1]) << 4 | hex_value(path.p[i + 2]) : 0;
		if (c >= ' ')
			i += 2;
		out[len++] = c >= ' ' ? (char)c : path.p[i];
	}
	ASSERT(len <= path.len);
	return len;
}

static bool package_name_is_go(struct str name)
{
	return name.len > 1 && name.p[0] != '.' && name.p[0] != '_' && !has_c_suffix(name) &&
	       memchr(name.p, '.', name.len) != NULL;
}

/* Beginnings of symbols by which parts of Rust's standard library call each other. */
static const char *const rust_runtime[] = { "__rust_",     "__rdl_",   "__rg_",      "__rustc",
					    "rust_begin_", "rust_eh_", "rust_panic", "_rust_" };

/* In RFC 2603, a crate is "C", "s", a number in base 62, "_", the length of its name, its name. */
bool crate_hash(struct str raw, struct str crate, char out[CRATE_HASH_ROOM])
{
	char name[24];
	if (!rust_name(raw) || crate.len == 0)
		return false;
	const int digits = snprintf(name, sizeof name, "%zu", crate.len);
	for (size_t i = 0; i + 1 < raw.len; i++) {
		const struct str at = str_from(raw, i + 2);
		const char *const end = memchr(at.p, '_', at.len);
		if (raw.p[i] != 'C' || raw.p[i + 1] != 's' || !end)
			continue;
		const struct str next = str_from(at, (size_t)(end - at.p) + 1);
		if (end == at.p || end - at.p >= CRATE_HASH_ROOM ||
		    !str_starts(next, (struct str){ name, (size_t)digits }) ||
		    !str_starts(str_from(next, (size_t)digits), crate))
			continue;
		memcpy(out, at.p, (size_t)(end - at.p));
		out[end - at.p] = '\0';
		return true;
	}
	return false;
}

static struct str first_part(struct str path)
{
	for (size_t i = 0; i < path.len; i++)
		if (path.p[i] == ':' || path.p[i] == '.')
			return (struct str){ path.p, i };
	return path;
}

/* Returns the text after `letter` and a number in base 62. `s` if it does not begin so. */
static struct str behind_number(struct str s, char letter)
{
	const char *const end = s.len > 0 && s.p[0] == letter ? memchr(s.p, '_', s.len) : NULL;
	return end ? str_from(s, (size_t)(end - s.p) + 1) : s;
}

/* Returns the crate that contains an impl (RFC 2603). For an impl on a primitive type, the text has
 * no crate: <str>::to_lowercase. */
static struct str crate_of_impl(struct str raw)
{
	while (raw.len > 2 && raw.p[1] == '_')
		raw = str_from(raw, 1);
	raw = str_starts(raw, STR("_R")) ? str_from(raw, 2) : STR("");
	while (raw.len > 1 && strchr("NIMX", raw.p[0]))
		raw = raw.p[0] == 'N'   ? str_from(raw, 2)
		      : raw.p[0] == 'I' ? str_from(raw, 1)
					: behind_number(str_from(raw, 1), 's');
	if (raw.len == 0 || raw.p[0] != 'C')
		return STR("");
	raw = behind_number(str_from(raw, 1), 's');
	size_t len = 0, digits = 0;
	while (digits < raw.len && digits < 4 && is_digit(raw.p[digits]))
		len = 10 * len + (size_t)(raw.p[digits++] - '0');
	raw = str_from(raw, digits);
	return len < raw.len ? (struct str){ raw.p, len } : STR("");
}

/* Returns the crate of code that drops a value: the first crate in the type that is not of Rust's
 * standard library. "" if there is none, or if the name is not drop_in_place. */
static struct str crate_of_dropped(struct str text)
{
	const struct str start = STR("core::ptr::drop_in_place");
	if (!str_starts(text, start))
		return STR("");
	for (size_t i = start.len; i + 2 < text.len; i++) {
		size_t end = i;
		while (end < text.len &&
		       (isalnum((unsigned char)text.p[end]) || text.p[end] == '_'))
			end++;
		const struct str word = { text.p + i, end - i };
		const bool root = text.p[i - 1] != ':' &&
				  str_starts(str_from(text, end), STR("::"));
		if (root && word.len > 0 && !str_eq(word, STR("core")) &&
		    !str_eq(word, STR("alloc")) && !str_eq(word, STR("std")))
			return word;
		i = end > i ? end - 1 : i;
	}
	return STR("");
}

/* Splits "NAME-1.2.3". The version follows the first "-" before a digit. */
static bool split_version(struct str s, struct str *ret_name, struct str *ret_version)
{
	for (size_t i = 0; i < s.len; i++)
		if (!is_of_path(s.p[i]) && s.p[i] != '+')
			return false;
	for (size_t i = 1; i + 3 < s.len; i++) {
		if (s.p[i] != '-' || !is_digit(s.p[i + 1]))
			continue;
		*ret_name = (struct str){ s.p, i };
		*ret_version = str_from(s, i + 1);
		return memchr(ret_version->p, '.', ret_version->len) != NULL;
	}
	return false;
}

bool crate_version(struct str path, struct str *ret_name, struct str *ret_version)
{
	/* The first folder may be cargo's index: "index.crates.io-" and a hash. */
	for (int i = 0; i < 2; i++) {
		const char *const end = memchr(path.p, '/', path.len);
		const size_t len = end ? (size_t)(end - path.p) : path.len;
		if (split_version((struct str){ path.p, len }, ret_name, ret_version))
			return true;
		path = str_from(path, min_u64(path.len, len + 1));
	}
	return false;
}

unsigned language_marked(struct str raw)
{
	static const struct {
		const char *name;
		enum language language;
	} marks[] = { { "NimMain", LANGUAGE_NIM },
		      { "stg_upd_frame_info", LANGUAGE_GHC },
		      { "start.posixCallMainAndExit", LANGUAGE_ZIG },
		      { "std.start.posixCallMainAndExit", LANGUAGE_ZIG },
		      { "start.callMain", LANGUAGE_ZIG },
		      { "std.start.callMain", LANGUAGE_ZIG },
		      { "builtin.default_panic", LANGUAGE_ZIG } };
	/* The first letter excludes most names. */
	for (size_t i = 0; i < COUNT_OF(marks); i++)
		if (raw.len > 0 && raw.p[0] == marks[i].name[0] &&
		    str_eq(raw, str_of(marks[i].name)))
			return marks[i].language;
	return 0;
}

/* Returns the package by the rules of `languages`, whose names look like C's. */
static struct str package_in(unsigned languages, struct str raw)
{
	struct str found = STR("");
	if (languages & LANGUAGE_NIM)
		found = nim_module(raw);
	if (found.len == 0 && languages & LANGUAGE_GHC)
		found = ghc_main_package(raw);
	if (found.len == 0 && languages & LANGUAGE_ZIG && package_name_is_go(raw))
		found = first_part(raw);
	return found;
}

enum package_kind package_of(const struct namespaces *n, struct demangler *d,
			     const struct package_of *of, struct str *ret)
{
	const struct str raw = of->raw;
	struct module_name parts;
	if (of->languages & LANGUAGE_GO && package_name_is_go(raw)) {
		*ret = go_package(raw);
		return PACKAGE_GO;
	}
	/* With an empty namespace, a name of module_name.h's languages has no package. */
	if (!(of->space && of->space->len == 0) && !str_starts(raw, STR("_Z")) &&
	    demangle_module(d, raw, ret, &parts)) {
		ret->len = parts.package;
		return parts.package > 0 ? PACKAGE_SPACE : PACKAGE_NONE;
	}
	*ret = package_in(of->languages, raw);
	if (ret->len > 0)
		return PACKAGE_SPACE;
	/* The first letter excludes most names. */
	const bool runtime = raw.len > 0 && (raw.p[0] == '_' || raw.p[0] == 'r');
	if (runtime && STARTS_WITH(raw, rust_runtime) > 0) {
		*ret = STR("std");
		return PACKAGE_CRATE;
	}
	const struct str hidden = STR("(anonymous namespace)::");
	struct str space = of->space ? *of->space : namespace_of(n, d, raw);
	if (str_starts(space, hidden))
		space = str_from(space, hidden.len);
	if (rust_name(raw)) {
		if (str_eq(space, STR("core::ptr"))) {
			const struct str type = demangle(d, raw, HEFT_NAMES_FULL);
			const struct str found = crate_of_dropped(type);
			*ret = found.len > 0 ? found : STR("core");
		} else {
			const bool named = space.len > 0 && space.p[0] != '(';
			*ret = named ? first_part(space) : crate_of_impl(raw);
		}
		return ret->len > 0 ? PACKAGE_CRATE : PACKAGE_NONE;
	}
	if (space.len == 0 || space.p[0] == '(')
		return PACKAGE_NONE;
	*ret = first_part(space);
	return PACKAGE_SPACE;
}
