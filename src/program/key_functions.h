/* key_functions.h - finds the key functions of classes. They tell which unit has a class's tables.
 *
 * The key function of a class is its first virtual function that is neither inline nor pure. Its
 * unit alone has the virtual table, the type information and the name of the type (Itanium C++ ABI,
 * 5.2.3). A class without a key function has such tables in every unit that needs them. A class has
 * a key function if its virtual table points to a member function that is not weak. */
#pragma once

#include "base/vec.h"
#include "image/image.h"

struct key_table {
	uint64_t addr, size;
	uint64_t function; /* Address of the key function of its class */
};

typedef VEC(struct key_table) key_table_vec;

/* Adds the tables of classes with a key function in the image. `table` is a symbol table of `in`,
 * which is the image or its debug file. Cost: one pass over the symbols. If there are such tables,
 * also a second pass and a pass over relocations. */
void key_functions_find(const struct image *im, const struct image *in, const struct section *table,
			key_table_vec *ret);
