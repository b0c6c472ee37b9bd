/* snapshot_handle.h - the inside of struct heft_snapshot. Private to measure/ and api/. */
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
	VEC(struct snap_value) metadata; /* The user's own metadata. */
	const char *components_path;
	unsigned flags; /* Bits of enum heft_snapshot_flag. */
	/* After opening: */
	bool open;
	bool *used; /* Per index of wish.debug_files: a program uses the file. NULL if there was
		     * no program. */
	struct snapshot snapshot;
	struct snapshot before; /* The other half of a .sizediff file. */
	VEC(const char *)
	programs; /* Files, per container. NULL if the file is no program or lies in a package. */
	bool is_diff;
};

/* Adds metadata of the user. HEFT_EARG for a key that heft sets itself, or that was named. */
bool snapshot_add_metadata(struct heft_snapshot *s, const char *key, const char *value,
			   struct heft_err *err);
/* Opens a list of symbols or of differences, or makes a snapshot of other files. */
bool snapshot_read(struct heft_snapshot *s, const char *const *paths, size_t count,
		   struct heft_err *err);
void snapshot_close(struct heft_snapshot *s);
/* HEFT_EARG if the finder names something for programs that neither snapshot was made from. `other`
 * may be NULL. */
bool snapshot_check_used(const struct heft_snapshot *s, const struct heft_snapshot *other,
			 struct heft_err *err);
/* True if the file is a list of symbols. A file that cannot be opened is none; opening it later
 * says why. */
bool snapshot_is_list(const char *path);
/* True if the paths of a snapshot stay as they are. */
bool snapshot_has_own_paths(const struct heft_snapshot *s);

/* snapshot_make.c: fills s->snapshot from files that are no `.size` files. Each file is a
 * container; in a zip file, each library is one too. */
bool snapshot_make(struct heft_snapshot *s, const char *const *paths, size_t count,
		   struct heft_err *err);

struct entry;
/* True if an input of a profile has the layers that snapshot_make() would make. The profile must
 * have run with HEFT_PROFILE_RANGES. Runs in the profile's domain. */
bool snapshot_can_take(const struct heft_snapshot *s, const struct heft_profile *p,
		       struct entry *e);
/* Does snapshot_make() for an input that can be taken, without reading it again. Only reads the
 * profile: any number of threads. */
bool snapshot_take(struct heft_snapshot *s, const struct heft_profile *p, struct entry *e,
		   struct heft_err *err);

/* Does snapshot_make() for all inputs of a role whose symbols and compile units are measured: a
 * container each. The result serves only for pairing and has no charges. */
bool snapshot_take_side(struct heft_snapshot *s, const struct heft_profile *p, enum heft_role role,
			struct heft_err *err);

#endif
