/* process_layer.h - the layers of a core: those of its modules' own files, moved to where they
 * lay. */
#ifndef HEFT_SOURCE_PROCESS_LAYER_H
#define HEFT_SOURCE_PROCESS_LAYER_H

#include "process/process.h"
#include "source/source.h"

/* Runs a source that knows nothing of processes on the own file of every module, as if that were
 * measured alone, and moves what it says of memory to where the module lies. */
void process_layer(const struct source_file *f, const struct source *source, struct layer *ret);
/* What a region of memory is: the path of the file mapped there, "[heap]", "[stack of thread 12]",
 * "[bss of PATH]", "[anonymous]", "[reserved]" (no access).  Claims all memory; `as_fallback`
 * puts paths in brackets. */
void process_claim_mappings(const struct source_file *f, bool as_fallback, struct claims *vm);
/* Completes a layer: mappings take what is left of memory, the notes of a core have a label. */
void process_finish(const struct source_file *f, struct layer *l, struct claims *vm);

#endif
