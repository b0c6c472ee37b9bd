#include "image/input.h"

/* Unix archives.  The layout is documented in Solaris ar.h(3HEAD) and FreeBSD ar(5):
 * an 8-byte magic, then members, each a 60-byte text header and its bytes, padded to an even
 * offset.  Variants of names: SysV/GNU ("name/", "/123" into the member "//"), BSD and
 * Darwin ("#1/NN": the name is the first NN bytes of the member), plain old ("name   "). */

enum { MAGIC_SIZE = 8, HEADER_SIZE = 60 };

struct ar {
	struct input *in;
	const char *path;
	struct bytes names; /* the member "//" */
	uint64_t vm_index;  /* of the next object's section 0 */
	size_t image_cap;
	uint64_t done; /* everything below belongs to an image or a part */
};

struct member {
	uint64_t off;     /* of the header */
	struct str field; /* the header's name field, blanks cut off */
	struct str name;
	uint64_t data, size; /* of the contents, the BSD name left out */
	uint64_t stored;     /* bytes behind the header in this file, the BSD name included */
	uint64_t time;       /* seconds since 1970; 0: not stated */
	bool outside;        /* a file of its own, named in a thin archive */
};

bool ar_matches(struct bytes b)
{
	return b.size >= MAGIC_SIZE &&
	       (memcmp(b.p, "!<arch>\n", 8) == 0 || memcmp(b.p, "!<thin>\n", 8) == 0);
}

/* ---- parts ------------------------------------------------------------------------ */

static bool same_part(const struct ar_part *p, enum ar_part_kind kind, struct str member)
{
	return p->kind == kind && str_eq(p->member, member);
}

/* Gives [ar->done, end) to a part; neighbours alike become one. */
static void add_part(struct ar *ar, enum ar_part_kind kind, uint64_t end, struct str member)
{
	if (end <= ar->done)
		return;
	struct input *in = ar->in;
	struct ar_part *last = in->parts.count ? &in->parts.data[in->parts.count - 1] : NULL;
	if (last && last->off + last->size == ar->done && same_part(last, kind, member))
		last->size = end - last->off;
	else
		vec_push(&in->parts, (struct ar_part){ kind, ar->done, end - ar->done, member });
	ar->done = end;
}

/* ---- member headers ----------------------------------------------------------------- */

static struct str trim_blanks(struct str s)
{
	while (s.len > 0 && s.p[s.len - 1] == ' ')
		s.len--;
	return s;
}

/* Decimal digits only; false where there is none, another character, or too much. */
static bool parse_decimal(struct str s, uint64_t *ret)
{
	uint64_t v = 0;
	if (s.len == 0 || s.len > 18)
		return false;
	for (size_t i = 0; i < s.len; i++) {
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
		v = v * 10 + (uint64_t)(s.p[i] - '0');
	}
	*ret = v;
	return true;
}

/* "/123"; in thin archives of archives also "/123:456", a place inside that file. */
static bool is_long_name(struct str field, uint64_t *off)
{
	const char *colon = field.len ? memchr(field.p, ':', field.len) : NULL;
	if (colon)
		field.len = (size_t)(colon - field.p);
	return field.len > 1 && field.p[0] == '/' &&
	       parse_decimal((struct str){ field.p + 1, field.len - 1 }, off);
}

/* A name of the member "//" ends in "/\n" (GNU) or NUL (COFF). */
static struct str long_name(struct bytes names, uint64_t off)
{
	if (off >= names.size)
		return STR("");
	const char *p = (const char *)names.p + off;
	const size_t left = (size_t)(names.size - off);
	size_t len = 0;
	while (len < left && p[len] != '\n' && p[len] != '\0')
		len++;
	if (len > 0 && p[len - 1] == '/')
		len--;
	return (struct str){ p, len };
}

static bool is_special(struct str field)
{
	return str_eq(field, STR("/")) || str_eq(field, STR("//")) || str_eq(field, STR("/SYM64/"));
}

/* Darwin pads names with NULs. */
static void take_bsd_name(struct member *m, const uint8_t *data, uint64_t size)
{
	const uint8_t *nul = size ? memchr(data, 0, size) : NULL;
	m->name = (struct str){ (const char *)data, nul ? (size_t)(nul - data) : (size_t)size };
	m->data += size;
	m->size -= size;
}

static void name_member(const struct ar *ar, struct member *m)
{
	uint64_t n;
	const struct bytes file = ar->in->file.bytes;
	m->name = m->field;
	if (is_special(m->field))
		return;
	if (is_long_name(m->field, &n))
		m->name = long_name(ar->names, n);
	else if (str_starts(m->field, STR("#1/")) &&
		 parse_decimal((struct str){ m->field.p + 3, m->field.len - 3 }, &n) &&
		 n <= m->size && bytes_sub(file, m->data, n).size == n)
		take_bsd_name(m, file.p + m->data, n);
	else if (m->field.len > 1 && str_ends(m->field, STR("/")))
		m->name.len--;
}

