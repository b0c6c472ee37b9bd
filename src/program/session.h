/* session.h - declares struct heft_session. All measuring handles share a session.
 *
 * A session has the settings. Each handle that opens files has a context, which copies the settings
 * when the handle first opens a file. Later changes of the session affect only later handles. Only
 * progress applies to all handles.
 *
 * A session lives until its user has freed it and its last context has ended. So handles and
 * session may be freed in any order. One thread for a session with all its contexts. */
#pragma once

#include "base/mem.h"
#include "base/arena.h"
#include "heap/dump.h"
#include "image/debugfile.h"
#include "map/basemap.h"
#include "map/paths.h"

/* Declares struct heft_finder: the options that locate the parts of programs.
 *
 * All functions that open programs take this struct. A zeroed struct has no options. The struct
 * owns its texts. Read-only after setup: any number of threads. */

/* A source map, and the URL or path of its module. */
struct wished_source_map {
	const char *id, *path;
};

typedef VEC(const char *) wish_texts;

struct program_wish {
	struct arena arena;
	wish_texts debug_files; /* Debug files that the user named */
	wish_texts debug_dirs;  /* The last directory is the sysroot's, if there is a sysroot */
	wish_texts maps;
	VEC(struct wished_source_map) source_maps;
	wish_texts programs;           /* Programs that the user named for dumps */
	struct memory_regions regions; /* Regions that the user named */
	wish_texts stack_usage;        /* .su files, and folders with .su files */
	const char *calls;             /* File with calls that are not visible in the code, for
				        * stacks. May be NULL */
	const char *sysroot;           /* May be NULL */
	unsigned flags;                /* Bits of enum heft_find_flag. */
	const char *arch;              /* Slice of universal files. NULL means all. */
	bool in_portions;              /* True to read archives a few members at a time (input.h) */
	struct paths paths;
	struct file_inputs inputs; /* Named inputs that are not on disk */
	VEC(struct dump_piece) pieces;
	struct dump_wish dump; /* Options for memory images. Its pieces are in `pieces` */
};

void wish_release(struct program_wish *w);
/* Copies `from` to *w, which must be empty. Later calls on the current handle then find the named
 * inputs of *w (file.h). */
void wish_copy(struct program_wish *w, const struct program_wish *from);

/* Adds a text to one of the lists of *w. */
void wish_add(struct program_wish *w, wish_texts *list, const char *text);
void wish_add_debug_dir(struct program_wish *w, const char *dir);
void wish_add_source_map(struct program_wish *w, const char *id, const char *path);
/* Adds a region. HEFT_EARG if it is empty, wraps around, or is one too many. */
bool wish_add_region(struct program_wish *w, const char *name, uint64_t origin, uint64_t length,
		     struct heft_err *err);
void wish_set_calls(struct program_wish *w, const char *path);
void wish_set_sysroot(struct program_wish *w, const char *dir);
void wish_set_arch(struct program_wish *w, const char *arch);
/* States that memory from `addr` on is at offset `off` of the file `path`. NULL: of the dump. */
void wish_add_piece(struct program_wish *w, const char *path, uint64_t addr, uint64_t off);
/* Adds an input. HEFT_EARG if the name exists already. */
bool wish_add_input(struct program_wish *w, const struct heft_input *in, struct heft_err *err);

/* True if heft may search for debug files, or linker maps, that the user did not name. */
static inline bool wish_finds_debug(const struct program_wish *w)
{
	return !(w->flags & HEFT_FIND_NO_DEBUG);
}

static inline bool wish_finds_map(const struct program_wish *w)
{
	return !(w->flags & HEFT_FIND_NO_MAP);
}

/* Returns the debug directories and the user's debug files, for image/debugfile.h. Borrowed from
 * the options. */
static inline struct debug_search wish_search(const struct program_wish *w)
{
	return (struct debug_search){ .dirs = w->debug_dirs.data,
				      .dir_count = w->debug_dirs.count,
				      .debuginfod = true,
				      .sysroot = w->sysroot,
				      .files = w->debug_files.data,
				      .file_count = w->debug_files.count };
}

struct context {
	struct program_wish wish;
	enum heft_demangle style; /* HEFT_NAMES_AUTO if no style was set */
	unsigned threads;         /* 0: one per processor */
	struct notes notes;       /* About files that the handle read */
	/* Private. */
	struct memory *memory;
	struct heft_session *session;
	struct context *before, *after; /* Other contexts of the session, by age */
	bool taken;
};

struct heft_session {
	struct memory *memory; /* Must be the first field: see handle_new(). */
	struct heft_finder {
		struct memory *memory;
		struct program_wish wish;
	} finder;
	enum heft_demangle style;
	unsigned threads;
	heft_progress_fn progress;
	void *progress_ctx;
	struct context *oldest, *newest;
	/* The note that session_note() returned last. Valid while contexts have `counted` notes. */
	struct {
		struct context *of;
		size_t at, number, counted;
	} told;
	bool freed;
};

/* Allocates a handle of `size` bytes, as handle_new() does, and begins its context, the member at
 * offset `at`. CONTEXT_HANDLE(type) gives both numbers. NULL without a session, or if there is no
 * memory. */
void *context_handle_new(struct heft_session *s, size_t size, size_t at);
/* Ends the context of a handle, even if the handle has failed, and frees the handle. */
void context_handle_free(void *handle, size_t at);
#define CONTEXT_HANDLE(type)       sizeof(type), offsetof(type, context)
#define CONTEXT_FREE(type, handle) context_handle_free(handle, offsetof(type, context))

/* Copies the session's settings into the handle's memory, once. Ends the call if the session is
 * broken. */
void context_take(struct context *c);
/* Returns the style of names, or `usual` if the user set none. */
enum heft_demangle context_style(const struct context *c, enum heft_demangle usual);
/* Makes the named inputs of the session's finder known to the thread, so that files are found by
 * name. Needed for files that are opened before context_take(). */
void context_take_inputs(const struct context *c);

/* Returns note `i` of all contexts, the oldest first. NULL after the last. A note that several
 * contexts have counts only once. O(1) for the note after the last one returned. */
const struct heft_note *session_note(struct heft_session *s, size_t i);
/* Frees the session if neither the user nor a context uses it. */
void session_release(struct heft_session *s);
