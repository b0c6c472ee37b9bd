/* The levels of a hierarchy.
 *
 * A level gives each line a number, its rank, and says which node of the level is how deep above a
 * rank.  Where labels have parts ("src", "map", "rows.c") the nodes are a trie, numbered in the order
 * of a walk from the root: all that is below node n has the ranks from n to end[n] - 1.  So of lines
 * sorted by rank each node, however deep, has one range. */

const NO_LABEL = "[none]", NOT_REACHED = "(not reached from a root)";

/* Deeper ones are beside their keeper, so that no chain is too long to be drawn. */
const KEEPERS_DEEP = 60;

const OPENS = Uint8Array.from({ length: 128 }, (_, c) => "<({[".includes(String.fromCharCode(c)) ? 1 : 0);
const CLOSES = Uint8Array.from({ length: 128 }, (_, c) => ">)}]".includes(String.fromCharCode(c)) ? 1 : 0);

/* "a::b<c::d>::e" is a, b<c::d>, e; what begins with a bracket is heft's own and stays whole. */
function splitLabel(label, separator) {
	if (label === "" || label[0] === "[")
		return [label];
	if (separator === "/") {
		/* The units of a Rust crate, "lib.rs/@/std.e28293-cgu.0", are no folders. */
		const parts = label.split(/(?<!\/@)\/(?!@\/)/).filter(p => p !== "");
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

/* Where the parts of a name begin.  Arguments of generics, "sort::<>", belong to the part before; a "/" parts what is before the first bracket. */
function partStarts(label) {
	const starts = [0], parts = splitLabel(label, "::"), path = label.slice(0, label.search(/[[({<]|$/));
	/* "<core::net::Ipv4Addr as core::fmt::Display>::fmt" may begin with "Display>::fmt". */
	const type = label[0] === "<" && parts.length > 1 ? parts[0].lastIndexOf("::") + 2 : 0;
	if (type > 1)
		starts.push(type);
	for (let i = 1, at = parts[0].length + 2; i < parts.length; at += parts[i++].length + 2)
		if (parts[i][0] !== "<")
			starts.push(at);
	for (let at = path.indexOf("/", 1) + 1; parts.length === 1 && at > 0 && at < label.length; at = path.indexOf("/", at) + 1)
		starts.push(at);
	return starts;
}

function joinLabels(a, b, separator) {
	return a === "/" ? a + b : a + (separator || " ") + b;
}

/* Nodes count from 1; 0 is the root.  Above a node are smaller numbers. */
class Trie {
	constructor() {
		this.parent = [0];
		this.label = [""];
		this.below = [new Map()]; /* by node: what is below it, by label */
	}
	add(parent, label) {
		let id = this.below[parent].get(label);
		if (id === undefined) {
			id = this.parent.length;
			this.parent.push(parent);
			this.label.push(label);
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
		for (let id = 1; id < this.parent.length; id++) {
			const above = this.parent[id];
			if (above !== 0 && count[above] === 1 && !ends[above]) {
				this.label[id] = joinLabels(this.label[above], this.label[id], separator);
				this.parent[id] = this.parent[above];
			}
		}
	}
	/* Numbers the nodes in the order of a walk; returns the new number of each old one. */
	number() {
		const size = this.parent.length, weight = new Uint32Array(size).fill(1), next = new Uint32Array(size), now = new Uint32Array(size);
		for (let id = size - 1; id > 0; id--)
			weight[this.parent[id]] += weight[id];
		const labels = this.label, parents = this.parent;
		this.depth = new Uint32Array(size);
		this.end = new Uint32Array(size);
		this.label = new Array(size).fill("");
		this.parent = new Uint32Array(size);
		next[0] = 1;
		this.end[0] = size;
		for (let id = 1; id < size; id++) {
			const above = parents[id], at = now[id] = next[above];
			next[above] += weight[id];
			next[id] = at + 1;
			this.label[at] = labels[id];
			this.parent[at] = now[above];
			this.depth[at] = this.depth[now[above]] + 1;
			this.end[at] = at + weight[id];
		}
		this.below = null;
		return now;
	}
}

/* One level of a hierarchy. */
class Level {
	constructor(spec, book, tab) {
		this.spec = spec;
		this.book = book;
		this.separator = spec.split;
		this.trie = null;
		if (spec.stack)
			this.fromStacks(spec, book, tab);
		else if (spec.keepers)
			this.fromKeepers(spec, book, tab);
		else if (spec.split)
			this.fromParts(spec, book, tab);
		else
			this.fromLabels(spec);
	}
	fromLabels(spec) {
		this.ranks = spec.column.lines;
		this.count = spec.column.count;
	}
	fromParts(spec, book, tab) {
		const column = spec.column, leaves = new Uint32Array(column.count);
		this.trie = new Trie();
		for (let i = 0; i < column.count; i++)
			leaves[i] = this.trie.addPath(splitLabel(book.texts.get(column.labels[i]) || NO_LABEL, spec.split));
		this.trie.join(leaves, spec.split);
		this.rank(leaves, column.lines, tab.lines);
	}
	/* Each label is below the one that keeps it. */
	fromKeepers(spec, book, tab) {
		const { column } = spec, leaves = new Uint32Array(column.count), depths = [0];
		this.trie = new Trie();
		for (let i = 0; i < column.count; i++) {
			const way = [];
			let at = i;
			for (; at >= 0 && leaves[at] === 0 && way.length < column.count; at = numberOfText(tab, spec.keepers[at]))
				way.push(at);
			for (const label of way.reverse()) {
				const keeper = numberOfText(tab, spec.keepers[label]);
				let above = keeper >= 0 ? leaves[keeper] : spec.keepers[label] === KEPT_NOT ? this.trie.add(0, NOT_REACHED) : 0;
				if (depths[above] === KEEPERS_DEEP)
					above = this.trie.parent[above];
				leaves[label] = this.trie.add(above, book.texts.get(column.labels[label]) || NO_LABEL);
				depths[leaves[label]] = (depths[above] ?? 1) + 1;
			}
		}
		this.rank(leaves, column.lines, tab.lines);
		this.numbers = [];
		leaves.forEach((leaf, label) => { this.numbers[this.now[leaf]] = label; });
	}
	fromStacks(spec, book, tab) {
		const s = tab.stacks, leaves = new Uint32Array(s.steps), names = framesOf(book, s, spec.part);
		this.trie = new Trie();
		for (const step of new Set(s.lines)) {
			const parts = [];
			for (let at = step; at !== 0; at = s.parent[at]) {
				const text = names(s.frame[at]);
				if (spec.part === FRAME_FUNCTION || parts[parts.length - 1] !== text)
					parts.push(text);
			}
			if (parts.length === 0)
				parts.push("[no stack]");
			if (spec.stack === "down")
				parts.reverse();
			leaves[step] = this.trie.addPath(parts);
		}
		this.rank(leaves, s.lines, tab.lines);
	}
	/* From the leaf of each label to the rank of each line. */
	rank(leaves, labels, lines) {
		const now = this.now = this.trie.number();
		this.count = now.length;
		this.ranks = new Uint32Array(lines);
		for (let i = 0; i < lines; i++)
			this.ranks[i] = now[leaves[labels[i]]];
	}
	labelOf(id) {
		return this.trie ? this.trie.label[id] : this.book.texts.get(this.spec.column.labels[id]) || NO_LABEL;
	}
	/* The node at a depth that a rank is at or below. */
	above(rank, depth) {
		if (this.trie)
			while (this.trie.depth[rank] > depth)
				rank = this.trie.parent[rank];
		return rank;
	}
	/* Behind the last rank that is below a node. */
	endOf(id) {
		return this.trie ? this.trie.end[id] : id + 1;
	}
}

/* All lines sorted by the ranks of the levels, the first one first; lines alike by their numbers. */
function linesInOrder(levels, lines) {
	const last = levels[levels.length - 1];
	if (!last.order) {
		const order = new Uint32Array(lines);
		for (let i = 0; i < lines; i++)
			order[i] = i;
		last.order = sortLines(order, last.ranks, last.count);
		if (last.order !== order)
			letGo(order);
	}
	let { order } = last;
	for (const level of levels.slice(0, -1).reverse()) {
		const from = order;
		order = sortLines(from, level.ranks, level.count);
		if (from !== order && from !== last.order)
			letGo(from);
	}
	return order;
}

/* The names of frames, each made once. */
function framesOf(book, stacks, part) {
	const names = [];
	return frame => names[frame] ??= book.texts.get(stacks.part(frame, part)) || "?";
}
