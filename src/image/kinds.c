/* Recognizes the format of a file by its first bytes. Tells which uses the format supports. */
#include "image/kinds.h"

#include "base/text.h"
#include "base/unpack.h"
#include "image/elf/elf_const.h"
#include "image/input.h"
#include "image/linkmap_image.h"
#include "image/macho/macho.h"
#include "package/dex.h"
#include "package/pak.h"
#include "image/pe/pe.h"
#include "image/wasm/wasm.h"
#include <ctype.h>

#define FOR(use)   (1u << (use))
#define FOR_IMAGES (FOR(USE_SIZE) | FOR(USE_INFO) | FOR(USE_SYMBOLS) | FOR(USE_WHERE))
#define FOR_CODE                                                                                   \
	(FOR(USE_BLOCKS) | FOR(USE_BLOCK_MAP) | FOR(USE_PROFILE) | FOR(USE_STACK) |                \
	 FOR(USE_DEBUG_FILE) | FOR(USE_WHY) | FOR(USE_ADVICE))
#define READS_SYMBOLS "heft report, query and diff read it"

static const struct {
	const char *one, *many;
	unsigned uses;      /* Bits, made by FOR(), of the uses that read the kind */
	const char *advice; /* Advice for commands that cannot read the kind, or NULL */
} kinds[KIND_COUNT] = {
	[KIND_PROGRAM] = { "a program or library", "programs", FOR_IMAGES | FOR_CODE },
	[KIND_OBJECT] = { "an object", "objects",
			  FOR_IMAGES | (FOR_CODE & ~(FOR(USE_STACK) | FOR(USE_PROFILE))) },
	[KIND_ARCHIVE] = { "an archive", "archives",
			   FOR_IMAGES | FOR(USE_BLOCKS) | FOR(USE_ADVICE) },
	[KIND_UNIVERSAL] = { "a universal file", NULL, FOR_IMAGES | FOR_CODE },
	[KIND_CORE] = { "a core", "cores", FOR_IMAGES | FOR(USE_BLOCKS) | FOR(USE_HEAP) },
	[KIND_CORE_HEADERS] = { "a core of another system", NULL, FOR_IMAGES },
	[KIND_LINKER_MAP] = { "a linker map", "linker maps",
			      FOR(USE_SIZE) | FOR(USE_SYMBOLS) | FOR(USE_WHERE) | FOR(USE_MAP) },
	[KIND_PACKAGE] = { "a zip file", "zip files", FOR(USE_SYMBOLS), READS_SYMBOLS },
	[KIND_DEX] = { "a dex file", "dex files", FOR(USE_SYMBOLS), READS_SYMBOLS },
	[KIND_PAK] = { "a data pack", "data packs", FOR(USE_SYMBOLS), READS_SYMBOLS },
	[KIND_SIZE] = { "a .size file", ".size files", FOR(USE_SYMBOLS), READS_SYMBOLS },
	[KIND_SIZEDIFF] = { "a .sizediff file", ".sizediff files", FOR(USE_SYMBOLS),
			    READS_SYMBOLS },
	[KIND_RECORDING] = { "a recording of a heap", "recordings", FOR(USE_WHERE) | FOR(USE_HEAP),
			     "heft heap show reads it" },
	[KIND_SAMPLES] = { "a perf.data file", "perf.data files", FOR(USE_SAMPLES),
			   "heft blocks profile PROGRAM --perf=FILE reads it" },
	[KIND_PDB] = { "a PDB, the debug info of a program", "PDBs", FOR(USE_DEBUG_FILE),
		       "give the program, and the PDB with --debug-file" },
	[KIND_DATABASE] = { "an SQLite database", NULL, 0, "heft history page shows a history" },
	[KIND_FOREIGN] = { NULL, NULL, 0 },
	[KIND_UNKNOWN] = { "of no kind that heft knows", NULL, 0 },
};

static const struct {
	const char *reads, *more;
} uses[USE_COUNT] = {
	[USE_SIZE] = { "heft reads sizes from", "" },
	[USE_INFO] = { "heft info and advise read", "" },
	[USE_SYMBOLS] = { "heft reads symbols from", "" },
	[USE_WHERE] = { "heft where reads", ", and raw memory with --base" },
	[USE_WHY] = { "heft why reads", ", and members of archives, such as 'libx.a(y.o)'" },
	[USE_ADVICE] = { "heft advise reads", "" },
	[USE_BLOCKS] = { "heft blocks reads", "" },
	[USE_BLOCK_MAP] = { "heft blocks reads the map of", "" },
	[USE_PROFILE] = { "heft counts samples for", "" },
	[USE_STACK] = { "heft stack reads", "" },
	[USE_HEAP] = { "heft heap reads", ", and raw memory with --base" },
	[USE_DEBUG_FILE] = { "--debug-file takes", "" },
	[USE_MAP] = { "--map takes", " of GNU ld, gold, lld, mold, ld64 and MSVC" },
	[USE_SAMPLES] = { "--perf takes", "" },
};

