/* A firmware for a Cortex-M3: two drivers, a ring of measurements, and a log that can be left out. */
#include <stdint.h>
#include <stdio.h>

extern uint32_t stack_top;
void reset(void);

__attribute__((section(".vectors"), used)) static void *const vectors[16] = { &stack_top,
									      (void *)reset };

static volatile uint32_t uart;
static uint16_t ring[512];
static unsigned next;

void uart_put(char c)
{
	uart = (uint32_t)c;
}

unsigned sensor_read(unsigned channel)
{
	return ring[(channel + next) % 512] * 3u;
}

void sensor_store(unsigned value)
{
	ring[next++ % 512] = (uint16_t)value;
}

#ifdef WITH_LOG
static char line[64];

void log_temperature(float degrees)
{
	snprintf(line, sizeof line, "t=%.1f\n", (double)degrees);
	for (const char *p = line; *p; p++)
		uart_put(*p);
}
#endif

int main(void)
{
	for (;;) {
		sensor_store(sensor_read(3) + 1);
		uart_put('.');
#ifdef WITH_LOG
		log_temperature((float)sensor_read(1) / 10);
#endif
	}
}

void reset(void)
{
	main();
}
