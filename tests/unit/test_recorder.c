/* Programs run under the recorder by a process that has threads and limits of its own.
 * usage: test_recorder LIBHEFT-HEAP.SO */
#include "heft.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

static const char *library;
static char folder[] = "/tmp/heft-recorder-XXXXXX";

/* Runs a command of the shell; false, with *err filled, on failure. */
static bool run(const char *command, unsigned number, struct heft_recorder_end *ret,
		struct heft_err *err)
{
	char shell[] = "sh", option[] = "-c";
	char *argv[] = { shell, option, (char *)(uintptr_t)command, NULL }, output[100];
	struct heft_recorder *r = heft_recorder_new();
	snprintf(output, sizeof output, "%s/%u.%%p", folder, number);
	heft_recorder_set_library(r, library);
	heft_recorder_set_output(r, output);
	heft_recorder_set(r, HEFT_RECORD_NO_CHILDREN, 1);
	const bool ok = heft_recorder_run(r, argv, ret, err);
	struct heft_recorder_file f = { .size = sizeof f };
	for (size_t i = 0; heft_recorder_file(r, i, &f, NULL); i++) {
		if (ok)
			assert_int_equal(f.pid, ret->pid);
		unlink(f.path);
	}
	heft_recorder_free(r);
	return ok;
}

static void *run_many(void *ctx)
{
	const unsigned number = *(const unsigned *)ctx;
	char command[40];
	struct heft_err err;
	snprintf(command, sizeof command, "exit %u", number);
	for (unsigned i = 0; i < 40; i++) {
		struct heft_recorder_end end = { .size = sizeof end };
		if (!run(command, number, &end, &err) || end.status != (int)number)
			return ctx;
	}
	return NULL;
}

static void several_threads_run_programs_at_once(void **state)
{
	pthread_t threads[3];
	unsigned numbers[] = { 3, 4, 5 };
	struct sigaction before, after;
	(void)state;
	sigaction(SIGCHLD, NULL, &before);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, run_many, &numbers[i]), 0);
	for (size_t i = 0; i < 3; i++) {
		void *said;
		pthread_join(threads[i], &said);
		assert_null(said);
	}
	sigaction(SIGCHLD, NULL, &after);
	assert_ptr_equal(before.sa_handler, after.sa_handler);
}

static void children_of_others_are_left_alone(void **state)
{
	struct heft_recorder_end end = { .size = sizeof end };
	struct heft_err err;
	int status;
	(void)state;
	const pid_t other = fork();
	if (other == 0)
		_exit(9);
	assert_true(run("exit 2", 0, &end, &err));
	assert_int_equal(end.status, 2);
	assert_int_equal(waitpid(other, &status, 0), other);
	assert_int_equal(WEXITSTATUS(status), 9);
}

static void a_signal_ends_the_program_and_is_told(void **state)
{
	struct heft_recorder_end end = { .size = sizeof end };
	struct heft_err err;
	(void)state;
	assert_true(run("kill -TERM $$", 0, &end, &err));
	assert_int_equal(end.signal, SIGTERM);
	assert_true(run("kill -USR1 $PPID; while :; do sleep 1; done", 0, &end, &err));
	assert_int_equal(end.signal, SIGUSR1);
}

static void a_status_that_is_lost_is_an_error(void **state)
{
	struct heft_recorder_end end = { .size = sizeof end };
	struct heft_err err;
	(void)state;
	signal(SIGCHLD, SIG_IGN);
	assert_false(run("exit 0", 0, &end, &err));
	signal(SIGCHLD, SIG_DFL);
	assert_int_equal(err.code, HEFT_EIO);
	assert_int_equal(err.sys_errno, ECHILD);
}

/* With descriptors for nothing but what the program itself has. */
static void a_process_without_descriptors_runs_programs_or_says_why(void **state)
{
	int status;
	(void)state;
	for (rlim_t most = 3; most < 8; most++) {
		const pid_t child = fork();
		if (child == 0) {
			const struct rlimit limit = { most, most };
			struct heft_recorder_end end = { .size = sizeof end };
			struct heft_err err = { .code = HEFT_OK };
			for (int fd = 3; fd < 100; fd++)
				close(fd);
			setrlimit(RLIMIT_NOFILE, &limit);
			const bool ok = run("exit 6", (unsigned)most, &end, &err);
			/* With three the program's own linker opens nothing. */
			_exit(ok ? most > 3 && end.status != 6 : err.code != HEFT_EIO);
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), 0);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(several_threads_run_programs_at_once),
		cmocka_unit_test(children_of_others_are_left_alone),
		cmocka_unit_test(a_signal_ends_the_program_and_is_told),
		cmocka_unit_test(a_status_that_is_lost_is_an_error),
		cmocka_unit_test(a_process_without_descriptors_runs_programs_or_says_why),
	};
	library = argc == 2 ? argv[1] : "";
	if (mkdtemp(folder) == NULL)
		return 2;
	const int failed = cmocka_run_group_tests(tests, NULL, NULL);
	/* What was written by processes without descriptors to look for it. */
	DIR *d = opendir(folder);
	for (const struct dirent *e; d != NULL && (e = readdir(d)) != NULL;)
		unlinkat(dirfd(d), e->d_name, 0);
	closedir(d);
	return rmdir(folder) == 0 ? failed : 2;
}
