/* Implements rewrites and filters by regular expression with PCRE2. */
#include "map/rules.h"

#include "base/vec.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdatomic.h>
#include <stdio.h>

enum {
	MATCH_LIMIT = 100000,
	DEPTH_LIMIT = 100000,
	HEAP_LIMIT = 16 << 10, /* Memory in KiB that PCRE2 may use for a match */
	GROUPS = 10,           /* Groups \0 to \9 */
};

/* Memory for a match. One is kept between calls. If it is taken, a thread makes its own */
struct scratch {
	_Atomic(pcre2_match_data *) spare;
	pcre2_general_context
		*memory; /* Allocates memory that the current handle owns (base/mem.h) */
};

static struct scratch *scratch_new(void)
{
	struct scratch *s = mem_zeroed(1, sizeof *s);
	s->memory = pcre2_general_context_create(memory_palloc, memory_pfree, NULL);
	if (!s->memory)
		call_raise(HEFT_ENOMEM, "out of memory");
	return s;
}

static void scratch_free(struct scratch *s)
{
	pcre2_match_data_free(atomic_load(&s->spare));
	pcre2_general_context_free(s->memory);
	mem_free(s);
}

static pcre2_match_data *scratch_take(struct scratch *s)
{
	pcre2_match_data *data = atomic_exchange(&s->spare, NULL);
	if (!data)
		data = pcre2_match_data_create(GROUPS, s->memory);
	if (!data)
		call_raise(HEFT_ENOMEM, "out of memory");
	return data;
}

static void scratch_give(struct scratch *s, pcre2_match_data *data)
{
	pcre2_match_data_free(atomic_exchange(&s->spare, data));
}

struct pattern {
	char *text; /* Owned. For messages */
	pcre2_code *code;
	struct owned *owned; /* Frees the compiled code, which is not in memory of the handle */
	pcre2_match_context *limits;
	struct scratch *scratch;
};

enum { EXCERPT_MAX = 100 };

/* Returns the start of `s` in one line of printable characters. */
static const char *excerpt(struct str s, char out[EXCERPT_MAX])
{
	const size_t kept = s.len < 60 ? s.len : 60;
	for (size_t i = 0; i < kept; i++)
		out[i] = (uint8_t)s.p[i] < ' ' || s.p[i] == 0x7f ? '?' : s.p[i];
	snprintf(out + kept, EXCERPT_MAX - kept, "%s", kept < s.len ? "..." : "");
	return out;
}

static char *copy_str(struct str s)
{
	char *p = mem_alloc(s.len + 1);
	if (s.len)
		memcpy(p, s.p, s.len);
	p[s.len] = '\0';
	return p;
}

/* Compiles an expression. Labels are bytes, so UTF mode is off, even if the expression requests it.
 * `$` matches only at the very end, as in RE2. */
static pcre2_code *compile(struct str regex, struct heft_err *err)
{
	const uint32_t options = PCRE2_DOLLAR_ENDONLY | PCRE2_NEVER_UTF | PCRE2_NEVER_UCP;
	PCRE2_SPTR start = (PCRE2_SPTR)(regex.len ? regex.p : "");
	int code = 0;
	PCRE2_SIZE off = 0;
	pcre2_compile_context *context = pcre2_compile_context_create(NULL);
	if (!context)
		call_raise(HEFT_ENOMEM, "out of memory");
	pcre2_set_newline(context, PCRE2_NEWLINE_LF);
	pcre2_code *ret = pcre2_compile(start, regex.len, options, &code, &off, context);
	pcre2_compile_context_free(context);
	if (!ret) {
		char words[200] = "", text[EXCERPT_MAX];
		pcre2_get_error_message(code, (PCRE2_UCHAR *)words, sizeof words);
		fail(err, HEFT_EARG, HEFT_NO_OFFSET,
		     "invalid regular expression \"%s\" at byte %zu: %s", excerpt(regex, text), off,
		     words);
		return NULL;
	}
	/* Not all systems allow JIT. Without it, PCRE2 interprets the expression. */
	(void)pcre2_jit_compile(ret, PCRE2_JIT_COMPLETE);
	return ret;
}

static void release_code(void *code)
{
	pcre2_code_free(code);
}

struct pattern *pattern_new(struct str regex, struct heft_err *err)
{
	pcre2_code *code = compile(regex, err);
	if (!code)
		return NULL;
	struct owned *owned = memory_own(release_code, code);
	struct pattern *p = mem_zeroed(1, sizeof *p);
	p->text = copy_str(regex);
	p->code = code;
	p->owned = owned;
	p->scratch = scratch_new();
	p->limits = pcre2_match_context_create(p->scratch->memory);
	if (!p->limits)
		call_raise(HEFT_ENOMEM, "out of memory");
	pcre2_set_match_limit(p->limits, MATCH_LIMIT);
	pcre2_set_depth_limit(p->limits, DEPTH_LIMIT);
	pcre2_set_heap_limit(p->limits, HEAP_LIMIT);
	return p;
}

void pattern_free(struct pattern *p)
{
	if (!p)
		return;
	memory_disown(p->owned);
	pcre2_code_free(p->code);
	pcre2_match_context_free(p->limits);
	scratch_free(p->scratch);
	mem_free_all(p->text, p);
}

