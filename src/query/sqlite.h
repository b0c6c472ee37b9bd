/* sqlite.h - loads SQLite at the first query: it needs more relocations than all other libraries of
 * heft together. Its functions have other names here. Private to query/. */
#pragma once

#include <sqlite3.h>
#include <stdbool.h>

#define SQLITE_FUNCTIONS(X)                                                                        \
	X(sqlite3_bind_int64)                                                                      \
	X(sqlite3_reset)                                                                           \
	X(sqlite3_bind_text)                                                                       \
	X(sqlite3_close)                                                                           \
	X(sqlite3_column_bytes)                                                                    \
	X(sqlite3_column_count)                                                                    \
	X(sqlite3_column_double)                                                                   \
	X(sqlite3_column_int64)                                                                    \
	X(sqlite3_column_name)                                                                     \
	X(sqlite3_column_text)                                                                     \
	X(sqlite3_column_type)                                                                     \
	X(sqlite3_complete)                                                                        \
	X(sqlite3_create_function_v2)                                                              \
	X(sqlite3_create_module_v2)                                                                \
	X(sqlite3_declare_vtab)                                                                    \
	X(sqlite3_errcode)                                                                         \
	X(sqlite3_errmsg)                                                                          \
	X(sqlite3_error_offset)                                                                    \
	X(sqlite3_exec)                                                                            \
	X(sqlite3_finalize)                                                                        \
	X(sqlite3_free)                                                                            \
	X(sqlite3_get_auxdata)                                                                     \
	X(sqlite3_malloc)                                                                          \
	X(sqlite3_open)                                                                            \
	X(sqlite3_prepare_v2)                                                                      \
	X(sqlite3_progress_handler)                                                                \
	X(sqlite3_result_double)                                                                   \
	X(sqlite3_result_error)                                                                    \
	X(sqlite3_result_error_nomem)                                                              \
	X(sqlite3_result_int)                                                                      \
	X(sqlite3_result_int64)                                                                    \
	X(sqlite3_result_text)                                                                     \
	X(sqlite3_set_authorizer)                                                                  \
	X(sqlite3_set_auxdata)                                                                     \
	X(sqlite3_step)                                                                            \
	X(sqlite3_stricmp)                                                                         \
	X(sqlite3_value_int64)                                                                     \
	X(sqlite3_value_text)

#ifndef HEFT_LIBRARIES_LINKED

#define SQLITE_MEMBER(name) __typeof__(name) *f_##name;
extern struct sqlite_functions {
	SQLITE_FUNCTIONS(SQLITE_MEMBER)
} sqlite_functions;

#define sqlite3_bind_int64         sqlite_functions.f_sqlite3_bind_int64
#define sqlite3_reset              sqlite_functions.f_sqlite3_reset
#define sqlite3_bind_text          sqlite_functions.f_sqlite3_bind_text
#define sqlite3_close              sqlite_functions.f_sqlite3_close
#define sqlite3_column_bytes       sqlite_functions.f_sqlite3_column_bytes
#define sqlite3_column_count       sqlite_functions.f_sqlite3_column_count
#define sqlite3_column_double      sqlite_functions.f_sqlite3_column_double
#define sqlite3_column_int64       sqlite_functions.f_sqlite3_column_int64
#define sqlite3_column_name        sqlite_functions.f_sqlite3_column_name
#define sqlite3_column_text        sqlite_functions.f_sqlite3_column_text
#define sqlite3_column_type        sqlite_functions.f_sqlite3_column_type
#define sqlite3_complete           sqlite_functions.f_sqlite3_complete
#define sqlite3_create_function_v2 sqlite_functions.f_sqlite3_create_function_v2
#define sqlite3_create_module_v2   sqlite_functions.f_sqlite3_create_module_v2
#define sqlite3_declare_vtab       sqlite_functions.f_sqlite3_declare_vtab
#define sqlite3_errcode            sqlite_functions.f_sqlite3_errcode
#define sqlite3_errmsg             sqlite_functions.f_sqlite3_errmsg
#define sqlite3_error_offset       sqlite_functions.f_sqlite3_error_offset
#define sqlite3_exec               sqlite_functions.f_sqlite3_exec
#define sqlite3_finalize           sqlite_functions.f_sqlite3_finalize
#define sqlite3_free               sqlite_functions.f_sqlite3_free
#define sqlite3_get_auxdata        sqlite_functions.f_sqlite3_get_auxdata
#define sqlite3_malloc             sqlite_functions.f_sqlite3_malloc
#define sqlite3_open               sqlite_functions.f_sqlite3_open
#define sqlite3_prepare_v2         sqlite_functions.f_sqlite3_prepare_v2
#define sqlite3_progress_handler   sqlite_functions.f_sqlite3_progress_handler
#define sqlite3_result_double      sqlite_functions.f_sqlite3_result_double
#define sqlite3_result_error       sqlite_functions.f_sqlite3_result_error
#define sqlite3_result_error_nomem sqlite_functions.f_sqlite3_result_error_nomem
#define sqlite3_result_int         sqlite_functions.f_sqlite3_result_int
#define sqlite3_result_int64       sqlite_functions.f_sqlite3_result_int64
#define sqlite3_result_text        sqlite_functions.f_sqlite3_result_text
#define sqlite3_set_authorizer     sqlite_functions.f_sqlite3_set_authorizer
#define sqlite3_set_auxdata        sqlite_functions.f_sqlite3_set_auxdata
#define sqlite3_step               sqlite_functions.f_sqlite3_step
#define sqlite3_stricmp            sqlite_functions.f_sqlite3_stricmp
#define sqlite3_value_int64        sqlite_functions.f_sqlite3_value_int64
#define sqlite3_value_text         sqlite_functions.f_sqlite3_value_text

#endif

/* Loads SQLite. False if it is not installed. */
bool sqlite_is_there(void);
