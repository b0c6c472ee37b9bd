/* process_layer.h - makes the layer of a core from the layers of its modules' files. */
#pragma once

#include "process/process.h"
#include "source/source.h"

/* Runs a data source on each module's file, and moves the VM spans to the module's address. So data
 * sources need no code for processes. */
void process_layer(const struct source_file *f, const struct source *source, struct layer *ret);
/* Claims all memory for labels by kind: the path of the mapped file, "[heap]", "[stack of thread
 * 12]", "[bss of PATH]", "[anonymous]", "[reserved]" (no access). `as_fallback`: paths are in
 * brackets. */
void process_claim_mappings(const struct source_file *f, bool as_fallback, struct claims *vm);
/* Completes a layer: memory without an owner gets the label of its mapping. The core's notes get
 * one, too. */
void process_finish(const struct source_file *f, struct layer *l, struct claims *vm);