static bool elf_is_of(struct bytes b, uint16_t type)
{
	if (!elf_matches(b) || b.size < EI_NIDENT + 2)
		return false;
	struct reader r = reader_at(b, b.p[EI_DATA] == ELFDATA2MSB, EI_NIDENT);
	return read_u16(&r) == type;
}

static bool is_elf_core(struct bytes b)
{
	return elf_is_of(b, ET_CORE);
}

static bool is_elf_object(struct bytes b)
{
	return elf_is_of(b, ET_REL);
}

/* True for a Mach-O file of this filetype. mach_header: magic, cputype, cpusubtype, filetype
 * (<mach-o/loader.h>). */
static bool macho_is_of(struct bytes b, uint32_t type)
{
	struct reader r = reader_at(b, b.size > 0 && b.p[0] == 0xfe, 12);
	return macho_matches(b) && read_u32(&r) == type;
}

static bool is_macho_object(struct bytes b)
{
	enum { MH_OBJECT = 1 };
	return macho_is_of(b, MH_OBJECT);
}

static bool is_macho_core(struct bytes b)
{
	enum { MH_CORE = 4 };
	return macho_is_of(b, MH_CORE);
}

/* True if b begins with `first` and then `pairs` pairs of hexadecimal digits. */
static bool begins_with_hex(struct bytes b, const char *first, size_t pairs)
{
	const size_t head = strlen(first), size = head + 2 * pairs;
	if (b.size < size || memcmp(b.p, first, head) != 0)
		return false;
	for (size_t i = head; i < size; i++)
		if (!isxdigit(b.p[i]))
			return false;
	return true;
}

/* True for an Intel HEX file. A record has at least five bytes. */
static bool is_intel_hex(struct bytes b)
{
	return begins_with_hex(b, ":", 5);
}

/* True for a file of S-records. A record has at least four bytes after its type. */
static bool is_s_records(struct bytes b)
{
	return b.size > 2 && b.p[1] >= '0' && b.p[1] <= '3' &&
	       begins_with_hex(b, (const char[]){ 'S', (char)b.p[1], '\0' }, 4);
}

/* True for an image for Espressif's boot loaders. Such an image begins with 0xe9, the count of its
 * segments and the mode of its flash. */
static bool is_esp_image(struct bytes b)
{
	enum { HEADER = 24, SEGMENTS_MAX = 16, MODE_MAX = 3 };
	return b.size > HEADER && b.p[0] == 0xe9 && b.p[1] > 0 && b.p[1] <= SEGMENTS_MAX &&
	       b.p[2] <= MODE_MAX;
}

#define ELF_PROGRAM "give heft the ELF program that it was made from"
#define AT(bytes)   .magic = { bytes, sizeof(bytes) - 1, 0 }

