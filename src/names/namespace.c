/* Finds the namespace of a linkage name, and collects which components are classes. */
#include "names/namespace.h"

#include "names/microsoft.h"
#include "names/rust.h"

void namespaces_add(struct namespaces *n, struct str path, bool is_class)
{
	(void)intern_add(is_class ? &n->classes : &n->spaces, path);
}

void namespaces_release(struct namespaces *n)
{
	intern_release(&n->spaces);
	intern_release(&n->classes);
}

/* Returns where the component at `at` ends: at the next separator outside of brackets, or at s.len.
 * An operator takes the rest of the name, because it may convert to a::b. */
static size_t component_end(struct str s, size_t at, char separator)
{
	ASSERT(at <= s.len);
	size_t depth = 0, i = at;
	if (separator == ':' && str_starts(str_from(s, at), STR("operator")) &&
	    (at + 8 == s.len ||
	     !(s.p[at + 8] == '_' || (s.p[at + 8] >= 'a' && s.p[at + 8] <= 'z'))))
		return s.len;
	for (; i < s.len; i++) {
		const char c = s.p[i];
		if (c == '(' || c == '<' || c == '{' || c == '[')
			depth++;
		else if (depth > 0 && (c == ')' || c == '>' || c == '}' || c == ']'))
			depth--;
		else if (depth == 0 && c == separator &&
			 (separator != ':' || (i + 1 < s.len && s.p[i + 1] == ':')))
			break;
	}
	return i;
}

static size_t behind_separator(struct str s, size_t end, char separator)
{
	return min_u64(s.len, end + (separator == ':' ? 2 : 1));
}

/* Returns the text before the last component and its separator. */
static struct str without_last(struct str s, char separator)
{
	size_t end = 0, at = 0;
	while (at < s.len) {
		const size_t next = component_end(s, at, separator);
		if (next == s.len)
			break;
		end = next;
		at = behind_separator(s, next, separator);
	}
	return str_upto(s, end);
}

struct str name_qualifier(struct str name)
{
	return str_starts(name, STR("\"")) ? (struct str){ name.p, 0 } : without_last(name, ':');
}

static struct str namespace_last_of(struct str s, char separator)
{
	const struct str before = without_last(s, separator);
	return before.len > 0 ? str_from(s, behind_separator(s, before.len, separator)) : s;
}

static bool namespace_has(const struct intern *in, struct str s)
{
	uint32_t id;
	return intern_find(in, s, &id);
}

static bool namespace_is_cxx(struct str raw)
{
	while (raw.len > 0 && raw.p[0] == '_')
		raw = str_from(raw, 1);
	return raw.len > 1 && raw.p[0] == 'Z' && rust_legacy_size(raw) == 0;
}

/* True for a table or type information of a class. */
static bool is_table(struct str raw)
{
	return str_starts(raw, STR("_ZTV")) || str_starts(raw, STR("_ZTI")) ||
	       str_starts(raw, STR("_ZTS")) || str_starts(raw, STR("_ZTT")) ||
	       str_starts(raw, STR("_ZTC"));
}

/* True for a static variable or class in a function. */
static bool is_local(struct str raw)
{
	return str_starts(raw, STR("_ZZ")) || str_starts(raw, STR("_ZGVZ"));
}

/* True if a component of a name is no namespace: a template, a lambda, or a function that contains
 * the entity. */
static bool names_no_space(struct str part)
{
	const bool called = part.len > 0 && part.p[part.len - 1] == ')' && part.p[0] != '(';
	return called || part.len == 0 || part.p[0] == '{' || part.p[part.len - 1] == '>' ||
	       part.p[0] == '\'' || str_starts(part, STR("operator"));
}

static struct str cxx_space(const struct namespaces *n, struct str raw, struct str text)
{
	struct str max = without_last(text, ':');
	size_t end = 0, at = 0;
	bool listed = false;
	if (is_local(raw))
		max = without_last(max, ':');
	while (at < max.len) {
		const size_t next = component_end(max, at, ':');
		const struct str path = str_upto(max, next);
		const bool known = namespace_has(&n->spaces, path);
		if (names_no_space(str_upto(str_from(max, at), next - at)))
			break;
		if (!known && (namespace_has(&n->classes, path) || listed))
			break;
		listed = known;
		end = next;
		at = behind_separator(max, next, ':');
	}
	/* The component before a lambda is the function with the lambda. */
	if (at < max.len && max.p[at] == '{' && !namespace_has(&n->spaces, str_upto(max, end)))
		return without_last(str_upto(max, end), ':');
	return str_upto(max, end);
}

/* Returns true if a mangled name may prove that a scope is a class. It may be a virtual table, a
 * const or volatile member function, a constructor, or a destructor. The test is quick, and saves
 * the demangling of all other names. */
static bool may_tell(struct str raw)
{
	if (is_table(raw) || str_starts(raw, STR("_ZNK")) || str_starts(raw, STR("_ZNV")))
		return true;
	for (size_t i = 3; i + 2 < raw.len; i++)
		if ((raw.p[i] == 'C' || raw.p[i] == 'D') && raw.p[i + 1] >= '0' &&
		    raw.p[i + 1] <= '5' && raw.p[i + 2] == 'E')
			return true;
	return false;
}

/* Adds the class that has a member or virtual table of this name. The full name shows that the
 * symbol belongs to a class. */
