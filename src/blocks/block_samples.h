/* block_samples.h - opens a file of samples of any form, and finds where in memory an image was
 * during the samples. */
#pragma once

#include "base/intern.h"
#include "image/image.h"
#include "blocks/perftext.h"

enum samples_form { SAMPLES_PERF, SAMPLES_SCRIPT, SAMPLES_ADDRESSES };

/* An open file of samples. It is read from start to end, several times if needed. One thread */
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

/* A part of the image in the memory of a process */
struct mapping {
	uint64_t pid; /* PERF_NO_PROCESS for all processes */
	uint64_t addr, size;
	uint64_t bias;         /* Image address - memory address, modulo 2^64 */
	uint64_t since, until; /* Valid at times t with since <= t < until */
};

/* Where the image is in memory over time. Events without time: their file offset is the time. */
struct mappings {
	VEC(struct mapping) list; /* Sorted by pid */
	bool timed;
	/* Mappings that are valid for the process and time of the last mappings_select(). */
	VEC(struct mapping) now;
	uint64_t now_pid, now_since, now_until;
};

/* Reads all events of `s` and rewinds it. A mapping is of the image if its file has the image's
 * build id. If build ids are unknown, its path decides, then the last component of the path. If
 * samples in text form have no mappings, their addresses count as image addresses. HEFT_EARG if no
 * mapping is of the image. Also HEFT_EARG without `force`, if all mappings with its path have
 * another build id. */
bool mappings_read(struct mappings *m, struct samples *s, const struct image *im, bool force,
		   struct heft_err *err);
void mappings_release(struct mappings *m);
/* Prepares m->now for the process and time of an event. */
void mappings_select(struct mappings *m, const struct perf_event *e);

/* Translates an address of the selected process to one of the image. False if it is outside. */
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
