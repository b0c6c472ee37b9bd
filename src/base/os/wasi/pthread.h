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

#define pthread_self()                      ((pthread_t)0)
#define pthread_equal(a, b)                 ((a) == (b))
#define pthread_attr_init(attr)             ((void)(attr), 0)
#define pthread_attr_setstacksize(attr, n)  ((void)(attr), (void)(n), 0)
#define pthread_attr_destroy(attr)          ((void)(attr))
#define pthread_create(ret, attr, fn, ctx)  ((void)(ret), (void)(fn), (void)(ctx), EAGAIN)
#define pthread_join(thread, ret)           ((void)(thread))
#define pthread_mutex_init(mutex, attr)     ((void)(mutex))
#define pthread_mutex_lock(mutex)           ((void)(mutex))
#define pthread_mutex_unlock(mutex)         ((void)(mutex))
#define pthread_mutex_destroy(mutex)        ((void)(mutex))
#define pthread_cond_init(condition, attr)  ((void)(condition))
#define pthread_cond_wait(condition, mutex) ((void)(condition))
#define pthread_cond_broadcast(condition)   ((void)(condition))
#define pthread_cond_signal(condition)      ((void)(condition))
#define pthread_cond_destroy(condition)     ((void)(condition))
#define pthread_once(once, fn)              ((void)(*(once) ? 0 : (*(once) = 1, (fn)(), 0)))
