/* Functions of many shapes: exceptions, a jump table, cold code, twins, tail calls. */
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#define KEEP __attribute__((noinline))

volatile int knob = 3;

KEEP int throws(int x)
{
	if (x % 97 == 0)
		throw std::runtime_error("97");
	return x * knob;
}

KEEP int twin_a(int x) { return throws(x) + 1; }
KEEP int twin_b(int x) { return throws(x) + 1; }
KEEP int tail(int x) { return x & 1 ? twin_a(x + 2) : twin_b(x + 4); }

KEEP int chooses(int x)
{
	switch (x & 15) {
	case 0: return knob;
	case 1: return throws(x);
	case 2: return x + knob;
	case 3: return x * 7;
	case 4: return x ^ 5;
	case 5: return tail(x);
	case 6: return x / knob;
	case 8: std::puts("eight"); return 8;
	default: return x;
	}
}

KEEP int rarely(int x)
{
	if (x != 12345678)
		return 0;
	std::printf("rare %d\n", x);
	std::fflush(stdout);
	return 1;
}

KEEP int loops(int n)
{
	int sum = 0;
	for (int i = 1; i < n; i++) {
		try {
			sum += chooses(i | 2) + rarely(i) + tail(i);
			if (i % 100 == 99)
				sum += chooses(i);
		} catch (const std::exception &) {
			sum--;
		}
	}
	return sum;
}

int main()
{
	std::vector<std::string> lines;
	for (int i = 0; i < 3; i++)
		lines.push_back(std::to_string(loops(1000 + i)));
	for (const std::string &line : lines)
		std::puts(line.c_str());
	return 0;
}
