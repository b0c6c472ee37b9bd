/* vec.h - defines growable arrays of any type: struct { T *data; size_t count, cap; }.
 *
 * A zeroed struct is an empty array. vec_push is amortised O(1). It may move the elements, which
 * makes pointers to them invalid. vec_release frees the array. */
#pragma once

#include "base/base.h"

#include <stdlib.h>

#define VEC(T)                                                                                     \
	struct {                                                                                   \
		T *data;                                                                           \
		size_t count, cap;                                                                 \
	}

static inline void *vec_grow(void *data, size_t *cap, uint64_t need, size_t elem)
{
	uint64_t n = (uint64_t)*cap + *cap / 2;
	if (n < 8)
		n = 8;
	if (n < need)
		n = need;
	if (n > SIZE_MAX / elem)
		call_raise(HEFT_ENOMEM, "out of memory");
	*cap = (size_t)n;
	return mem_resize(data, n * elem);
}

#define vec_reserve(v, n)                                                                          \
	do {                                                                                       \
		if ((v)->cap - (v)->count < (n))                                                   \
			(v)->data = vec_grow((v)->data, &(v)->cap, (uint64_t)(v)->count + (n),     \
					     sizeof *(v)->data);                                   \
	} while (0)

#define vec_push(v, ...)                                                                           \
	do {                                                                                       \
		vec_reserve(v, 1);                                                                 \
		(v)->data[(v)->count++] = (__VA_ARGS__);                                           \
	} while (0)

/* The last element, or NULL. */
#define vec_last(v) ((v)->count > 0 ? &(v)->data[(v)->count - 1] : NULL)

/* Appends the elements of `from`. */
#define vec_copy(v, from)                                                                          \
	do {                                                                                       \
		vec_reserve(v, (from)->count);                                                     \
		if ((from)->count > 0)                                                             \
			memcpy((v)->data + (v)->count, (from)->data,                               \
			       (from)->count * sizeof *(v)->data);                                 \
		(v)->count += (from)->count;                                                       \
	} while (0)

/* Appends the elements of `from`, and empties `from`. */
#define vec_append(v, from)                                                                        \
	do {                                                                                       \
		vec_copy(v, from);                                                                 \
		vec_release(from);                                                                 \
	} while (0)

#define vec_fit(v)                                                                                 \
	do {                                                                                       \
		if ((v)->count < (v)->cap) {                                                       \
			(v)->cap = (v)->count ? (v)->count : 1;                                    \
			(v)->data = mem_resize((v)->data, (v)->cap * sizeof *(v)->data);           \
		}                                                                                  \
	} while (0)

/* Visits the elements in order: vec_each(const struct span, s, &spans) { ... }. The body must not
 * change the array. */
#define vec_each(T, e, v)                                                                          \
	for (T *e = (v)->data, *const e##_end = array_at(e, (v)->count); e != e##_end; e++)

/* The address of element `i`. `p` may be NULL if `i` is 0. */
#define array_at(p, i) ((i) > 0 ? (p) + (i) : (p))

/* Frees one array. */
#define vec_release(v) ((void)(mem_free((v)->data), (v)->data = NULL, (v)->count = (v)->cap = 0))

/* Frees two to eight arrays: vec_release_all(&a, &b). */
#define vec_release_all(...)                                                                       \
	VEC_PICK(__VA_ARGS__, VEC_8, VEC_7, VEC_6, VEC_5, VEC_4, VEC_3, VEC_2, 0)(__VA_ARGS__)
#define VEC_PICK(a, b, c, d, e, f, g, h, picked, ...) picked
#define VEC_2(v, w)                                   (vec_release(v), vec_release(w))
#define VEC_3(v, ...)                                 (vec_release(v), VEC_2(__VA_ARGS__))
#define VEC_4(v, ...)                                 (vec_release(v), VEC_3(__VA_ARGS__))
#define VEC_5(v, ...)                                 (vec_release(v), VEC_4(__VA_ARGS__))
#define VEC_6(v, ...)                                 (vec_release(v), VEC_5(__VA_ARGS__))
#define VEC_7(v, ...)                                 (vec_release(v), VEC_6(__VA_ARGS__))
#define VEC_8(v, ...)                                 (vec_release(v), VEC_7(__VA_ARGS__))
