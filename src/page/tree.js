/* Lines grouped into a tree, as deep as somebody looks.
 *
 * The lines are sorted by all levels, so a node is a range of them.  Opening it finds where in it
 * another child begins; the children are kept as arrays (Kids) and become objects when they are
 * shown.  Sums are made a measure at a time, of all children at once. */

const ITSELF = "[itself]", KIDS_MANY = 2000;

/* The children of a node; child i has the lines order[start[i]..start[i + 1]). */
class Kids {
	constructor(tree, groups) {
		this.tree = tree;
		this.groups = groups; /* {from, level, depth, itself}: what the children from `from` on are */
		this.ids = groups.ids.done();
		groups.starts.push(groups.end);
		this.start = groups.starts.done();
		this.count = this.ids.length;
		this.nodes = new Map();
		this.sums = new Map();
		this.orders = new Map();
	}
	groupOf(i) {
		const list = this.groups.list;
		return list[list.length > 1 && i >= list[1].from ? 1 : 0];
	}
	label(i) {
		const group = this.groupOf(i);
		return group.itself ? ITSELF : this.tree.levels[group.level].labelOf(this.ids[i]);
	}
	node(i) {
		let node = this.nodes.get(i);
		if (!node)
			this.nodes.set(i, node = new Node(this.tree, this, i));
		return node;
	}
	/* Of each child the sum of what sumLines() has for its lines. */
	values(what, m) {
		const key = what + m;
		let sums = this.sums.get(key);
		if (!sums) {
			sums = new Float64Array(this.count);
			this.tree.sumRanges(what, m, this.start, sums);
			this.sums.set(key, sums);
		}
		return sums;
	}
	weights(m) {
		return this.values(this.tree.diff ? "moved" : "now", m);
	}
	/* Which child has these lines of a level. */
	find(level, id) {
		for (const [g, group] of this.groups.list.entries()) {
			if (group.level !== level || group.itself)
				continue;
			let low = group.from, high = this.groups.list[g + 1]?.from ?? this.count;
			while (low < high) {
				const half = low + high >> 1;
				if (this.ids[half] < id)
					low = half + 1;
				else
					high = half;
			}
			if (this.ids[low] === id)
				return low;
		}
		return -1;
	}
	/* By label; names are compared as bytes, for there may be a million. */
	named(label) {
		const bytes = new TextEncoder().encode(label), { levels, tab } = this.tree;
		for (let i = 0; i < this.count; i++) {
			const group = this.groupOf(i), level = levels[group.level];
			if (group.itself || level.trie ? this.label(i) === label :
				level.book.texts.is(level.spec.column.labels[this.ids[i]], bytes) || (label === NO_LABEL && this.label(i) === label))
				return i;
		}
		return -1;
	}
}

