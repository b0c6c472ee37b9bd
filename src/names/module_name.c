/* Reads names of languages with modules: one rule per language (module_name.h). */
#define _GNU_SOURCE /* memmem */
#include "names/module_name.h"

#include "names/out.h"

/* Returns the index of `word` in s, or s.len. */
static size_t module_name_find(struct str s, struct str word)
{
	const char *const at = s.len > 0 ? memmem(s.p, s.len, word.p, word.len) : NULL;
	return at ? (size_t)(at - s.p) : s.len;
}

static void put_kind(struct out *o, struct str kind)
{
	put_text(o, " (");
	put_str(o, kind);
	put_text(o, ")");
}

/* Reads "caml", the path of the compilation unit with "__" between its parts, "__" or ".", and the
 * name with its stamp. "$2b" is a byte in hexadecimal. */
static bool read_ocaml(struct str raw, struct out *o, struct module_name *ret)
{
	bool module = true;
	for (size_t i = 4; i < raw.len; i++) {
		const char c = raw.p[i];
		const bool pair = c == '_' && i + 2 < raw.len && raw.p[i + 1] == '_';
		const int high = c == '$' && i + 2 < raw.len ? hex_value(raw.p[i + 1]) : -1;
		const int low = high >= 2 ? hex_value(raw.p[i + 2]) : -1;
		if (low >= 0 && high < 8) {
			put(o, &(char){ (char)(high * 16 + low) }, 1);
			i += 2;
			continue;
		}
		if (!pair && c != '.') {
			put(o, &c, 1);
			continue;
		}
		i += pair;
		if (ret->package == 0)
			ret->package = o->len;
		module = module && i + 1 < raw.len && is_upper(raw.p[i + 1]);
		ret->module = module || ret->module > 0 ? ret->module : o->len;
		put_text(o, ".");
	}
	ret->brief = o->len;
	if (ret->package == 0)
		ret->package = o->len;
	if (ret->module == 0)
		ret->module = o->len;
	return true;
}

/* Reads a name of gfortran: __MODULE_MOD_NAME. */
static bool read_gfortran(struct str raw, struct out *o, struct module_name *ret)
{
	const struct str mark = STR("_MOD_");
	if (raw.len < 4)
		return false;
	const size_t at = 3 + module_name_find(str_from(raw, 3), mark);
	if (at + mark.len >= raw.len)
		return false;
	put_str(o, str_from(str_upto(raw, at), 2));
	ret->module = ret->package = o->len;
	put_text(o, "::");
	put_str(o, str_from(raw, at + mark.len));
	ret->brief = o->len;
	return true;
}

/* Reads a name of flang: _Q and parts. A part is a capital letter, and a name in small letters. M
 * is a module, S a submodule. Other letters are procedures, variables and so on. */
static bool read_flang(struct str raw, struct out *o, struct module_name *ret)
{
	for (size_t i = 2; i < raw.len;) {
		const char tag = raw.p[i++];
		const size_t start = i;
		while (i < raw.len && !is_upper(raw.p[i]))
			i++;
		if (!is_upper(tag) || i == start)
			return false;
		if (o->len > 0)
			put_text(o, "::");
		put_str(o, str_from(str_upto(raw, i), start));
		if (tag == 'M' && start == 3)
			ret->package = o->len;
		if (tag == 'M' || tag == 'S')
			ret->module = o->len;
	}
	ret->brief = o->len;
	return o->len > 0;
}

/* Writes the types of parameters and result. The mangled form "A$B$$R" becomes "(A, B): R". */
static void put_parameters(struct out *o, struct str types)
{
	const size_t end = module_name_find(types, STR("$$"));
	size_t at = 0;
	put_text(o, "(");
	while (at < end) {
		size_t next = at;
		while (next < end && types.p[next] != '$')
			next++;
		put_str(o, str_from(str_upto(types, next), at));
		at = next + 1;
		if (next < end)
			put_text(o, ", ");
	}
	put_text(o, ")");
	if (end + 2 < types.len) {
		put_text(o, ": ");
		put_str(o, str_from(types, end + 2));
	}
}

/* Writes the unit, and what contains the name in it: "UNIT", "P$PROGRAM", "UNIT$_$CLASS_$_". In a
 * function, it is "UNIT$_$FUNCTION$TYPES". */
