/* Writes the html file that has the page's data, stored as columns. */
#include "page/page.h"

#include "base/gzip.h"
#include "base/tame.h"
#include "page_parts.h"
#include "report/report.h"

#include <stdio.h>

/* Compression level and part size. Packing the 60 MB of a million symbols takes half a second. */
enum { PACK_LEVEL = 6, PACK_PART = 1 << 20 };

/* Adds the texts, each with a line end. */
static void page_write_add_texts(struct text *to, const struct intern *texts)
{
	struct tame t;
	for (uint32_t i = 0; i < texts->entries.count; i++) {
		const struct str s = intern_get(texts, i);
		size_t done = 0;
		for (size_t pos = 0; pos < s.len; pos += t.size) {
			if ((unsigned char)s.p[pos] - 0x20u < 0x5f) {
				t.size = 1;
				continue;
			}
			tame_get(&t, s, pos);
			if (t.escape_size == 0)
				continue;
			text_add(to, (struct str){ s.p + done, pos - done });
			text_add(to, (struct str){ t.escape, t.escape_size });
			done = pos + t.size;
		}
		text_adds(to, (struct str){ s.p + done, s.len - done }, STR("\n"));
	}
}

static void page_write_add_head(struct text *to, const struct page *p, size_t texts)
{
	char room[200];
	struct text head = { 0 };
	snprintf(room, sizeof room,
		 "{\"format\": 1, \"heft\": \"%s\", \"texts\": %zu, \"text_bytes\": %zu, \"tabs\": "
		 "[\n",
		 heft_version(), (size_t)p->texts.entries.count, texts);
	text_adds(&head, str_of(room), text_str(&p->tabs), STR("]}"));
	ASSERT(head.len <= UINT32_MAX);
	for (unsigned i = 0; i < 4; i++)
		text_add_char(to, (char)(head.len >> 8 * i));
	text_add(to, text_str(&head));
	text_release(&head);
}

bool page_write(const struct page *p, const struct heft_sink *sink, struct heft_err *err)
{
	struct text texts = { 0 }, all = { 0 };
	struct bytes packed;
	struct sink s;
	page_write_add_texts(&texts, &p->texts);
	page_write_add_head(&all, p, texts.len);
	text_adds(&all, text_str(&texts), text_str(&p->data));
	text_release(&texts);
	const bool good = gzip_pack_parts((struct bytes){ (const uint8_t *)all.p, all.len },
					  PACK_LEVEL, PACK_PART, 0, &packed, err);
	text_release(&all);
	if (!good)
		return false;
	sink_start(&s, sink);
	sink_text(&s, STR(PAGE_HEAD));
	/* Writes base64 piece by piece, so that a large page needs no second buffer. */
	enum { PIECE = 3072 };
	char room[PIECE / 3 * 4 + 1];
	for (uint64_t i = 0; i < packed.size; i += PIECE) {
		const size_t size = (size_t)min_u64(PIECE, packed.size - i);
		ASSERT(base64_size(size) <= sizeof room);
		base64_text(room, packed.p + i, size);
		sink_text(&s, (struct str){ room, base64_size(size) - 1 });
	}
	sink_text(&s, STR(PAGE_TAIL));
	mem_free((void *)(uintptr_t)packed.p);
	return sink_end(&s, err);
}
