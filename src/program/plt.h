/* plt.h - reads PLT stubs, the GOT slots that they jump through, and their symbols. */
#pragma once

#include "image/image.h"

/* A slot: a pointer of the GOT that a dynamic relocation fills for a symbol. */
struct plt_slot {
	uint64_t addr;
	uint32_t symbol; /* Index in .dynsym, never 0 */
	bool jump;
};

struct plt_stub {
	const struct section *section;
	uint64_t off, size; /* Range in the section */
	const struct plt_slot *slot;
};

/* Slots of an image. All zero: no slots */
struct plt {
	const struct image *im;
	const struct section *dynsym;
	VEC(struct plt_slot) slots; /* Sorted by address */
};

bool section_is_plt(const struct section *s);
bool section_is_got(const struct section *s);

/* Lists the slots of a linked image. O(relocations). */
void plt_read(struct plt *p, const struct image *im);
void plt_release(struct plt *p);
const struct plt_slot *plt_slot_at(const struct plt *p, uint64_t addr);
/* Returns the name of a slot's symbol as the symbol table has it. */
struct str plt_name(const struct plt *p, const struct plt_slot *slot);

typedef void plt_stub_fn(void *user, const struct plt_stub *stub);
/* Calls `fn` for each stub, section by section. O(bytes of the PLT). */
void plt_each(const struct plt *p, plt_stub_fn *fn, void *user);
