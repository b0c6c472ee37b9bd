/* script_internal.h - a cursor over the words of a linker script, and the values in it.  Private to
 * script*.c. */
#ifndef HEFT_IMAGE_SCRIPT_INTERNAL_H
#define HEFT_IMAGE_SCRIPT_INTERNAL_H

#include "base/intern.h"
#include "image/script.h"

enum token { TOKEN_END, TOKEN_NAME, TOKEN_NUMBER, TOKEN_STRING, TOKEN_OTHER };

struct script_value {
	uint64_t v;
	bool known;
};

/* Another name of a region. */
struct script_alias {
	struct str name, of;
};

struct script {
	const char *path;
	struct str file; /* the one that is included; "": the script itself */
	struct str text; /* of the file at work */
	size_t pos;
	uint64_t line;
	/* The word at the cursor. */
	enum token token;
	struct str word; /* of a string what is between the quotes */
	uint64_t number;
	/* All files together. */
	struct memory_regions *regions;
	struct script_sections *sections; /* NULL in the first pass, or where nobody asks */
	struct notes *notes;              /* NULL in the first pass */
	const struct script_files *files;
	struct intern names; /* of symbols */
	VEC(struct script_value) values;
	VEC(struct script_alias) aliases; /* at most REGIONS_MAX */
	unsigned includes, depth;
};

/* Moves to the next word. */
void script_next(struct script *s);
bool script_is(const struct script *s, const char *word);
/* Moves behind the word where it is there. */
bool script_take(struct script *s, const char *word);
/* A note on the line of the word at the cursor, of a kind of its own; `what` is a literal. */
#define script_note(s, what)                                                                       \
	script_note_at(s, "line %" PRIu64 " of " STR_FMT ": " what ", at '" STR_FMT "'", (s)->word)
/* `fmt` takes the line, the file and the word. */
void script_note_at(struct script *s, const char *fmt, struct str word);
/* Evaluates an expression and moves behind it. */
struct script_value script_expression(struct script *s);
void script_set(struct script *s, struct str name, struct script_value v);

#endif
