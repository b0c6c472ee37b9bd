/* process_layer.h - makes the layers of a core from the layers of its modules' files, moved to
 * their addresses in the process. */
#ifndef HEFT_SOURCE_PROCESS_LAYER_H
#define HEFT_SOURCE_PROCESS_LAYER_H

#include "process/process.h"
#include "source/source.h"

/* Runs a source on each module's file, as if the file were measured alone. Moves its VM spans to
 * the module's address. So the source needs no code for processes. */
void process_layer(const struct source_file *f, const struct source *source, struct layer *ret);
/* Claims all memory for labels by kind of region: the path of the mapped file, "[heap]", "[stack of
 * thread 12]", "[bss of PATH]", "[anonymous]", "[reserved]" (no access). `as_fallback` puts paths
 * in brackets. */
void process_claim_mappings(const struct source_file *f, bool as_fallback, struct claims *vm);
/* Completes a layer: other memory gets the label of its mapping, the core's notes get a label. */
void process_finish(const struct source_file *f, struct layer *l, struct claims *vm);

#endif
