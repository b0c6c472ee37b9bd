/* upgrade.h - brings a store of an earlier schema up to this one. */
#ifndef HEFT_STORE_UPGRADE_H
#define HEFT_STORE_UPGRADE_H

#include "store/store.h"

/* Fills the tables that version 1 had not, inside a transaction: sums of folders and components.
 * O(changes), and again for each level of folders.  One thread. */
void upgrade_fill(struct store *s);

#endif
