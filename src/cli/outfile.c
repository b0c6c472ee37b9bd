/* Writes results to stdout or to a file. */
#include "cli/outfile.h"

#include "base/os/os.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool outfile_open_temp(struct outfile *o)
{
	static const char suffix[] = ".XXXXXX";
	const size_t len = strlen(o->path);
	o->temp = malloc(len + sizeof suffix);
	if (o->temp == NULL)
		return false;
	memcpy(o->temp, o->path, len);
	memcpy(o->temp + len, suffix, sizeof suffix);
	const int fd = os_new_file(o->temp, true);
	if (fd < 0) {
		free(o->temp);
		o->temp = NULL;
		return false;
	}
	o->f = fdopen(fd, "wb");
	if (o->f == NULL)
		close(fd);
	return o->f != NULL;
}

bool outfile_open(struct outfile *o, const char *path)
{
	*o = (struct outfile){ .path = path };
	if (path == NULL || strcmp(path, "-") == 0) {
		o->f = stdout;
		return true;
	}
	struct os_file is;
	if (os_path_look(path, &is) && is.kind != OS_FILE)
		o->f = fopen(path, "wb");
	else
		outfile_open_temp(o);
	if (o->f != NULL)
		return true;
	const int saved = errno;
	outfile_drop(o);
	errno = saved;
	return false;
}

bool outfile_close(struct outfile *o)
{
	ASSERT(o->f != NULL);
	bool good = !ferror(o->f);
	good = fflush(o->f) == 0 && good;
	if (o->f != stdout)
		good = fclose(o->f) == 0 && good;
	o->f = NULL;
	if (good && o->temp != NULL)
		good = os_rename(o->temp, o->path);
	const int saved = errno;
	if (good) {
		free(o->temp);
		o->temp = NULL;
	}
	outfile_drop(o);
	errno = saved;
	return good;
}

void outfile_drop(struct outfile *o)
{
	if (o->f != NULL && o->f != stdout)
		fclose(o->f);
	if (o->temp != NULL)
		unlink(o->temp);
	free(o->temp);
	o->f = NULL;
	o->temp = NULL;
}

bool outfile_is(const char *path, const char *input)
{
	struct os_file in, out;
	return os_path_look(input, &in) && os_path_look(path, &out) && in.device == out.device &&
	       in.inode == out.inode;
}

bool outfile_spares(const struct cli *cli, const char *path, const char *input)
{
	if (path == NULL || !outfile_is(path, input))
		return true;
	cli_error(cli, "%s: is the file itself, which stays as it is", path);
	return false;
}

static int cannot_write(const struct cli *cli, const char *path)
{
	return cli_error(cli, "%s: cannot write: %s", path ? path : "standard output",
			 strerror(errno));
}

int outfile_write(const struct cli *cli, const char *path,
		  bool (*write)(void *ctx, FILE *to, struct heft_err *err), void *ctx)
{
	struct outfile out;
	struct heft_err err;
	ASSERT(cli->progress != NULL);
	if (cli->progress->wanted)
		progress_end(cli->progress);
	if (!outfile_open(&out, path))
		return cannot_write(cli, path);
	if (!write(ctx, out.f, &err) && !ferror(out.f)) {
		outfile_drop(&out);
		return cli_failed(cli, &err);
	}
	return outfile_close(&out) ? EXIT_FINE : cannot_write(cli, path);
}

bool outfile_put(void *ctx, const void *data, size_t size)
{
	return fwrite(data, 1, size, ctx) == size;
}

bool outfile_put_tame(void *ctx, const void *data, size_t size)
{
	const unsigned char *p = data;
	size_t done = 0;
	for (size_t i = 0; i < size; i++) {
		/* Control characters are C0, DEL, and C1 in UTF-8. */
		const unsigned char c = p[i], next = i + 1 < size ? p[i + 1] : 0;
		size_t control = (c < 0x20 && c != '\n' && c != '\t') || c == 0x7f ? 1 : 0;
		if (c == 0xc2 && next >= 0x80 && next < 0xa0)
			control = 2;
		if (control == 0)
			continue;
		if (!outfile_put(ctx, p + done, i - done))
			return false;
		for (size_t k = 0; k < control; k++)
			fprintf(ctx, "\\x%02x", p[i + k]);
		done = i + control;
		i += control - 1;
	}
	return outfile_put(ctx, p + done, size - done);
}
