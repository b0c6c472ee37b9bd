/* snapshot_handle.h - defines struct heft_snapshot. Private to measure/ and api/. */
#ifndef HEFT_MEASURE_SNAPSHOT_HANDLE_H
#define HEFT_MEASURE_SNAPSHOT_HANDLE_H

#include "heft.h"
#include "program/session.h"
#include "snapshot/snapshot.h"

struct heft_snapshot {
	struct memory *memory; /* Must be the first field: see handle_new(). */
	struct arena arena;
	struct context context;
	VEC(const char *) builds;
	VEC(struct snap_value) metadata; /* Metadata that the user added */
	const char *components_path;
	unsigned flags; /* Bits of enum heft_snapshot_flag */
	/* Set when the snapshot is opened. */
	bool open;
	bool *used; /* Per index of wish.debug_files: whether a program used the file. NULL
		     * without a program. */
	struct snapshot snapshot;
	struct snapshot before; /* Old half of a .sizediff file */
	VEC(const char *)
	programs; /* Program file per container. NULL if the file is not a program, or is in a
		   * package. */
	bool is_diff;
};

/* Adds metadata of the user. HEFT_EARG if heft sets that key itself, or if the key was already
 * added. */
bool snapshot_add_metadata(struct heft_snapshot *s, const char *key, const char *value,
			   struct heft_err *err);
/* Opens a snapshot or difference file, or makes a snapshot from other files. */
bool snapshot_read(struct heft_snapshot *s, const char *const *paths, size_t count,
		   struct heft_err *err);
void snapshot_close(void *handle);
/* HEFT_EARG if the finder names files for programs, but neither snapshot was made from programs.
 * `other` may be NULL. */
bool snapshot_check_used(const struct heft_snapshot *s, const struct heft_snapshot *other,
			 struct heft_err *err);
/* True if the file is a snapshot. False if it cannot be opened; opening it later reports why. */
bool snapshot_is_list(const char *path);
/* True if the paths of a snapshot must stay unchanged. */
bool snapshot_has_own_paths(const struct heft_snapshot *s);

/* snapshot_make.c: fills s->snapshot from files that are not `.size` files. Each file makes a
 * container. Each library in a zip file makes one too. */
bool snapshot_make(struct heft_snapshot *s, const char *const *paths, size_t count,
		   struct heft_err *err);

struct entry;
/* True if an input of a profile has the layers that snapshot_make() would make. The profile must
 * have run with HEFT_PROFILE_RANGES. Call in the profile's memory domain. */
bool snapshot_can_take(const struct heft_snapshot *s, const struct heft_profile *p,
		       struct entry *e);
/* Does the work of snapshot_make() with the layers of a profile's input, without reading the input
 * again. Does not change the profile, so any number of threads may call it. */
bool snapshot_take(struct heft_snapshot *s, const struct heft_profile *p, struct entry *e,
		   struct heft_err *err);

/* Does the work of snapshot_make() for all inputs of a role with measured symbols and units. Each
 * input makes a container. The result is for pairing only: it has no charges. */
bool snapshot_take_side(struct heft_snapshot *s, const struct heft_profile *p, enum heft_role role,
			struct heft_err *err);

#endif
