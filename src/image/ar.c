/* Reads Unix archives. The layout is documented in Solaris ar.h(3HEAD) and FreeBSD ar(5): an 8-byte
 * magic, then members. Each member is a 60-byte text header and its bytes, padded to an even
 * offset. Names of SysV and GNU: "name/", or "/123", an offset in the member "//". Names of BSD and
 * Darwin: "#1/NN", then the first NN bytes of the member are the name. Old names: "name ".
 * Microsoft writes GNU's form, and tables named "/<ECSYMBOLS>/" and the like. A thin archive (GNU
 * ar(1), "Thin archives") has only headers. Its members are files, with paths from the archive's
 * folder. "/123:456" names the member with its header at offset 456 of another archive. A member
 * that is itself an archive, inside or outside, gives its own members. */
#include "image/input.h"

#include "base/intern.h"

enum { MAGIC_SIZE = 8, HEADER_SIZE = 60, NEST_MAX = 8 };

/* A thin archive may name the same bytes of another file repeatedly. Reads at most this many times
 * the size of that file. A note reports members that are skipped for this. */
enum { OUTSIDE_TIMES = 4 };

/* An archive whose members are being read. The archive may be a member of another archive. */
struct ar_level {
	uint64_t off, end;  /* Offsets in ar.bytes of the next header, and of the end */
	struct bytes names; /* Contents of the member "//": the long names */
	struct str prefix;  /* Name of the inner archive. "" for the outermost. */
};

/* A file that a thin archive names. */
struct outside_file {
	struct file file;
	bool open;
	uint64_t left; /* Bytes of the file that may still be read. */
};

struct ar {
	struct input *in;
	const char *path;   /* Path of the archive that the user named. */
	const char *own;    /* Path of the archive that is being read. The archive may be a file
			     * that `path` names. */
	struct bytes bytes; /* Bytes of the file that is being read. */
	uint64_t base;      /* Offset of the first of these bytes in the input. */
	struct ar_level levels[NEST_MAX];
	size_t depth;
	uint64_t vm_index; /* vm_index (see image.h) of section 0 of the next object */
	struct intern paths;
	VEC(struct outside_file) files; /* Files, by the number of their path in `paths`. */
	size_t next_outside;            /* Index in in->outside of the next member to read */
};

struct member {
	uint64_t off;     /* Offset of the header. */
	struct str field; /* Name field of the header, without trailing blanks. */
	struct str name;
	uint64_t data, size; /* Offset and bytes of the contents, without a BSD name. */
	uint64_t stored;     /* Bytes in this file after the header, with a BSD name. */
	uint64_t origin;     /* Thin archives: offset of the header in the archive that the path
			      * names. 0 if the path names the member itself. */
	bool outside;        /* True if a thin archive names the member, a separate file */
};

bool ar_matches(struct bytes b)
{
	return b.size >= MAGIC_SIZE &&
	       (memcmp(b.p, "!<arch>\n", 8) == 0 || memcmp(b.p, "!<thin>\n", 8) == 0);
}

static bool is_thin(struct bytes b)
{
	return ar_matches(b) && b.p[2] == 't';
}

static struct str trim_blanks(struct str s)
{
	while (s.len > 0 && s.p[s.len - 1] == ' ')
		s.len--;
	return s;
}

/* Reads the digits at the start of *s and removes them. False if there are none or more than 18. */
static bool take_decimal(struct str *s, uint64_t *ret)
{
	uint64_t v = 0;
	size_t n = 0;
	while (n < s->len && s->p[n] >= '0' && s->p[n] <= '9' && n < 19)
		v = v * 10 + (uint64_t)(s->p[n++] - '0');
	if (n == 0 || n > 18)
		return false;
	*s = (struct str){ s->p + n, s->len - n };
	*ret = v;
	return true;
}

static bool parse_decimal(struct str s, uint64_t *ret)
{
	return take_decimal(&s, ret) && s.len == 0;
}

/* Parses "/123", the offset of a long name. In thin archives also parses "/123:456": the member at
 * offset 456 of that file. GNU ar may end the field with a slash: "/123 /". False for other
 * names. */
static bool is_long_name(struct str field, uint64_t *off, uint64_t *origin)
{
	struct str rest = { field.p + 1, field.len > 0 ? field.len - 1 : 0 };
	*origin = 0;
	if (rest.len == 0 || field.p[0] != '/' || !take_decimal(&rest, off))
		return false;
	if (rest.len > 0 && rest.p[0] == ':') {
		rest = (struct str){ rest.p + 1, rest.len - 1 };
		if (!take_decimal(&rest, origin))
			return false;
	}
	if (str_ends(rest, STR("/")))
		rest.len--;
	return trim_blanks(rest).len == 0;
}

