/* Which lines are shown, and of what kind they are. */

/* Texts of these are no names, and are looked through when somebody asks for them. */
const CODE_COLUMN = "disassembly", NO_NAMES = [CODE_COLUMN, "flags"];

function escapeRegex(text) {
	return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/* Small letters find large ones as well. */
function pattern(text, isRegex) {
	return new RegExp(isRegex ? text : escapeRegex(text), /\p{Lu}/u.test(text) || isRegex ? "gm" : "gmi");
}

/* found[text] for all texts of the book; the last few answers are kept. */
function textsWith(book, regex) {
	const key = regex.flags + regex.source;
	book.answers ||= new Map();
	if (!book.answers.has(key)) {
		if (book.answers.size >= 4)
			book.answers.delete(book.answers.keys().next().value);
		book.answers.set(key, book.texts.search(regex));
	}
	return book.answers.get(key);
}

/* By number in the dictionary: does the label match. */
function labelsWith(column, texts) {
	const found = new Uint8Array(column.count);
	for (let i = 0; i < column.count; i++)
		found[i] = texts[column.labels[i]];
	return found;
}

function stepsWith(stacks, texts) {
	const found = new Uint8Array(stacks.steps);
	for (let i = 1; i < stacks.steps; i++)
		found[i] = found[stacks.parent[i]] | texts[stacks.part(stacks.frame[i], FRAME_FUNCTION)];
	return found;
}

const marks = new Turns(Uint8Array);

/* 1 in each line that has a label with it. */
function linesWith(book, tab, columns, regex) {
	const texts = textsWith(book, regex), found = marks.take(tab.lines).fill(0);
	for (const column of columns) {
		const known = column.stack ? stepsWith(tab.stacks, texts) : labelsWith(column, texts);
		if (!known.includes(0))
			return found.fill(1);
		if (known.includes(1))
			markLines(found, column.stack ? tab.stacks.lines : column.lines, known);
	}
	return found;
}

function markLines(found, lines, known) {
	for (let i = 0; i < found.length; i++)
		found[i] |= known[lines[i]];
}

/* 1 for each line that a filter lets through, null where it is all; throws where an expression is wrong. */
function filterLines(book, tab, filter, measure) {
	const columns = filter.in === "" ? tab.columns.filter(c => !NO_NAMES.includes(c.name)) : [tab.columns[filter.in]];
	if (!filter.with && !filter.without && filter.kind === "" && !filter.flag && !filter.least && !filter.nodebug)
		return null;
	const wanted = pattern(filter.with, filter.regex), unwanted = pattern(filter.without, filter.regex);
	const passes = filter.with ? linesWith(book, tab, columns, wanted) : marks.take(tab.lines).fill(1);
	if (filter.without)
		dropLines(passes, linesWith(book, tab, columns, unwanted));
	if (filter.kind !== "" && tab.kindColumn)
		keepKind(passes, tab.kindColumn.lines, kindsOf(book, tab.kindColumn), +filter.kind);
	if (filter.nodebug && tab.kindColumn)
		dropKind(passes, tab.kindColumn.lines, kindsOf(book, tab.kindColumn), DEBUG_INFO);
	if (filter.flag)
		keepFlag(passes, book, tab, filter.flag);
	if (filter.least > 0)
		keepLarge(passes, measure, filter.least);
	return passes;
}

function dropLines(passes, dropped) {
	for (let i = 0; i < passes.length; i++)
		passes[i] &= 1 - dropped[i];
}

function keepKind(passes, lines, kinds, kind) {
	for (let i = 0; i < passes.length; i++)
		if (kinds[lines[i]] !== kind)
			passes[i] = 0;
}

function dropKind(passes, lines, kinds, kind) {
	for (let i = 0; i < passes.length; i++)
		if (kinds[lines[i]] === kind)
			passes[i] = 0;
}

const FLAG_GLUE = ", ";

/* The words of the column of flags, each once. */
function flagsOf(book, tab) {
	const column = tab.columns.find(c => c.name === "flags");
	if (!column)
		return [];
	column.words ||= Array.from(column.labels, text => book.texts.get(text).split(FLAG_GLUE));
	return [...new Set(column.words.flat())].filter(Boolean).sort(compareTexts);
}

function keepFlag(passes, book, tab, flag) {
	const column = tab.columns.find(c => c.name === "flags"), has = Uint8Array.from(column.words, words => words.includes(flag) ? 1 : 0);
	for (let i = 0; i < passes.length; i++)
		passes[i] &= has[column.lines[i]];
}

function keepLarge(passes, { now, base }, least) {
	for (let i = 0; i < passes.length; i++)
		if (now[i] < least && !(base && base[i] >= least))
			passes[i] = 0;
}

/* ---- kinds of sections -------------------------------------------------------------------------- */

const KINDS = ["code", "constants", "data", "zeroed data", "unwinding", "relocations", "symbols", "debug info", "other"], DEBUG_INFO = 7;
/* Names of sections as ELF, Mach-O (behind the segment), PE, WebAssembly and scripts of firmware have them. */
const KIND_RULES = [
	[/debug(?!(alt)?link)|^\.gdb_index|^\.stab|^__DWARF|^\.BTF/, 7],
	[/^\.?_*(eh_frame|gcc_except|ARM\.ex|unwind|compact_unwind|orc_|[px]data\b)/, 4],
	[/^\.(rela?|relr|reloc|idata)\b|^\.(got|plt)|^__(auth_)?(got|stub)|_symbol_ptr|^(Rebase|(Lazy |Weak )?Binding|Chained Fixups)|^Import$/, 5],
	[/^[._]+go(pclntab|symtab)|^\.(symtab|strtab|dynsym|dynstr|shstrtab|gnu\.(hash|version)|hash|gnu_hash|edata)|^\.dynamic|^__ksym|(Symbol|String) Table$|^Export|^Function Start|^name$/, 6],
	[/bss(\.|$)|^COMMON|^__common|noinit|^\._?(user_)?(heap|stack)/, 3],
	[/rodata|^[._]rdata|^\.(data\.rel\.ro|(pre)?init_array|fini_array|ctors|dtors|note|interp|const|rsrc|literal)|^[._]+(typelink|itablink)|vectors?\b|vector_table|^__(const|cstring|ustring|literal|cfstring|objc_(meth|class)name|mod_init|oslogstring)/i, 1],
	[/^__(versions|mcount|jump_table|bug_table|ex_table|param|modver|dyndbg|tracepoints|bpf_raw|kcrctab|trace_printk|patchable)|^_ftrace|^\.(modinfo|altinstructions|parainstructions|smp_locks|ibt_endbr|static_call|\w+_sites)/, 1],
	[/ram_?(func|text|code)|altinstr_/i, 0],
	[/([._]|^)[lst]?(noptr)?data|^\.tm_clone|ccm|dtcm|[._](backup_)?s?d?ram\b|^__(DATA|objc|thread)|^Data$/, 2],
	[/[._]text\b|^\.(text|init|fini|itcm|boot\d?)\b|^Code$/i, 0],
];

function kindOf(text) {
	const name = text.replace(/^__(?!DWARF)\w+,/, "");
	const rule = KIND_RULES.find(([regex]) => regex.test(name));
	return rule ? rule[1] : 8;
}

function kindsOf(book, column) {
	column.kinds ||= Uint8Array.from(column.labels, text => kindOf(book.texts.get(text)));
	return column.kinds;
}

const kindSums = new Float64Array(KINDS.length);

/* The kind that most of a node is of. */
function kindOfNode(node, tab, book, m) {
	if (node.kindBy === m)
		return node.kind;
	const kinds = kindsOf(book, tab.kindColumn), { lines } = tab.kindColumn, { order } = node.tree;
	const values = tab.measures[m].now, step = Math.max(1, Math.floor((node.end - node.start) / 4096));
	const sums = kindSums.fill(0);
	for (let i = node.start; i < node.end; i += step)
		sums[kinds[lines[order[i]]]] += values[order[i]] + 1e-9;
	node.kind = 0;
	node.kindBy = m;
	for (let k = 1; k < sums.length; k++)
		if (sums[k] > sums[node.kind])
			node.kind = k;
	return node.kind;
}
