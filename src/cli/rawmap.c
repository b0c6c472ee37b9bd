/* Prints the ranges of files for heft size --raw-map. */
#include "cli/size_job.h"

#include <inttypes.h>

struct rawmap {
	FILE *to;
	uint64_t end; /* End of the last range */
	int digits;
};

static bool rawmap_find_end(void *ctx, uint64_t start, uint64_t size, const char *const *labels,
			    size_t label_count)
{
	struct rawmap *m = ctx;
	(void)labels;
	(void)label_count;
	if (start + size > m->end)
		m->end = start + size;
	return true;
}

static bool print_range(void *ctx, uint64_t start, uint64_t size, const char *const *labels,
			size_t label_count)
{
	struct rawmap *m = ctx;
	fprintf(m->to, "%0*" PRIx64 "-%0*" PRIx64 "\t %10" PRIu64 "\t\t", m->digits, start,
		m->digits, start + size, size);
	if (labels == NULL)
		fputs("[-- Nothing mapped --]", m->to);
	for (size_t i = 0; labels != NULL && i < label_count; i++) {
		if (i > 0)
			putc('\t', m->to);
		print_tame(labels[i], m->to);
	}
	putc('\n', m->to);
	return true;
}

static void print_domain(const struct heft_profile *p, size_t file, enum heft_domain domain,
			 FILE *to)
{
	struct rawmap m = { .to = to };
	heft_profile_ranges(p, file, domain, rawmap_find_end, &m);
	/* The number of hexadecimal digits of the last address: the smallest d with 16^d >= end. */
	for (uint64_t rest = m.end > 0 ? m.end - 1 : 0; rest > 0; rest >>= 4)
		m.digits++;
	m.digits += m.digits == 0;
	ASSERT(m.digits <= 16);
	fputs(domain == HEFT_FILE ? "FILE MAP:\n" : "VM MAP:\n", to);
	heft_profile_ranges(p, file, domain, print_range, &m);
	putc('\n', to);
}

void rawmap_print(const struct heft_profile *p, enum heft_domain domain, FILE *to)
{
	for (size_t i = 0; i < heft_profile_file_count(p); i++) {
		struct heft_file_info info = { .size = sizeof info };
		if (!heft_profile_file(p, i, &info, NULL))
			continue;
		fputs("Maps for ", to);
		print_tame(info.path, to);
		fputs(":\n\n", to);
		if ((domain & HEFT_FILE) != 0)
			print_domain(p, i, HEFT_FILE, to);
		if ((domain & HEFT_VM) != 0)
			print_domain(p, i, HEFT_VM, to);
	}
}
