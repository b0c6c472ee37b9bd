/* Rules of causes by sections that came, went, or changed alone. */
#include "compare/cause_evidence.h"

#include <math.h>

/* True for changed symbols. If .interp is gone, also true for new symbols without a source file:
 * they are from libraries. If .interp is new, true for such symbols that are gone. */
static bool claims_linked(const struct cause_guess *g, const struct cause_part *p)
{
	const int sign = cause_sign(p);
	return sign != g->cause.sign && (sign == 0 || p->path.len == 0 || p->path.p[0] == '[' ||
					 str_ends(p->path, STR(".o")));
}

/* True for what code without exceptions lacks: cold parts, the run time, tables. Also true for
 * functions whose size changed in the direction of the cause. */
static bool claims_unwind(const struct cause_guess *g, const struct cause_part *p)
{
	return p->fallback || cause_is_cold(p) || cause_is_exceptions(p) ||
	       (p->code && p->change == HEFT_CHANGED && p->delta * g->cause.sign > 0);
}

/* Like claims_unwind(), but also for all functions in both snapshots: their options differ. */
static bool claims_exceptions(const struct cause_guess *g, const struct cause_part *p)
{
	return claims_unwind(g, p) || (p->code && cause_sign(p) == 0);
}

/* True for the type information of a class (RTTI), and for what all type information refers to. */
static bool claims_rtti(const struct cause_guess *g, const struct cause_part *p)
{
	return cause_sign(p) == g->cause.sign && (cause_has(p->name, STR(" [typeinfo")) ||
						  cause_has(p->name, STR("class_type_info")));
}

static bool claims_exceptions_and_rtti(const struct cause_guess *g, const struct cause_part *p)
{
	return claims_rtti(g, p) || claims_exceptions(g, p);
}

/* Sections whose coming or going shows what happened. `other`: sections, separated by blanks, that
 * must change in the opposite direction. `claims` selects the parts that this explains. NULL: only
 * the change of these sections. */
static const struct section_rule {
	const char *name, *other;
	int sign; /* 1: `name` is new, -1: it is gone */
	const char *words;
	bool (*claims)(const struct cause_guess *g, const struct cause_part *p);
	bool same_vm; /* True if the cause requires that the size in memory stays about equal */
} section_rules[] = {
	{ ".relr.dyn", ".rela.dyn .rel.dyn", 1, "relative relocations are packed now (RELR)", NULL,
	  false },
	{ ".relr.dyn", ".rela.dyn .rel.dyn", -1, "relative relocations are no longer packed (RELR)",
	  NULL, false },
	{ ".symtab", "", -1, "the symbol table was removed (stripped)", cause_claims_all, true },
	{ ".symtab", "", 1, "the symbol table is in the file again (not stripped)",
	  cause_claims_all, true },
	{ ".gnu_debugdata", "", 1, "a packed symbol table was added", NULL, false },
	{ ".interp", "", -1, "the program is linked statically now", claims_linked, false },
	{ ".interp", "", 1, "the program is linked dynamically now", claims_linked, false },
	{ ".gcc_except_table", "", -1,
	  "nothing handles exceptions any longer, as with `-fno-exceptions`", claims_exceptions,
	  false },
	{ ".gcc_except_table", "", 1, "code handles exceptions now", claims_exceptions, false },
	{ ".plt.sec", "", 1, "control-flow protection is on now (`-fcf-protection`)",
	  cause_claims_all, false },
};

static const char unwind_sections[] =
	".eh_frame .eh_frame_hdr .gcc_except_table .ARM.exidx .ARM.extab .pdata .xdata";

struct section_change {
	double before, after;
};

static struct section_change section_change_of(const struct cause_evidence *e, struct str name)
{
	struct section_change ret = { 0, 0 };
	vec_each(const struct diff_section, s, &e->sections->sections) {
		if (!str_eq(str_of(s->name), name))
			continue;
		ret.before += s->sizes.before + s->sizes.padding_before;
		ret.after += s->sizes.after + s->sizes.padding_after;
	}
	return ret;
}

/* Returns the sum of the changes of sections. `names` are separated by blanks. */
static double sections_change(const struct cause_evidence *e, struct str names)
{
	double sum = 0;
	while (names.len > 0) {
		const struct section_change c = section_change_of(e, str_take(&names, ' '));
		sum += c.after - c.before;
	}
	return sum;
}

/* True if the VM image has about the same size in both snapshots. */
static bool keeps_vm(const struct cause_evidence *e)
{
	double before = 0, after = 0;
	for (size_t i = 0; i < e->d->charges.list.count; i++) {
		before += (double)e->d->charges.list.data[i].vm[0];
		after += (double)e->d->charges.list.data[i].vm[1];
	}
	return fabs(after - before) * 50 <= before;
}

static void section_rule_try(struct cause_evidence *e, const struct section_rule *r)
{
	const struct section_change c = section_change_of(e, str_of(r->name));
	const double one = c.after - c.before, other = sections_change(e, str_of(r->other));
	if ((r->sign > 0 ? c.before : c.after) != 0 || one * r->sign <= 0 ||
	    (*r->other && other * r->sign >= 0) || (r->same_vm && !keeps_vm(e)))
		return;
	vec_push(&e->guesses, (struct cause_guess){ .cause = { .kind = CAUSE_SECTION,
							       .sign = r->sign,
							       .bytes = fabs(one) + fabs(other),
							       .delta = one + other,
							       .names = { r->name, r->words, "" } },
						    .claims = r->claims });
}