static void put_pascal_unit(struct out *o, struct str unit, struct module_name *ret)
{
	if (str_starts(unit, STR("P$")))
		unit = str_from(unit, 2);
	const size_t end = module_name_find(unit, STR("$_$"));
	put_str(o, str_upto(unit, end));
	ret->module = ret->package = o->len;
	if (end + 3 >= unit.len)
		return;
	const struct str owner = str_from(unit, end + 3);
	const size_t class = module_name_find(owner, STR("_$_")),
		     function = module_name_find(owner, STR("$"));
	put_text(o, ".");
	put_str(o, str_upto(owner, min_u64(class, function)));
}

/* Returns the index of "$_Ld" in "_$UNIT$_Ld1", a name of nameless data. raw.len for others. */
static size_t pascal_local(struct str raw)
{
	return str_starts(raw, STR("_$")) ? module_name_find(raw, STR("$_Ld")) : raw.len;
}

static bool read_pascal_local(struct str raw, struct out *o, struct module_name *ret)
{
	const size_t at = pascal_local(raw);
	if (at == raw.len || at < 3)
		return false;
	put_pascal_unit(o, str_from(str_upto(raw, at), 2), ret);
	put_text(o, ".");
	put_str(o, str_from(raw, at + 2));
	ret->brief = o->len;
	return true;
}

/* Reads "UNIT_$$_NAME$TYPES". Data has "KIND_$" before the unit, such as U_ for variables and VMT_
 * for method tables. */
static bool read_pascal(struct str raw, struct out *o, struct module_name *ret)
{
	const struct str mark = STR("_$$_");
	const size_t at = module_name_find(raw, mark);
	struct str unit = str_upto(raw, at), kind = STR("");
	if (at == raw.len)
		return read_pascal_local(raw, o, ret);
	if (at == 0 || at + mark.len == raw.len)
		return false;
	const size_t split = module_name_find(unit, STR("_$"));
	if (split > 0 && split < unit.len && unit.p[split - 1] != '$') {
		kind = str_upto(unit, split);
		unit = str_from(unit, split + 2);
	}
	struct str name = str_from(raw, at + mark.len);
	if (str_ends(name, STR("$indirect")))
		name = str_upto(name, name.len - strlen("$indirect"));
	put_pascal_unit(o, unit, ret);
	put_text(o, ".");
	/* The name of an operator begins with "$". */
	const size_t end = name.len > 0 ? 1 + module_name_find(str_from(name, 1), STR("$")) : 0;
	put_str(o, str_upto(name, end));
	ret->brief = o->len;
	if (kind.len > 0)
		put_kind(o, kind);
	else if (end + 1 < name.len)
		put_parameters(o, str_from(name, end + 1));
	return true;
}

/* Words of the identifiers so far, to which letters may refer in Swift's names
 * (docs/ABI/Mangling.rst). An identifier starts with its length. If it starts with "0", small
 * letters refer to earlier words, and a capital letter to the last one */
struct swift {
	struct str words[26];
	size_t count;
};

/* Adds the words of two or more letters. A word ends at "_", or at a capital after another
 * letter. */
static void learn_words(struct swift *w, struct str s)
{
	size_t start = 0, i = 0;
	while (start < s.len) {
		const bool begins = s.p[start] != '_' && !is_digit(s.p[start]);
		for (i = start + 1; begins && i < s.len && s.p[i] != '_'; i++)
			if (is_upper(s.p[i]) && !is_upper(s.p[i - 1]))
				break;
		if (i - start >= 2 && w->count < COUNT_OF(w->words))
			w->words[w->count++] = (struct str){ s.p + start, i - start };
		start = i;
	}
}

/* Reads an identifier that is spelled out. Returns its size in the name, or 0. */
static size_t swift_literal(struct swift *w, struct str s, struct out *o)
{
	size_t i = 0, n = 0;
	while (i < s.len && i < 5 && is_digit(s.p[i]))
		n = n * 10 + (size_t)(s.p[i++] - '0');
	if (i == 0 || s.p[0] == '0' || n == 0 || n > s.len - i)
		return 0;
	const struct str text = { s.p + i, n };
	put_str(o, text);
	learn_words(w, text);
	return i + n;
}

/* Reads letters that refer to earlier words: small letters, and a capital letter at the end.
 * Returns their number. */
static size_t swift_words(struct swift *w, struct str s, struct out *o)
{
	size_t i = 0;
	bool more = true;
	while (more && i < s.len && (is_lower(s.p[i]) || is_upper(s.p[i]))) {
		more = is_lower(s.p[i]);
		const size_t word = (size_t)(s.p[i++] - (more ? 'a' : 'A'));
		if (word >= w->count)
			return 0;
		put_str(o, w->words[word]);
	}
	return i;
}

