/* Implements rules.h for a build without PCRE2. Compiling an expression always fails. */
#include "map/rules.h"

struct pattern *pattern_new(struct str regex, struct heft_err *err)
{
	(void)regex;
	fail(err, HEFT_EUNSUPPORTED, HEFT_NO_OFFSET,
	     "this heft was built without libpcre2, which regular expressions need");
	return NULL;
}

void pattern_free(struct pattern *p)
{
	ASSERT(p == NULL);
}

bool pattern_matches(const struct pattern *p, struct str text, struct notes *notes)
{
	(void)text, (void)notes;
	ASSERT(p != NULL);
	return false;
}

/* Always empty in this build */
struct rules {
	char nothing;
};

struct rules *rules_new(void)
{
	return mem_zeroed(1, sizeof(struct rules));
}

void rules_free(struct rules *r)
{
	mem_free(r);
}

bool rules_add(struct rules *r, struct str regex, struct str replacement, struct heft_err *err)
{
	(void)replacement;
	ASSERT(r != NULL);
	return pattern_new(regex, err) != NULL;
}

bool rules_apply(const struct rules *r, struct str label, struct text *out, struct notes *notes)
{
	(void)label, (void)out, (void)notes;
	ASSERT(r != NULL);
	return false;
}

void rules_note_unused(const struct rules *r, const char *source, struct notes *notes)
{
	(void)source, (void)notes;
	ASSERT(r != NULL);
}
