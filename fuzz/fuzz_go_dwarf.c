/* What is written as DWARF of the tables of Go's functions: whatever they hold, it is well-formed.
 * The first byte chooses: bit 0 byte order. */
#include "../tests/lib/pclntab_made.h"
#include "program/debuginfo.h"
#include "program/go_symbols.h"
#include "program/symbolize.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { TABLE_ADDR = 0x100000 };

/* Every unit is whole, and every function is found. */
static void check(const struct go_table *table, const struct image *im)
{
	struct notes notes;
	struct debuginfo info;
	struct symbolizer s;
	struct symbolized found;
	struct pclntab_func f;
	notes_init(&notes);
	debuginfo_open(&info, im, NULL, &notes);
	symbolizer_init(&s, &info);
	for (uint64_t i = 0; i < table->tab.func_count && i < 64; i++)
		if (pclntab_func(&table->tab, i, &f) && f.size > 0)
			(void)symbolizer_find(&s, f.addr, &found);
	ASSERT(notes.count == 0);
	symbolizer_release(&s);
	debuginfo_close(&info);
	notes_release(&notes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct go_table table = { .func_data = TABLE_ADDR };
	struct image im;
	struct input made;
	struct notes notes;
	void *owned;
	if (size == 0 ||
	    !pclntab_open(&table.tab, (struct bytes){ data + 1, size - 1 }, data[0] & 1))
		return 0;
	notes_init(&notes);
	make_image(&im, ".gopclntab", TABLE_ADDR, table.tab.bytes, 64, data[0] & 1, &notes);
	table.section = &im.sections[1];
	go_symbols_open(&im, &table, GO_SYMBOLS | GO_LINES, &made, &owned, &notes);
	check(&table, &made.images[0]);
	input_close(&made);
	mem_free(owned);
	image_release(&im);
	notes_release(&notes);
	return 0;
}
