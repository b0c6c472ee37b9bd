/* snapshot_handle.h - defines struct heft_snapshot. Private to measure/ and api/. */
#pragma once

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
	const char *path; /* The first file that snapshot_read() opened. NULL if there is none */
	unsigned flags;   /* Bits of enum heft_snapshot_flag */
	bool open;
	bool *used; /* Per file of wish.debug_files: true if used. NULL if no program was opened */
	struct snapshot snapshot;
	struct snapshot before; /* Old half of a .sizediff file */
	VEC(const char *)
	programs; /* Per container: path of the program, or NULL if it is in a package or missing */
	bool is_diff;
};

/* Adds metadata of the user. HEFT_EARG if heft sets the key itself, or if it was added before. */
bool snapshot_add_metadata(struct heft_snapshot *s, const char *key, const char *value,
			   struct heft_err *err);
/* Opens a snapshot or difference file, or makes a snapshot from other files. */
bool snapshot_read(struct heft_snapshot *s, const char *const *paths, size_t count,
		   struct heft_err *err);
/* Fails with HEFT_EARG if a debug file that the user named belongs to no program of the snapshot.
 * `other`: the other side of a diff, whose programs count too, or NULL. */
bool snapshot_check_used(const struct heft_snapshot *s, const struct heft_snapshot *other,
			 struct heft_err *err);
/* True if the file is a snapshot. False if it cannot be opened; opening it later tells why. */
bool snapshot_is_list(const char *path);
/* True if the snapshot's paths must not be changed: another tool made it, it is a diff file, or the
 * user chose how its paths are written. */
bool snapshot_has_own_paths(const struct heft_snapshot *s);

/* snapshot_make.c: fills s->snapshot from files other than `.size` files: a container per file, and
 * per library in a zip file. */
bool snapshot_make(struct heft_snapshot *s, const char *const *paths, size_t count,
		   struct heft_err *err);

struct entry;
/* True if an input of a profile has the layers that snapshot_make() would make. The profile must
 * have run with HEFT_PROFILE_RANGES. Enter the profile's memory before (memory_enter() in
 * base/mem.h). */
bool snapshot_can_take(const struct heft_snapshot *s, const struct heft_profile *p,
		       struct entry *e);
/* Like snapshot_make(), but uses the layers of a profile's input instead of reading it. Does not
 * change the profile. Any number of threads. */
bool snapshot_take(struct heft_snapshot *s, const struct heft_profile *p, struct entry *e,
		   struct heft_err *err);

/* Like snapshot_make(), for all inputs of a role whose symbols and units were measured. Each input
 * is a container. The result has no struct snap_charge: it is only for pairing symbols. */
bool snapshot_take_side(struct heft_snapshot *s, const struct heft_profile *p, enum heft_role role,
			struct heft_err *err);