static size_t swift_identifier(struct swift *w, struct str s, struct out *o)
{
	size_t at = 1;
	if (!str_starts(s, STR("0")))
		return swift_literal(w, s, o);
	for (bool last = false; !last;) {
		const size_t words = swift_words(w, str_from(s, at), o);
		at += words;
		if (words == 0 || at == s.len)
			return 0;
		last = is_upper(s.p[at - 1]);
		if (s.p[at] == '0')
			return at + 1;
		const size_t literal = swift_literal(w, str_from(s, at), o);
		if (literal == 0)
			return 0;
		at += literal;
	}
	return at;
}

/* Reads the module, or a known module's short code, at the start of a name. Returns its size. */
static size_t swift_module(struct swift *w, struct str s, struct out *o)
{
	static const struct {
		const char *code, *name;
	} known[] = { { "So", "__C" }, { "SC", "__C_Synthesized" }, { "s", "Swift" } };
	for (size_t i = 0; i < COUNT_OF(known); i++) {
		const struct str code = str_of(known[i].code);
		if (!str_starts(s, code))
			continue;
		put_text(o, known[i].name);
		return code.len;
	}
	return swift_identifier(w, s, o);
}

/* Types of the standard library, by the letter after "S": LETTER=NAME (docs/ABI/Mangling.rst,
 * "known-type-kind"). */
static const char swift_types[] =
	"A=AutoreleasingUnsafeMutablePointer a=Array B=BinaryFloatingPoint "
	"b=Bool D=Dictionary d=Double E=Encodable e=Decodable F=FloatingPoint "
	"f=Float G=RandomNumberGenerator H=Hashable h=Set I=DefaultIndices i=Int "
	"J=Character j=Numeric K=BidirectionalCollection "
	"k=RandomAccessCollection L=Comparable l=Collection M=MutableCollection "
	"m=RangeReplaceableCollection N=ClosedRange n=Range O=ObjectIdentifier "
	"P=UnsafePointer p=UnsafeMutablePointer Q=Equatable q=Optional "
	"R=UnsafeBufferPointer r=UnsafeMutableBufferPointer S=String s=Substring "
	"T=Sequence t=IteratorProtocol U=UnsignedInteger u=UInt "
	"V=UnsafeRawPointer v=UnsafeMutableRawPointer W=UnsafeRawBufferPointer "
	"w=UnsafeMutableRawBufferPointer X=RangeExpression x=Strideable "
	"Y=RawRepresentable y=StringProtocol Z=SignedInteger z=BinaryInteger ";

/* Types of Swift's concurrency, by the letter after "Sc": LETTER=NAME. */
static const char swift_tasks[] =
	"A=Actor C=CheckedContinuation c=UnsafeContinuation E=CancellationError "
	"e=UnownedSerialExecutor F=Executor f=SerialExecutor G=TaskGroup "
	"g=ThrowingTaskGroup h=TaskExecutor I=AsyncIteratorProtocol "
	"i=AsyncSequence J=UnownedJob M=MainActor P=TaskPriority S=AsyncStream "
	"s=AsyncThrowingStream T=Task t=UnsafeCurrentTask ";

/* Finds the standard library's type that `s` begins with. Returns how many bytes name it, or 0. */
static size_t swift_known_type(struct str s, struct str *ret_name)
{
	const bool task = str_starts(s, STR("Sc"));
	const size_t at = task ? 2 : 1;
	if (s.len <= at || s.p[0] != 'S')
		return 0;
	for (const char *p = task ? swift_tasks : swift_types; *p; p = strchr(p, ' ') + 1) {
		if (p[0] != s.p[at])
			continue;
		*ret_name = (struct str){ p + 2, strcspn(p + 2, " ") };
		return at + 1;
	}
	return 0;
}

static size_t swift_prefix(struct str raw)
{
	static const char *const prefixes[] = { "_$s", "_$S", "$s", "$S" };
	/* A quick test, because most names are not Swift's. */
	const bool dollar = raw.len >= 2 && (raw.p[0] == '$' || raw.p[1] == '$');
	return dollar ? STARTS_WITH(raw, prefixes) : 0;
}

bool module_name_is_swift(struct str raw)
{
	return swift_prefix(raw) > 0;
}

/* Changes "lib.Shape.main" to "main.Shape": an extension, in module main, of the type lib.Shape.
 * `at`: where the extension's module begins. */
