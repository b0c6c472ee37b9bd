/* sanitized.c - a program that says how it was started, and then leaks. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *work(void *p)
{
	free(malloc(100));
	return p;
}

int main(int argc, char **argv)
{
	char name[100] = "", path[4096] = "";
	pthread_t t;
	FILE *f = fopen("/proc/self/comm", "r");
	if (f != NULL && fgets(name, sizeof name, f) != NULL)
		fclose(f);
	if (readlink("/proc/self/exe", path, sizeof path - 1) < 0)
		return 9;
	for (int i = 0; i < argc; i++)
		printf("[%s]\n", argv[i]);
	printf("%s%s\nOTHER=%s\nLD_PRELOAD=%s\n", name, path, getenv("OTHER"),
	       getenv("LD_PRELOAD") != NULL && strstr(getenv("LD_PRELOAD"), "libm.so") ? "libm.so"
										       : "");
	fflush(stdout);
	pthread_create(&t, NULL, work, NULL);
	pthread_join(t, NULL);
	return argc > 1 && strcmp(argv[1], "leak") == 0 ? malloc(1000) == NULL : 7;
}
