/* rust.h - demangles the two schemes of Rust: legacy (_ZN..17h<hash>E) and v0 (RFC 2603, _R...).
 *
 * The text contains neither crate hashes nor the hash of a legacy name. Depth, steps and output are
 * limited, so no name takes more than about a millisecond. */
#pragma once

#include "base/base.h"

/* Returns the size of the legacy name at the start of `raw`, with its E, or 0. */
size_t rust_legacy_size(struct str raw);

/* True for a name of either scheme, also after Mach-O's underscore. */
static inline bool rust_name(struct str raw)
{
	while (raw.len > 1 && raw.p[0] == '_' && raw.p[1] == '_')
		raw = (struct str){ raw.p + 1, raw.len - 1 };
	return str_starts(raw, STR("_R")) || rust_legacy_size(raw) > 0;
}

/* Write the text of a name, at most `room` bytes, and return their number. 0 if the name is
 * invalid. `raw` begins with _ZN or _R, and has no suffix like .llvm.123. */
size_t rust_legacy(struct str raw, char *out, size_t room);
size_t rust_v0(struct str raw, char *out, size_t room);
