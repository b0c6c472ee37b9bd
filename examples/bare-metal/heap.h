/* heap.h - malloc of this program, with heft's recorder on top of its own pool. */
#ifndef HEAP_H
#define HEAP_H

#include "heft_heap.h"

void heap_start(void);
void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *p, size_t size);
void free(void *p);

/* capture.c: the sample callbacks of struct heft_port. */
uint32_t capture_frames(void *ctx, const struct heft_caller *from, uintptr_t *frames, uint32_t max);
uint32_t capture_tables(void *ctx, const struct heft_caller *from, uintptr_t *frames, uint32_t max);

#endif
