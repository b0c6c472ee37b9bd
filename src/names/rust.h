/* rust.h - Rust's two manglings: legacy (_ZN..17h<hash>E) and v0 (RFC 2603, _R...).
 *
 * Crate hashes, and the hash of a legacy name, are left out.  Depth of nesting, steps and
 * output are limited, so that a hostile name costs at most about a millisecond. */
#ifndef HEFT_NAMES_RUST_H
#define HEFT_NAMES_RUST_H

#include "base/base.h"

/* The size of `raw` up to and with the E of a legacy name; 0 if it is none. */
size_t rust_legacy_size(struct str raw);

/* Whether a name is of one of the two, also with the underscore that Mach-O puts before it. */
static inline bool rust_name(struct str raw)
{
	while (raw.len > 1 && raw.p[0] == '_' && raw.p[1] == '_')
		raw = (struct str){ raw.p + 1, raw.len - 1 };
	return str_starts(raw, STR("_R")) || rust_legacy_size(raw) > 0;
}

/* Both write at most `room` bytes and return the size written, 0 for "no such name".
 * `raw` begins with _ZN or _R and has no suffix such as .llvm.123 any more. */
size_t rust_legacy(struct str raw, char *out, size_t room);
size_t rust_v0(struct str raw, char *out, size_t room);

#endif
