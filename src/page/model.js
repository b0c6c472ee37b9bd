/* Lines grouped into a tree, as deep as somebody looks.
 *
 * A hierarchy is a list of levels.  Each has a trie: the parts of its labels ("src", "map", "rows.c"),
 * and for each line the leaf it belongs to.  A node of the tree is a range of `order`, the numbers of
 * lines; opening it sorts that range by the part that comes next. */

const NO_LABEL = "[none]";

const OPENS = Uint8Array.from({ length: 128 }, (_, c) => "<({[".includes(String.fromCharCode(c)) ? 1 : 0);
const CLOSES = Uint8Array.from({ length: 128 }, (_, c) => ">)}]".includes(String.fromCharCode(c)) ? 1 : 0);

/* "a::b<c::d>::e" is a, b<c::d>, e; what begins with a bracket is heft's own and stays whole. */
function splitLabel(label, separator) {
	if (label === "" || label[0] === "[")
		return [label];
	if (separator === "/") {
		const parts = label.split("/").filter(p => p !== "");
		return label[0] === "/" ? ["/", ...parts] : parts.length ? parts : [label];
	}
	const parts = [];
	let depth = 0, start = 0;
	if (!label.includes(separator))
		return [label];
	for (let i = 0; i < label.length; i++) {
		const c = label.charCodeAt(i);
		if (OPENS[c])
			depth++;
		else if (CLOSES[c] && label[i - 1] !== "-")
			depth--;
		else if (depth === 0 && i > start && label.startsWith(separator, i)) {
			parts.push(label.slice(start, i));
			i += separator.length - 1;
			start = i + 1;
		}
	}
	parts.push(label.slice(start));
	return parts;
}

function joinLabels(a, b, separator) {
	return a === "/" ? a + b : a + (separator || " ") + b;
}

/* Nodes count from 1; 0 is the root. */
class Trie {
	constructor() {
		this.parent = [0];
		this.label = [""];
		this.depth = [0];
		this.below = [new Map()]; /* by node: what is below it, by label */
	}
	add(parent, label) {
		let id = this.below[parent].get(label);
		if (id === undefined) {
			id = this.parent.length;
			this.parent.push(parent);
			this.label.push(label);
			this.depth.push(this.depth[parent] + 1);
			this.below[parent].set(label, id);
			this.below.push(new Map());
		}
		return id;
	}
	addPath(parts) {
		let at = 0;
		for (const part of parts)
			at = this.add(at, part);
		return at;
	}
	/* A folder that holds nothing but one other folder becomes one with it; `leaves` are where labels end. */
	join(leaves, separator) {
		const count = new Uint32Array(this.parent.length), ends = new Uint8Array(this.parent.length);
		for (const leaf of leaves)
			ends[leaf] = 1;
		for (let id = 1; id < this.parent.length; id++)
			count[this.parent[id]]++;
		const joins = id => id !== 0 && count[id] === 1 && !ends[id];
		for (let id = 1; id < this.parent.length; id++) {
			const above = this.parent[id];
			if (joins(above)) {
				this.label[id] = joinLabels(this.label[above], this.label[id], separator);
				this.parent[id] = this.parent[above];
			}
			this.depth[id] = this.depth[this.parent[id]] + 1;
		}
	}
	/* The node at a depth on the way to `leaf`. */
	above(leaf, depth) {
		while (this.depth[leaf] > depth)
			leaf = this.parent[leaf];
		return leaf;
	}
}

