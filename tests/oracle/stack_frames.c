/* Frames that programs seldom have: large, aligned, of a length that is not known, variadic. */
#include <stdarg.h>
#include <stddef.h>

void use(void *p);
int small(int n);
int many(int n);
int large(int n);
int larger(int n);
int largest(int n);
int huge(int n);
int aligned(int n);
int of_length(int n);
int of_both(int n);
int by_alloca(size_t n);
int variadic(int n, ...);
double doubles(double a, double b);
int switches(int n);
void handler(void);

int small(int n)
{
	return n + 1;
}

int many(int n)
{
	int a[9];
	use(a);
	return a[n];
}

int large(int n)
{
	char a[600];
	use(a);
	return a[n];
}

int larger(int n)
{
	char a[5000];
	use(a);
	return a[n] + many(n);
}

int largest(int n)
{
	char a[sizeof(int) > 2 ? 70000 : 7000];
	use(a);
	return a[n] + many(n);
}

/* Larger than what probes of one page after another touch without a loop, for all compilers. */
int huge(int n)
{
	char a[sizeof(void *) > 4 ? 3000000 : sizeof(int) > 2 ? 90000 : 7000];
	use(a);
	return a[n];
}

int aligned(int n)
{
	_Alignas(16) char a[32];
	use(a);
	return a[n];
}

int of_length(int n)
{
	char a[n];
	use(a);
	return a[n / 2];
}

int of_both(int n)
{
	char a[n], b[300];
	use(a);
	use(b);
	return a[n / 2] + b[n];
}

int by_alloca(size_t n)
{
	char *a = __builtin_alloca(n);
	use(a);
	return n > 9 ? a[3] : small(a[1]);
}

int variadic(int n, ...)
{
	va_list list;
	va_start(list, n);
	use(&list);
	const int v = va_arg(list, int);
	va_end(list);
	return v;
}

double doubles(double a, double b)
{
	double c = a;
	use(&c);
	return c * a + b;
}

int switches(int n)
{
	int a[20];
	use(a);
	switch (n) {
	case 0: return many(1);
	case 1: return many(a[2]);
	case 2: use(NULL); return 7;
	case 3: return large(a[1]);
	case 4: return larger(4) + a[n];
	case 5: use(a + 3); break;
	case 6: return many(6) * 3;
	default: return -1;
	}
	return a[n];
}
