/* packages.h - finds the package of each symbol and compile unit, as the data source `packages`
 * does. For callers that have measured symbols and units. Borrows everything until packages_free().
 * One thread. About 1 us per name. */
#pragma once

#include "names/namespace.h"
#include "source/source.h"

struct package_input {
	const struct layer *symbols, *units; /* Layers of the data sources `symbols` and
					      * `compileunits` */
	const struct labels *symbol_labels, *unit_labels;
	struct namespaces *spaces; /* Namespaces from debug info. Receives those that names of
				    * symbols show */
	/* Per label of a symbol: index of its namespace in space_texts. NULL: unknown, and `spaces`
	 * lacks namespaces that names of symbols show. */
	const uint32_t *space_of;
	const struct intern *space_texts;
	struct labels *out; /* Receives labels of packages */
};

struct packages *packages_new(const struct source_file *f, const struct package_input *in);
/* Returns the package of bytes that belong to a symbol and a unit. LABEL_NONE: the bytes have none,
 * and keep the symbol's label. */
label_id packages_label(struct packages *p, label_id symbol, label_id unit);
void packages_free(struct packages *p);
