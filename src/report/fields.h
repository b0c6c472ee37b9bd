/* fields.h - declares which fields of a struct a report writes.
 *
 * A constant table has a field per key: where the value is, what it means, and when it is absent.
 * The table determines JSON objects, lines of csv, tsv and markdown, and the tables of
 * docs/json.md. A field's value is a member, by offset and size. Other values need a function. An
 * object may contain other objects. */
#pragma once

#include "report/report.h"

enum field_kind {
	/* Kinds of texts. FIELD_TEXT: const char *; NULL means "". */
	FIELD_TEXT,
	FIELD_WORD, /* An enum or bool: index of the text in `words` */
	FIELD_HASH, /* A uint64_t, written as 16 hexadecimal digits */
	/* Kinds of JSON numbers and booleans. FIELD_NUMBER: a nonnegative integer. */
	FIELD_NUMBER,
	FIELD_BOOL,     /* A bool */
	FIELD_PARTS,    /* A double, written with at most three decimals */
	FIELD_CONSTANT, /* The constant number in `type` */
	/* Kinds with members or elements. FIELD_FLAGS: for each set bit, the text in `words`. */
	FIELD_FLAGS,
	FIELD_SUMS,   /* An array of uint64_t, written as an object with `words` as keys */
	FIELD_OBJECT, /* A pointer to a struct. May be NULL */
	FIELD_PART,   /* A struct inside the struct */
	/* Lists: a pointer to elements, or an array. The member at if_at is the count.
	 * FIELD_OBJECTS: pointers to structs. */
	FIELD_OBJECTS,
	FIELD_STRUCTS, /* The structs themselves, `stride` bytes apart */
	FIELD_NUMBERS, /* Numbers (uint64_t) */
	FIELD_TEXTS,   /* Texts (const char *) */
	FIELD_PUT,     /* Value that `put` writes. `type` describes it in the documentation */
};

enum field_flag {
	FIELD_CSV = 1,      /* The field is also a column of csv, tsv and markdown */
	FIELD_ONLY_CSV = 2, /* The field is only a column, not in JSON */
	FIELD_ANY = 4,      /* "", 0, false or an empty list means that there is no value */
	FIELD_NULL = 8,     /* Write a missing value as null instead of omitting it */
	FIELD_ADDRESS = 16, /* Hexadecimal in Markdown. UINT64_MAX means that there is no value */
	FIELD_LINES = 32,   /* Write each element on its own line */
	FIELD_BLANK = 64,   /* Leave the column empty for 0 */
};

enum { FIELD_ROOM = 120 };

/* A struct whose fields are written, and the struct whose list contains it. */
struct field_at {
	const void *of, *in;
	char room[FIELD_ROOM];
};

struct field {
	const char *key; /* The key, NUL, and the description for docs/json.md. Made by KEY */
	union {
		const char *column; /* Name of the column. NULL: the key */
		const char *type;   /* Type in docs/json.md, for FIELD_PUT and FIELD_CONSTANT. */
	};
	union {
		const char *const *words;
		const struct fields *of; /* Fields of the object, or of each object in the list */
		/* Computes a value that no member has, as text in at->room or in memory that lives
		 * longer. The result's p is NULL without a value. A column's text ends with NUL. */
		struct str (*get)(struct field_at *at);
		void (*put)(const struct field_at *at, struct json *j);
	};
	uint16_t at, size; /* Offset and size of the member with the value. If the size is 0,
			    * `get` is called */
	/* The member that decides whether there is a value. There is none if it is "", 0, false or
	 * NULL. For lists, the number of elements. */
	uint16_t if_at, if_size;
	uint16_t stride;
	uint8_t if_kind, kind; /* Values of enum field_kind */
	uint8_t flags, word_count;
};

struct fields {
	const char *name; /* Name of the object, such as "frame" */
	const struct field *list;
	size_t count;
};

/* Joins key and description into one text, because each pointer costs a relocation at start-up. */
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
/* FIELD() finds the kind of texts, numbers, booleans and objects by the member's type. */
#define FIELD_AS(k, t, m) .kind = (k), .at = offsetof(t, m), .size = sizeof(((t *)0)->m)
#define FIELD(t, m)       FIELD_AS(FIELD_KIND(t, m), t, m)
#define FIELD_WORDS(w)    .words = (w), .word_count = COUNT_OF(w)
/* The field has a value only if this member is set. */
#define FIELD_IF(t, m)                                                                             \
	.if_kind = FIELD_KIND(t, m), .if_at = offsetof(t, m), .if_size = sizeof(((t *)0)->m)
/* A list, and the member with its number of elements. */
#define FIELD_LIST(k, t, m, count) FIELD_AS(k, t, m), FIELD_IF(t, count)
#define FIELDS(n, array)           { (n), (array), COUNT_OF(array) }

/* Fields at the start of JSON documents. */

#define SCHEMA_1   { KEY("schema_version", "1"), .kind = FIELD_CONSTANT, .type = "1" }
#define FIELD_HEFT { KEY("heft", "version of heft that wrote it"), .get = fields_heft }

struct str fields_heft(struct field_at *at);
/* Returns the name of a document's rows: the first level of the report in `in`. */
struct str report_by(struct field_at *at);

/* fields_members() writes the members of an open object, fields_object() a whole object. */
void fields_members(struct json *j, const struct fields *f, const void *of, const void *in);
void fields_object(struct json *j, const struct fields *f, const void *of, const void *in);
/* Writes the object on one line. */
void fields_line(struct sink *s, const struct fields *f, const void *of);
/* Writes the table for docs/json.md. */
void fields_document(struct sink *s, const struct fields *f);

/* Describes the fields of a table's rows for docs/json.md. */
struct row_fields {
	const char *name;
	const struct heft_text *texts;
	size_t text_count;
	const struct heft_measure *measures;
	size_t measure_count;
};
void row_fields_document(struct sink *s, const struct row_fields *f);

struct record {
	struct sink *s;
	enum heft_format format; /* HEFT_CSV, HEFT_TSV or HEFT_MARKDOWN */
	bool safe;               /* True to write "'" before text that looks like a formula */
	bool names;              /* True to write the line of names */
	unsigned fields;         /* Number of fields written so far, at most 64 */
	uint64_t numbers;        /* One bit per field: 1 if Markdown aligns it to the right */
};

/* True if a format consists of records. */
bool record_has(enum heft_format format);
void record_open(struct record *r, struct sink *s, const struct heft_write_opts *opts, bool names);
/* Writes the columns of a struct. NULL writes empty columns. */
void record_fields(struct record *r, const struct fields *f, const void *of, const void *in);
/* Writes a column that no table declares. NULL writes an empty field. */
void record_text(struct record *r, const char *name, const char *value);
void record_close(struct record *r);