/* One level of a hierarchy. */
class Level {
	constructor(spec, book, tab) {
		this.spec = spec;
		this.separator = spec.split;
		if (spec.stack)
			this.fromStacks(spec, book, tab);
		else if (spec.split)
			this.fromParts(spec, book);
		else
			this.fromLabels(spec, book);
		this.count = this.plain ? spec.column.count + 1 : this.trie.parent.length;
	}
	fromLabels(spec, book) {
		const labels = spec.column.labels;
		this.plain = true;
		this.lines = spec.column.lines;
		this.labelOf = id => book.texts[labels[id - 1]] || NO_LABEL;
	}
	fromParts(spec, book) {
		const column = spec.column;
		this.trie = new Trie();
		this.lines = column.lines;
		this.leaves = new Uint32Array(column.count);
		for (let i = 0; i < column.count; i++)
			this.leaves[i] = this.trie.addPath(splitLabel(book.texts[column.labels[i]] || NO_LABEL, spec.split));
		this.trie.below = null;
		this.trie.join(this.leaves, spec.split);
		this.labelOf = id => this.trie.label[id];
	}
	fromStacks(spec, book, tab) {
		const s = tab.stacks;
		this.trie = new Trie();
		this.lines = s.lines;
		this.leaves = new Uint32Array(s.steps);
		for (const step of new Set(s.lines)) {
			const parts = [];
			for (let at = step; at !== 0; at = s.parent[at]) {
				const text = book.texts[s.part(s.frame[at], spec.part)] || "?";
				if (spec.part === FRAME_FUNCTION || parts[parts.length - 1] !== text)
					parts.push(text);
			}
			if (parts.length === 0)
				parts.push("[no stack]");
			if (spec.stack === "down")
				parts.reverse();
			this.leaves[step] = this.trie.addPath(parts);
		}
		this.trie.below = null;
		this.labelOf = id => this.trie.label[id];
	}
	/* The node of a line at a depth; 0 where the line ends above. */
	node(line, depth) {
		if (this.plain)
			return depth === 1 ? this.lines[line] + 1 : 0;
		const leaf = this.leaves[this.lines[line]];
		return this.trie.depth[leaf] < depth ? 0 : this.trie.above(leaf, depth);
	}
}

class Node {
	constructor(tree, parent, label, level, depth) {
		this.tree = tree;
		this.parent = parent;
		this.label = label;
		this.level = level; /* of the hierarchy that the label is of */
		this.depth = depth; /* in that level */
		this.start = this.end = 0;
		this.others = 0;
		this.changes = 0; /* bit i: lines with change i are in it */
		this.children = null;
		this.leaf = false;
		/* Plain arrays: a hundred thousand typed ones keep the collector of garbage busy. */
		this.now = tree.nothing.slice();
		this.base = tree.diff ? tree.nothing.slice() : null;
		this.moved = tree.diff ? tree.nothing.slice() : null; /* growth and shrinkage, both counted up */
	}
	/* What the picture shows of it, and what rows are sorted by. */
	weight(m) {
		return this.base ? this.moved[m] : this.now[m];
	}
	change(m) {
		return this.base ? this.now[m] - this.base[m] : 0;
	}
	path() {
		const path = [];
		for (let n = this; n.parent; n = n.parent)
			path.unshift(n.label);
		return path;
	}
	above() {
		const list = [];
		for (let n = this; n; n = n.parent)
			list.unshift(n);
		return list;
	}
}

function saysAgain(label, below) {
	return below === label || below === `[section ${label}]`;
}

function compareTexts(a, b) {
	return a < b ? -1 : a > b ? 1 : 0;
}