/* Formats. The first match is used. Formats with a magic come first. */
static const struct file_format formats[] = {
	{ KIND_CORE, .packs = true, .matches = is_elf_core, .parse = elf_parse },
	{ KIND_OBJECT, .packs = true, .matches = is_elf_object, .parse = elf_parse },
	{ KIND_PROGRAM, .packs = true, .matches = elf_matches, .parse = elf_parse },
	{ KIND_ARCHIVE, "a WebAssembly component", .packs = true, .matches = component_matches,
	  .open = component_parse },
	{ KIND_PROGRAM, .packs = true, .matches = wasm_matches, .parse = wasm_parse },
	{ KIND_CORE_HEADERS, "a Mach-O core", .packs = true, .matches = is_macho_core,
	  .parse = macho_parse },
	{ KIND_OBJECT, .packs = true, .matches = is_macho_object, .parse = macho_parse },
	{ KIND_PROGRAM, .packs = true, .matches = macho_matches, .parse = macho_parse },
	{ KIND_PROGRAM, .packs = true, .matches = pe_matches, .parse = pe_parse },
	{ KIND_OBJECT, .packs = true, .matches = import_matches, .parse = import_parse },
	{ KIND_ARCHIVE, .packs = true, .matches = ar_matches, .open = ar_parse },
	{ KIND_UNIVERSAL, .packs = true, .matches = fat_matches, .open = fat_parse },
	{ KIND_PACKAGE, AT("PK\x03\x04") },
	{ KIND_DEX, .matches = dex_matches },
	{ KIND_SIZEDIFF, AT("# Created by //tools/binary_size\nDIFF\n") },
	{ KIND_SIZE, .packs = true, AT("# Created by //tools/binary_size\n") },
	/* Magic of struct heap_page (heap/block.h): words of 8 and 4 bytes in both byte orders. */
	{ KIND_RECORDING, .packs = true, AT("\x08\npaehR\x9e") },
	{ KIND_RECORDING, .packs = true, AT("\x04\npaehR\x9e") },
	{ KIND_RECORDING, .packs = true, AT("\x9eRheap\n\x08") },
	{ KIND_RECORDING, .packs = true, AT("\x9eRheap\n\x04") },
	{ KIND_SAMPLES, AT("PERFILE2") },
	{ KIND_SAMPLES, AT("2ELIFREP") },
	{ KIND_PDB, AT("Microsoft C/C++ MSF 7.00\r\n\x1a"
		       "DS\0\0") },
	{ KIND_DATABASE, AT("SQLite format 3\0") },
	{ KIND_FOREIGN, "a Java class", AT("\xca\xfe\xba\xbe") },
	{ KIND_FOREIGN, "a DOS program", AT("MZ") },
	{ KIND_FOREIGN, "LLVM bitcode", AT("BC\xc0\xde") },
	{ KIND_FOREIGN, "LLVM bitcode", AT("\xde\xc0\x17\x0b") },
	{ KIND_FOREIGN, "gzip-compressed", AT("\x1f\x8b") },
	{ KIND_FOREIGN, "bzip2-compressed", .advice = "unpack it", AT("BZh") },
	{ KIND_FOREIGN, "zstd-compressed", AT("\x28\xb5\x2f\xfd") },
	{ KIND_FOREIGN, "lz4-compressed", AT("\x04\x22\x4d\x18") },
	{ KIND_FOREIGN, "xz-compressed",
	  AT("\xfd"
	     "7zXZ") },
	{ KIND_FOREIGN, "a script", AT("#!") },
	{ KIND_FOREIGN, "a minidump of Windows, Breakpad or Crashpad", AT("MDMP") },
	{ KIND_FOREIGN, "a dump of a Windows kernel", AT("PAGEDU64") },
	{ KIND_FOREIGN, "a dump of a Windows kernel", AT("PAGEDUMP") },
	{ KIND_FOREIGN, "an old user dump of Windows", AT("USERDU64") },
	{ KIND_FOREIGN, "an old user dump of Windows", AT("USERDUMP") },
	{ KIND_FOREIGN, "a hibernation file of Windows", AT("hibr") },
	{ KIND_FOREIGN, "a hibernation file of Windows", AT("HIBR") },
	{ KIND_FOREIGN, "a kernel dump of makedumpfile (kdump)", AT("KDUMP   ") },
	{ KIND_FOREIGN, "a kernel dump (diskdump)", AT("DISKDUMP") },
	{ KIND_FOREIGN, "a kernel dump of makedumpfile, flattened", .advice = "makedumpfile -R",
	  AT("makedumpfile") },
	{ KIND_FOREIGN, "the memory of a machine, by LiME", AT("EMiL") },
	{ KIND_FOREIGN, "the memory of a machine, by AVML", AT("AVML") },
	{ KIND_FOREIGN, "the state of a QEMU machine", AT("QEVM") },
	{ KIND_FOREIGN, "the state of a VMware machine", AT("\xd1\xba\xd1\xba") },
	{ KIND_FOREIGN, "the state of a VMware machine", AT("\xd2\xbe\xd2\xbe") },
	{ KIND_FOREIGN, "the state of a VirtualBox machine", AT("\x7fVirtualBox SavedState") },
	{ KIND_FOREIGN, "a heap dump of a Java VM", AT("JAVA PROFILE 1.0.") },
	{ KIND_FOREIGN, "a heap dump of Go's runtime", AT("go1.7 heap dump\n") },
	{ KIND_FOREIGN, "a heap profile of an allocator", "pprof reads it", AT("heap profile:") },
	{ KIND_FOREIGN, "a heap profile of jemalloc", "jeprof reads it", AT("heap_v2/") },
	{ KIND_FOREIGN, "a UEFI firmware volume", "give heft the programs in it",
	  .magic = { "_FVH", 4, 40 } },
	{ KIND_FOREIGN, "a TE image of UEFI", "give heft the program that it was made from",
	  AT("VZ\x64\x86") },
	{ KIND_FOREIGN, "a TE image of UEFI", "give heft the program that it was made from",
	  AT("VZ\x64\xaa") },
	{ KIND_FOREIGN, "a UF2 file", ELF_PROGRAM, AT("UF2\n\x57\x51\x5d\x9e") },
	{ KIND_OBJECT, .packs = true, .matches = coff_matches, .begins = coff_begins,
	  .parse = coff_parse },
	{ KIND_PAK, .matches = pak_matches },
	{ KIND_FOREIGN, "an Intel HEX file", ELF_PROGRAM, .matches = is_intel_hex },
	{ KIND_FOREIGN, "a file of S-records", ELF_PROGRAM, .matches = is_s_records },
	{ KIND_FOREIGN, "an image for Espressif's boot loader", ELF_PROGRAM,
	  .matches = is_esp_image },
	{ KIND_LINKER_MAP, .packs = true, .matches = linkmap_begins, .open = linkmap_input },
	{ KIND_UNKNOWN },
};