/* Returns a name of the member "//". The name ends with "/\n" (GNU) or NUL (COFF). */
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

static bool is_names(struct str field)
{
	return str_eq(field, STR("//")) || str_eq(field, STR("ARFILENAMES/"));
}

static bool is_special(struct str field)
{
	return str_eq(field, STR("/")) || is_names(field) || str_eq(field, STR("/SYM64/")) ||
	       (str_starts(field, STR("/<")) && str_ends(field, STR(">/")));
}

static void name_member(struct bytes file, struct bytes names, struct member *m)
{
	uint64_t n;
	m->name = m->field;
	if (is_special(m->field))
		return;
	if (is_long_name(m->field, &n, &m->origin))
		m->name = long_name(names, n);
	else if (str_starts(m->field, STR("#1/")) &&
		 parse_decimal((struct str){ m->field.p + 3, m->field.len - 3 }, &n) &&
		 n <= m->size && bytes_sub(file, m->data, n).size == n) {
		/* Reads the name at the start of the contents. Darwin pads the name with NULs. */
		const uint8_t *data = file.p + m->data, *nul = n > 0 ? memchr(data, 0, n) : NULL;
		m->name = (struct str){ (const char *)data, nul ? (size_t)(nul - data) : n };
		m->data += n;
		m->size -= n;
	} else if (m->field.len > 1 && str_ends(m->field, STR("/")))
		m->name.len--;
}

/* Reads the member header at offset `off` of an archive. False if it is damaged or cut off. */
static bool header_read(struct bytes file, struct bytes names, uint64_t off, struct member *m)
{
	const struct bytes h = bytes_sub(file, off, HEADER_SIZE);
	*m = (struct member){ .off = off, .data = off + HEADER_SIZE };
	if (h.size == 0 || h.p[58] != '`' || h.p[59] != '\n')
		return false;
	const char *text = (const char *)h.p;
	m->field = trim_blanks((struct str){ text, 16 });
	if (!parse_decimal(trim_blanks((struct str){ text + 48, 10 }), &m->size))
		return false;
	m->outside = is_thin(file) && !is_special(m->field);
	m->stored = m->outside ? 0 : m->size;
	name_member(file, names, m);
	return true;
}

static bool is_symbol_table(const struct member *m)
{
	return (is_special(m->field) && !is_names(m->field)) || str_eq(m->name, STR("__.SYMDEF")) ||
	       str_eq(m->name, STR("__.SYMDEF SORTED")) || str_eq(m->name, STR("__.SYMDEF_64")) ||
	       str_eq(m->name, STR("__.SYMDEF_64 SORTED"));
}

/* Reads the next member header of the archive `l`. False if it is damaged. A member that exceeds
 * the archive is cut at its end, with a note. */
static bool ar_read_member(const struct ar *ar, const struct ar_level *l, struct member *m)
{
	const struct input *in = ar->in;
	const struct bytes b = { ar->bytes.p, l->end };
	if (!header_read(b, l->names, l->off, m))
		return false;
	const uint64_t left = l->end - l->off - HEADER_SIZE;
	if (m->stored > left) {
		note(in->notes, ar->path, ar->base + l->off, m->stored - left,
		     "member at offset %" PRIu64 " goes beyond the end of the archive", l->off);
		m->stored = left;
		m->size = l->end - m->data;
	}
	if (l->prefix.len > 0 && !m->outside && !is_symbol_table(m))
		m->name = str_of(arena_format(&ar->in->arena, STR_FMT "(" STR_FMT ")",
					      STR_ARG(l->prefix), STR_ARG(m->name)));
	return true;
}

/* Adds the member at in->done: an object as an image, any other contents as a part. */
static void ar_contents_read(struct ar *ar, const struct member *m, struct bytes data)
{
	struct input *in = ar->in;
	const uint64_t at = ar->in->done;
	struct image im;
	struct heft_err err;
	if (file_format_of_plain(data)->parse) {
		const struct image_place place = { ar->path, m->name, at, ar->vm_index };
		if (image_parse(&im, &place, data, in->notes, &err)) {
			input_add_image(in, &im);
			ar->vm_index += im.kind == IMAGE_OBJECT ? im.section_count : 0;
			return;
		}
		note(in->notes, ar->path, at, data.size, "damaged member: %s", err.text);
	}
	input_add_part(ar->in, AR_OTHER_MEMBER, at + data.size, m->name);
}

