/* snapshot_handle.h - what is behind struct heft_snapshot.  Private to measure/ and api/. */
#ifndef HEFT_MEASURE_SNAPSHOT_HANDLE_H
#define HEFT_MEASURE_SNAPSHOT_HANDLE_H

#include "heft.h"
#include "measure/session.h"
#include "snapshot/snapshot.h"

struct heft_snapshot {
	struct memory *memory; /* first: see handle_new */
	struct arena arena;
	struct context context;
	VEC(const char *) builds;
	VEC(struct snap_value) metadata; /* the user's own */
	const char *components_path;
	unsigned flags; /* enum heft_snapshot_flag */
	/* After opening. */
	bool open;
	bool *used; /* by index of wish.debug_files: it is of a program; NULL: there was none */
	struct snapshot snapshot;
	struct snapshot before; /* of a .sizediff: the other half */
	VEC(const char *)
	programs; /* files, by container; NULL: it is none, or lies in a package */
	bool is_diff;
};

/* snapshot_make.c: fills s->snapshot from files that are no `.size` files: a container each, and
 * one for each library in a zip file. */
bool snapshot_make(struct heft_snapshot *s, const char *const *paths, size_t count,
		   struct heft_err *err);

struct heft_profile;
struct entry;
/* Whether the layers that an input of a profile has left, which ran with HEFT_PROFILE_RANGES, are
 * those that snapshot_make would make.  On the profile's domain. */
bool snapshot_can_take(const struct heft_snapshot *s, const struct heft_profile *p,
		       struct entry *e);
/* snapshot_make of that input, without reading it again: of an input that can be taken.  The
 * profile is only read, by any number of threads. */
bool snapshot_take(struct heft_snapshot *s, const struct heft_profile *p, struct entry *e,
		   struct heft_err *err);

/* snapshot_make of all inputs of a role, whose symbols and compile units are measured: a container
 * each.  It is for pairs alone and has no charges. */
bool snapshot_take_side(struct heft_snapshot *s, const struct heft_profile *p, enum heft_role role,
			struct heft_err *err);

/* Takes the components of the file that was named, if one was; of a snapshot that was read. */
bool snapshot_take_components(struct heft_snapshot *s, struct heft_err *err);

#endif