static void extension_turn(struct out *o, size_t at, struct module_name *ret)
{
	const size_t module = o->len - at, types = ret->module; /* `types`: index of the "."
								 * before the type */
	char *const text = o->p;
	if (o->failed || at <= types)
		return;
	/* Swaps ".Shape" and the module. */
	const size_t kept = at - 1 - types;
	put(o, text + types, kept);
	if (o->failed)
		return;
	memmove(text, text + at, module + kept);
	o->len = module + kept;
	ret->module = ret->package = module;
}

/* Reads the first component of a mangled Swift name, and writes it to `o`. This is a module, or the
 * short code of a type of the standard library ("Sa" for Array). For a type, also writes its
 * module, "Swift". Returns the number of bytes read. 0 if there is neither. */
static size_t swift_start(struct swift *w, struct str s, struct out *o, struct module_name *ret)
{
	struct str type;
	const size_t known = swift_known_type(s, &type);
	const size_t size = known > 0 ? known : swift_module(w, s, o);
	if (known > 0)
		put_text(o, "Swift");
	ret->module = ret->package = o->len;
	if (known == 0)
		return size;
	put_text(o, ".");
	put_str(o, type);
	return size;
}

/* Reads a Swift name: the module, the types that contain the member, and the member. After the name
 * of each type comes the letter of its kind: C, V, O or P. "E" marks an extension. What follows
 * stays mangled. */
static bool read_swift(struct str raw, struct out *o, struct module_name *ret)
{
	struct swift w = { .count = 0 };
	struct str rest = str_from(raw, swift_prefix(raw));
	size_t size = swift_start(&w, rest, o, ret);
	if (size == 0 || rest.len == raw.len)
		return false;
	rest = str_from(rest, size);
	for (;;) {
		const size_t before = o->len;
		put_text(o, ".");
		const size_t start = o->len;
		size = swift_identifier(&w, rest, o);
		if (size == 0) {
			o->len = before;
			break;
		}
		rest = str_from(rest, size);
		if (rest.len == 0 || !strchr("CVOPE", rest.p[0]))
			break;
		/* An extension belongs to the module that makes it. */
		if (rest.p[0] == 'E')
			extension_turn(o, start, ret);
		rest = str_from(rest, 1);
	}
	/* The brief name keeps the mangled rest: it tells overloaded members apart. */
	ret->brief = o->len;
	if (rest.len > 0)
		put_kind(o, rest);
	if (size == 0)
		ret->brief = o->len;
	return true;
}

static const char *const ghc_kinds[] = { "_info",         "_closure", "_con_info", "_static_info",
					 "_con_entry",    "_bytes",   "_entry",    "_slow",
					 "_static_entry", "_ret",     "_tbl",      "_srt" };

/* Returns the longest of ghc_kinds that the name ends with. */
static struct str ghc_kind(struct str raw)
{
	struct str best = STR("");
	for (size_t i = 0; i < COUNT_OF(ghc_kinds); i++) {
		const struct str kind = str_of(ghc_kinds[i]);
		if (str_ends(raw, kind) && kind.len > best.len)
			best = kind;
	}
	return best;
}

/* Returns the character that z or Z and a letter encode, because linkers do not accept it (GHC's
 * wiki, "Symbol names"). NUL if unknown. Tuples like Z3T are not decoded. */
static char ghc_escape(char first, char second)
{
	static const char small[] = "a&b|c^d$e=g>h#i.l<m-n!p+q'r\\s/t*u_v%zz";
	static const char large[] = "L(R)M[N]C:ZZ";
	const char *const table = first == 'z' ? small : large;
	for (size_t i = 0; table[i] != '\0'; i += 2)
		if (table[i] == second)
			return table[i + 1];
	return '\0';
}

/* Writes s with z-encodings decoded. Unknown ones stay. True if there was a known one. */
static bool put_unescaped(struct out *o, struct str s)
{
	bool any = false;
	for (size_t i = 0; i < s.len; i++) {
		const bool mark = (s.p[i] == 'z' || s.p[i] == 'Z') && i + 1 < s.len;
		const char c = mark ? ghc_escape(s.p[i], s.p[i + 1]) : '\0';
		put(o, c ? &c : s.p + i, 1);
		i += c != '\0';
		any = any || c != '\0';
	}
	return any;
}

/* Reads [PACKAGE_]MODULE_NAME_KIND, each part z-encoded. Refuses names without an encoded
 * character, which may be C's. */