/* Opens a member that is itself an archive. False if it is no ordinary archive, or if NEST_MAX
 * archives are open. */
static bool level_open(struct ar *ar, uint64_t off, uint64_t size, struct str name)
{
	const struct bytes b = bytes_sub(ar->bytes, off, size);
	if (!ar_matches(b) || (ar->depth > 0 && is_thin(b)) || ar->depth == NEST_MAX)
		return false;
	ar->levels[ar->depth++] =
		(struct ar_level){ .off = off + MAGIC_SIZE, .end = off + size, .prefix = name };
	input_add_part(ar->in, AR_HEADERS, ar->base + off + MAGIC_SIZE, name);
	return true;
}

static void ar_add_member(struct ar *ar, struct ar_level *l, const struct member *m)
{
	struct input *in = ar->in;
	const uint64_t data = ar->base + m->data;
	const struct str none = STR("");
	if (m->outside) {
		input_add_part(ar->in, AR_HEADERS, data, m->name);
		vec_push(&in->outside, (struct ar_outside){ .path = m->name,
							    .from = ar->own,
							    .header = ar->base + m->off,
							    .origin = m->origin });
	} else if (is_symbol_table(m)) {
		input_add_part(ar->in, AR_HEADERS, data, none);
		input_add_part(ar->in, AR_SYMBOL_TABLE, data + m->size, m->name);
	} else if (is_names(m->field)) {
		l->names = bytes_sub(ar->bytes, m->data, m->size);
		input_add_part(ar->in, AR_HEADERS, data + m->size, none);
	} else {
		input_add_part(ar->in, AR_HEADERS, data, m->name);
		if (!level_open(ar, m->data, m->size, m->name))
			ar_contents_read(ar, m, bytes_sub(ar->bytes, m->data, m->size));
	}
}

/* Reads one member of the innermost archive. After the last one, returns to the archive around
 * it. */
static void level_step(struct ar *ar)
{
	struct ar_level *l = &ar->levels[ar->depth - 1];
	struct member m;
	if (ar->base + l->off - ar->in->done == 1) /* The pad byte of the last member. */
		input_add_part(ar->in, AR_HEADERS, ar->base + l->off, STR(""));
	const bool good = l->off < l->end && ar_read_member(ar, l, &m);
	if (l->off < l->end && !good)
		note(ar->in->notes, ar->path, ar->base + l->off, l->end - l->off,
		     "damaged archive header at offset %" PRIu64
		     "; the rest of the archive is not read",
		     l->off);
	if (!good) {
		input_add_part(ar->in, AR_HEADERS, ar->base + l->end, l->prefix);
		ar->depth--;
		return;
	}
	/* Members begin at even offsets. Some writers omit the last pad byte. */
	const uint64_t next = l->off + HEADER_SIZE + m.stored, start = l->off;
	l->off = min_u64(next + (next - start) % 2, l->end);
	ar_add_member(ar, l, &m);
}

/* Begins to read the archive in ar->bytes. */
static void archive_open(struct ar *ar, struct str name)
{
	ar->base = ar->in->done;
	ar->depth = 0;
	(void)level_open(ar, 0, ar->bytes.size, name);
}

static struct outside_file *file_of(struct ar *ar, const char *path)
{
	struct heft_err err;
	const uint32_t id = intern_add(&ar->paths, str_of(path));
	if (id == ar->files.count) {
		struct outside_file f = { 0 };
		f.open = file_open(&f.file, path, &err);
		f.left = f.open ? f.file.bytes.size * OUTSIDE_TIMES : 0;
		vec_push(&ar->files, f);
		if (!f.open)
			note(ar->in->notes, ar->path, HEFT_NO_OFFSET, 0,
			     "members of this thin archive are left out: %s", err.text);
	}
	return &ar->files.data[id];
}

/* Returns the long-name table of an archive. The table is one of the first four members. */
static struct bytes names_of(struct bytes archive)
{
	enum { FIRST = 4 };
	struct member m;
	uint64_t off = MAGIC_SIZE;
	for (int i = 0; i < FIRST; i++) {
		if (!header_read(archive, (struct bytes){ NULL, 0 }, off, &m))
			break;
		if (is_names(m.field))
			return bytes_sub(archive, m.data, m.size);
		off = align_up(add_sat(off + HEADER_SIZE, m.stored), 2);
	}
	return (struct bytes){ NULL, 0 };
}

