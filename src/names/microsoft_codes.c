/* Defines the tables of operators and types of Microsoft's scheme. */
#include "names/microsoft_node.h"

/* Operator names by the letter of the code after "?". */
static const char *const operators[] = {
	['2'] = "operator new", ['3'] = "operator delete", ['4'] = "operator=",
	['5'] = "operator>>",   ['6'] = "operator<<",      ['7'] = "operator!",
	['8'] = "operator==",   ['9'] = "operator!=",      ['A'] = "operator[]",
	['C'] = "operator->",   ['D'] = "operator*",       ['E'] = "operator++",
	['F'] = "operator--",   ['G'] = "operator-",       ['H'] = "operator+",
	['I'] = "operator&",    ['J'] = "operator->*",     ['K'] = "operator/",
	['L'] = "operator%",    ['M'] = "operator<",       ['N'] = "operator<=",
	['O'] = "operator>",    ['P'] = "operator>=",      ['Q'] = "operator,",
	['R'] = "operator()",   ['S'] = "operator~",       ['T'] = "operator^",
	['U'] = "operator|",    ['V'] = "operator&&",      ['W'] = "operator||",
	['X'] = "operator*=",   ['Y'] = "operator+=",      ['Z'] = "operator-=",
};

/* Operator names by the letter of the code after "?_". */
static const char *const more_operators[] = {
	['0'] = "operator/=",
	['1'] = "operator%=",
	['2'] = "operator>>=",
	['3'] = "operator<<=",
	['4'] = "operator&=",
	['5'] = "operator|=",
	['6'] = "operator^=",
	['D'] = "`vbase dtor'",
	['E'] = "`vector deleting dtor'",
	['F'] = "`default ctor closure'",
	['G'] = "`scalar deleting dtor'",
	['H'] = "`vector ctor iterator'",
	['I'] = "`vector dtor iterator'",
	['J'] = "`vector vbase ctor iterator'",
	['K'] = "`virtual displacement map'",
	['L'] = "`eh vector ctor iterator'",
	['M'] = "`eh vector dtor iterator'",
	['N'] = "`eh vector vbase ctor iterator'",
	['O'] = "`copy ctor closure'",
	['T'] = "`local vftable ctor closure'",
	['U'] = "operator new[]",
	['V'] = "operator delete[]",
	['X'] = "`placement delete closure'",
	['Y'] = "`placement delete[] closure'",
};

/* Operator names by the letter of the code after "?__". */
static const char *const last_operators[] = {
	['A'] = "`managed vector ctor iterator'",
	['B'] = "`managed vector dtor iterator'",
	['C'] = "`EH vector copy ctor iterator'",
	['D'] = "`EH vector vbase copy ctor iterator'",
	['G'] = "`vector copy ctor iterator'",
	['H'] = "`vector vbase copy constructor iterator'",
	['I'] = "`managed vector vbase copy constructor iterator'",
	['L'] = "operator co_await",
	['M'] = "operator<=>",
};

static const char *const plain_types[] = {
	['C'] = "signed char",    ['D'] = "char",  ['E'] = "unsigned char", ['F'] = "short",
	['G'] = "unsigned short", ['H'] = "int",   ['I'] = "unsigned int",  ['J'] = "long",
	['K'] = "unsigned long",  ['M'] = "float", ['N'] = "double",        ['O'] = "long double",
	['X'] = "void",
};

/* Type names by the letter of the code after "_". */
static const char *const more_types[] = {
	['J'] = "__int64",        ['K'] = "unsigned __int64",
	['L'] = "__int128",       ['M'] = "unsigned __int128",
	['N'] = "bool",           ['P'] = "auto",
	['Q'] = "char8_t",        ['S'] = "char16_t",
	['T'] = "decltype(auto)", ['U'] = "char32_t",
	['W'] = "wchar_t",
};

#define LOOK_UP(table, c)                                                                          \
	((unsigned char)(c) < COUNT_OF(table) ? (table)[(unsigned char)(c)] : NULL)

const char *ms_operator(unsigned lines, char c)
{
	ASSERT(lines <= 2);
	switch (lines) {
	case 0: return LOOK_UP(operators, c);
	case 1: return LOOK_UP(more_operators, c);
	default: return LOOK_UP(last_operators, c);
	}
}

const char *ms_type(bool line, char c)
{
	return line ? LOOK_UP(more_types, c) : LOOK_UP(plain_types, c);
}
