/* fields.h - declares once what a report writes of a struct.
 *
 * A constant table has a field for each key: where the value is, what it means, when there is none.
 * JSON objects, lines of csv, tsv and markdown, and the tables of docs/json.md come of it.  A field
 * finds its value by the offset and the size of a member; only what no member holds needs a
 * function.  Objects nest as deep as their declarations do. */
#ifndef HEFT_REPORT_FIELDS_H
#define HEFT_REPORT_FIELDS_H

#include "report/report.h"

enum field_kind {
	/* Texts. */
	FIELD_TEXT, /* const char *; NULL is "" */
	FIELD_WORD, /* an enum or bool: the text in `words` at this place */
	FIELD_HASH, /* uint64_t: 16 hexadecimal digits */
	/* Numbers and words of JSON. */
	FIELD_NUMBER,   /* an integer, not below 0 */
	FIELD_BOOL,     /* bool */
	FIELD_PARTS,    /* double: up to three decimals */
	FIELD_CONSTANT, /* the number that `type` is */
	/* What has members or elements. */
	FIELD_FLAGS,  /* bits: the texts in `words` of those that are set */
	FIELD_SUMS,   /* an array of uint64_t: an object with `words` as keys */
	FIELD_OBJECT, /* a pointer to a struct; NULL: there is none */
	FIELD_PART,   /* a struct in the struct */
	/* Lists: a pointer to elements, or an array of them; the member at if_at counts them. */
	FIELD_OBJECTS, /* pointers to structs */
	FIELD_STRUCTS, /* structs of `stride` bytes */
	FIELD_NUMBERS, /* uint64_t */
	FIELD_TEXTS,   /* const char * */
	FIELD_PUT,     /* what `put` writes; `type` says in the documentation what that is */
};

enum field_flag {
	FIELD_CSV = 1,      /* a column of csv, tsv and markdown too */
	FIELD_ONLY_CSV = 2, /* and no member of JSON */
	FIELD_ANY = 4,      /* no value where it is "", 0, false or empty */
	FIELD_NULL = 8,     /* no value is null, else the member is missing */
	FIELD_ADDRESS = 16, /* hexadecimal in markdown; UINT64_MAX is no value */
	FIELD_LINES = 32,   /* elements go on lines of their own */
	FIELD_BLANK = 64,   /* a 0 leaves the column empty */
};

enum { FIELD_ROOM = 120 };

/* A struct while its fields are written, and the struct that lists it. */
struct field_at {
	const void *of, *in;
	char room[FIELD_ROOM];
};

struct field {
	const char *key; /* by KEY: the key, NUL, what docs/json.md says of it */
	union {
		const char *column; /* the name of its column, NULL: the key */
		const char *type;   /* of FIELD_PUT and FIELD_CONSTANT */
	};
	union {
		const char *const *words;
		const struct fields *of; /* of objects and their lists */
		/* In place of a member: a text or number, in `room` or longer lived; p NULL: none.
		 * That of a column ends with NUL. */
		struct str (*get)(struct field_at *at);
		void (*put)(const struct field_at *at, struct json *j);
	};
	uint16_t at, size; /* the member that is the value; size 0: it is what `get` gives */
	/* The member without which ("", 0, false, NULL) there is no value; of lists their count. */
	uint16_t if_at, if_size;
	uint16_t stride;
	uint8_t if_kind, kind; /* enum field_kind */
	uint8_t flags, word_count;
};

struct fields {
	const char *name; /* of an object: "frame" */
	const struct field *list;
	size_t count;
};

/* One pointer, as each is relocated when heft starts. */
#define KEY(key, what) key "\0" what
#define FIELD_KIND(t, m)                                                                           \
	_Generic(((t *)0)->m,                                                                      \
		const char *: FIELD_TEXT,                                                          \
		bool: FIELD_BOOL,                                                                  \
		double: FIELD_PARTS,                                                               \
		int: FIELD_NUMBER,                                                                 \
		uint32_t: FIELD_NUMBER,                                                            \
		uint64_t: FIELD_NUMBER,                                                            \
		default: FIELD_OBJECT)
/* Texts, numbers, booleans and objects are told by the type of the member. */
#define FIELD_AS(k, t, m) .kind = (k), .at = offsetof(t, m), .size = sizeof(((t *)0)->m)
#define FIELD(t, m)       FIELD_AS(FIELD_KIND(t, m), t, m)
#define FIELD_WORDS(w)    .words = (w), .word_count = COUNT_OF(w)
/* No value unless the member is set. */
#define FIELD_IF(t, m)                                                                             \
	.if_kind = FIELD_KIND(t, m), .if_at = offsetof(t, m), .if_size = sizeof(((t *)0)->m)
/* A list and how many elements it has. */
#define FIELD_LIST(k, t, m, count) FIELD_AS(k, t, m), FIELD_IF(t, count)
#define FIELDS(n, array)           { (n), (array), COUNT_OF(array) }

/* Fields of documents. */

#define SCHEMA_1   { KEY("schema_version", "1"), .kind = FIELD_CONSTANT, .type = "1" }
#define FIELD_HEFT { KEY("heft", "version of heft that wrote it"), .get = fields_heft }

struct str fields_heft(struct field_at *at);
/* What rows are, of a document: the first level of the report in `in`. */
struct str report_by(struct field_at *at);

/* Members of the object that is open, or the object. */
void fields_members(struct json *j, const struct fields *f, const void *of, const void *in);
void fields_object(struct json *j, const struct fields *f, const void *of, const void *in);
/* The object on a line of its own. */
void fields_line(struct sink *s, const struct fields *f, const void *of);
/* The table for docs/json.md. */
void fields_document(struct sink *s, const struct fields *f);

/* The same of the rows of a table. */
struct row_fields {
	const char *name;
	const struct heft_text *texts;
	size_t text_count;
	const struct heft_measure *measures;
	size_t measure_count;
};
void row_fields_document(struct sink *s, const struct row_fields *f);

/* ---- lines of csv, tsv, markdown ------------------------------------------------------------- */

struct record {
	struct sink *s;
	enum heft_format format; /* HEFT_CSV, HEFT_TSV or HEFT_MARKDOWN */
	bool safe;               /* see field_put */
	bool names;              /* the line of names */
	unsigned fields;         /* written so far, 64 at most */
	uint64_t numbers;        /* bits: those that markdown aligns to the right */
};

/* Whether a format is one of records. */
bool record_has(enum heft_format format);
void record_open(struct record *r, struct sink *s, const struct heft_write_opts *opts, bool names);
/* The columns of a struct; NULL: empty ones. */
void record_fields(struct record *r, const struct fields *f, const void *of, const void *in);
/* A column that no table declares; NULL: an empty field. */
void record_text(struct record *r, const char *name, const char *value);
void record_close(struct record *r);

#endif
