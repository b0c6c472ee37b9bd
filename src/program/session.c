/* Implements sessions and the contexts of their handles. */
#include "program/session.h"

static void context_begin(struct context *c, struct heft_session *s, struct memory *memory)
{
	ASSERT(!c->session && !s->freed);
	*c = (struct context){
		.session = s, .memory = memory, .style = HEFT_NAMES_AUTO, .before = s->newest
	};
	notes_init(&c->notes);
	if (s->newest)
		s->newest->after = c;
	else
		s->oldest = c;
	s->newest = c;
	memory_set_progress(memory, s->progress, s->progress_ctx);
}

static void context_end(struct context *c)
{
	struct heft_session *s = c->session;
	ASSERT(s && s->oldest);
	if (c->before)
		c->before->after = c->after;
	else
		s->oldest = c->after;
	if (c->after)
		c->after->before = c->before;
	else
		s->newest = c->before;
	c->session = NULL;
	s->told.of = NULL;
	session_release(s);
}

void *context_handle_new(struct heft_session *s, size_t size, size_t at)
{
	char *handle = s ? handle_new(size) : NULL;
	if (handle)
		context_begin((struct context *)(void *)(handle + at), s,
			      *(struct memory **)(void *)handle);
	return handle;
}

void context_handle_free(void *handle, size_t at)
{
	if (handle)
		context_end((struct context *)(void *)((char *)handle + at));
	handle_free(handle);
}

void context_take(struct context *c)
{
	const struct heft_session *s = c->session;
	if (c->taken)
		return;
	memory_need_whole(s->memory);
	wish_copy(&c->wish, &s->finder.wish);
	c->style = s->style;
	c->threads = s->threads;
	c->taken = true;
}

enum heft_demangle context_style(const struct context *c, enum heft_demangle usual)
{
	return c->style == HEFT_NAMES_AUTO ? usual : c->style;
}

void context_take_inputs(const struct context *c)
{
	if (!c->taken)
		memory_set_inputs(&c->session->finder.wish.inputs);
}

/* Moves to the next note. Skips notes that an older handle has too. False at the end. */
static bool told_next(struct heft_session *s)
{
	struct context *c = s->told.of;
	for (size_t i = s->told.at + 1; c; c = c->after, i = 0)
		for (; i < c->notes.count; i++) {
			struct context *older = c->before;
			while (older && !notes_have(&older->notes, &c->notes.data[i]))
				older = older->before;
			if (older)
				continue;
			s->told.of = c;
			s->told.at = i;
			s->told.number++;
			return true;
		}
	s->told.of = NULL;
	return false;
}

const struct heft_note *session_note(struct heft_session *s, size_t i)
{
	size_t count = 0;
	for (const struct context *c = s->oldest; c; c = c->after)
		count += c->notes.count;
	if (count == 0)
		return NULL;
	if (!s->told.of || s->told.counted != count || i < s->told.number) {
		s->told.of = s->oldest;
		s->told.at = s->told.number = SIZE_MAX; /* Before the first note */
		s->told.counted = count;
		if (!s->oldest || !told_next(s))
			return NULL;
	}
	while (s->told.number < i)
		if (!told_next(s))
			return NULL;
	return &s->told.of->notes.data[s->told.at];
}

void session_release(struct heft_session *s)
{
	if (s->freed && !s->oldest)
		handle_free(s);
}

/* The functions below handle the options that locate the parts of programs. */

void wish_release(struct program_wish *w)
{
	vec_release_all(&w->debug_files, &w->debug_dirs, &w->maps, &w->source_maps, &w->programs);
	regions_release(&w->regions);
	vec_release(&w->stack_usage);
	if (!paths_empty(&w->paths))
		paths_release(&w->paths);
	vec_release(&w->pieces);
	file_inputs_release(&w->inputs);
	arena_release(&w->arena);
	memset(w, 0, sizeof *w);
}

static const char *wish_keep(struct program_wish *w, const char *text)
{
	return arena_copy(&w->arena, str_of(text));
}

void wish_add(struct program_wish *w, wish_texts *list, const char *text)
{
	vec_push(list, wish_keep(w, text));
}

/* Adds a directory. The directory of the sysroot stays last in the list. */
void wish_add_debug_dir(struct program_wish *w, const char *dir)
{
	wish_add(w, &w->debug_dirs, dir);
	if (!w->sysroot)
		return;
	const char **dirs = w->debug_dirs.data;
	const size_t last = w->debug_dirs.count - 1;
	const char *added = dirs[last];
	dirs[last] = dirs[last - 1];
	dirs[last - 1] = added;
}

