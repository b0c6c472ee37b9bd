/* push_debuginfo.h - debug information of the modules whose addresses were pushed, to a server that
 * names them: parca.debuginfo.v1alpha1.DebuginfoService of Parca, by gRPC.
 *
 * For each build id, once: ShouldInitiateUpload says whether the server wants it, InitiateUpload
 * how, then Upload has it in pieces, or a PUT to the address that the server gives, and
 * MarkUploadFinished ends it.  What is sent is what heft_debug_info_write writes, with the build id
 * and a hash: symbols and debug info, no code and no data.
 *
 * One thread. */
#ifndef HEFT_CLI_FLEET_PUSH_DEBUGINFO_H
#define HEFT_CLI_FLEET_PUSH_DEBUGINFO_H

#include "cli/fleet/push_request.h"

struct debuginfo_pusher;

/* `url` is parca:// or parcas://.  NULL, and said, where it is not, or there is no memory. */
struct debuginfo_pusher *debuginfo_pusher_new(const struct cli *cli, const char *url);
/* Says how many files were not taken.  NULL is fine. */
void debuginfo_pusher_free(struct debuginfo_pusher *p);
/* Sends what the server wants of the modules of a heap that have frames.  The first that is not
 * taken is said, and none is tried twice. */
void debuginfo_push(struct debuginfo_pusher *p, struct heft_heap *h);

#endif
