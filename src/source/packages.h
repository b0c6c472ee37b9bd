/* packages.h - finds the package of each symbol and compile unit, as the source `packages` does.
 *
 * For callers that have measured symbols and units. Borrows everything until packages_free(). One
 * thread. About 1 us per name. */
#ifndef HEFT_SOURCE_PACKAGES_H
#define HEFT_SOURCE_PACKAGES_H

#include "names/namespace.h"
#include "source/source.h"

struct package_input {
	const struct layer *symbols, *units; /* Layers of the sources symbols and compileunits */
	const struct labels *symbol_labels, *unit_labels;
	struct namespaces *spaces; /* Namespaces from debug info. Namespaces that symbol names
				    * reveal are added */
	/* Per symbol label: index of its namespace in space_texts. NULL: unknown, and `spaces`
	 * lacks the namespaces that symbol names reveal. */
	const uint32_t *space_of;
	const struct intern *space_texts;
	struct labels *out; /* Receives the labels of packages */
};

struct packages *packages_new(const struct source_file *f, const struct package_input *in);
/* Returns the package of bytes that a symbol and a unit own. LABEL_NONE: no package, and the bytes
 * keep the symbol's label. */
label_id packages_label(struct packages *p, label_id symbol, label_id unit);
void packages_free(struct packages *p);

#endif
