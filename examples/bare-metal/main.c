/* main.c - a small device: reads its settings, answers packets, keeps sessions.
 *
 * Three mistakes are planted: sessions that time out are forgotten and not freed, a name is copied
 * one byte past its end, and a packet is freed twice. Each block is noted, and the list goes out on
 * the serial line at the end, for comparison with what the dump says. */
#include "board.h"
#include "heap.h"

#define SITE __attribute__((noinline)) static

enum { NOTED = 64 };

static struct noted {
	void *p;
	uint32_t size;
	const char *path;
} noted[NOTED];

static void *note(void *p, size_t size, const char *path)
{
	for (size_t i = 0; i < NOTED && p != NULL; i++)
		if (noted[i].p == NULL) {
			noted[i] = (struct noted){ p, (uint32_t)size, path };
			break;
		}
	return p;
}

static void forget(void *p)
{
	for (size_t i = 0; i < NOTED; i++)
		if (noted[i].p == p)
			noted[i].p = NULL;
}

struct session {
	struct session *next;
	char *name;
	uint32_t until;
};

static struct session *sessions;
static char *settings;

SITE char *setting_new(size_t size)
{
	return note(calloc(1, size), size, "setting_new<settings_read<main");
}

SITE void settings_read(void)
{
	settings = setting_new(40);
	for (size_t i = 0; i < 39; i++)
		settings[i] = (char)('a' + i % 26);
	forget(settings);
	settings = realloc(settings, 200);
	note(settings, 200, "settings_read<main");
}

SITE char *name_new(const char *text, size_t size)
{
	char *name = note(malloc(size), size,
			  "name_new<session_open<packet_answer<packets_poll<main");
	for (size_t i = 0; i <= size; i++) /* the mistake: < */
		name[i] = text[i];
	return name;
}

SITE void session_open(uint32_t now)
{
	struct session *s = malloc(sizeof *s);
	note(s, sizeof *s, "session_open<packet_answer<packets_poll<main");
	*s = (struct session){ sessions, NULL, now + 3 };
	if (now == 5)
		s->name = name_new("unit-number-11", 14);
	sessions = s;
}

SITE void *packet_new(size_t size)
{
	return note(malloc(size), size, "packet_new<packets_poll<main");
}

SITE void packet_answer(unsigned char *packet, uint32_t now)
{
	packet[0] = (unsigned char)now;
	if (now % 2 == 1)
		session_open(now);
}

/* The mistake: the session is taken out of the list, and that is all. */
SITE void sessions_expire(uint32_t now)
{
	for (struct session **s = &sessions; *s != NULL;)
		if ((*s)->until < now)
			*s = (*s)->next;
		else
			s = &(*s)->next;
}

SITE void packets_poll(uint32_t now)
{
	unsigned char *packet = packet_new(60 + now % 7 * 20);
	packet_answer(packet, now);
	if (now % 8 == 7)
		return; /* waits for the other end */
	forget(packet);
	free(packet);
	if (now == 10)
		free(packet);
}

static void report(void)
{
	board_text("base ");
	board_hex(RAM_START);
	for (size_t i = 0; i < NOTED; i++) {
		if (noted[i].p == NULL)
			continue;
		board_text("\nlive ");
		board_hex((uintptr_t)noted[i].p);
		board_text(" ");
		board_number(noted[i].size);
		board_text(" ");
		board_text(noted[i].path);
		if (heft_heap_check(noted[i].p) == HEFT_DAMAGED) {
			board_text("\ndamaged ");
			board_hex((uintptr_t)noted[i].p);
		}
	}
	board_text("\ncounted double 1\ncounted damaged 0\ncounted foreign 0\ndone\n");
}

int main(void)
{
	heap_start();
	settings_read();
	for (uint32_t now = 0; now < 20; now++) {
		packets_poll(now);
		sessions_expire(now);
		board_tick();
	}
	report();
	for (;;)
		__asm__ volatile("" ::: "memory");
}
