/* collect_pack.h - adds the contents of containers around programs: zip files (APKs), Chromium's
 * data packs, archives.
 *
 * Every byte of the file belongs to a symbol. Entries and members that are not opened become one
 * symbol each in .other. The bytes around them become overhead. Names are as in SuperSize. */
#pragma once

#include "package/dex.h"
#include "image/input.h"
#include "package/pak.h"
#include "package/zip.h"
#include "snapshot/pak_info.h"
#include "snapshot/snapshot.h"

/* Adds an entry of a zip file as one symbol. */
void collect_zip_entry(struct snapshot *s, uint32_t container, const struct zip_entry *e);
/* Adds metadata, and all bytes between the entries, such as padding and the signing block. */
void collect_zip_rest(struct snapshot *s, uint32_t container, const struct zip *z);
/* A file in a package, or by itself */
struct pack_entry {
	uint32_t container;
	const char *path; /* Path for error messages */
	const char *name; /* Name in the package */
	struct bytes bytes;
	/* Bytes that the file takes in the package, to which the sizes of its symbols add up. This
	 * and the unpacked size are below 4 GiB. */
	uint64_t packed;
};
/* Adds the classes, members and literals of a dex file. If the file is damaged, returns false and
 * adds nothing. */
bool collect_dex(struct snapshot *s, const struct pack_entry *e, struct heft_err *err);
/* Adds the resources of a data pack: one symbol per id for all packs of a container. False if the
 * pack is damaged. */
bool collect_pak(struct snapshot *s, const struct pack_entry *e, struct pak_info *info,
		 struct heft_err *err);
/* Adds as aliases the resources with the payload of the same other resource in each pack. Call it
 * after all packs of a container, whose symbols begin at `first`. collect_pak_users() later sets
 * their addresses. */
void collect_pak_aliases(struct snapshot *s, struct pak_info *info, size_t first);
/* Gives resources the paths of functions named "ui::AllowlistedResource<ID>()", which use them.
 * Several users make aliases. Call it after all programs. */
void collect_pak_users(struct snapshot *s);
/* Returns the text "libx.a(y.o)" without directories, because these may differ between builds. */
uint32_t collect_member_path(struct snapshot *s, const char *archive, struct str member);
/* Adds the parts of an archive that are not objects. `path` names the archive. */
void collect_archive(struct snapshot *s, uint32_t container, const char *path,
		     const struct input *in);
/* Adds `size` to the size that the container states for a section. */
void collect_section_size(struct snapshot *s, uint32_t container, const char *name, uint64_t size);
