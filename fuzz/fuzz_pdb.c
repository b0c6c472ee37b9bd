/* A PDB: whatever it says, the DWARF that is made of it is sound. */
#include "debug/codeview/pdb_dwarf.h"
#include "debug/line_table.h"
#include "debug/scopes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct dwarf dwarf_of(const struct pdb_dwarf *made, struct notes *notes)
{
	const struct text *texts[DW_SECTIONS] = { [DW_INFO] = &made->made.info,
						  [DW_ABBREV] = &made->made.abbrev,
						  [DW_LINE] = &made->made.line,
						  [DW_RANGES] = &made->made.ranges };
	struct dwarf d = { .path = "fuzz", .notes = notes };
	for (unsigned i = 0; i < DW_SECTIONS; i++) {
		d.loaded[i] = true;
		if (!texts[i])
			continue;
		d.bytes[i] = (struct bytes){ (const uint8_t *)texts[i]->p, texts[i]->len };
		d.size[i] = texts[i]->len;
	}
	return d;
}

static void check_units(struct dwarf *d, size_t count)
{
	struct units units;
	struct abbrev_cache cache = { 0 };
	struct intern paths = { 0 };
	struct scopes scopes = { 0 };
	units_init(&units, d);
	ASSERT(units_count(&units, DW_INFO) == count);
	for (size_t i = 0; i < count; i++) {
		struct unit u;
		struct line_table lines = { 0 };
		ASSERT(units_get(&units, DW_INFO, i, &u) && unit_open(&u, &cache, NULL));
		ASSERT(scopes_read(&scopes, &units, &u));
		ASSERT(line_table_read(&lines, &u, &paths));
		line_table_release(&lines);
	}
	scopes_release(&scopes);
	intern_release(&paths);
	abbrev_cache_release(&cache);
	units_release(&units);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pdb p;
	struct pdb_dwarf made;
	struct notes notes;
	if (!pdb_open(&p, (struct bytes){ data, size })) {
		pdb_close(&p);
		return 0;
	}
	notes_init(&notes);
	pdb_dwarf_make(&made, &p, 0x140000000);
	struct dwarf d = dwarf_of(&made, &notes);
	check_units(&d, p.modules.count);
	ASSERT(notes.count == 0);
	for (size_t i = 1; i < made.symbols.count; i++)
		ASSERT(made.symbols.data[i - 1].addr <= made.symbols.data[i].addr);
	pdb_dwarf_release(&made);
	pdb_close(&p);
	notes_release(&notes);
	return 0;
}