/* Returns the format of a file. `head`: `b` is only the beginning of the file. */
static const struct file_format *format_find(struct bytes b, bool head)
{
	const struct file_format *f = formats;
	for (; f->kind != KIND_UNKNOWN; f++)
		if (head && f->begins ? f->begins(b)
		    : f->matches      ? f->matches(b)
				      : b.size >= (uint64_t)f->magic.off + f->magic.size &&
					   memcmp(b.p + f->magic.off, f->magic.bytes,
						  f->magic.size) == 0)
			break;
	ASSERT(f < formats + COUNT_OF(formats));
	return f;
}

const struct file_format *file_format_of_plain(struct bytes b)
{
	return format_find(b, false);
}

const struct file_format *file_format_of(struct bytes b, bool *ret_packed)
{
	enum unpack_method method;
	uint8_t head[4096];
	const struct file_format *f = NULL;
	if (unpack_guess(b, &method))
		f = format_find((struct bytes){ head, unpack_head(method, b, head, sizeof head) },
				true);
	const bool packed = f && f->packs;
	if (ret_packed)
		*ret_packed = packed;
	return packed ? f : file_format_of_plain(b);
}

bool file_format_serves(const struct file_format *f, enum file_use use)
{
	ASSERT(f->kind < KIND_COUNT && use < USE_COUNT);
	return kinds[f->kind].uses & FOR(use);
}

bool file_format_refuse(const struct file_format *f, enum file_use use, const char *path,
			uint64_t size, struct heft_err *err)
{
	enum { SIZE_MIN = 4 };
	const bool known = f->kind != KIND_UNKNOWN, tiny = !known && size < SIZE_MIN;
	const bool firmware = !known && str_ends(str_of(path), STR(".bin"));
	const char *one = f->one ? f->one : kinds[f->kind].one;
	const char *advice = firmware    ? "if it is firmware, " ELF_PROGRAM
			     : f->advice ? f->advice
					 : kinds[f->kind].advice;
	struct text list = { 0 };
	ASSERT(one && use < USE_COUNT);
	/* Lists the kinds that a use reads: "programs, objects and cores". */
	ASSERT(list.len == 0);
	size_t last = KIND_COUNT;
	for (size_t i = 0; i < KIND_COUNT; i++)
		if (kinds[i].many && kinds[i].uses & FOR(use))
			last = i;
	for (size_t i = 0; i <= last && last < KIND_COUNT; i++) {
		if (!kinds[i].many || !(kinds[i].uses & FOR(use)))
			continue;
		if (list.len > 0)
			text_add(&list, i == last ? STR(" and ") : STR(", "));
		text_add(&list, str_of(kinds[i].many));
	}
	ASSERT(list.len > 0);
	fail(err, HEFT_EUNSUPPORTED, HEFT_NO_OFFSET, "%s is %s; %s " STR_FMT "%s%s%s%s", path,
	     tiny ? "too short for any kind" : one, uses[use].reads, STR_ARG(text_str(&list)),
	     uses[use].more, advice ? " (" : "", advice ? advice : "", advice ? ")" : "");
	text_release(&list);
	return false;
}
