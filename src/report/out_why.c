/* Writes why symbols are in a program, as text, JSON or lines of fields. */
#include "report/all_fields.h"
#include "report/pss.h"

#define REFERENCE(m) FIELD(struct heft_reference, m), .flags = FIELD_CSV
static const struct field reference_list[] = {
	{ KEY("from", "the symbol that refers, or `data of` a function; empty for a root"),
	  REFERENCE(from) },
	{ KEY("to", "the symbol that is referred to"), REFERENCE(to) },
	{ KEY("kind", "`call`, `jump`, `address`, `access`, `relocation`, `pointer`, `word`, "
		      "`number`, `personality`, `type`, `part` or `indirect call`; of a root, why "
		      "it is one"),
	  REFERENCE(kind) },
	{ KEY("count", "number of references"), REFERENCE(count) },
	{ KEY("place", "address of the first reference of this kind. Missing if it has none"),
	  FIELD(struct heft_reference, place), .flags = FIELD_CSV | FIELD_ADDRESS },
	{ KEY("file", "source of the place. Missing if unknown"),
	  FIELD(struct heft_reference, file), .flags = FIELD_ANY },
	{ KEY("line", "line of the place. Missing if unknown"), FIELD(struct heft_reference, line),
	  .flags = FIELD_ANY },
};
const struct fields reference_fields = FIELDS("reference", reference_list);
static const struct field kept_list[] = {
	{ KEY("name", "a section or a symbol"), FIELD(struct heft_kept, name) },
	{ KEY("file", "bytes of it in the file that would go"), FIELD(struct heft_kept, file) },
	{ KEY("vm", "bytes of it in the VM image that would go"), FIELD(struct heft_kept, vm) },
};
const struct fields kept_fields = FIELDS("kept", kept_list);

#define WHY(m) FIELD(struct heft_why, m)
#define WHY_LIST(m, count, fields)                                                                 \
	FIELD_LIST(FIELD_STRUCTS, struct heft_why, m, count), .of = &(fields),                     \
		.stride = sizeof *((struct heft_why *)0)->m
static const struct field why_list[] = {
	{ KEY("name", "the symbol, in the style of `-C`"), WHY(name), .flags = FIELD_CSV },
	{ KEY("address", "VM address. Missing if the symbol has no bytes in memory"), WHY(addr),
	  .flags = FIELD_CSV | FIELD_ADDRESS },
	{ KEY("own_file", "its own bytes in the file"), WHY(own.file), .flags = FIELD_CSV },
	{ KEY("own_vm", "its own bytes in the VM image"), WHY(own.vm), .flags = FIELD_CSV },
	{ KEY("retained_file", "bytes in the file that would go with it"), WHY(retained.file),
	  .flags = FIELD_CSV },
	{ KEY("retained_vm", "bytes in the VM image that would go with it"), WHY(retained.vm),
	  .flags = FIELD_CSV },
	{ KEY("chain", "the shortest chain of references from a root to the symbol. Empty if no "
		       "root reaches it"),
	  WHY_LIST(chain, chain_count, reference_fields) },
	{ KEY("unseen", "kinds of references that heft may not see in this program, if no root "
			"reaches the symbol. Missing if there are none"),
	  WHY(unseen), .flags = FIELD_ANY },
	{ KEY("all_users", "number of symbols that refer to it"), WHY(all_users),
	  .flags = FIELD_CSV },
	{ KEY("users", "64 symbols that refer to it"),
	  WHY_LIST(users, user_count, reference_fields) },
	{ KEY("sections", "what would go with it, by section"),
	  WHY_LIST(sections, section_count, kept_fields) },
	{ KEY("all_parts", "number of symbols that would go with it"), WHY(all_parts) },
	{ KEY("parts", "the 16 largest symbols that would go with it"),
	  WHY_LIST(parts, part_count, kept_fields) },
};
const struct fields why_fields = FIELDS("why", why_list);

/* Writes a reference: its kind, the symbol, and the place. */
static void why_put_reference(struct sink *s, const struct heft_reference *r, const char *name)
{
	label_printf(s, "    %-16s %s", r->kind, name);
	if (r->count > 1)
		label_printf(s, ", %" PRIu64 " times", r->count);
	if (*r->file)
		label_printf(s, "  at %s", r->file);
	if (*r->file && r->line > 0)
		label_printf(s, ":%" PRIu32, r->line);
	if (!*r->file && *r->from)
		label_printf(s, "  at 0x%" PRIx64, r->place);
	sink_text(s, STR("\n"));
}

static void why_put_kept(struct sink *s, const struct heft_kept *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		label_printf(s, "    %9s  %s\n", shown_size(list[i].vm).p,
			     *list[i].name ? list[i].name : "headers");
}

static void why_text(const struct heft_why *why, struct sink *s)
{
	label_printf(s, "%s\n", why->name);
	label_printf(s, "  own       %s in memory, %s in the file\n", shown_size(why->own.vm).p,
		     shown_size(why->own.file).p);
	label_printf(s, "  retains   %s in memory, %s in the file\n",
		     shown_size(why->retained.vm).p, shown_size(why->retained.file).p);
	if (why->chain_count > 0)
		label_printf(s, "  chain from a root\n");
	else if (*why->unseen)
		label_printf(s,
			     "  no reference from a root was found; not looked at: %s, and jumps "
			     "through computed numbers\n",
			     why->unseen);
	else
		label_printf(s, "  not reached from any root: it is dead, unless code jumps to it "
				"through a computed number\n");
	for (size_t i = 0; i < why->chain_count; i++)
		why_put_reference(s, &why->chain[i], why->chain[i].to);
	if (why->all_users > 0)
		label_printf(s, "  referred to by %" PRIu64 "\n", why->all_users);
	for (size_t i = 0; i < why->user_count; i++)
		why_put_reference(s, &why->users[i], why->users[i].from);
	if (why->all_users > why->user_count)
		label_printf(s, "    and %" PRIu64 " more\n", why->all_users - why->user_count);
	sink_text(s, STR("  retained in memory, by section\n"));
	why_put_kept(s, why->sections, why->section_count);
	label_printf(s, "  retained in memory, by symbol (%" PRIu64 ")\n", why->all_parts);
	why_put_kept(s, why->parts, why->part_count);
}

/* Writes an object as JSON or as a line. False for other formats. */
static bool why_put_fields(const struct fields *f, const void *of,
			   const struct heft_write_opts *opts, struct sink *s)
{
	struct record r;
	if (record_has(opts->format)) {
		record_open(&r, s, opts, of == NULL);
		record_fields(&r, f, of, NULL);
		record_close(&r);
	} else if (of && opts->format == HEFT_JSON) {
		fields_line(s, f, of);
	}
	return opts->format != HEFT_TABLE;
}

void out_why(const struct heft_why *why, const struct heft_write_opts *opts, struct sink *s)
{
	ASSERT(!why || why->chain_count == 0 || why->chain);
	if (!why_put_fields(&why_fields, why, opts, s) && why)
		why_text(why, s);
}

void out_reference(const struct heft_reference *r, const struct heft_write_opts *opts,
		   struct sink *s)
{
	if (!why_put_fields(&reference_fields, r, opts, s) && r)
		label_printf(s, "%s -> %s: %s at 0x%" PRIx64 "\n", r->from, r->to, r->kind,
			     r->place);
}
