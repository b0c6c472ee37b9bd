/* all_fields.h - declares the JSON objects of reports, for objects that contain them and for
 * docs/json.md. */
#pragma once

#include "report/fields.h"

/* Objects of `heft where`. */
extern const struct fields location_fields, claim_fields, declaration_fields, frame_fields;
/* Objects of `heft why`. */
extern const struct fields why_fields, reference_fields, kept_fields;
/* Objects of `heft blocks`. block_place_fields has block_fields' first fields, up to the flags. */
extern const struct fields block_function_fields, block_fields, block_place_fields;
extern const struct fields successor_fields, finding_fields, block_check_fields;
extern const struct fields profile_function_fields, profile_block_fields, profile_edge_fields;
extern const struct fields profile_end_fields;
/* Objects of `heft heap`. */
extern const struct fields process_fields, chunks_fields, heap_frame_fields, heap_block_fields;
extern const struct fields place_fields, damage_fields, heap_check_fields;
extern const struct fields threads_fields, thread_fields;
extern const struct fields moment_fields, timeline_fields, layout_fields;
extern const struct fields digest_fields, digest_stack_fields, digest_damage_fields;
/* Documents of tables, and their rows. */
extern const struct fields document_fields, note_fields;
extern const struct fields size_document_fields, file_fields, omitted_fields;
extern const struct fields diff_document_fields, padded_fields, diff_section_fields;
extern const struct fields diff_row_fields, cause_fields, came_in_fields, budget_document_fields;
extern const struct fields heap_document_fields, stack_row_fields;

/* All objects in the order of docs/json.md. NULL ends the list. */
extern const struct fields *const all_fields[];