static bool rules_run(const struct pattern *p, struct str text, pcre2_match_data *data,
		      struct notes *notes)
{
	PCRE2_SPTR start = (PCRE2_SPTR)(text.len ? text.p : "");
	int rc = pcre2_match(p->code, start, text.len, 0, 0, data, p->limits);
	/* The stack of the JIT has 32 KiB. The interpreter uses the heap. */
	if (rc == PCRE2_ERROR_JIT_STACKLIMIT)
		rc = pcre2_match(p->code, start, text.len, 0, PCRE2_NO_JIT, data, p->limits);
	if (rc < 0 && rc != PCRE2_ERROR_NOMATCH) {
		char words[200] = "", label[EXCERPT_MAX];
		pcre2_get_error_message(rc, (PCRE2_UCHAR *)words, sizeof words);
		note(notes, p->text, HEFT_NO_OFFSET, 0,
		     "the expression gave up on \"%s\", which counts as no match: %s",
		     excerpt(text, label), words);
	}
	return rc >= 0;
}

bool pattern_matches(const struct pattern *p, struct str text, struct notes *notes)
{
	pcre2_match_data *data = scratch_take(p->scratch);
	const bool ret = rules_run(p, text, data, notes);
	scratch_give(p->scratch, data);
	return ret;
}

struct rules_rule {
	struct pattern *pattern;
	char *replacement; /* Owned. Each backslash begins \0..\9 or \\. */
	size_t size;
	atomic_bool used;
};

struct rules {
	VEC(struct rules_rule) list;
	struct scratch *scratch;
};

struct rules *rules_new(void)
{
	struct rules *r = mem_zeroed(1, sizeof *r);
	r->scratch = scratch_new();
	return r;
}

void rules_free(struct rules *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->list.count; i++) {
		pattern_free(r->list.data[i].pattern);
		mem_free(r->list.data[i].replacement);
	}
	vec_release(&r->list);
	scratch_free(r->scratch);
	mem_free(r);
}

static bool check_replacement(const struct pattern *p, struct str s, struct heft_err *err)
{
	uint32_t groups = 0;
	char text[EXCERPT_MAX], regex[EXCERPT_MAX];
	pcre2_pattern_info(p->code, PCRE2_INFO_CAPTURECOUNT, &groups);
	for (size_t i = 0; i < s.len; i++) {
		if (s.p[i] != '\\')
			continue;
		const char c = ++i < s.len ? s.p[i] : '\0';
		if (c != '\\' && (c < '0' || c > '9'))
			return fail(err, HEFT_EARG, HEFT_NO_OFFSET,
				    "replacement \"%s\": the backslash at byte %zu needs a digit "
				    "or a backslash after it",
				    excerpt(s, text), i - 1);
		if (c != '\\' && (uint32_t)(c - '0') > groups)
			return fail(err, HEFT_EARG, HEFT_NO_OFFSET,
				    "replacement \"%s\" uses \\%c, but \"%s\" has %" PRIu32
				    " group%s",
				    excerpt(s, text), c, excerpt(str_of(p->text), regex), groups,
				    groups == 1 ? "" : "s");
	}
	return true;
}

bool rules_add(struct rules *r, struct str regex, struct str replacement, struct heft_err *err)
{
	struct pattern *p = pattern_new(regex, err);
	if (!p)
		return false;
	if (!check_replacement(p, replacement, err)) {
		pattern_free(p);
		return false;
	}
	vec_push(&r->list, (struct rules_rule){ .pattern = p,
						.replacement = copy_str(replacement),
						.size = replacement.len });
	return true;
}

/* Appends the text that a group of the pattern has matched. Appends nothing if it has not
 * matched. */
static void rules_add_group(struct text *out, struct str label, pcre2_match_data *data,
			    size_t group)
{
	const PCRE2_SIZE *pairs = pcre2_get_ovector_pointer(data);
	const PCRE2_SIZE start = pairs[2 * group], end = pairs[2 * group + 1];
	/* \K in a lookahead can make a match start after its end. */
	if (start == PCRE2_UNSET || start >= end)
		return;
	ASSERT(end <= label.len);
	text_add(out, (struct str){ label.p + start, end - start });
}

static void expand(const struct rules_rule *rule, struct str label, pcre2_match_data *data,
		   struct text *out)
{
	size_t done = 0; /* Number of bytes of the replacement that are done */
	out->len = 0;
	for (size_t i = 0; i < rule->size; i++) {
		if (rule->replacement[i] != '\\')
			continue;
		text_add(out, (struct str){ rule->replacement + done, i - done });
		const char c = rule->replacement[++i];
		if (c == '\\')
			text_add(out, STR("\\"));
		else
			rules_add_group(out, label, data, (size_t)(c - '0'));
		done = i + 1;
	}
	text_add(out, (struct str){ rule->replacement + done, rule->size - done });
}

bool rules_apply(const struct rules *r, struct str label, struct text *out, struct notes *notes)
{
	if (r->list.count == 0)
		return false;
	bool ret = false;
	pcre2_match_data *data = scratch_take(r->scratch);
	for (size_t i = 0; i < r->list.count && !ret; i++) {
		ret = rules_run(r->list.data[i].pattern, label, data, notes);
		if (ret) {
			struct rules_rule *rule = &r->list.data[i];
			if (!atomic_load_explicit(&rule->used, memory_order_relaxed))
				atomic_store_explicit(&rule->used, true, memory_order_relaxed);
			expand(rule, label, data, out);
		}
	}
	scratch_give(r->scratch, data);
	return ret;
}

void rules_note_unused(const struct rules *r, const char *source, struct notes *notes)
{
	const struct rules_rule *first = NULL;
	size_t count = 0;
	for (size_t i = r->list.count; i-- > 0;) {
		if (atomic_load_explicit(&r->list.data[i].used, memory_order_relaxed))
			continue;
		first = &r->list.data[i];
		count++;
	}
	if (first)
		note(notes, source, HEFT_NO_OFFSET, 0,
		     "%zu of %zu rewrites match no label, such as '%.100s'", count, r->list.count,
		     first->pattern->text);
}
