#include "cli/rows/rows_to.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { REQUEST = 4 << 20, TRIES = 4, URL_MOST = 4000 };

/* ---- the list -------------------------------------------------------------------------------- */

static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool add_line(struct rows_to *t, char *line)
{
	char **grown = realloc(t->list, (t->list_count + 1) * sizeof *grown);
	if (!grown)
		return false;
	t->list = grown;
	t->list[t->list_count++] = line;
	return true;
}

static bool read_list(struct rows_to *t)
{
	FILE *f = fopen(t->done_path, "r");
	char *line = NULL;
	size_t room = 0;
	ssize_t size = 0;
	bool good = true;
	if (!f && errno == ENOENT)
		return true;
	while (f && good && (size = getline(&line, &room, f)) > 0) {
		if (line[size - 1] != '\n')
			break; /* written in half */
		line[size - 1] = '\0';
		char *copy = strdup(line);
		good = copy && add_line(t, copy);
	}
	good = f && good && !ferror(f);
	free(line);
	if (f)
		fclose(f);
	if (t->list_count > 1)
		qsort(t->list, t->list_count, sizeof *t->list, compare_lines);
	if (!good)
		cli_error(t->cli, "%s: %s", t->done_path, strerror(errno));
	return good;
}

/* "SIZE TIME PATH"; NULL where the file is not there, or its name has a line end. */
static char *line_of(const char *path)
{
	struct stat st;
	if (strchr(path, '\n') || stat(path, &st) != 0)
		return NULL;
	const size_t room = strlen(path) + 80;
	char *line = malloc(room);
	if (line)
		snprintf(line, room, "%" PRId64 " %" PRId64 ".%09ld %s", (int64_t)st.st_size,
			 (int64_t)st.st_mtim.tv_sec, st.st_mtim.tv_nsec, path);
	return line;
}

bool rows_to_has(struct rows_to *t, const char *path)
{
	char *line = t->done_path ? line_of(path) : NULL;
	const bool has = line && t->list_count > 0 &&
			 bsearch(&line, t->list, t->list_count, sizeof *t->list, compare_lines);
	free(line);
	t->known += has;
	return has;
}

/* Lines of several workers do not mix where each is one write. */
static bool append_done(struct rows_to *t)
{
	if (t->waiting_size == 0)
		return true;
	const int fd = open(t->done_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	const bool good = fd >= 0 &&
			  write(fd, t->waiting, t->waiting_size) == (ssize_t)t->waiting_size;
	if (!good)
		cli_error(t->cli, "%s: %s", t->done_path, strerror(errno));
	if (fd >= 0)
		close(fd);
	t->waiting_size = 0;
	return good;
}

static bool remember(struct rows_to *t, const char *path)
{
	char *line = t->done_path ? line_of(path) : NULL;
	if (!line)
		return true;
	const size_t size = strlen(line);
	char *grown = realloc(t->waiting, t->waiting_size + size + 1);
	if (grown) {
		t->waiting = grown;
		memcpy(grown + t->waiting_size, line, size);
		grown[t->waiting_size + size] = '\n';
		t->waiting_size += size + 1;
	}
	free(line);
	return grown || (cli_error(t->cli, "out of memory"), false);
}

/* ---- the server ------------------------------------------------------------------------------ */

static bool is_table(const char *name)
{
	const size_t size = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
					 "0123456789.");
	return size > 0 && name[size] == '\0';
}

/* clickhouse://host:8123/base.table: the statement is the query of its HTTP interface. */
static bool clickhouse_url(const struct rows_to *t, const struct heft_constant *columns,
			   size_t count, enum heft_format format, char url[URL_MOST])
{
	const bool safe = strncmp(t->url, "clickhouses://", 14) == 0;
	const char *host = strstr(t->url, "://") + 3;
	const char *table = strchr(host, '/');
	if (!table || table == host || !is_table(table + 1))
		return cli_error(t->cli, "--to: clickhouse://HOST:PORT/DATABASE.TABLE is wanted"),
		       false;
	size_t used = (size_t)snprintf(url, URL_MOST,
				       "http%s://%.*s/?query=INSERT%%20INTO%%20%s%%20(",
				       safe ? "s" : "", (int)(table - host), host, table + 1);
	for (size_t i = 0; i < count && used < URL_MOST; i++)
		used += (size_t)snprintf(url + used, URL_MOST - used, "%s,", columns[i].name);
	if (used < URL_MOST)
		used += (size_t)snprintf(url + used, URL_MOST - used,
					 "labels,file,vm)%%20FORMAT%%20%s",
					 format == HEFT_ROWBINARY ? "RowBinary" : "JSONEachRow");
	if (used >= URL_MOST)
		return cli_error(t->cli, "--to: the address is too long"), false;
	return true;
}

bool rows_to_open(struct rows_to *t, const struct cli *cli, const struct heft_constant *columns,
		  size_t count, enum heft_format format)
{
	char url[URL_MOST];
	struct heft_err err;
	const char *to = t->url;
	t->cli = cli;
	if (!t->url)
		return true;
	if (strncmp(to, "clickhouse://", 13) == 0 || strncmp(to, "clickhouses://", 14) == 0) {
		if (!clickhouse_url(t, columns, count, format, url))
			return false;
		to = url;
	}
	t->upload = heft_upload_new(to, &err);
	if (!t->upload)
		return cli_failed(cli, &err), false;
	heft_upload_add_header(t->upload, format == HEFT_ROWBINARY
						  ? "Content-Type: application/octet-stream"
						  : "Content-Type: application/x-ndjson");
	return !t->done_path || read_list(t);
}

void rows_to_close(struct rows_to *t)
{
	for (size_t i = 0; i < t->list_count; i++)
		free(t->list[i]);
	free(t->list);
	free(t->bytes);
	free(t->waiting);
	heft_upload_free(t->upload);
}

/* A server that is busy or gone may be back in a moment; one that refuses will refuse again. */
static bool send_rows(struct rows_to *t)
{
	struct heft_err err;
	for (unsigned i = 0; i < TRIES; i++) {
		const struct timespec pause = { 1 << i, 0 };
		if (heft_upload_send(t->upload, t->bytes, t->size, &err))
			return true;
		const unsigned status = heft_upload_status(t->upload);
		if ((status != 0 && status < 500) || i + 1 == TRIES)
			break;
		nanosleep(&pause, NULL);
	}
	return cli_failed(t->cli, &err), false;
}

static bool write_rows(struct rows_to *t)
{
	return t->upload ? send_rows(t) : fwrite(t->bytes, 1, t->size, t->file) == t->size;
}

bool rows_to_flush(struct rows_to *t)
{
	if (t->gone)
		return false;
	t->gone = (t->size > 0 && !write_rows(t)) || !append_done(t);
	if (!t->gone)
		t->written += t->size;
	t->size = t->start = 0;
	return !t->gone;
}

bool rows_to_put(void *ctx, const void *data, size_t size)
{
	struct rows_to *t = ctx;
	if (size > t->room - t->size) {
		const size_t room = (t->size + size) * 2;
		unsigned char *grown = realloc(t->bytes, room);
		if (!grown)
			return false;
		t->bytes = grown;
		t->room = room;
	}
	memcpy(t->bytes + t->size, data, size);
	t->size += size;
	return t->size < REQUEST || rows_to_flush(t);
}

bool rows_to_end_file(struct rows_to *t, const char *path)
{
	t->start = t->size;
	return remember(t, path);
}

void rows_to_drop_file(struct rows_to *t)
{
	t->size = t->start;
}