class Node {
	constructor(tree, kids, i) {
		const group = kids?.groupOf(i);
		this.tree = tree;
		this.among = kids;
		this.i = i;
		this.parent = kids ? kids.parent : null;
		this.start = kids ? kids.start[i] : 0;
		this.end = kids ? kids.start[i + 1] : tree.order.length;
		/* Where it stands; of a node that only says again what is above it, where the last of them does. */
		this.level = group ? group.level : -1;
		this.depth = group ? group.depth : 0;
		this.id = kids ? kids.ids[i] : 0;
		this.itself = !!group?.itself;
		this.labelLevel = this.level;
		this.kids = undefined; /* null: it is a leaf */
	}
	get label() {
		return this.name ??= this.among ? this.among.label(this.i) : "TOTAL";
	}
	get leaf() {
		return this.kids === null;
	}
	/* Of very many children only those that are asked for are summed up, until somebody wants them all. */
	value(what, m) {
		if (!this.among)
			return this.tree.total(what, m);
		if (this.among.count < KIDS_MANY || this.among.sums.has(what + m))
			return this.among.values(what, m)[this.i];
		const sum = new Float64Array(1);
		this.tree.sumRanges(what, m, [this.start, this.end], sum);
		return sum[0];
	}
	now(m) {
		return this.value("now", m);
	}
	base(m) {
		return this.value("base", m);
	}
	/* What the picture shows of it, and what rows are sorted by: of a diff growth and shrinkage, both counted up. */
	weight(m) {
		return this.value(this.tree.diff ? "moved" : "now", m);
	}
	change(m) {
		return this.tree.diff ? this.now(m) - this.base(m) : 0;
	}
	/* How many rows are summed up in it. */
	get others() {
		const { tab, order } = this.tree;
		if (!tab.othersOf)
			return 0;
		if (this.othersSum === undefined) {
			this.othersSum = 0;
			for (let i = this.start; i < this.end; i++)
				this.othersSum += tab.othersOf[order[i]];
		}
		return this.othersSum;
	}
	path() {
		return this.above().slice(1).map(n => n.label);
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

/* Numbers that come one by one. */
class Growing {
	constructor(room = 64) {
		this.data = new Uint32Array(room);
		this.count = 0;
	}
	push(n) {
		if (this.count === this.data.length) {
			const data = new Uint32Array(4 * this.count);
			data.set(this.data);
			this.data = data;
		}
		this.data[this.count++] = n;
	}
	done() {
		return 2 * this.count > this.data.length ? this.data.subarray(0, this.count) : this.data.slice(0, this.count);
	}
}

class Tree {
	/* Of lines sorted by the levels those where passes[line] is 1; all where it is null. */
	constructor(tab, levels, lines, passes) {
		this.tab = tab;
		this.diff = tab.diff;
		this.measures = tab.measures;
		this.levels = levels;
		this.order = passes ? linesThatPass(lines, passes) : lines;
		this.totals = new Map();
		this.top = new Node(this, null, 0);
	}
	total(what, m) {
		const key = what + m;
		if (!this.totals.has(key)) {
			const kids = this.open(this.top);
			this.totals.set(key, kids ? sumOf(kids.values(what, m)) : 0);
		}
		return this.totals.get(key);
	}
	/* sums[i] becomes the sum over order[starts[i]..starts[i + 1]). */
	sumRanges(what, m, starts, sums) {
		const { now, base } = this.measures[m];
		if (what === "moved")
			sumMoved(this.order, starts, now, base, sums);
		else
			sumValues(this.order, starts, what === "now" ? now : base, sums);
	}
	/* The lines that end at the node itself; those behind go deeper. */
	endOfOwn(node) {
		const level = this.levels[node.level];
		if (!level?.trie || node.itself)
			return node.end;
		let i = node.start;
		while (i < node.end && level.ranks[this.order[i]] === node.id)
			i++;
		return i;
	}
	/* Cuts a range where another child begins. */
	cut(groups, start, end, at, depth) {
		if (start === end)
			return;
		const level = this.levels[at], { order } = this, { ranks } = level;
		groups.list.push({ from: groups.ids.count, level: at, depth });
		if (!level.trie && end - start < 8 * level.count)
			return cutEach(groups, order, ranks, start, end);
		for (let i = start; i < end;) {
			const id = level.above(ranks[order[i]], depth);
			groups.ids.push(id);
			groups.starts.push(i);
			i = endOfRun(order, ranks, i + 1, end, level.endOf(id));
		}
	}
	/* NULL: the node is a leaf. */
	split(node) {
		const own = this.endOfOwn(node), next = node.level + 1, last = next === this.levels.length;
		const most = last || this.levels[next].trie ? 64 : Math.max(64, Math.min(this.levels[next].count, node.end - node.start));
		const groups = { list: [], ids: new Growing(most), starts: new Growing(most + 1), end: node.end };
		if (node.itself || node.start === node.end || (last && own === node.end))
			return null;
		if (own > node.start && last) {
			groups.list.push({ from: 0, level: node.level, depth: node.depth, itself: true });
			groups.ids.push(node.id);
			groups.starts.push(node.start);
		} else {
			this.cut(groups, node.start, own, next, 1);
		}
		this.cut(groups, own, node.end, node.level, node.depth + 1);
		return new Kids(this, groups);
	}
	/* The children; NULL: it is a leaf. */
	open(node) {
		while (node.kids === undefined) {
			const kids = this.split(node);
			/* A level that only says again what the one above says is passed over. */
			if (kids && kids.count === 1 && node.parent && saysAgain(node.label, kids.label(0))) {
				const group = kids.groupOf(0);
				node.level = group.level;
				node.depth = group.depth;
				node.id = kids.ids[0];
				continue;
			}
			if (kids)
				kids.parent = node;
			node.kids = kids;
		}
		return node.kids;
	}
	/* Has it children?  Asked of every row in sight, so not all of them are made. */
	opens(node) {
		const next = this.levels[node.level + 1], { order } = this;
		if (node.kids !== undefined || !next || this.endOfOwn(node) < node.end)
			return this.open(node) !== null;
		for (let i = node.start + 1; i < node.end; i++)
			if (next.ranks[order[i]] !== next.ranks[order[node.start]])
				return true;
		return this.open(node) !== null;
	}
	/* Their numbers as somebody sorted them: by falling weight unless `by` says otherwise. */
	sorted(kids, m, by) {
		const key = `${by.key} ${by.up ? 1 : 0} ${m}`;
		if (!kids.orders.has(key))
			kids.orders.set(key, by.name ? sortedByName(kids, by.up) : sortedBy(by.values ? by.values(kids) : kids.weights(m), by.up));
		return kids.orders.get(key);
	}
	/* The numbers of the children that weigh at least `least`, the heaviest first. */
	heaviest(kids, m, least) {
		const weights = kids.weights(m), found = new Growing();
		for (let i = 0; i < weights.length; i++)
			if (weights[i] >= least && weights[i] > 0)
				found.push(i);
		const ids = found.done(), keys = new Float64Array(ids.length);
		for (let i = 0; i < ids.length; i++)
			keys[i] = weights[ids[i]];
		return sortedBy(keys, false).map(i => ids[i]);
	}
	find(path) {
		let node = this.top;
		for (const label of path) {
			const kids = this.open(node), i = kids ? kids.named(label) : -1;
			if (i < 0)
				break;
			node = kids.node(i);
		}
		return node;
	}
	/* The node here that is where a node of another tree with the same levels is; NULL: there is none. */
	same(other) {
		let node = this.top;
		for (const part of other.above().slice(1)) {
			const kids = this.open(node), i = kids ? kids.find(part.labelLevel, part.among.ids[part.i]) : -1;
			if (i < 0)
				return null;
			node = kids.node(i);
		}
		return node;
	}
}

function linesThatPass(lines, passes) {
	const order = new Uint32Array(lines.length);
	let count = 0;
	for (let i = 0; i < lines.length; i++) {
		order[count] = lines[i];
		count += passes[lines[i]];
	}
	return order.slice(0, count);
}

/* Where most children have but a few lines. */
function cutEach({ ids, starts }, order, ranks, start, end) {
	for (let i = start, last = -1; i < end; i++) {
		const rank = ranks[order[i]];
		if (rank === last)
			continue;
		ids.push(rank);
		starts.push(i);
		last = rank;
	}
}

/* Where in sorted order[i..end) the ranks reach `until`: in growing steps, then halving the last one. */
function endOfRun(order, ranks, i, end, until) {
	let step = 1;
	while (i < end && ranks[order[i]] < until) {
		i += step;
		step *= 2;
	}
	for (let low = i - (step >> 1) + 1, high = Math.min(i, end); ;) {
		if (low >= high)
			return high;
		const half = low + high >> 1;
		if (ranks[order[half]] < until)
			low = half + 1;
		else
			high = half;
	}
}

function sumOf(values) {
	let sum = 0;
	for (let i = 0; i < values.length; i++)
		sum += values[i];
	return sum;
}

function sumValues(order, starts, values, sums) {
	for (let k = 0; k < sums.length; k++) {
		let sum = 0;
		for (let i = starts[k]; i < starts[k + 1]; i++)
			sum += values[order[i]];
		sums[k] = sum;
	}
}

function sumMoved(order, starts, now, base, sums) {
	for (let k = 0; k < sums.length; k++) {
		let sum = 0;
		for (let i = starts[k]; i < starts[k + 1]; i++)
			sum += Math.abs(now[order[i]] - base[order[i]]);
		sums[k] = sum;
	}
}

function compareTexts(a, b) {
	return a < b ? -1 : a > b ? 1 : 0;
}

function sortedByName(kids, up) {
	const labels = Array.from({ length: kids.count }, (_, i) => kids.label(i)), sign = up ? -1 : 1;
	return Uint32Array.from(labels.keys()).sort((a, b) => sign * compareTexts(labels[a], labels[b]) || a - b);
}
