/* Names an address in a program: its symbol, and the functions around it. */
#include "program/locate.h"

void locator_release(struct locator *l)
{
	demangler_release(&l->demangler);
	arena_release(&l->texts);
	vec_release(&l->known);
	map_release(&l->by_address);
	vec_release(&l->found);
}

/* Returns a path in the form that users see. `raw` must live as long as the locator. */
static const char *locate_shown(struct locator *l, const char *raw)
{
	uint32_t i;
	struct map_at at = map_at(&l->by_address, hash_u64((uintptr_t)raw));
	if (l->style == HEFT_NAMES_RAW)
		return raw;
	while (map_next(&l->by_address, &at, &i))
		if (l->known.data[i].raw == raw)
			return l->known.data[i].shown;
	const struct str name = str_of(raw), text = demangle(&l->demangler, name, l->style);
	const char *made = str_eq(text, name) ? raw : arena_copy(&l->texts, text);
	map_put(&l->by_address, &at, (uint32_t)l->known.count);
	vec_push(&l->known, (struct known_name){ raw, made });
	return made;
}

const struct symbol_place *locator_symbol(struct locator *l, uint64_t addr)
{
	struct symbol_place *s = l->symbols ? symbol_table_find(l->symbols, addr) : NULL;
	if (s && !s->memo)
		s->memo = locate_shown(l, s->name);
	return s;
}

size_t locator_functions(struct locator *l, uint64_t addr, const struct heft_frame **ret,
			 const char **ret_unit)
{
	struct symbolized s;
	ASSERT(!l->symbolizer || l->symbolizer->info);
	l->found.count = 0;
	*ret = NULL;
	if (!l->symbolizer || !symbolizer_find(l->symbolizer, addr, &s))
		return 0;
	if (*s.unit)
		*ret_unit = s.unit;
	for (size_t i = 0; i < s.frame_count; i++) {
		const struct frame *f = &s.frames[i];
		const bool last = i + 1 == s.frame_count;
		const struct symbol_place *symbol = last ? locator_symbol(l, addr) : NULL;
		const bool named = !symbol && f->function;
		if (named && !f->function->memo)
			f->function->memo = f->function->linkage.len > 0
						    ? locate_shown(l, f->function->linkage.p)
						    : f->function->name.p;
		vec_push(&l->found,
			 (struct heft_frame){ .function = symbol  ? symbol->memo
							  : named ? f->function->memo
								  : "",
					      .linkage = symbol ? symbol->name
							 : named && f->function->linkage.len > 0
								 ? f->function->linkage.p
								 : "",
					      .file = f->file,
					      .line = f->line,
					      .column = f->column,
					      .module = "",
					      .addr = addr,
					      .inlined = !last });
	}
	*ret = l->found.data;
	return l->found.count;
}

bool locator_variable(struct locator *l, uint64_t addr, struct declaration *ret)
{
	return l->symbolizer && symbolizer_variable(l->symbolizer, addr, ret);
}