static bool read_ghc(struct str raw, struct out *o, struct module_name *ret)
{
	const struct str kind = ghc_kind(raw);
	struct str s = str_upto(raw, raw.len - kind.len);
	const size_t first = module_name_find(s, STR("_"));
	if (kind.len == 0 || first == 0 || first + 1 >= s.len)
		return false;
	const bool package = !is_upper(s.p[0]);
	bool escaped = put_unescaped(o, package ? str_upto(s, first) : STR("main"));
	/* The name of a built package ends with a hash: "-" and 20 or more letters and digits. */
	size_t hash = o->len;
	while (hash > 0 &&
	       (is_digit(o->p[hash - 1]) || is_upper(o->p[hash - 1]) || is_lower(o->p[hash - 1])))
		hash--;
	if (hash > 1 && o->p[hash - 1] == '-' && o->len - hash >= 20)
		o->len = hash - 1;
	ret->package = o->len;
	s = package ? str_from(s, first + 1) : s;
	const size_t end = module_name_find(s, STR("_"));
	if (!is_upper(s.p[0]) || end + 1 >= s.len)
		return false;
	put_text(o, ":");
	escaped = put_unescaped(o, str_upto(s, end)) || escaped;
	ret->module = o->len;
	put_text(o, ".");
	escaped = put_unescaped(o, str_from(s, end + 1)) || escaped;
	ret->brief = o->len;
	put_kind(o, str_from(kind, 1));
	return escaped;
}

struct str ghc_main_package(struct str raw)
{
	const struct str kind = ghc_kind(raw);
	const size_t end = module_name_find(raw, STR("_"));
	return kind.len > 0 && is_upper(raw.p[0]) && end < raw.len - kind.len ? STR("main")
									      : STR("");
}

struct str nim_module(struct str raw)
{
	size_t end = raw.len, start;
	while (end > 0 && is_digit(raw.p[end - 1]))
		end--;
	if (end == raw.len)
		return STR("");
	end -= end > 1 && raw.p[end - 1] == 'u';
	for (start = end; start > 1 && !(raw.p[start - 1] == '_' && raw.p[start - 2] == '_');)
		start--;
	return end > start + 1 && start > 2 && raw.p[end - 1] == '_'
		       ? (struct str){ raw.p + start, end - 1 - start }
		       : STR("");
}

typedef bool read_fn(struct str raw, struct out *o, struct module_name *ret);

static bool is_ocaml(struct str raw)
{
	return str_starts(raw, STR("caml")) && raw.len > 4 && is_upper(raw.p[4]);
}

static bool is_gfortran(struct str raw)
{
	return str_starts(raw, STR("__")) && module_name_find(raw, STR("_MOD_")) < raw.len;
}

static bool is_flang(struct str raw)
{
	return str_starts(raw, STR("_Q")) && raw.len > 3 && strchr("MFP", raw.p[2]) != NULL;
}

static bool is_pascal(struct str raw)
{
	return memchr(raw.p, '$', raw.len) &&
	       (module_name_find(raw, STR("_$$_")) < raw.len || pascal_local(raw) < raw.len);
}

static bool is_ghc(struct str raw)
{
	return (memchr(raw.p, 'z', raw.len) || memchr(raw.p, 'Z', raw.len)) &&
	       ghc_kind(raw).len > 0;
}

/* Rules in the order in which they are tried. The first rule that accepts a name wins. */
static const struct {
	bool (*is)(struct str raw);
	read_fn *read;
} rules[] = {
	{ is_ocaml, read_ocaml },   { is_gfortran, read_gfortran },       { is_flang, read_flang },
	{ is_pascal, read_pascal }, { module_name_is_swift, read_swift }, { is_ghc, read_ghc },
};

static size_t rule_of(struct str raw)
{
	size_t i = 0;
	while (i < COUNT_OF(rules) && !rules[i].is(raw))
		i++;
	return i;
}

bool module_name_likely(struct str raw)
{
	return raw.len > 4 && rule_of(raw) < COUNT_OF(rules);
}

bool module_name_read(struct str raw, char *out, size_t room, struct module_name *ret)
{
	const size_t i = rule_of(raw);
	struct out o = { .p = out, .room = room };
	*ret = (struct module_name){ 0 };
	if (raw.len <= 4 || i == COUNT_OF(rules) || !rules[i].read(raw, &o, ret) || o.failed)
		return false;
	ret->len = o.len;
	ASSERT(ret->package <= o.len && ret->module <= o.len && ret->brief <= o.len);
	return true;
}
