/* Makes the rows of a report about stacks. */
#include "stack/stack_rows.h"

const struct heft_text stack_texts[STACK_TEXTS] = {
	[STACK_TEXT_KIND] = { "kind", false,
			      "`entry`, `interrupt`, `uncalled`, `called` or `part`" },
	[STACK_TEXT_BESIDES] = { "besides", false,
				 "why it may be more, `, ` between: `recursion`, `indirect calls`, "
				 "`unknown callees`, `alloca`, `odd code`" },
	[STACK_TEXT_PATH] = { "path", false,
			      "the deepest way, and the bytes that each function adds: `main 32 > "
			      "run 48`. Functions that call each other are one step: `odd (circle "
			      "of 2 functions) 656`" },
	[STACK_TEXT_STATED] = { "stated", true, "bytes of the frame as the compiler states it" },
	[STACK_TEXT_CAUSE] = { "cause", false,
			       "a function for each word of `besides`: `alloca in run`" },
};

const struct heft_measure stack_measures[STACK_MEASURES] = {
	[STACK_MOST] = { "stack", "stack", HEFT_BYTES, true, false,
			 "bytes of the function with all that it calls" },
	[STACK_FRAME] = { "frame", "frame", HEFT_BYTES, true, false,
			  "bytes of the function alone" },
};

static const char *stack_rows_shown_name(struct stack_rows *r, uint32_t function)
{
	const uint64_t addr = r->stack->functions.data[function].addr;
	const struct symbol_place *place = locator_symbol(r->locator, addr);
	return place && place->addr == addr ? place->memo : stack_name(r->stack, function);
}

static const char *stack_rows_label_of(void *ctx, uint32_t node)
{
	struct stack_rows *r = ctx;
	return node == 0 ? "TOTAL" : stack_rows_shown_name(r, r->chosen.data[node - 1]);
}

static const char *stack_rows_words_of(struct stack_rows *r, unsigned told,
				       const char *const *functions)
{
	struct text words = { 0 };
	stack_told_words(&words, told, functions);
	const char *text = arena_copy(&r->arena, text_str(&words));
	text_release(&words);
	return text;
}

/* Returns the deepest path, with the bytes of each function. Functions that call each other are one
 * step, named after the function where the path enters. */
static const char *stack_rows_path_of(struct stack_rows *r, uint32_t function)
{
	const struct stack_function *list = r->stack->functions.data;
	struct text out = { 0 };
	for (uint32_t at = function, next; at != STACK_NONE; at = next) {
		next = list[at].next;
		while (next != STACK_NONE && list[next].circle == list[at].circle)
			next = list[next].next;
		text_add(&out, at == function ? STR("") : STR(" > "));
		text_add(&out, str_of(stack_rows_shown_name(r, at)));
		if (list[at].circle_size > 1) {
			text_add(&out, STR(" (circle of "));
			text_add_number(&out, list[at].circle_size);
			text_add(&out, STR(" functions)"));
		}
		text_add_char(&out, ' ');
		text_add_number(&out, list[at].worst - (next == STACK_NONE ? 0 : list[next].worst));
	}
	const char *text = arena_copy(&r->arena, text_str(&out));
	text_release(&out);
	return text;
}

static void stack_rows_fill(void *ctx, uint32_t node, uint32_t level, struct heft_row *row)
{
	ASSERT(node > 0 && node <= ((struct stack_rows *)ctx)->chosen.count);
	static const char *const kinds[] = { "called", "entry", "interrupt", "uncalled", "part" };
	struct stack_rows *r = ctx;
	const uint32_t function = r->chosen.data[node - 1];
	const struct stack_function *f = &r->stack->functions.data[function];
	const char **texts = arena_new(&r->arena, const char *, STACK_TEXTS);
	(void)level;
	texts[STACK_TEXT_KIND] = kinds[f->kind];
	texts[STACK_TEXT_BESIDES] = stack_rows_words_of(r, f->told, NULL);
	texts[STACK_TEXT_PATH] = stack_rows_path_of(r, function);
	/* Caveats, each with the function that has it. */
	const char *functions[STACK_TOLD] = { NULL };
	for (unsigned i = 0; i < STACK_TOLD; i++)
		if (f->told >> i & 1)
			functions[i] = stack_rows_shown_name(r, f->cause[i]);
	texts[STACK_TEXT_CAUSE] = stack_rows_words_of(r, f->told, functions);
	texts[STACK_TEXT_STATED] = f->compiler == STACK_NOT_STATED
					   ? ""
					   : arena_format(&r->arena, "%" PRIu64, f->compiler);
	row->texts = texts;
}

/* Returns the group of a row: entry, handlers, others. */
static uint8_t stack_rows_group_of(void *ctx, uint32_t node)
{
	const struct stack_rows *r = ctx;
	switch (r->stack->functions.data[r->chosen.data[node - 1]].kind) {
	case STACK_ENTRY: return 0;
	case STACK_INTERRUPT: return 1;
	default: return 2;
	}
}

static void function_choose(struct stack_rows *r, uint32_t i)
{
	ASSERT(i < r->stack->functions.count);
	const struct stack_function *f = &r->stack->functions.data[i];
	uint64_t *sums = tree_sums(&r->tree, tree_add(&r->tree, 0, 0), HEFT_INPUT);
	sums[STACK_MOST] = f->worst;
	sums[STACK_FRAME] = f->frame;
	vec_push(&r->chosen, i);
}

bool stack_rows_make(struct stack_rows *r, const struct heft_stack_query *q)
{
	static const char *const levels[] = { "functions" };
	tree_release(&r->tree);
	memset(&r->tree, 0, sizeof r->tree);
	arena_reset(&r->arena);
	r->chosen.count = 0;
	stack_indexes named = { 0 };
	tree_init(&r->tree, STACK_MEASURES, 1);
	if (q->function)
		stack_named(r->stack, str_of(q->function), &named);
	for (size_t i = 0; i < named.count; i++)
		function_choose(r, named.data[i]);
	for (uint32_t i = 0; !q->function && i < r->stack->functions.count; i++) {
		const unsigned kind = r->stack->functions.data[i].kind;
		if (q->flags & HEFT_STACK_ALL || (kind != STACK_CALLED && kind != STACK_PART))
			function_choose(r, i);
	}
	vec_release(&named);
	uint32_t limit = q->rows; /* 0: all */
	const bool more = limit > 0 && q->flags & HEFT_STACK_MORE_ROWS;
	for (uint32_t node = 1; more && node <= r->chosen.count; node++)
		limit += stack_rows_group_of(r, node) < 2;
	const struct rows_opts how = { .measures = stack_measures,
				       .limit = limit,
				       .keys = 1u << STACK_MOST,
				       .group = stack_rows_group_of,
				       .others_last = true,
				       .label = stack_rows_label_of,
				       .fill = stack_rows_fill,
				       .ctx = r };
	r->table = (struct heft_table){ .size = sizeof r->table,
					.levels = levels,
					.level_count = 1,
					.measures = stack_measures,
					.measure_count = STACK_MEASURES,
					.texts = stack_texts,
					.text_count = STACK_TEXTS,
					.sorted_by = STACK_MOST,
					.top = rows_build(&r->tree, &how, &r->arena) };
	return !q->function || r->chosen.count > 0;
}
