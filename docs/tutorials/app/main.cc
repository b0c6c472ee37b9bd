#include "store.h"

#include <iostream>

#ifdef STRICT
#include <regex>
static bool is_key(const std::string &text)
{
	static const std::regex form("[a-z]+(-[a-z0-9]+)*");
	return std::regex_match(text, form);
}
#else
static bool is_key(const std::string &text)
{
	return !text.empty();
}
#endif

int main(int argc, char **argv)
{
	Store store;
	for (int i = 1; i < argc; i++)
		if (is_key(argv[i]))
			store.add(argv[i]);
	std::cout << store.report() << store.total() << "\n";
	return 0;
}
