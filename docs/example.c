/* Where do the bytes of a program go, by section and symbol, and what is at its first addresses?
 *
 *     cc -o example example.c $(pkg-config --cflags --libs heft) && ./example /bin/ls */
#include <heft.h>
#include <inttypes.h>
#include <stdio.h>

static void print_rows(const struct heft_row *row, int depth)
{
	printf("%10" PRIu64 " %*s%s\n", row->now[HEFT_SIZE_FILE], 2 * depth, "", row->label);
	for (size_t i = 0; i < row->child_count; i++)
		print_rows(row->children[i], depth + 1); /* as deep as there are sources: two */
}

/* The ranges of the image come in the order of their addresses; the first one that is no hole ends
 * the walk. */
static bool find_first(void *ctx, uint64_t start, uint64_t size, const char *const *labels,
		       size_t label_count)
{
	uint64_t *addr = ctx;
	(void)size;
	(void)label_count;
	if (labels != NULL)
		*addr = start;
	return labels == NULL;
}

static void print_place(struct heft_profile *p)
{
	uint64_t addr = UINT64_MAX;
	struct heft_place place = { .size = sizeof place };
	heft_profile_ranges(p, 0, HEFT_VM, find_first, &addr);
	if (heft_profile_lookup(p, 0, HEFT_VM, addr, &place, NULL))
		printf("0x%" PRIx64 " is in %s, %s\n", addr, place.labels[0], place.labels[1]);
}

int main(int argc, char **argv)
{
	struct heft_err err = { .text = "usage: example FILE" };
	struct heft_session *s = heft_session_new();
	struct heft_profile *p = heft_profile_new(s);
	if (p == NULL) {
		fputs("example: out of memory\n", stderr);
		return 2;
	}
	heft_profile_set_rows(p, 5);
	heft_profile_set_flags(p, HEFT_PROFILE_RANGES);
	const bool good = argc == 2 && heft_profile_add_source(p, "sections", &err) &&
			  heft_profile_add_source(p, "symbols", &err) &&
			  heft_profile_add_file(p, argv[1], HEFT_INPUT, &err) &&
			  heft_profile_run(p, &err);
	if (good) {
		print_rows(heft_profile_table(p)->top, 0);
		print_place(p);
	} else {
		fprintf(stderr, "example: %s\n", err.text);
	}
	heft_profile_free(p);
	heft_session_free(s);
	return good ? 0 : 2;
}
