/* Claims the tables of C++ classes (vtables, type information) for the unit or file of the class's
 * key function. */
#include "attr/attr_scratch.h"

#include "image/elf/elf_const.h"
#include "program/key_functions.h"

void attr_key_functions(struct attr *a)
{
	const struct section *given = a->debug ? image_section_type(a->debug, SHT_SYMTAB, 1) : NULL;
	const struct section *own = a->scratch->symtab ? a->scratch->symtab : a->scratch->dynsym;
	const bool from_debug = given && !a->scratch->symtab;
	const struct section *table = from_debug ? given : own;
	key_table_vec list = { 0 };
	ASSERT(a->owner != BY_SYMBOL);
	if (table)
		key_functions_find(a->im, from_debug ? a->debug : a->im, table, &list);
	for (size_t i = 0; i < list.count; i++) {
		const struct key_table *t = &list.data[i];
		const label_id owner = spans_label(&a->vm, t->function);
		if (owner != LABEL_NONE)
			claim(&a->vm_claims, t->addr, t->size, owner, WHY_KEY_FUNCTION);
	}
	vec_release(&list);
}