/* Finds the bytes of a member outside of a thin archive. The member is a file, or a member of
 * another archive. False, with a note, if there is none, or if the file was read too often. */
static bool outside_bytes(struct ar *ar, const struct ar_outside *o, struct outside_file *f,
			  struct member *ret, struct bytes *ret_bytes)
{
	*ret = (struct member){ .name = o->path };
	*ret_bytes = f->file.bytes;
	if (o->origin > 0) {
		const struct bytes b = f->file.bytes;
		if (!ar_matches(b) || !header_read(b, names_of(b), o->origin, ret) ||
		    ret->outside) {
			note(ar->in->notes, ar->path, o->header, HEADER_SIZE,
			     "members of this thin archive are left out: %s has none at offset "
			     "%" PRIu64,
			     f->file.path, o->origin);
			return false;
		}
		*ret_bytes = bytes_sub(b, ret->data, ret->size);
	}
	if (ret_bytes->size <= f->left) {
		f->left -= ret_bytes->size;
		return true;
	}
	note(ar->in->notes, ar->path, o->header, HEADER_SIZE,
	     "members of this thin archive are left out: it names %s more than %d times",
	     f->file.path, OUTSIDE_TIMES);
	return false;
}

static void outside_read(struct ar *ar, size_t i)
{
	struct input *in = ar->in;
	const struct ar_outside o = in->outside.data[i];
	const char *path = input_member_path(&in->arena, o.from, o.path);
	struct outside_file *f = file_of(ar, path);
	struct member m;
	const size_t first = in->image_count;
	if (!f->open || !outside_bytes(ar, &o, f, &m, &ar->bytes))
		return;
	const bool mapped = file_is_mapped(&f->file);
	ar->own = path;
	if (ar_matches(ar->bytes))
		archive_open(ar, m.name);
	else
		ar_contents_read(ar, &m, ar->bytes);
	while (ar->depth > 0)
		level_step(ar);
	for (size_t k = first; k < in->image_count; k++)
		in->images[k].mapped = mapped;
	in->outside.data[i].image = first < in->image_count ? in->images_before + first : SIZE_MAX;
}

/* True if a member in another file is still to be read. Such a member may be an archive, which adds
 * members to in->outside. Input in memory has no folder in which to find files. */
static bool has_outside(const struct ar *ar)
{
	return ar->in->file.path && ar->next_outside < ar->in->outside.count;
}

void ar_close(struct input *in)
{
	struct ar *ar = in->rest;
	/* Moves the open files to the input. The files stay open as long as the input's images. */
	for (size_t i = 0; ar && i < ar->files.count; i++)
		if (ar->files.data[i].open)
			vec_push(&in->outside_files, ar->files.data[i].file);
	if (ar) {
		vec_release(&ar->files);
		intern_release(&ar->paths);
	}
	mem_free(ar);
	in->rest = NULL;
}

void ar_read(struct input *in)
{
	size_t counted = 0;
	uint64_t sections = 0;
	bool more = true, full = false;
	struct ar *const ar = in->rest;
	ASSERT(ar && in->image_count == 0);
	while (more && !full) {
		/* Members outside of the archive are read last. */
		if (ar->depth > 0)
			level_step(ar);
		else if (has_outside(ar))
			outside_read(ar, ar->next_outside++);
		for (; counted < in->image_count; counted++)
			sections += in->images[counted].section_count;
		more = ar->depth > 0 || has_outside(ar);
		/* True if at most a pad byte is left. */
		const bool last = ar->depth <= 1 && !has_outside(ar) &&
				  ar->levels[0].off >= ar->levels[0].end;
		full = in->in_portions && !last &&
		       (in->done - in->begin > PORTION_BYTES || sections > PORTION_SECTIONS);
	}
	ASSERT(more || in->done >= in->file.bytes.size);
	if (!more)
		ar_close(in);
}

bool ar_parse(struct input *in, const char *path, struct heft_err *err)
{
	struct ar *ar = mem_zeroed(1, sizeof *ar);
	(void)err;
	*ar = (struct ar){ .in = in, .path = path, .own = path, .bytes = in->file.bytes };
	in->archive = true;
	in->thin = is_thin(ar->bytes);
	in->rest = ar;
	archive_open(ar, STR(""));
	ar_read(in);
	ASSERT(in->image_count + in->parts.count > 0);
	return true;
}