static void learn_microsoft(struct namespaces *n, struct demangler *d, struct str raw)
{
	const bool member = microsoft_is_member(demangle(d, raw, HEFT_NAMES_FULL));
	const struct str shown = demangle(d, raw, HEFT_NAMES_SHORT);
	if (!member || shown.p == raw.p)
		return;
	const bool is_table = str_starts(raw, STR("??_7")) || str_starts(raw, STR("??_R")) ||
			      str_starts(raw, STR("??_8"));
	const struct str owner = is_table ? shown : without_last(shown, ':');
	if (owner.len > 0 && !names_no_space(namespace_last_of(owner, ':')))
		namespaces_add(n, owner, true);
}

void namespaces_learn(struct namespaces *n, struct demangler *d, struct str raw)
{
	if (microsoft_likely(raw)) {
		learn_microsoft(n, d, raw);
		return;
	}
	if (!namespace_is_cxx(raw) || is_local(raw) || !may_tell(raw))
		return;
	const struct str shown = demangle(d, raw, HEFT_NAMES_SHORT);
	if (str_eq(shown, raw))
		return;
	const struct str owner = is_table(raw) ? shown : without_last(shown, ':');
	const struct str last = namespace_last_of(shown, ':'),
			 class = namespace_last_of(owner, ':');
	const bool made = last.len > 0 && (last.p[0] == '~' ||
					   (str_starts(last, class) && last.len == class.len + 2));
	if (owner.len > 0 && (is_table(raw) || made || raw.p[2] == 'N'))
		if (is_table(raw) || made || raw.p[3] == 'K' || raw.p[3] == 'V')
			namespaces_add(n, owner, true);
}

static struct str without_types(struct str path, char separator)
{
	for (;;) {
		const struct str last = namespace_last_of(path, separator);
		const bool is_type = last.len > 0 && ((last.p[0] >= 'A' && last.p[0] <= 'Z') ||
						      last.p[last.len - 1] == '>');
		if (!is_type)
			return path;
		path = without_last(path, separator);
	}
}

/* Returns the path before the first component that is not plain, such as {closure#0} or <impl T for
 * U>. Arguments of generics do not count. */
static struct str namespace_plain_path(struct str text)
{
	size_t end = 0, at = 0;
	while (at < text.len) {
		const size_t next = component_end(text, at, ':');
		if (text.p[at] == '<' && next > at + 2)
			return str_upto(text, end);
		if (text.p[at] == '{')
			return without_last(str_upto(text, end), ':');
		if (text.p[at] != '<')
			end = next;
		at = behind_separator(text, next, ':');
	}
	return without_last(str_upto(text, end), ':');
}

/* Returns the path of a type, without its name. Skips what precedes it: & &mut *const [ ( dyn. */
static struct str type_path(struct str type)
{
	static const char *const words[] = { "&", "*const ", "*mut ", "mut ", "dyn ", "[", "(" };
	for (size_t i = 0; i < COUNT_OF(words); i++) {
		const struct str word = str_of(words[i]);
		if (!str_starts(type, word))
			continue;
		type = str_from(type, word.len);
		i = (size_t)-1;
	}
	size_t end = 0;
	while (end < type.len && type.p[end] != '<' && type.p[end] != ',' && type.p[end] != ';' &&
	       type.p[end] != ']' && type.p[end] != ')' && type.p[end] != ' ')
		end++;
	return without_last(str_upto(type, end), ':');
}

/* Returns the path of T for <T as Trait>::f, or that of Trait if T has none, like u8. */
static struct str impl_space(struct str text)
{
	const size_t end = component_end(text, 0, ':');
	struct str inner = str_upto(str_from(text, 1), end > 1 ? end - 2 : 0);
	size_t depth = 0, as = 0;
	for (size_t i = 0; i + 4 < inner.len && as == 0; i++) {
		if (inner.p[i] == '<')
			depth++;
		else if (inner.p[i] == '>' && depth > 0)
			depth--;
		else if (depth == 0 && memcmp(inner.p + i, " as ", 4) == 0)
			as = i;
	}
	struct str space = type_path(as > 0 ? str_upto(inner, as) : inner);
	if (space.len == 0 && as > 0)
		space = type_path(str_from(inner, as + 4));
	return space;
}

static struct str space_of_text(const struct namespaces *n, struct str raw, struct str text)
{
	if (str_eq(text, raw))
		return STR("");
	if (namespace_is_cxx(raw) || microsoft_likely(raw))
		return cxx_space(n, raw, text);
	if (str_starts(raw, STR("_D"))) {
		size_t end = 0;
		while (end < text.len && text.p[end] != '(' && text.p[end] != '!' &&
		       text.p[end] != ' ')
			end++;
		return without_types(without_last(str_upto(text, end), '.'), '.');
	}
	struct str space = text;
	/* An impl may be in an impl: <<a::B as C>::D as E>::f. */
	for (unsigned i = 0; i < 4 && str_starts(space, STR("<")); i++) {
		const struct str inner = str_from(space, 1);
		if (!str_starts(inner, STR("<")))
			return without_types(impl_space(space), ':');
		space = inner;
	}
	return without_types(namespace_plain_path(space), ':');
}

struct str namespace_of_shown(const struct namespaces *n, struct demangler *d, struct str raw,
			      struct str shown)
{
	struct module_name parts;
	struct str text;
	if (demangle_module(d, raw, &text, &parts))
		return str_upto(text, parts.module);
	return space_of_text(n, raw, shown);
}

struct str namespace_of(const struct namespaces *n, struct demangler *d, struct str raw)
{
	struct module_name parts;
	struct str text;
	if (demangle_module(d, raw, &text, &parts))
		return str_upto(text, parts.module);
	return space_of_text(n, raw, demangle(d, raw, HEFT_NAMES_SHORT));
}
