/* Runs a fuzz target over the files of a folder, so that a corpus is a test under any compiler. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Inputs are a few KiB; what is beyond this is left out. */
enum { INPUT_MAX = 4 << 20 };

static void run_file(const char *path, uint8_t *buffer)
{
	FILE *f = fopen(path, "rb");
	if (f == NULL) {
		perror(path);
		exit(2);
	}
	const size_t size = fread(buffer, 1, INPUT_MAX, f);
	fclose(f);
	/* An allocation of the exact size, so that a sanitizer sees a read past the end. */
	uint8_t *exact = malloc(size > 0 ? size : 1);
	if (exact == NULL)
		exit(2);
	for (size_t i = 0; i < size; i++)
		exact[i] = buffer[i];
	LLVMFuzzerTestOneInput(exact, size);
	free(exact);
}

int main(int argc, char **argv)
{
	DIR *dir = argc == 2 ? opendir(argv[1]) : NULL;
	uint8_t *buffer = malloc(INPUT_MAX);
	if (dir == NULL || buffer == NULL) {
		fprintf(stderr, "usage: corpus_<name> FOLDER (which must exist)\n");
		return 2;
	}
	int count = 0;
	for (const struct dirent *e; (e = readdir(dir)) != NULL;) {
		char path[4096];
		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof path, "%s/%s", argv[1], e->d_name);
		run_file(path, buffer);
		count++;
	}
	closedir(dir);
	free(buffer);
	printf("%d inputs\n", count);
	return count > 0 ? 0 : 1;
}
