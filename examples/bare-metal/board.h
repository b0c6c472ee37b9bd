/* board.h - what this program needs of the hardware: a serial line (PL011) and a clock. */
#ifndef BOARD_H
#define BOARD_H

#include <stddef.h>
#include <stdint.h>

void board_text(const char *text);
void board_hex(uintptr_t n);
void board_number(uint32_t n);
void board_tick(void);    /* a millisecond went by */
uint64_t board_now(void); /* ns */

#endif
