/* collect_pack.h - what is in files around programs: zip files (APKs), Chromium's data packs,
 * archives.
 *
 * Every byte of the file becomes one of a symbol: entries and members that are not looked into are
 * one symbol in .other, what stands around them overhead.  Names of SuperSize where it has them. */
#ifndef HEFT_SNAPSHOT_COLLECT_PACK_H
#define HEFT_SNAPSHOT_COLLECT_PACK_H

#include "image/package/dex.h"
#include "image/input.h"
#include "image/package/pak.h"
#include "image/package/zip.h"
#include "snapshot/pak_info.h"
#include "snapshot/snapshot.h"

/* An entry of a zip file that becomes one symbol. */
void collect_zip_entry(struct snapshot *s, uint32_t container, const struct zip_entry *e);
/* All that is no entry's data: padding, signing block, the rest; metadata. */
void collect_zip_rest(struct snapshot *s, uint32_t container, const struct zip *z);
/* A file in a package, or alone. */
struct pack_entry {
	uint32_t container;
	const char *path; /* for messages */
	const char *name; /* in the package */
	struct bytes bytes;
	/* what it takes: the sizes of its symbols add up to that; both below 4 GiB */
	uint64_t packed;
};
/* Classes, members and literals of a dex file.  False and nothing added where it is damaged. */
bool collect_dex(struct snapshot *s, const struct pack_entry *e, struct heft_err *err);
/* Resources of a data pack: one symbol an id over all packs of a container.  False where it is
 * damaged. */
bool collect_pak(struct snapshot *s, const struct pack_entry *e, struct pak_info *info,
		 struct heft_err *err);
/* After all packs of a container, whose symbols begin at `first`: resources that have another's
 * payload in each of them become aliases of that one, which collect_pak_users completes. */
void collect_pak_aliases(struct snapshot *s, struct pak_info *info, size_t first);
/* After all programs: resources get the paths of what uses them, as far as that tells it by
 * functions "ui::AllowlistedResource<ID>()"; of several users, as aliases. */
void collect_pak_users(struct snapshot *s);
/* "libx.a(y.o)", without directories: the two sides of a difference are in two of them. */
uint32_t collect_member_path(struct snapshot *s, const char *archive, struct str member);
/* The parts of an archive that are no objects; `path` names the archive. */
void collect_archive(struct snapshot *s, uint32_t container, const char *path,
		     const struct input *in);
/* Adds to what the container states of a section. */
void collect_section_size(struct snapshot *s, uint32_t container, const char *name, uint64_t size);

#endif