class Tree {
	constructor(tab, levels, order) {
		this.tab = tab;
		this.diff = tab.diff;
		this.measures = tab.measures;
		this.nothing = tab.measures.map(() => 0);
		this.levels = levels;
		this.order = order;
		this.work = new Uint32Array(order.length);
		this.keys = new Uint32Array(order.length);
		this.offsets = [];
		let total = 0;
		for (const level of levels) {
			this.offsets.push(total);
			total += level.count;
		}
		this.slot = new Int32Array(total).fill(-1);
		this.top = new Node(this, null, "TOTAL", 0, 0);
		this.top.end = order.length;
		for (let i = 0; i < order.length; i++)
			this.count(this.top, order[i]);
	}
	count(node, line) {
		for (let m = 0; m < this.measures.length; m++) {
			const now = this.measures[m].now[line];
			node.now[m] += now;
			if (node.base) {
				const base = this.measures[m].base[line];
				node.base[m] += base;
				node.moved[m] += Math.abs(now - base);
			}
		}
		node.others += this.tab.othersOf[line];
		if (this.tab.changeOf)
			node.changes |= 1 << this.tab.changeOf[line];
	}
	/* Where a line goes below a node: its number among all nodes of all levels, or -1. */
	key(line, level, depth) {
		for (; level < this.levels.length; level++, depth = 0) {
			const id = this.levels[level].node(line, depth + 1);
			if (id !== 0)
				return this.offsets[level] + id;
		}
		return -1;
	}
	childOf(node, key) {
		let level = this.levels.length - 1;
		while (key < this.offsets[level])
			level--;
		const depth = level === node.level ? node.depth + 1 : 1;
		return new Node(this, node, this.levels[level].labelOf(key - this.offsets[level]), level, depth);
	}
	/* The children, in the order of first sight. */
	split(node) {
		const children = [], counts = [], touched = [];
		for (let i = node.start; i < node.end; i++) {
			const line = this.order[i], key = this.key(line, node.level, node.depth);
			if (key < 0)
				return null;
			let s = this.slot[key];
			if (s < 0) {
				s = this.slot[key] = children.length;
				touched.push(key);
				children.push(this.childOf(node, key));
				counts.push(0);
			}
			this.keys[i] = s;
			counts[s]++;
			this.count(children[s], line);
		}
		for (const key of touched)
			this.slot[key] = -1;
		this.arrange(node, children, counts);
		return children;
	}
	arrange(node, children, counts) {
		let at = node.start;
		children.forEach((child, i) => {
			child.start = child.end = at;
			at += counts[i];
		});
		for (let i = node.start; i < node.end; i++)
			this.work[children[this.keys[i]].end++] = this.order[i];
		this.order.set(this.work.subarray(node.start, node.end), node.start);
	}
	/* NULL: it is a leaf. */
	open(node) {
		if (node.children || node.leaf)
			return node.children;
		const children = node.end > node.start ? this.split(node) : null;
		/* A level that only says again what the one above says is passed over. */
		if (children && children.length === 1 && saysAgain(node.label, children[0].label) && node.parent) {
			node.level = children[0].level;
			node.depth = children[0].depth;
			return this.open(node);
		}
		node.children = children;
		node.leaf = !children;
		return children;
	}
	/* Its children as somebody sorted them: by falling weight unless `by` says otherwise. */
	sorted(node, m, by) {
		const children = this.open(node);
		if (!children || (node.sortedBy === by.key && node.sortedM === m))
			return children;
		const value = by.value || (n => n.weight(m)), down = by.up ? -1 : 1;
		for (const child of children)
			child.sortKey = by.name ? 0 : down * value(child);
		children.sort((a, b) => b.sortKey - a.sortKey || (by.name ? down : 1) * compareTexts(a.label, b.label));
		node.sortedBy = by.key;
		node.sortedM = m;
		return children;
	}
	/* Its children that weigh at least `least`, the heaviest first. */
	heaviest(node, m, least) {
		const found = (this.open(node) || []).filter(c => c.weight(m) >= least);
		return found.sort((a, b) => b.weight(m) - a.weight(m) || compareTexts(a.label, b.label));
	}
	find(path) {
		let node = this.top;
		for (const label of path) {
			const children = this.open(node);
			const child = children?.find(c => c.label === label);
			if (!child)
				break;
			node = child;
		}
		return node;
	}
}

/* ---- filters ------------------------------------------------------------------------------------ */

