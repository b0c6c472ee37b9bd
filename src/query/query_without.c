/* Implements query.h for a build without SQLite: no query can be opened. */
#include "query/query.h"

struct query *query_open(const struct snapshot *s, const struct snapshot *before,
			 struct heft_err *err)
{
	(void)s, (void)before;
	fail(err, HEFT_EUNSUPPORTED, HEFT_NO_OFFSET,
	     "this heft was built without libsqlite3, which queries need");
	return NULL;
}

bool query_add_graph(struct query *q, const struct query_graph *g, struct heft_err *err)
{
	(void)g, (void)err;
	ASSERT(q != NULL);
	return false;
}

void query_close(struct query *q)
{
	ASSERT(q == NULL);
}

bool query_run(struct query *q, const char *sql, const struct query_visitor *v,
	       struct heft_err *err)
{
	(void)sql, (void)v, (void)err;
	ASSERT(q != NULL);
	return false;
}

bool query_is_complete(const char *sql)
{
	(void)sql;
	return true;
}
