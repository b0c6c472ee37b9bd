/* pthread.h - for a system without threads: no thread can be started, and locks do nothing. The
 * types are those of the C library. */
#pragma once

#include <errno.h>
#include <stddef.h>
#include <sys/types.h>

/* clang-format off */
#define PTHREAD_MUTEX_INITIALIZER { { { 0 } } }
#define PTHREAD_COND_INITIALIZER  { { { 0 } } }
/* clang-format on */
#define PTHREAD_ONCE_INIT 0

static inline pthread_t pthread_self(void)
{
	return (pthread_t)0;
}

static inline int pthread_equal(pthread_t a, pthread_t b)
{
	return a == b;
}

static inline int pthread_attr_init(pthread_attr_t *attr)
{
	(void)attr;
	return 0;
}

static inline int pthread_attr_setstacksize(pthread_attr_t *attr, size_t size)
{
	(void)attr;
	(void)size;
	return 0;
}

static inline int pthread_attr_destroy(pthread_attr_t *attr)
{
	(void)attr;
	return 0;
}

static inline int pthread_create(pthread_t *ret, const pthread_attr_t *attr, void *(*fn)(void *ctx),
				 void *ctx)
{
	(void)ret;
	(void)attr;
	(void)fn;
	(void)ctx;
	return EAGAIN;
}

static inline int pthread_join(pthread_t thread, void **ret)
{
	(void)thread;
	(void)ret;
	return EINVAL;
}

static inline int pthread_mutex_init(pthread_mutex_t *m, const void *attr)
{
	(void)attr;
	(void)m;
	return 0;
}

static inline int pthread_mutex_lock(pthread_mutex_t *m)
{
	(void)m;
	return 0;
}

static inline int pthread_mutex_unlock(pthread_mutex_t *m)
{
	(void)m;
	return 0;
}

static inline int pthread_mutex_destroy(pthread_mutex_t *m)
{
	(void)m;
	return 0;
}

static inline int pthread_cond_init(pthread_cond_t *c, const void *attr)
{
	(void)attr;
	(void)c;
	return 0;
}

static inline int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
	(void)c;
	(void)m;
	return EINVAL;
}

static inline int pthread_cond_broadcast(pthread_cond_t *c)
{
	(void)c;
	return 0;
}

static inline int pthread_cond_signal(pthread_cond_t *c)
{
	(void)c;
	return 0;
}

static inline int pthread_cond_destroy(pthread_cond_t *c)
{
	(void)c;
	return 0;
}

static inline int pthread_once(pthread_once_t *once, void (*fn)(void))
{
	if (!*once) {
		*once = 1;
		fn();
	}
	return 0;
}