function escapeRegex(text) {
	return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/* Small letters find large ones as well. */
function pattern(text, isRegex) {
	return new RegExp(isRegex ? text : escapeRegex(text), /\p{Lu}/u.test(text) || isRegex ? "" : "i");
}

/* By number in the dictionary: does the label match.  Columns share texts: `known` has what was asked, 2 for yes. */
function matches(book, column, regex, known) {
	const found = new Uint8Array(column.count);
	for (let i = 0; i < column.count; i++) {
		const text = column.labels[i];
		known[text] ||= regex.test(book.texts[text]) ? 2 : 1;
		found[i] = known[text] >> 1;
	}
	return found;
}

function frameMatches(book, tab, regex) {
	const s = tab.stacks, known = new Uint8Array(s.steps);
	for (let i = 1; i < s.steps; i++)
		known[i] = known[s.parent[i]] || (regex.test(book.texts[s.part(s.frame[i], FRAME_FUNCTION)]) ? 1 : 0);
	return known;
}

function linesWith(book, tab, columns, regex) {
	const found = new Uint8Array(tab.lines), asked = new Uint8Array(book.texts.length);
	for (const column of columns) {
		const known = column.stack ? frameMatches(book, tab, regex) : matches(book, column, regex, asked);
		const lines = column.stack ? tab.stacks.lines : column.lines;
		for (let i = 0; i < tab.lines; i++)
			found[i] |= known[lines[i]];
	}
	return found;
}

/* The numbers of the lines that a filter lets through; throws where an expression is wrong. */
function filterLines(book, tab, filter, measure) {
	const columns = filter.in === "" ? tab.columns : [tab.columns[filter.in]];
	const only = filter.with ? linesWith(book, tab, columns, pattern(filter.with, filter.regex)) : null;
	const not = filter.without ? linesWith(book, tab, columns, pattern(filter.without, filter.regex)) : null;
	const kind = filter.kind !== "" && tab.kindColumn ? tab.kindColumn : null;
	const kinds = kind ? kindsOf(book, kind) : null;
	const order = new Uint32Array(tab.lines);
	let count = 0;
	for (let i = 0; i < tab.lines; i++) {
		if ((only && !only[i]) || (not && not[i]) || (kinds && kinds[kind.lines[i]] !== +filter.kind))
			continue;
		if (filter.least > 0 && Math.max(measure.now[i], measure.base ? measure.base[i] : 0) < filter.least)
			continue;
		order[count++] = i;
	}
	return order.slice(0, count);
}

/* ---- kinds of sections -------------------------------------------------------------------------- */

const KINDS = ["code", "constants", "data", "zeroed data", "unwinding", "relocations", "symbols", "debug info", "other"];
const KIND_RULES = [
	[/debug|^\.gdb_index|^\.stab|^__DWARF/, 7],
	[/^\.(eh_frame|gcc_except|ARM\.ex|debug_frame|unwind|pdata|xdata)/, 4],
	[/^\.(rela?|relr)\b|^\.(got|plt)/, 5],
	[/^\.(symtab|strtab|dynsym|dynstr|shstrtab|gnu\.(hash|version)|hash|gnu_hash)|^\.dynamic/, 6],
	[/^\.t?bss|bss$|^COMMON/, 3],
	[/^\.(rodata|data\.rel\.ro|init_array|fini_array|note|interp|const)|^\.rdata/, 1],
	[/^\.t?data|^\.sdata|^\.tm_clone/, 2],
	[/^\.(text|init|fini)|^__text/, 0],
];

function kindOf(name) {
	const rule = KIND_RULES.find(([regex]) => regex.test(name));
	return rule ? rule[1] : 8;
}

function kindsOf(book, column) {
	column.kinds ||= Uint8Array.from(column.labels, text => kindOf(book.texts[text]));
	return column.kinds;
}

/* The kind that most of a node is of. */
function kindOfNode(node, tab, book, m) {
	if (node.kind !== undefined)
		return node.kind;
	const kinds = kindsOf(book, tab.kindColumn), { lines } = tab.kindColumn, { order } = node.tree;
	const values = tab.measures[m].now, step = Math.max(1, Math.floor((node.end - node.start) / 256));
	const sums = KINDS.map(() => 0);
	for (let i = node.start; i < node.end; i += step)
		sums[kinds[lines[order[i]]]] += values[order[i]] + 1e-9;
	node.kind = 0;
	for (let k = 1; k < sums.length; k++)
		if (sums[k] > sums[node.kind])
			node.kind = k;
	return node.kind;
}
