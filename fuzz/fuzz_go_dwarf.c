/* What is written as DWARF of the tables of Go's functions: whatever they hold, it is well-formed.
 * The first byte chooses: bit 0 byte order, bit 1 that the table is searched for, with what the
 * runtime knows of the module. */
#include "../tests/lib/pclntab_made.h"
#include "program/debuginfo.h"
#include "program/companion_forms.h"
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

/* Whatever is found lies in the image. */
static bool search(struct go_table *table, const struct image *im, struct notes *notes)
{
	if (!go_table_open(table, im, notes))
		return false;
	ASSERT(go_table_addr(table) - TABLE_ADDR < im->bytes.size);
	ASSERT(table->tab.bytes.size <= im->bytes.size - table->off);
	for (size_t i = 0; i < GO_PARTS; i++) {
		const struct go_part *p = &table->parts[i];
		ASSERT(p->size == 0 || p->name);
		if (i == GO_TYPE_LINKS || i == GO_METHOD_TABLES)
			ASSERT(p->size == 0 || p->size <= im->bytes.size - (p->addr - TABLE_ADDR));
	}
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct go_table table = { .func_data = TABLE_ADDR };
	struct image im;
	struct input made;
	struct notes notes;
	void *owned;
	if (size == 0)
		return 0;
	const struct bytes bytes = { data + 1, size - 1 };
	const bool lost = data[0] & 2, big_endian = data[0] & 1;
	notes_init(&notes);
	make_image(&im, lost ? ".note.go.buildid" : ".gopclntab", TABLE_ADDR, bytes, 64, big_endian,
		   &notes);
	table.section = &im.sections[1];
	if (lost ? search(&table, &im, &notes) : pclntab_open(&table.tab, bytes, big_endian)) {
		go_symbols_open(&im, &table, GO_SYMBOLS | GO_LINES, &made, &owned, &notes);
		check(&table, &made.images[0]);
		input_close(&made);
		mem_free(owned);
	}
	image_release(&im);
	notes_release(&notes);
	return 0;
}
