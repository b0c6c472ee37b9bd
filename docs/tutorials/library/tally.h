#pragma once

#if defined(__GNUC__)
#define TALLY_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct tally;

/* Programs that are not position-independent copy this table, with the size that it had when they were linked. */
extern TALLY_API const char *const tally_units[];

TALLY_API struct tally *tally_new(void);
TALLY_API void tally_add(struct tally *t, const char *key, int unit);
TALLY_API int tally_sum(const struct tally *t, int unit);
TALLY_API void tally_free(struct tally *t);
#ifdef RELEASE_1_1
TALLY_API int tally_top(const struct tally *t, char *key, int size);
#endif

#ifdef __cplusplus
}
#endif
