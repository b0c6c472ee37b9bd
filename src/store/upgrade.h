/* upgrade.h - brings a store of an earlier schema up to this one. */
#ifndef HEFT_STORE_UPGRADE_H
#define HEFT_STORE_UPGRADE_H

#include "store/store.h"

/* Adds what a store of s->version has not, inside a transaction: version 1 had no sums of folders
 * of sources and of components, version 2 none of folders of objects.  What a job that was killed
 * has left of these rows, where there are no transactions, is gone on with.  O(changes), and again
 * for each level of folders.  One thread. */
void upgrade_fill(struct store *s);

#endif
