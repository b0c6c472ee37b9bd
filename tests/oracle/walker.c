/* A program without a library, to be traced: loops, calls, recursion, jump tables. */
enum { COUNT = 300 };

static unsigned state = 12345;
static int numbers[COUNT];

static __attribute__((noinline)) unsigned next_random(void)
{
	state = state * 1103515245u + 12345u;
	return state >> 16 & 0x7fff;
}

static __attribute__((noinline)) void sort(int low, int high)
{
	int i = low, j = high;
	const int pivot = numbers[(low + high) / 2];
	while (i <= j) {
		while (numbers[i] < pivot)
			i++;
		while (numbers[j] > pivot)
			j--;
		if (i <= j) {
			const int t = numbers[i];
			numbers[i++] = numbers[j];
			numbers[j--] = t;
		}
	}
	if (low < j)
		sort(low, j);
	if (i < high)
		sort(i, high);
}

static __attribute__((noinline)) unsigned step(unsigned op, unsigned v)
{
	switch (op) {
	case 0: return v + 3;
	case 1: return v ^ 0x55;
	case 2: return v << 1 | v >> 31;
	case 3: return v * 7;
	case 4: return v & 1 ? v - 9 : next_random();
	case 5: return v % 13;
	case 6: return ~v;
	default: return v >> 3;
	}
}

static __attribute__((noinline)) unsigned ways(unsigned n)
{
	return n < 2 ? 1 : ways(n - 1) + ways(n - 2);
}

static __attribute__((noinline)) unsigned never(unsigned v)
{
	for (unsigned i = 0; i < v; i++)
		v ^= next_random();
	return v;
}

static void quit(unsigned status)
{
	__asm__ volatile("syscall" : : "a"(60), "D"(status & 127) : "rcx", "r11", "memory");
	__builtin_unreachable();
}

void _start(void)
{
	unsigned v = 1;
	for (int round = 0; round < 4; round++) {
		for (int i = 0; i < COUNT; i++)
			numbers[i] = (int)next_random();
		sort(0, COUNT - 1);
		for (int i = 0; i < 400; i++)
			v = step(next_random() & 7, v);
		v += ways(11);
	}
	if (v == 0x12345678)
		v = never(v);
	quit(v);
}
