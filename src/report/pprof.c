/* Writes profiles in the format of pprof. */
#include "report/pprof.h"

#include "base/gzip.h"

enum wire { WIRE_VARINT = 0, WIRE_BYTES = 2 };

void pprof_init(struct pprof *p)
{
	*p = (struct pprof){ .out = { 0 } };
	intern_add(&p->strings, STR(""));
}

static void put_key(struct text *t, unsigned field, enum wire wire)
{
	text_add_varint(t, (uint64_t)field << 3 | wire);
}

void pprof_uint(struct text *t, unsigned field, uint64_t v)
{
	if (v == 0)
		return;
	put_key(t, field, WIRE_VARINT);
	ASSERT(field > 0);
	text_add_varint(t, v);
}

static void put_bytes(struct text *t, unsigned field, struct str s)
{
	put_key(t, field, WIRE_BYTES);
	text_add_varint(t, s.len);
	text_add(t, s);
}

void pprof_string(struct pprof *p, struct text *t, unsigned field, const char *text)
{
	pprof_uint(t, field, intern_add(&p->strings, str_of(text)));
}

void pprof_message(struct text *t, unsigned field, struct text *message)
{
	ASSERT(t != message);
	put_bytes(t, field, text_str(message));
	message->len = 0;
}

void pprof_type(struct pprof *p, unsigned field, const char *type, const char *unit)
{
	struct text m = { 0 };
	pprof_string(p, &m, 1, type);
	pprof_string(p, &m, 2, unit);
	pprof_message(&p->out, field, &m);
	text_release(&m);
}

bool pprof_finish(struct pprof *p, struct sink *s)
{
	struct bytes packed;
	/* The strings come last, because all are known only now. */
	ASSERT(p->strings.entries.count > 0);
	for (uint32_t i = 0; i < p->strings.entries.count; i++)
		put_bytes(&p->out, 6, intern_get(&p->strings, i));
	const bool good = gzip_pack((struct bytes){ (const uint8_t *)p->out.p, p->out.len },
				    &packed, NULL);
	if (good) {
		sink_text(s, (struct str){ (const char *)packed.p, packed.size });
		mem_free((void *)(uintptr_t)packed.p);
	}
	text_release(&p->out);
	intern_release(&p->strings);
	return good;
}
