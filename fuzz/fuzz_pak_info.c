/* Input: names of resources.  Each id has a text and a path that it begins with, or neither. */
#include "snapshot/pak_info.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pak_info info = { 0 };
	struct snapshot s;
	struct notes notes;
	notes_init(&notes);
	snapshot_init(&s);
	pak_info_parse(&info, &s, "fuzz", (struct bytes){ data, size }, &notes);
	for (uint32_t id = 0; id <= UINT16_MAX; id++) {
		const struct str name = snapshot_text(&s, info.names[id]);
		const struct str path = snapshot_text(&s, info.sources[id]);
		ASSERT(str_starts(name, path) && name.len <= size + 2);
		ASSERT(name.len == 0 || name.len >= path.len + 3);
	}
	pak_info_release(&info);
	snapshot_release(&s);
	notes_release(&notes);
	return 0;
}
