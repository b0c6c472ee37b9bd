/* Writes facts about a heap as one line of JSON. */
#include "holders/digest.h"
#include "report/all_fields.h"
#include "report/heap_report.h"

#include "base/filename.h"

/* Returns the command's program. Omits the arguments, which may be secrets. */
static struct str digest_program(struct field_at *at)
{
	const char *command = ((const struct heap_digest *)at->of)->info.of.command;
	return file_name_str((struct str){ command, strcspn(command, " ") });
}

#define DAMAGE(m) FIELD(struct digest_damage, m)
static const struct field digest_damage_list[] = {
	{ KEY("kind", "as of `heft heap check`"), FIELD_AS(FIELD_WORD, struct digest_damage, kind),
	  FIELD_WORDS(heap_damage_words) },
	{ KEY("holder", "the frame that asked for the block. Missing if it is unknown"),
	  DAMAGE(holder), .flags = FIELD_ANY },
	{ KEY("count", "how often"), DAMAGE(count) },
};
#undef DAMAGE
const struct fields digest_damage_fields = FIELDS("digest damage", digest_damage_list);

#define STACK(m) FIELD(struct digest_stack, m)
static const struct field digest_stack_list[] = {
	{ KEY("hash", "FNV-1a, 64 bits, over the texts of all frames with a NUL after each"),
	  FIELD_AS(FIELD_HASH, struct digest_stack, hash) },
	{ KEY("live_bytes", "bytes that the stack holds"), STACK(live_bytes) },
	{ KEY("live_blocks", "blocks that the stack holds"), STACK(live) },
	{ KEY("frames", "`module!function`, else `module+0xADDRESS`, `?` without a module; "
			"innermost first, at most 8"),
	  FIELD_LIST(FIELD_TEXTS, struct digest_stack, frames, frame_count) },
};
#undef STACK
const struct fields digest_stack_fields = FIELDS("digest stack", digest_stack_list);

#define DIGEST(m)    FIELD(struct heap_digest, m)
#define DIGEST_IF(m) FIELD_IF(struct heap_digest, m)
static const struct field digest_list[] = {
	SCHEMA_1,
	FIELD_HEFT,
	{ KEY("core", "name of the dump's file"), DIGEST(core) },
	{ KEY("kind", "kind of the dump, in words"), DIGEST(info.of.kind) },
	{ KEY("program", "name of the program, without arguments"), .get = digest_program },
	{ KEY("signal", "number of the signal that ended the process; 0: none"),
	  DIGEST(info.of.signal) },
	{ KEY("recorded", "the recorder's pages are there"), DIGEST(info.of.recorded) },
	{ KEY("sample", "one block in so many bytes is recorded; 0: every one"),
	  DIGEST(info.of.sample) },
	{ KEY("missing", "bytes that the dump lost at its end"), DIGEST(info.of.missing) },
	{ KEY("signature", "hash of the three stacks that hold most, whatever their order"),
	  FIELD_AS(FIELD_HASH, struct heap_digest, signature) },
	{ KEY("live_bytes",
	      "bytes that were asked for and not freed. Null if not all that is live is known"),
	  DIGEST(info.of.live_bytes), .flags = FIELD_NULL, DIGEST_IF(info.of.live_known) },
	{ KEY("live_blocks", "blocks that were not freed. Null if not all that is live is known"),
	  DIGEST(info.of.live), .flags = FIELD_NULL, DIGEST_IF(info.of.live_known) },
	{ KEY("unknown", "why not all that is live is known. Missing if there is none"),
	  DIGEST(info.of.unknown), .flags = FIELD_ANY },
	{ KEY("lacks", "why memory that the program may have written is not in the dump. Missing "
		       "if there is none"),
	  DIGEST(info.of.lacks), .flags = FIELD_ANY },
	{ KEY("leaked_bytes",
	      "bytes of blocks that no pointer leads to. Null if the dump cannot tell"),
	  DIGEST(leaked_bytes), .flags = FIELD_NULL, DIGEST_IF(knows_leaks) },
	{ KEY("leaked_blocks", "how many blocks these are. Null if the dump cannot tell"),
	  DIGEST(leaked), .flags = FIELD_NULL, DIGEST_IF(knows_leaks) },
	{ KEY("allocators", "allocators whose memory heft cannot read, with their modules. Missing "
			    "if there is none"),
	  DIGEST(info.of.allocators), .flags = FIELD_ANY },
	{ KEY("parts", "bytes of the heap's memory"),
	  FIELD_AS(FIELD_SUMS, struct heap_digest, info.parts), FIELD_WORDS(heap_part_names) },
	{ KEY("pinned_pages", "pages that blocks hold less than a quarter of"),
	  DIGEST(info.of.pinned_pages) },
	{ KEY("pinned_bytes", "free bytes of these pages"), DIGEST(info.of.pinned_bytes) },
	{ KEY("damage", "one entry for each kind and holder"),
	  FIELD_LIST(FIELD_STRUCTS, struct heap_digest, damages.data, damages.count),
	  .stride = sizeof(struct digest_damage), .of = &digest_damage_fields },
	{ KEY("stacks", "the stacks that hold most, at most 10"),
	  FIELD_LIST(FIELD_STRUCTS, struct heap_digest, stacks, stack_count),
	  .stride = sizeof(struct digest_stack), .of = &digest_stack_fields },
};
#undef DIGEST
#undef DIGEST_IF
const struct fields digest_fields = FIELDS("digest", digest_list);

void out_heap_digest(const struct heap_digest *d, struct sink *s)
{
	ASSERT(d->stack_count <= DIGEST_STACKS && d->core != NULL);
	fields_line(s, &digest_fields, d);
}