/* Returns the number of classes whose type information came or went (`sign`). 0 unless the virtual
 * table of one of them stays. */
static size_t rtti_changes(const struct cause_evidence *e, int sign)
{
	const struct intern *other = &(sign > 0 ? e->d->before : e->d->after)->texts;
	const struct str mark = STR("[typeinfo]");
	struct text table = { 0 };
	size_t count = 0, stay = 0;
	uint32_t id;
	vec_each(const struct cause_part, p, &e->parts) {
		if (cause_sign(p) != sign || !str_ends(p->name, mark))
			continue;
		text_set(&table, str_upto(p->name, p->name.len - mark.len));
		text_add(&table, STR("[vtable]"));
		stay += intern_find(other, text_str(&table), &id);
		count++;
	}
	text_release(&table);
	return stay > 0 ? count : 0;
}

/* Guesses that type information (RTTI) came or went. It often comes and goes together with
 * exceptions. */
static void causes_guess_rtti(struct cause_evidence *e)
{
	const size_t came = rtti_changes(e, 1), went = rtti_changes(e, -1);
	if ((came == 0) == (went == 0))
		return;
	const bool gone = went > 0;
	const struct section_change lsda = section_change_of(e, STR(".gcc_except_table"));
	const bool both = (lsda.before == 0) != (lsda.after == 0) && gone == (lsda.after == 0);
	const char *words = arena_format(e->arena,
					 "%stype information (RTTI) of %zu classes is %s%s",
					 !both  ? ""
					 : gone ? "nothing handles exceptions any longer, and "
						: "code handles exceptions now, and ",
					 came + went, gone ? "gone" : "new",
					 !gone  ? ""
					 : both ? ", as with `-fno-exceptions -fno-rtti`"
						: ", as with `-fno-rtti`");
	const struct cause c = { .kind = CAUSE_SECTION,
				 .sign = gone ? -1 : 1,
				 .names = { "", words, "" } };
	vec_push(&e->guesses,
		 (struct cause_guess){ c, both ? claims_exceptions_and_rtti : claims_rtti });
}

/* Guesses that the program became position-independent, or the reverse. Position-independent code
 * begins near address 0. */
static void causes_guess_base(struct cause_evidence *e)
{
	uint64_t low[2] = { UINT64_MAX, UINT64_MAX };
	for (size_t side = 0; side < 2; side++) {
		const struct snapshot *s = side == 0 ? e->d->before : e->d->after;
		for (size_t i = 0; i < s->symbols.count; i++)
			if (s->symbols.data[i].addr != 0 &&
			    s->sections.data[s->symbols.data[i].section].code)
				low[side] = min_u64(low[side], s->symbols.data[i].addr);
	}
	const bool dynamic = section_change_of(e, STR(".dynamic")).after > 0;
	const bool moved = low[0] < 0x100000 && low[1] >= 0x100000 && low[1] != UINT64_MAX;
	const bool back = low[1] < 0x100000 && low[0] >= 0x100000 && low[0] != UINT64_MAX;
	if (!dynamic || (!moved && !back) || (double)e->kept < e->gone + e->added)
		return;
	vec_push(&e->guesses,
		 (struct cause_guess){
			 .cause = { .kind = CAUSE_SECTION,
				    .names = { "",
					       moved ? "the program is no longer "
						       "position-independent (`-no-pie`)"
						     : "the program is position-independent now "
						       "(`-pie`)",
					       "" } },
			 .claims = cause_claims_all });
}

/* Adds a guess if tables of exceptions and unwinding changed more than the code explains. Code that
 * is removed takes exception tables of at most a seventh of its size with it. */
static void causes_guess_unwind(struct cause_evidence *e)
{
	const struct section_change lsda = section_change_of(e, STR(".gcc_except_table"));
	const double tables = sections_change(e, str_of(unwind_sections));
	const double text = fabs(sections_change(e, STR(".text")));
	const double exceptions = lsda.after - lsda.before;
	const char *words = lsda.after + lsda.before > 0 ? "exceptions or unwind tables"
							 : "unwind tables";
	if (tables == 0 || exceptions * tables < 0 ||
	    (fabs(exceptions) * 7 < text && fabs(tables) < text) ||
	    fabs(e->added - e->gone) * 2 > (double)(e->larger + e->smaller))
		return;
	vec_push(&e->guesses, (struct cause_guess){ .cause = { .kind = CAUSE_UNWIND,
							       .sign = tables < 0 ? -1 : 1,
							       .delta = tables,
							       .count = e->cold_gone,
							       .names = { "", words, "" } },
						    .claims = claims_unwind });
}

void causes_guess_sections(struct cause_evidence *e)
{
	causes_guess_rtti(e);
	for (size_t i = 0; i < COUNT_OF(section_rules); i++)
		section_rule_try(e, &section_rules[i]);
	causes_guess_base(e);
	causes_guess_unwind(e);
}
