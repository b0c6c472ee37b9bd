/* Tables of Go's functions.  The first byte chooses: bit 0 byte order. */
#include "base/base.h"
#include "runtime/pclntab.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_values(const struct pclntab *t, uint64_t off)
{
	struct pclntab_values v = pclntab_values(t, off);
	uint64_t end = 0;
	while (pclntab_values_next(&v)) {
		ASSERT(v.end >= end && v.r.pos <= t->bytes.size);
		end = v.end;
	}
}

static void check_function(const struct pclntab *t, const struct pclntab_func *f)
{
	uint64_t word, name;
	ASSERT(f->size <= f->room);
	ASSERT(f->record <= t->bytes.size && f->record_size <= t->bytes.size - f->record);
	ASSERT(f->more + f->more_count * 4 <= f->record + f->record_size);
	ASSERT(f->data + f->data_count * f->data_width <= f->record + f->record_size);
	for (size_t i = 0; i < PCLNTAB_TABLES; i++)
		check_values(t, f->tables[i]);
	for (uint64_t i = 0; i < f->more_count; i++)
		(void)pclntab_more(t, f, i);
	if (pclntab_file(t, f, 1, &word, &name))
		ASSERT(word + 4 <= t->bytes.size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pclntab t;
	struct pclntab_func f;
	if (size == 0 || !pclntab_open(&t, (struct bytes){ data + 1, size - 1 }, data[0] & 1))
		return 0;
	ASSERT(t.func_count <= size);
	for (uint64_t i = 0; i < t.func_count && i < 64; i++)
		if (pclntab_func(&t, i, &f))
			check_function(&t, &f);
	return 0;
}
