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
		groups.starts.push(groups.end);
		this.start = groups.starts.done();
		this.count = this.start.length - 1;
		this.nodes = new Map();
		this.sums = new Map();
		this.orders = new Map();
	}
	groupOf(i) {
		const list = this.groups.list;
		return list[list.length > 1 && i >= list[1].from ? 1 : 0];
	}
	/* The node of its level that child i is. */
	id(i) {
		const { level, depth } = this.groupOf(i), { levels, order } = this.tree;
		return levels[level].above(levels[level].ranks[order[this.start[i]]], depth);
	}
	label(i) {
		const group = this.groupOf(i);
		return group.itself ? ITSELF : this.tree.levels[group.level].labelOf(this.id(i));
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
		return this.values(this.tree.weighs, m);
	}
	/* values() of KIDS_MANY children from `first` on; of many they are not kept, but made in `room`. */
	valuesFrom(what, m, first, room) {
		const last = Math.min(this.count, first + KIDS_MANY);
		if (this.count <= KIDS_MANY || this.sums.has(what + m))
			return this.values(what, m).subarray(first, last);
		const sums = room.subarray(0, last - first);
		this.tree.sumRanges(what, m, this.start.subarray(first, last + 1), sums);
		return sums;
	}
	/* Which child has these lines of a level. */
	find(level, id) {
		for (const [g, group] of this.groups.list.entries()) {
			if (group.level !== level || group.itself)
				continue;
			let low = group.from, high = this.groups.list[g + 1]?.from ?? this.count;
			while (low < high) {
				const half = low + high >> 1;
				if (this.id(half) < id)
					low = half + 1;
				else
					high = half;
			}
			if (low < this.count && this.id(low) === id)
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
				level.book.texts.is(level.spec.column.labels[this.id(i)], bytes) || (label === NO_LABEL && this.label(i) === label))
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
		this.id = kids ? kids.id(i) : 0;
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
		this.tree.sumRanges(what, m, Uint32Array.of(this.start, this.end), sum);
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
		return this.value(this.tree.weighs, m);
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

/* A label without what the labels above it say already: "vector::push_back" below std is "std::vector::push_back". */
function labelBelow(node) {
	const { label, parent } = node;
	if (node.shown === undefined) {
		let above = "";
		for (let n = parent; n?.parent && node.tree.levels[n.labelLevel].spec.split === "::"; n = n.parent)
			above = n.label + "::" + above;
		node.shown = above && label.startsWith(above) ? label.slice(above.length) : label;
	}
	return node.shown;
}

/* Where a call stack does not fork: is a node all that is below another frame? */
function isOnlyFrame(node, root) {
	const { parent, labelLevel } = node;
	return !!parent && node !== root && parent !== root && node.among.count === 1 && !node.itself && !!node.tree.levels[labelLevel].spec.stack && parent.labelLevel === labelLevel;
}

/* The first and the last frame of the chain that a node is in, which is one row. */
function chainHead(node, root) {
	while (isOnlyFrame(node, root))
		node = node.parent;
	return node;
}

function chainEnd(node, root) {
	for (let kids = node.tree.open(node); kids?.count === 1 && isOnlyFrame(kids.node(0), root); kids = node.tree.open(node))
		node = kids.node(0);
	return node;
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
	/* Room for so many more; returns where they go from `count` on. */
	reserve(more) {
		if (this.count + more > this.data.length) {
			const data = new Uint32Array(Math.max(this.count + more, 4 * this.data.length));
			data.set(this.data);
			this.data = data;
		}
		return this.data;
	}
	push(n) {
		this.reserve(1)[this.count++] = n;
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
		this.weighs = tab.diff ? "moved" : "now"; /* what weights are */
		this.measures = tab.measures;
		this.levels = levels;
		this.order = passes ? linesThatPass(lines, passes) : lines;
		this.totals = new Map();
		this.top = new Node(this, null, 0);
	}
	total(what, m) {
		const key = what + m;
		if (!this.totals.has(key)) {
			const sum = new Float64Array(1);
			this.sumRanges(what, m, Uint32Array.of(0, this.order.length), sum);
			this.totals.set(key, sum[0]);
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
		groups.list.push({ from: groups.starts.count, level: at, depth });
		if (!level.trie && end - start < 8 * level.count)
			return cutEach(groups.starts, order, ranks, start, end);
		for (let i = start; i < end;) {
			groups.starts.push(i);
			i = endOfRun(order, ranks, i + 1, end, level.endOf(level.above(ranks[order[i]], depth)));
		}
	}
	/* NULL: the node is a leaf. */
	split(node) {
		const own = this.endOfOwn(node), next = node.level + 1, last = next === this.levels.length;
		const groups = { list: [], starts: new Growing(), end: node.end };
		if (node.itself || node.start === node.end || (last && own === node.end))
			return null;
		if (own > node.start && last) {
			groups.list.push({ from: 0, level: node.level, depth: node.depth, itself: true });
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
				node.id = kids.id(0);
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
			kids.orders.set(key, by.name ? new Order(sortedByName(kids, by.up)) : orderBy(by.values ? by.values(kids) : kids.weights(m), by.up));
		return kids.orders.get(key);
	}
	/* The numbers of the children that have at least `least`, the largest first, and what each has. */
	heaviest(kids, what, m, least) {
		const found = new Growing(), weights = [], room = new Float64Array(KIDS_MANY);
		for (let first = 0; first < kids.count; first += KIDS_MANY) {
			const part = kids.valuesFrom(what, m, first, room);
			for (let i = 0; i < part.length; i++) {
				if (part[i] >= least && part[i] > 0) {
					found.push(first + i);
					weights.push(part[i]);
				}
			}
		}
		const order = sortedBy(Float64Array.from(weights), false);
		return { ids: order.map(i => found.data[i]), weights: Float64Array.from(order, i => weights[i]) };
	}
	/* Gives back what is large of it.  Nobody asks it for anything any more. */
	close() {
		for (const waiting = [this.top]; waiting.length > 0;) {
			const { kids } = waiting.pop();
			if (!kids)
				continue;
			for (const node of kids.nodes.values())
				waiting.push(node);
			if (kids.count > KIDS_MANY)
				[kids.start, ...kids.sums.values(), ...[...kids.orders.values()].flatMap(order => [order.first, order.known])].forEach(letGo);
		}
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
	/* The node of a level that has a line of the order, or the leaf above it. */
	nodeOfLine(line, level) {
		const at = this.order.indexOf(line), { trie, ranks } = this.levels[level] || {};
		const isAbove = n => n.labelLevel < level || (trie && n.labelLevel === level && n.among.id(n.i) !== ranks[line]);
		let node = this.top;
		for (let kids; isAbove(node) && (kids = this.open(node)) !== null;)
			node = kids.node(kids.start.findLastIndex((start, i) => i < kids.count && start <= at));
		return node;
	}
	/* The node here that is where a node of another tree with the same levels is; NULL: there is none. */
	same(other) {
		let node = this.top;
		for (const part of other.above().slice(1)) {
			const kids = this.open(node), i = kids ? kids.find(part.labelLevel, part.among.id(part.i)) : -1;
			if (i < 0)
				return null;
			node = kids.node(i);
		}
		return node;
	}
}

const orders = new Turns(Uint32Array);

function linesThatPass(lines, passes) {
	const order = orders.take(lines.length);
	let count = 0;
	for (let i = 0; i < lines.length; i++) {
		order[count] = lines[i];
		count += passes[lines[i]];
	}
	return order.subarray(0, count);
}

/* Where most children have but a few lines. */
function cutEach(starts, order, ranks, start, end) {
	const data = starts.reserve(end - start + 1);
	let { count } = starts;
	for (let i = start, last = -1; i < end; i++) {
		const rank = ranks[order[i]];
		data[count] = i;
		count += rank === last ? 0 : 1;
		last = rank;
	}
	starts.count = count;
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

/* One loop over all lines: most ranges have one, and a loop for each takes three times as long. */
function sumValues(order, starts, values, sums) {
	let k = 0, sum = 0, end = starts[1];
	for (let i = starts[0], last = starts[sums.length]; i < last; i++) {
		if (i === end) {
			sums[k++] = sum;
			sum = 0;
			end = starts[k + 1];
		}
		sum += values[order[i]];
	}
	sums[k] = sum;
}

function sumMoved(order, starts, now, base, sums) {
	let k = 0, sum = 0, end = starts[1];
	for (let i = starts[0], last = starts[sums.length]; i < last; i++) {
		if (i === end) {
			sums[k++] = sum;
			sum = 0;
			end = starts[k + 1];
		}
		sum += Math.abs(now[order[i]] - base[order[i]]);
	}
	sums[k] = sum;
}

function compareTexts(a, b) {
	return a < b ? -1 : a > b ? 1 : 0;
}

function sortedByName(kids, up) {
	const labels = Array.from({ length: kids.count }, (_, i) => kids.label(i)), sign = up ? -1 : 1;
	return Uint32Array.from(labels.keys()).sort((a, b) => sign * compareTexts(labels[a], labels[b]) || a - b);
}
