/* Makes the sums of a diff by section. */
#include "compare/diff_rows.h"

#include "base/sort.h"
#include "image/image.h"

#include <math.h>

struct padded diff_padded(const struct diff_section *s)
{
	const struct diff_sizes *z = &s->sizes;
	return (struct padded){ z->before + z->padding_before, z->after + z->padding_after };
}

bool diff_section_is_debug(const struct diff_section *s)
{
	return section_name_is_debug(str_of(s->name));
}

const char *diff_section_note(const struct diff_section *s)
{
	if (strcmp(s->name, ".relro_padding") == 0)
		return "alignment";
	if (strcmp(s->name, SNAP_UNSECTIONED) != 0)
		return "";
	return s->in_memory ? "loaded headers" : "headers, gaps";
}

size_t diff_most_changed(const struct diff_section *list, size_t list_count, const void *ctx,
			 diff_section_fn wants, const struct diff_section **ret, size_t most)
{
	size_t count = 0;
	for (size_t i = 0; i < list_count; i++) {
		const struct diff_section *x = &list[i];
		const double change = fabs(padded_delta(diff_padded(x)));
		size_t at = count;
		if (change == 0 || !wants(ctx, x))
			continue;
		while (at > 0 && change > fabs(padded_delta(diff_padded(ret[at - 1]))))
			at--;
		if (at == most)
			continue;
		count += count < most;
		for (size_t k = count - 1; k > at; k--)
			ret[k] = ret[k - 1];
		ret[at] = x;
	}
	ASSERT(count <= most);
	return count;
}

/* Finds the sum to which a section of either snapshot is added */
struct section_sums {
	struct diff_sections *out;
	bool supersize;
	struct intern keys;  /* Keys of sections. A key's id is the index in out->sections */
	uint32_t *places[2]; /* Per side and section: 1 + index of the sum. 0 until needed */
	struct text key;
};

/* Returns the sum of a section. Sections with one name share it if they agree in being in the file
 * and in memory. SuperSize counts by segment only. */
static uint32_t section_sum_find(struct section_sums *t, const struct snap_section *sec)
{
	const char *name = t->supersize ? snap_segment(sec) : sec->name;
	const bool in_memory = sec->in_memory && !t->supersize;
	text_set(&t->key, str_of(name));
	text_add_char(&t->key, (char)(1 + sec->in_file + 2 * in_memory));
	const uint32_t place = intern_add(&t->keys, text_str(&t->key));
	if (place == t->out->sections.count)
		vec_push(&t->out->sections, (struct diff_section){ .name = name,
								   .in_file = sec->in_file,
								   .in_memory = in_memory });
	return place;
}

static struct diff_section *section_sum_of(struct section_sums *t, enum heft_role role,
					   const struct snapshot *s, uint32_t section)
{
	ASSERT(section < s->sections.count);
	uint32_t *place = &t->places[role == HEFT_BASE][section];
	if (*place == 0)
		*place = section_sum_find(t, &s->sections.data[section]) + 1;
	return &t->out->sections.data[*place - 1];
}

static int sections_larger_first(const void *pa, const void *pb)
{
	const struct diff_section *a = pa, *b = pb;
	const double x = a->sizes.after + a->sizes.before, y = b->sizes.after + b->sizes.before;
	return x > y ? -1 : x < y ? 1 : strcmp(a->name, b->name);
}

static void section_sizes_add(struct diff_sizes *to, const struct diff_sizes *s)
{
	to->before += s->before;
	to->after += s->after;
	to->padding_before += s->padding_before;
	to->padding_after += s->padding_after;
}

static void section_total_add(struct diff_sections *ret)
{
	struct diff_section total = { .name = "TOTAL", .in_file = true };
	for (size_t i = 0; i < ret->sections.count; i++) {
		section_sizes_add(&total.sizes, &ret->sections.data[i].sizes);
		for (size_t c = 0; c < HEFT_CHANGES; c++)
			total.counts[c] += ret->sections.data[i].counts[c];
	}
	vec_push(&ret->sections, total);
}

static void section_pair_add(struct section_sums *t, const struct snapshot_diff *d,
			     const struct diff_pair *p)
{
	const struct snap_symbol *old = diff_before(d, p), *new_ = diff_after(d, p);
	struct diff_section *s = NULL;
	if (old) {
		const struct amount a = diff_amount(old, false);
		s = section_sum_of(t, HEFT_BASE, d->before, old->section);
		s->sizes.before += a.size;
		s->sizes.padding_before += a.padding;
	}
	if (new_) {
		const struct amount a = diff_amount(new_, false);
		s = section_sum_of(t, HEFT_INPUT, d->after, new_->section);
		s->sizes.after += a.size;
		s->sizes.padding_after += a.padding;
	}
	ASSERT(s && p->change < HEFT_CHANGES);
	s->counts[p->change]++;
}

void diff_sections_make(struct diff_sections *ret, const struct snapshot_diff *d)
{
	struct section_sums t = { .out = ret, .supersize = d->supersize };
	*ret = (struct diff_sections){ .knows_memory = d->before->by_heft && d->after->by_heft &&
						       !d->supersize };
	t.places[0] = mem_zeroed(d->after->sections.count + 1, sizeof *t.places[0]);
	t.places[1] = mem_zeroed(d->before->sections.count + 1, sizeof *t.places[1]);
	for (size_t i = 0; i < d->pairs.count; i++)
		section_pair_add(&t, d, &d->pairs.data[i]);
	for (size_t i = 0; d->supersize && i < d->paddings.count; i++)
		section_sum_of(&t, HEFT_BASE, d->before, d->paddings.data[i].section)
			->counts[HEFT_ADDED]++;
	vec_sort_by(&ret->sections, sections_larger_first);
	section_total_add(ret);
	mem_free(t.places[0]);
	mem_free(t.places[1]);
	intern_release(&t.keys);
	text_release(&t.key);
}
