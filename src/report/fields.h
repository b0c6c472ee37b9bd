/* fields.h - declares once which parts of a struct a report writes.
 *
 * A constant table has a field per key: where the value is, what it means, and when it is absent.
 * JSON objects, lines of csv, tsv and markdown, and the tables of docs/json.md are made from the
 * table. A field finds its value by offset and size of a member. Only values that no member holds
 * need a function. Objects nest as deep as their declarations do. */
#ifndef HEFT_REPORT_FIELDS_H
#define HEFT_REPORT_FIELDS_H

#include "report/report.h"

enum field_kind {
	/* Kinds for texts. */
	FIELD_TEXT, /* const char *; NULL means "". */
	FIELD_WORD, /* An enum or bool: index of the text in `words`. */
	FIELD_HASH, /* uint64_t, written as 16 hexadecimal digits. */
	/* Kinds for numbers and words of JSON. */
	FIELD_NUMBER,   /* A nonnegative integer. */
	FIELD_BOOL,     /* bool */
	FIELD_PARTS,    /* double, written with at most three decimals. */
	FIELD_CONSTANT, /* The constant number in `type`. */
	/* Kinds with members or elements. */
	FIELD_FLAGS,  /* Bits: lists the texts in `words` of the set bits. */
	FIELD_SUMS,   /* Array of uint64_t, written as an object with `words` as keys. */
	FIELD_OBJECT, /* Pointer to a struct. NULL if there is none. */
	FIELD_PART,   /* A struct inside of the struct. */
	/* Lists: a pointer to elements, or an array. The member at if_at counts the elements. */
	FIELD_OBJECTS, /* Pointers to structs. */
	FIELD_STRUCTS, /* Structs of `stride` bytes. */
	FIELD_NUMBERS, /* Numbers (uint64_t). */
	FIELD_TEXTS,   /* Texts (const char *). */
	FIELD_PUT,     /* Written by `put`. `type` says in the documentation what it writes. */
};

enum field_flag {
	FIELD_CSV = 1,      /* The field is also a column of csv, tsv and markdown. */
	FIELD_ONLY_CSV = 2, /* The field is a column only, no member of JSON. */
	FIELD_ANY = 4,      /* "", 0, false or empty means that there is no value. */
	FIELD_NULL = 8,     /* No value is written as null, instead of not at all. */
	FIELD_ADDRESS = 16, /* Hexadecimal in markdown. UINT64_MAX means no value. */
	FIELD_LINES = 32,   /* Each element has a line of its own. */
	FIELD_BLANK = 64,   /* 0 leaves the column empty. */
};

enum { FIELD_ROOM = 120 };

/* A struct whose fields are written, and the struct that lists it. */
struct field_at {
	const void *of, *in;
	char room[FIELD_ROOM];
};

struct field {
	const char *key; /* Made by KEY: the key, NUL, its description for docs/json.md. */
	union {
		const char *column; /* Name of the column. NULL means the key. */
		const char *type;   /* Type in docs/json.md, for FIELD_PUT and FIELD_CONSTANT. */
	};
	union {
		const char *const *words;
		const struct fields *of; /* Fields of the object, or of each object of a list. */
		/* Returns the text or number if no member holds it. It lies in `room` or lives
		 * longer; p is NULL if there is none. Text for a column ends with NUL. */
		struct str (*get)(struct field_at *at);
		void (*put)(const struct field_at *at, struct json *j);
	};
	uint16_t at, size; /* The member with the value. Size 0: `get` returns it. */
	/* The member that decides whether there is a value: not if it is "", 0, false or NULL. For
	 * lists, the count. */
	uint16_t if_at, if_size;
	uint16_t stride;
	uint8_t if_kind, kind; /* Values of enum field_kind. */
	uint8_t flags, word_count;
};

struct fields {
	const char *name; /* Name of the object, such as "frame". */
	const struct field *list;
	size_t count;
};

/* Joins key and description to one text: each pointer must be relocated when heft starts. */
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
/* Finds the kind of texts, numbers, booleans and objects by the type of the member. */
#define FIELD_AS(k, t, m) .kind = (k), .at = offsetof(t, m), .size = sizeof(((t *)0)->m)
#define FIELD(t, m)       FIELD_AS(FIELD_KIND(t, m), t, m)
#define FIELD_WORDS(w)    .words = (w), .word_count = COUNT_OF(w)
/* The field has a value only if the member is set. */
#define FIELD_IF(t, m)                                                                             \
	.if_kind = FIELD_KIND(t, m), .if_at = offsetof(t, m), .if_size = sizeof(((t *)0)->m)
/* A list and the member that counts its elements. */
#define FIELD_LIST(k, t, m, count) FIELD_AS(k, t, m), FIELD_IF(t, count)
#define FIELDS(n, array)           { (n), (array), COUNT_OF(array) }

/* Fields of documents. */

#define SCHEMA_1   { KEY("schema_version", "1"), .kind = FIELD_CONSTANT, .type = "1" }
#define FIELD_HEFT { KEY("heft", "version of heft that wrote it"), .get = fields_heft }

struct str fields_heft(struct field_at *at);
/* Returns what the rows of a document are: the first level of the report in `in`. */
struct str report_by(struct field_at *at);

/* Writes the members of the open object, or a whole object. */
void fields_members(struct json *j, const struct fields *f, const void *of, const void *in);
void fields_object(struct json *j, const struct fields *f, const void *of, const void *in);
/* Writes the object on a line of its own. */
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
	enum heft_format format; /* HEFT_CSV, HEFT_TSV or HEFT_MARKDOWN. */
	bool safe;               /* See field_put(). */
	bool names;              /* Write the line of names. */
	unsigned fields;         /* Number of fields written so far, at most 64. */
	uint64_t numbers;        /* Bit per field: markdown aligns it to the right. */
};

/* True if a format consists of records. */
bool record_has(enum heft_format format);
void record_open(struct record *r, struct sink *s, const struct heft_write_opts *opts, bool names);
/* Writes the columns of a struct. NULL writes empty columns. */
void record_fields(struct record *r, const struct fields *f, const void *of, const void *in);
/* Writes a column that no table declares. NULL writes an empty field. */
void record_text(struct record *r, const char *name, const char *value);
void record_close(struct record *r);

#endif