void wish_set_calls(struct program_wish *w, const char *path)
{
	w->calls = path ? wish_keep(w, path) : NULL;
}

void wish_add_source_map(struct program_wish *w, const char *id, const char *path)
{
	vec_push(&w->source_maps,
		 (struct wished_source_map){ wish_keep(w, id), wish_keep(w, path) });
}

bool wish_add_region(struct program_wish *w, const char *name, uint64_t origin, uint64_t length,
		     struct heft_err *err)
{
	return regions_add(&w->regions, str_of(name), origin, length) ||
	       fail(err, HEFT_EARG, HEFT_NO_OFFSET,
		    "memory region '%s' is empty or wraps, or there are more than %d", name,
		    REGIONS_MAX);
}

void wish_set_sysroot(struct program_wish *w, const char *dir)
{
	if (w->sysroot)
		w->debug_dirs.count--;
	w->sysroot = dir ? wish_keep(w, dir) : NULL;
	if (w->sysroot)
		vec_push(&w->debug_dirs, arena_format(&w->arena, "%s/usr/lib/debug", w->sysroot));
}

void wish_set_arch(struct program_wish *w, const char *arch)
{
	w->arch = arch ? wish_keep(w, arch) : NULL;
}

void wish_add_piece(struct program_wish *w, const char *path, uint64_t addr, uint64_t off)
{
	const char *const kept = path ? wish_keep(w, path) : NULL;
	vec_push(&w->pieces, (struct dump_piece){ kept, true, addr, off });
	w->dump.pieces = w->pieces.data;
	w->dump.piece_count = w->pieces.count;
}

bool wish_add_input(struct program_wish *w, const struct heft_input *in, struct heft_err *err)
{
	const char *name = in->name ? in->name : "";
	if (!*name || file_inputs_find(&w->inputs, name))
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET,
			    *name ? "%s: an input of this name is there already"
				  : "%san input without a name",
			    name);
	return file_inputs_add(&w->inputs, wish_keep(w, name),
			       (struct bytes){ in->data, in->data_size }, in->fd, err);
}

static void wish_copy_texts(struct program_wish *w, wish_texts *list, const wish_texts *from)
{
	ASSERT(list->count == 0);
	for (size_t i = 0; i < from->count; i++)
		wish_add(w, list, from->data[i]);
}

void wish_copy(struct program_wish *w, const struct program_wish *from)
{
	ASSERT(w != from);
	ASSERT(w->debug_files.count == 0 && w->inputs.list.count == 0 && !w->arena.head);
	wish_copy_texts(w, &w->debug_files, &from->debug_files);
	wish_copy_texts(w, &w->maps, &from->maps);
	wish_copy_texts(w, &w->programs, &from->programs);
	wish_copy_texts(w, &w->stack_usage, &from->stack_usage);
	for (size_t i = 0; i + !!from->sysroot < from->debug_dirs.count; i++)
		wish_add_debug_dir(w, from->debug_dirs.data[i]);
	for (size_t i = 0; i < from->source_maps.count; i++)
		wish_add_source_map(w, from->source_maps.data[i].id,
				    from->source_maps.data[i].path);
	if (from->regions.list.count > 0)
		regions_copy(&w->regions, &from->regions);
	wish_set_calls(w, from->calls);
	if (from->sysroot)
		wish_set_sysroot(w, from->sysroot);
	wish_set_arch(w, from->arch);
	w->flags = from->flags;
	if (!paths_empty(&from->paths))
		paths_copy(&w->paths, &from->paths);
	vec_each(const struct dump_piece, p, &from->pieces)
		wish_add_piece(w, p->path, p->addr, p->off);
	w->dump.load = from->dump.load;
	w->dump.word = from->dump.word;
	w->dump.order = from->dump.order;
	/* With too many open files, an input cannot be copied. A later search does not find it. */
	vec_each(const struct file_input, in, &from->inputs.list) {
		struct heft_err err;
		(void)file_inputs_add(&w->inputs, wish_keep(w, in->name), in->bytes, in->fd, &err);
	}
	w->inputs.copied = from->inputs.copied;
	memory_set_inputs(&w->inputs);
	ASSERT(w->debug_dirs.count == from->debug_dirs.count);
}
