/* Samples of all forms, and where in memory an image was while they were taken. */
#include "image/elf/elf_const.h"
#include "blocks/block_samples.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SEGMENT = 0x2000, SEGMENT_SIZE = 0x1000 };

static void check_sample(const struct mappings *m, const struct perf_event *e)
{
	uint64_t addr;
	for (uint64_t i = 0; i < e->branch_count; i++) {
		const struct perf_branch b = perf_branch_get(e, i);
		if (mappings_translate(m, b.from, &addr))
			ASSERT(addr - SEGMENT < SEGMENT_SIZE);
	}
	ASSERT(e->has_branches || e->branch_count == 0);
}

static uint64_t walk(struct samples *s, struct mappings *m, uint64_t size)
{
	struct perf_event e;
	uint64_t count = 0;
	while (samples_next(s, &e)) {
		ASSERT(e.off < size);
		ASSERT(e.build_id.size <= 20);
		count++;
		if (e.type != PERF_SAMPLE)
			continue;
		mappings_select(m, &e);
		check_sample(m, &e);
	}
	return count;
}

static void check_mappings(const struct mappings *m)
{
	for (size_t i = 0; i < m->list.count; i++) {
		const struct mapping *p = &m->list.data[i];
		ASSERT(p->size > 0);
		ASSERT(p->addr + p->bias - SEGMENT <= SEGMENT_SIZE - p->size);
		ASSERT(i == 0 || p[-1].pid <= p->pid);
	}
}

static void run(struct samples *s, uint64_t size)
{
	static const uint8_t id[20] = { 1, 2, 3 };
	struct segment segment = { .type = PT_LOAD,
				   .exec = true,
				   .off = 0x1000,
				   .file_size = SEGMENT_SIZE,
				   .addr = SEGMENT,
				   .vm_size = SEGMENT_SIZE };
	const struct image im = { .path = "/bin/a",
				  .kind = IMAGE_EXEC,
				  .segments = &segment,
				  .segment_count = 1,
				  .build_id = { id, sizeof id } };
	struct mappings m;
	if (!mappings_read(&m, s, &im, true, NULL))
		return;
	check_mappings(&m);
	const uint64_t count = walk(s, &m, size);
	samples_rewind(s);
	ASSERT(walk(s, &m, size) == count);
	mappings_release(&m);
}

static void run_text(struct bytes bytes, enum perftext_form form, struct notes *notes)
{
	struct samples s = { .form = form == PERFTEXT_SCRIPT ? SAMPLES_SCRIPT : SAMPLES_ADDRESSES };
	s.file.path = (char *)(uintptr_t)"fuzz";
	perftext_open(&s.text, "fuzz", bytes, form, notes);
	run(&s, bytes.size);
	perftext_close(&s.text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct bytes bytes = { data, size };
	struct samples s = { .form = SAMPLES_PERF };
	struct notes notes;
	notes_init(&notes);
	s.file.path = (char *)(uintptr_t)"fuzz";
	if (perfdata_open(&s.perf, "fuzz", bytes, &notes, NULL)) {
		run(&s, size);
		perfdata_close(&s.perf);
	} else {
		run_text(bytes, PERFTEXT_SCRIPT, &notes);
		run_text(bytes, PERFTEXT_ADDRESSES, &notes);
	}
	notes_release(&notes);
	return 0;
}
