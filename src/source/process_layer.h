/* process_layer.h - makes the layers of a core: layers of its modules' own files, moved to their
 * addresses in the process. */
#ifndef HEFT_SOURCE_PROCESS_LAYER_H
#define HEFT_SOURCE_PROCESS_LAYER_H

#include "process/process.h"
#include "source/source.h"

/* Runs a source on the own file of every module, as if measured alone, and moves its VM spans to
 * the address of the module. The source knows nothing about processes. */
void process_layer(const struct source_file *f, const struct source *source, struct layer *ret);
/* Claims all memory by the kind of its region: the path of the mapped file, "[heap]", "[stack of
 * thread 12]", "[bss of PATH]", "[anonymous]", "[reserved]" (no access). `as_fallback` puts paths
 * in brackets. */
void process_claim_mappings(const struct source_file *f, bool as_fallback, struct claims *vm);
/* Completes a layer: mappings get the rest of memory, the notes of a core get a label. */
void process_finish(const struct source_file *f, struct layer *l, struct claims *vm);

#endif
