// The program of the worked tasks. Two builds: c++ -g -O1 -ffile-prefix-map=$PWD=. -o old shop.cc; the same with -DNEW -o new.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

namespace tax {
#ifdef NEW
static const unsigned rates[4096] = {7, 19};
#else
static const unsigned rates[1024] = {7, 19};
#endif

__attribute__((noinline)) unsigned rate_of(unsigned place)
{
	return rates[place % (sizeof rates / sizeof rates[0])];
}
} // namespace tax

namespace shop {
std::map<std::string, unsigned> basket;
char *pages[64];

__attribute__((noinline)) char *page_new(size_t size)
{
	return (char *)calloc(1, size);
}

void pages_load(unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		pages[i % 64] = page_new(4096);
}

#ifdef NEW
void receipt_print(unsigned place)
{
	for (const auto &item : basket)
		printf("%s %u at %u %%\n", item.first.c_str(), item.second, tax::rate_of(place));
}
#endif
} // namespace shop

int main(int argc, char **)
{
	shop::basket["apples"] = 3;
	shop::pages_load(80);
#ifdef NEW
	shop::receipt_print((unsigned)argc);
#endif
	return tax::rate_of((unsigned)argc) > 100;
}
