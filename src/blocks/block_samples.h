/* block_samples.h - a file of samples, whatever its form, and where in memory an image was while
 * they were taken. */
#ifndef HEFT_BLOCKS_BLOCK_SAMPLES_H
#define HEFT_BLOCKS_BLOCK_SAMPLES_H

#include "base/intern.h"
#include "image/image.h"
#include "blocks/perftext.h"

enum samples_form { SAMPLES_PERF, SAMPLES_SCRIPT, SAMPLES_ADDRESSES };

/* Read from front to end, as often as needed.  One thread. */
struct samples {
	enum samples_form form;
	struct file file;
	struct perfdata perf;
	struct perftext text;
};

bool samples_open(struct samples *s, const char *path, enum samples_form form, struct notes *notes,
		  struct heft_err *err);
bool samples_next(struct samples *s, struct perf_event *ret);
void samples_rewind(struct samples *s);
void samples_close(struct samples *s);

/* Part of an image in the memory of a process. */
struct mapping {
	uint64_t pid; /* PERF_NO_PROCESS: in all of them */
	uint64_t addr, size;
	uint64_t bias;         /* to be added to become an address of the image; may wrap */
	uint64_t since, until; /* time of the first event, and the first it is gone for */
};

/* Where the image was.  Time is what events state; where samples have none, their place in the
 * file. */
struct mappings {
	VEC(struct mapping) list; /* by pid */
	bool timed;
	/* What holds for the process and the time asked for last. */
	VEC(struct mapping) now;
	uint64_t now_pid, now_since, now_until;
};

/* Reads all events of `s` and rewinds it.  Mappings of the image are those of a file with its build
 * id; if there are none, and build ids are not known, those with its path; then those with the same
 * last component of the path.  Addresses of a text that knows no mappings are the image's own.
 * Fails with HEFT_EARG where there is none, or only such with another build id, which `force` takes
 * nevertheless. */
bool mappings_read(struct mappings *m, struct samples *s, const struct image *im, bool force,
		   struct heft_err *err);
void mappings_release(struct mappings *m);
/* Readies m->now for the process and time of an event. */
void mappings_select(struct mappings *m, const struct perf_event *e);

/* The image's address behind one of the process selected; false where it is none. */
static inline bool mappings_translate(const struct mappings *m, uint64_t addr, uint64_t *ret)
{
	for (size_t i = 0; i < m->now.count; i++) {
		const struct mapping *p = &m->now.data[i];
		if (addr - p->addr < p->size) {
			*ret = addr + p->bias;
			return true;
		}
	}
	return false;
}

#endif
