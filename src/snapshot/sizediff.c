/* Reads and writes `.sizediff` files. */
#include "snapshot/sizefile_internal.h"

#include "base/gzip.h"
#include "base/json_read.h"
#include "image/kinds.h"

#include <stdio.h>

static void sizediff_add_bytes(struct sizefile_out *out, const void *p, size_t size)
{
	vec_reserve(&out->bytes, size);
	memcpy(out->bytes.data + out->bytes.count, p, size);
	out->bytes.count += size;
}

static bool pack_sources(struct sizefile_out *ret, const char *const *sources, struct heft_err *err)
{
	struct text t = { 0 };
	struct bytes packed;
	size_t count = 0;
	while (sources[count])
		count++;
	text_add_number(&t, count);
	text_add_char(&t, '\n');
	for (size_t i = 0; i < count; i++) {
		sizefile_add_text(&t, str_of(sources[i]));
		text_add_char(&t, '\n');
	}
	const bool ok = gzip_pack((struct bytes){ (const uint8_t *)t.p, t.len }, &packed, err);
	text_release(&t);
	if (!ok)
		return false;
	sizediff_add_bytes(ret, packed.p, packed.size);
	mem_free((void *)(uintptr_t)packed.p);
	return true;
}

static void sizediff_add_head(struct sizefile_out *ret, size_t added, size_t before, size_t removed)
{
	char json[200], head[300];
	snprintf(json, sizeof json,
		 "{\n  \"added_sources_length\": %zu,\n  \"before_length\": %zu,\n"
		 "  \"removed_sources_length\": %zu,\n  \"version\": 1\n}",
		 added, before, removed);
	snprintf(head, sizeof head, SIZEFILE_CREATED "\nDIFF\n%zu\n%s\n", strlen(json), json);
	sizediff_add_bytes(ret, head, strlen(head));
}

bool sizediff_write(struct sizefile_out *ret, const struct snapshot *before,
		    const struct snapshot *after, const char *const *removed_sources,
		    const char *const *added_sources, struct heft_err *err)
{
	struct sizefile_out removed = { { 0 } }, added = { { 0 } }, first = { { 0 } };
	const bool ok = pack_sources(&removed, removed_sources, err) &&
			pack_sources(&added, added_sources, err) &&
			sizefile_write(&first, before, err);
	if (ok) {
		sizediff_add_head(ret, added.bytes.count, first.bytes.count, removed.bytes.count);
		sizediff_add_bytes(ret, removed.bytes.data, removed.bytes.count);
		sizediff_add_bytes(ret, added.bytes.data, added.bytes.count);
		sizediff_add_bytes(ret, first.bytes.data, first.bytes.count);
	}
	vec_release_all(&removed.bytes, &added.bytes, &first.bytes);
	return ok && sizefile_write(ret, after, err);
}

struct lengths {
	int64_t before, removed, added;
};

static bool read_lengths(struct bytes json, struct lengths *ret)
{
	struct json_in in;
	json_in_init(&in, json);
	memset(ret, 0, sizeof *ret);
	bool ok = json_next(&in) == JSON_OBJECT;
	while (ok && json_next(&in) == JSON_KEY) {
		const struct str key = text_str(&in.text);
		int64_t *to = str_eq(key, STR("before_length"))            ? &ret->before
			      : str_eq(key, STR("removed_sources_length")) ? &ret->removed
			      : str_eq(key, STR("added_sources_length"))   ? &ret->added
									   : NULL;
		const enum json_token token = json_next(&in);
		if (to)
			ok = token == JSON_NUMBER && json_integer(&in, to) && *to >= 0;
		else
			(void)json_rest(&in, token);
	}
	ok = ok && !in.bad;
	json_in_release(&in);
	return ok;
}

/* Returns the line at *pos without its end, and moves *pos after it. */
static struct str sizediff_take_line(struct bytes b, uint64_t *pos)
{
	const char *from = (const char *)b.p + *pos;
	const char *end = *pos < b.size ? memchr(from, '\n', b.size - *pos) : NULL;
	const uint64_t size = end ? (uint64_t)(end - from) : b.size - *pos;
	*pos += size + (end != NULL);
	return (struct str){ from, size };
}

/* Splits the file after its header into two parts. */
static bool sizediff_split(struct bytes b, struct bytes *ret_before, struct bytes *ret_after)
{
	uint64_t pos = 0;
	struct lengths l;
	(void)sizediff_take_line(b, &pos);
	(void)sizediff_take_line(b, &pos);
	const struct str digits = sizediff_take_line(b, &pos);
	struct json_in number = { .text = { (char *)(uintptr_t)digits.p, digits.len, 0 } };
	int64_t size;
	if (!json_integer(&number, &size) || size < 0 || (uint64_t)size > b.size - pos ||
	    !read_lengths(bytes_sub(b, pos, (uint64_t)size), &l))
		return false;
	pos = add_sat(pos, (uint64_t)size + 1);
	pos = add_sat(add_sat(pos, (uint64_t)l.removed), (uint64_t)l.added);
	*ret_before = bytes_sub(b, pos, (uint64_t)l.before);
	pos = add_sat(pos, (uint64_t)l.before);
	if (pos > b.size || ret_before->size == 0)
		return false;
	*ret_after = bytes_sub(b, pos, b.size - pos);
	return true;
}

bool sizediff_read(struct snapshot *ret_before, struct snapshot *ret_after, const char *path,
		   struct bytes b, struct notes *notes, struct heft_err *err)
{
	struct bytes before, after;
	if (file_format_of_plain(b)->kind != KIND_SIZEDIFF || !sizediff_split(b, &before, &after))
		return fail(err, HEFT_EFORMAT, 0, "%s: the head of the .sizediff file is damaged",
			    path);
	if (!sizefile_read(ret_before, path, before, notes, err))
		return false;
	ret_before->sparse = true;
	if (!sizefile_read(ret_after, path, after, notes, err)) {
		snapshot_release(ret_before);
		return false;
	}
	ret_after->sparse = true;
	return true;
}
