#include "board.h"

static volatile uint32_t *const uart_data = (volatile uint32_t *)UART;
static uint64_t ticks;

void board_text(const char *text)
{
	while (*text != 0)
		*uart_data = (unsigned char)*text++;
}

void board_hex(uintptr_t n)
{
	for (int shift = 28; shift >= 0; shift -= 4)
		*uart_data = (unsigned char)"0123456789abcdef"[n >> shift & 15];
}

void board_number(uint32_t n)
{
	char text[11], *p = text + sizeof text;
	*--p = 0;
	do
		*--p = (char)('0' + n % 10);
	while ((n /= 10) != 0);
	board_text(p);
}

void board_tick(void)
{
	ticks++;
}

uint64_t board_now(void)
{
	return ticks * 1000000;
}

/* What compilers call by themselves, and libgcc. */
void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memset(void *to, int byte, size_t size);
void abort(void);
int main(void);
void board_reset(void);

void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
	for (size_t i = 0; i < size; i++)
		((unsigned char *)to)[i] = ((const unsigned char *)from)[i];
	return to;
}

void *memset(void *to, int byte, size_t size)
{
	for (size_t i = 0; i < size; i++)
		((unsigned char *)to)[i] = (unsigned char)byte;
	return to;
}

void abort(void)
{
	for (;;)
		;
}

extern unsigned char board_stack_top[], board_data[], board_data_end[], board_data_image[],
	board_bss[], board_bss_end[];

void board_reset(void)
{
	memcpy(board_data, board_data_image, (size_t)(board_data_end - board_data));
	memset(board_bss, 0, (size_t)(board_bss_end - board_bss));
	main();
	abort();
}

#ifdef __thumb__
/* Cortex-M: stack pointer and reset vector at the start of the flash. */
__attribute__((section(".vectors"), used)) static const struct {
	unsigned char *stack;
	void (*vectors[15])(void);
} vectors = { board_stack_top, { board_reset, abort, abort } };
#else
__attribute__((section(".vectors"), naked, used)) void board_start(void);
void board_start(void)
{
	__asm__("ldr sp, =board_stack_top\n"
		"mov fp, #0\n"
		"mov lr, #0\n"
		"b board_reset\n");
}
#endif