/* The header at `off`.  False where it is damaged or cut off. */
static bool read_member(const struct ar *ar, uint64_t off, struct member *m)
{
	const struct input *in = ar->in;
	const struct bytes h = bytes_sub(in->file.bytes, off, HEADER_SIZE);
	*m = (struct member){ .off = off, .data = off + HEADER_SIZE };
	if (h.size == 0 || h.p[58] != '`' || h.p[59] != '\n')
		return false;
	const char *text = (const char *)h.p;
	m->field = trim_blanks((struct str){ text, 16 });
	if (!parse_decimal(trim_blanks((struct str){ text + 48, 10 }), &m->size))
		return false;
	(void)parse_decimal(trim_blanks((struct str){ text + 16, 12 }), &m->time);
	m->outside = in->thin && !is_special(m->field);
	const uint64_t left = in->file.bytes.size - m->data;
	if (!m->outside && m->size > left) {
		note(in->notes, ar->path, off, m->size - left,
		     "member at offset %" PRIu64 " goes beyond the end of the archive", off);
		m->size = left;
	}
	m->stored = m->outside ? 0 : m->size;
	name_member(ar, m);
	return true;
}

/* ---- members --------------------------------------------------------------------- */

static bool is_symbol_table(const struct member *m)
{
	return str_eq(m->field, STR("/")) || str_eq(m->field, STR("/SYM64/")) ||
	       str_eq(m->name, STR("__.SYMDEF")) || str_eq(m->name, STR("__.SYMDEF SORTED")) ||
	       str_eq(m->name, STR("__.SYMDEF_64")) || str_eq(m->name, STR("__.SYMDEF_64 SORTED"));
}

static void add_image(struct ar *ar, const struct image *im)
{
	struct input *in = ar->in;
	if (in->image_count == ar->image_cap)
		in->images = vec_grow(in->images, &ar->image_cap, in->image_count + 1,
				      sizeof *in->images);
	in->images[in->image_count++] = *im;
	if (im->kind == IMAGE_OBJECT)
		ar->vm_index += im->section_count;
	ar->done = im->file_off + im->bytes.size;
}

static void add_file_member(struct ar *ar, const struct member *m)
{
	struct input *in = ar->in;
	const struct bytes data = bytes_sub(in->file.bytes, m->data, m->size);
	struct image im;
	struct heft_err err;
	if (image_matches(data)) {
		const struct image_place at = { ar->path, m->name, m->data, ar->vm_index };
		if (image_parse(&im, &at, data, in->notes, &err)) {
			im.time = m->time;
			add_image(ar, &im);
			return;
		}
		note(in->notes, ar->path, m->data, m->size, "damaged member: %s", err.text);
	}
	add_part(ar, AR_OTHER_MEMBER, m->data + m->size, m->name);
}

static void add_member(struct ar *ar, const struct member *m)
{
	struct input *in = ar->in;
	const struct str none = STR("");
	if (m->outside) {
		add_part(ar, AR_HEADERS, m->off + HEADER_SIZE, m->name);
		vec_push(&in->thin_members, m->name);
	} else if (is_symbol_table(m)) {
		add_part(ar, AR_HEADERS, m->data, none);
		add_part(ar, AR_SYMBOL_TABLE, m->data + m->size, m->name);
	} else if (str_eq(m->field, STR("//"))) {
		ar->names = bytes_sub(in->file.bytes, m->data, m->size);
		add_part(ar, AR_HEADERS, m->data + m->size, none);
	} else {
		add_part(ar, AR_HEADERS, m->data, m->name);
		add_file_member(ar, m);
	}
}

bool ar_parse(struct input *in, const char *path, struct heft_err *err)
{
	(void)err;
	const uint64_t size = in->file.bytes.size;
	struct ar ar = { .in = in, .path = path };
	in->archive = true;
	in->thin = in->file.bytes.p[2] == 't';
	add_part(&ar, AR_HEADERS, MAGIC_SIZE, STR(""));
	uint64_t off = MAGIC_SIZE;
	while (off < size) {
		struct member m;
		if (!read_member(&ar, off, &m)) {
			note(in->notes, path, off, size - off,
			     "damaged archive header at offset %" PRIu64
			     "; the rest of the archive is not read",
			     off);
			break;
		}
		add_member(&ar, &m);
		/* Members begin at even offsets; some writers leave out the last pad byte. */
		off = min_u64(align_up(off + HEADER_SIZE + m.stored, 2), size);
		if (off - ar.done == 1 && ar.done < off)
			add_part(&ar, AR_HEADERS, off, STR(""));
	}
	add_part(&ar, AR_HEADERS, size, STR(""));
	return true;
}
