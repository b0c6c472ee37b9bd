/* The tree as a table: only the rows that are in sight are elements of the document. */

const ROW = 26, TALLEST = 16e6, SIBLINGS_MAX = 1000;

class Table {
	constructor(box, view, tell) {
		this.view = view;
		this.tell = tell; /* chosen(node), zoom(node), marked(nodes), sorted() */
		this.opened = new Set();
		this.marked = new Set();
		this.sort = BY_WEIGHT;
		this.head = element("div", { class: "row head", role: "row" });
		this.body = element("div", { class: "rows", role: "rowgroup" });
		this.space = element("div", { class: "space" });
		this.body.append(this.space);
		box.replaceChildren(this.head, this.body);
		this.box = box;
		this.body.addEventListener("scroll", () => this.draw());
		box.addEventListener("keydown", e => this.key(e));
		new ResizeObserver(() => this.list && this.fitting().length !== this.list.length ? this.fill() : this.draw()).observe(this.body);
	}
	columns() {
		const { tab } = this.view, m = this.view.m, list = [];
		const change = kids => kids.values("now", m).map((now, i) => now - kids.values("base", m)[i]);
		tab.measures.forEach((measure, i) => {
			const { unit } = measure, delta = n => signed(exact(n.change(i), unit), n.change(i));
			const plain = (what, title, more) => ({ key: what + i, title, text: n => isOfOneBuild(this.view, n) ? short(n.value(what, i), unit) : "", value: n => n.value(what, i), values: kids => kids.values(what, i), exact: n => exact(n.value(what, i), unit), ...more });
			if (i !== m && (tab.diff || tab.measures.length > 2))
				return;
			if (!tab.diff)
				return list.push(plain("now", measure.title));
			list.push(plain("base", "before", { spare: 2 }), plain("now", "now"));
			list.push({ key: "change" + i, title: "change", text: n => signed(short(n.change(i), unit), n.change(i)), value: n => n.change(i), values: change, exact: delta, tinted: true });
		});
		if (tab.diff)
			list.push({ key: "part", title: "of change", spare: 3, text: n => percent(n.change(m), n.parent ? this.view.tree.top.change(m) : n.change(m)), value: n => n.change(m), values: change, exact: () => "" });
		else
			list.push({ key: "part", title: "share", spare: 1, text: n => percent(n.now(m), this.view.tree.top.now(m)), value: n => n.now(m), values: kids => kids.values("now", m), exact: () => "" });
		return list;
	}
	/* Those that leave the names some room. */
	fitting() {
		const list = this.columns(), room = this.box.clientWidth;
		const most = Math.max(1, Math.floor((room - (room < 500 ? 150 : 240)) / (room < 500 ? 82 : 90)));
		for (let rank = 3; room > 0 && list.length > most && rank > 0; rank--) {
			const at = list.findIndex(c => c.spare === rank);
			if (at >= 0)
				list.splice(at, 1);
		}
		return list;
	}
	/* After anything has changed. */
	fill() {
		const { root } = this.view, below = new Map();
		for (const node of this.opened) {
			const head = chainHead(node, root);
			if (chainEnd(node, root) === node)
				below.set(head.parent, [...below.get(head.parent) || [], node]);
		}
		this.blocks = new Map();
		this.list = this.fitting();
		this.count = 1 + this.block(root, 1, below).height;
		this.box.setAttribute("aria-rowcount", this.count + 1);
		if (this.rowOf(this.view.chosen) < 0)
			this.view.chosen = root;
		this.drawHead();
		this.draw();
	}
	/* The rows below a node: its children as they are sorted, and behind each that is open a block of its own. */
	block(node, depth, below) {
		const { tree, m } = this.view, kids = tree.open(node), block = { kids, depth, height: 0, opens: [] };
		this.blocks.set(node, block);
		if (!kids)
			return block;
		block.order = tree.sorted(kids, m, this.sort);
		block.height = kids.count;
		for (const child of below.get(node) || []) {
			const inner = this.block(child, depth + 1, below);
			block.opens.push({ at: block.order.indexOf(chainHead(child, this.view.root).i), inner });
			block.height += inner.height;
		}
		block.opens.sort((a, b) => a.at - b.at);
		return block;
	}
	row(i) {
		let block = this.blocks.get(this.view.root);
		if (i <= 0 || i >= this.count)
			return { node: this.view.root, depth: 0 };
		for (i--;;) {
			const skipped = skippedAt(block, i);
			if (!skipped.inner)
				return { node: chainEnd(block.kids.node(block.order.at(i - skipped.rows)), this.view.root), depth: block.depth };
			i = skipped.at;
			block = skipped.inner;
		}
	}
	/* The number of the row of a node; -1: it is in none. */
	rowOf(node) {
		const { root } = this.view;
		let i = 0;
		for (let n = node && chainHead(node, root); n !== root; n = chainHead(n.parent, root)) {
			const block = n?.parent && n.tree === this.view.tree ? this.blocks.get(n.parent) : null;
			if (!block)
				return -1;
			const at = block.order.indexOf(n.i);
			i += 1 + at;
			for (const open of block.opens)
				i += open.at < at ? open.inner.height : 0;
		}
		return i;
	}
	drawHead() {
		const title = this.view.levels.map(l => l.spec.title).join(" › ");
		const cells = [{ key: "name", title, name: true }, ...this.list].map(c => element("span", {
			class: c.name ? "name" : "number",
			role: "columnheader",
			"aria-sort": this.sort.key === c.key ? (this.sort.up ? "ascending" : "descending") : "none",
		}, element("button", { type: "button", tabindex: -1, onclick: () => this.sortBy(c) }, c.title, this.sort.key === c.key ? (this.sort.up ? " ▲" : " ▼") : "")));
		this.head.replaceChildren(...cells);
		this.box.style.setProperty("--numbers", this.list.length);
		this.box.style.setProperty("--rows", this.count);
	}
	sortBy(c) {
		const again = this.sort.key === c.key;
		this.sort = { key: c.key, name: c.name, values: c.values, up: again ? !this.sort.up : false };
		this.fill();
		this.tell.sorted();
	}
	/* Browsers have no elements of any height: where all rows are taller than that, scrolling goes faster than the rows. */
	firstInSight() {
		const room = this.body.clientHeight, spare = this.count * ROW - room, tall = Math.min(this.count * ROW, TALLEST) - room;
		return spare > 0 && tall > 0 ? Math.min(1, this.body.scrollTop / tall) * spare / ROW : 0;
	}
	/* Puts a row, or a part of one, at the upper edge. */
	scrollTo(row) {
		const room = this.body.clientHeight, spare = this.count * ROW - room, tall = Math.min(this.count * ROW, TALLEST) - room;
		this.body.scrollTop = spare > 0 ? row * ROW / spare * tall : 0;
	}
	draw() {
		if (!this.blocks)
			return;
		this.space.style.height = Math.min(this.count * ROW, TALLEST) + "px";
		const at = this.firstInSight(), first = Math.max(0, Math.floor(at) - 4);
		const last = Math.min(this.count, first + Math.ceil(this.body.clientHeight / ROW) + 9);
		const top = this.count * ROW <= TALLEST ? 0 : this.body.scrollTop - at * ROW;
		this.chosen = this.at();
		this.space.replaceChildren(...Array.from({ length: last - first }, (_, i) => this.drawRow(this.row(first + i), first + i, top)));
		this.box.setAttribute("aria-activedescendant", this.chosen >= first && this.chosen < last ? "row" + this.chosen : "");
	}
	drawRow({ node, depth }, i, top) {
		const { view } = this, children = view.tree.opens(node), open = i === 0 || this.opened.has(node);
		const whole = view.root.weight(view.m), part = whole > 0 ? node.weight(view.m) / whole : 0;
		const name = element("span", { class: "name", role: "gridcell", title: cut(node.label, 1000) },
			element("span", { class: "twist", "aria-hidden": "true", onclick: e => { e.stopPropagation(); this.twist(node, i); } }, children && i > 0 ? (open ? "▾" : "▸") : ""),
			nameOf(node, view.root),
			...this.badges(node));
		name.style.paddingInlineStart = 4 + depth * 14 + "px";
		const cells = this.list.map(c => element("span", { class: "number" + (c.tinted ? (node.change(view.m) > 0 ? " more" : node.change(view.m) < 0 ? " less" : "") : ""), role: "gridcell", title: c.exact(node) }, c.text(node)));
		const bar = element("span", { class: "bar", "aria-hidden": "true" });
		bar.style.width = 100 * Math.min(1, part) + "%";
		const row = element("div", {
			class: "row" + (i === this.chosen ? " chosen" : "") + (this.marked.has(node) ? " marked" : "") + (i === 0 ? " total" : ""),
			id: "row" + i, role: "row", "aria-level": depth + 1, "aria-rowindex": i + 2,
			"aria-expanded": children ? String(open) : null, "aria-selected": String(i === this.chosen),
			onclick: () => this.choose(i), ondblclick: () => this.tell.zoom(node),
		}, bar, name, ...cells);
		row.style.transform = `translateY(${i * ROW + top}px)`;
		return row;
	}
	badges(node) {
		const list = [], change = whatBecame(node, this.view.tab);
		if (node.others > 0)
			list.push(element("span", { class: "badge" }, group(String(node.others)) + " summed up"));
		if (change > 1)
			list.push(element("span", { class: "badge" }, CHANGES[change]));
		return list;
	}
	choose(i, see, node = null) {
		i = Math.max(0, Math.min(this.count - 1, i));
		this.view.chosen = node || this.row(i).node;
		if (see) {
			const first = this.firstInSight(), room = this.body.clientHeight / ROW;
			if (i < first)
				this.scrollTo(i);
			else if (i + 1 > first + room)
				this.scrollTo(i + 1 - room);
		}
		this.draw();
		this.tell.chosen(this.view.chosen);
	}
	at() {
		return this.rowOf(this.view.chosen);
	}
	twist(node, i) {
		if (i === 0 || !this.view.tree.open(node))
			return;
		if (!this.opened.delete(node))
			this.opened.add(node);
		this.fill();
	}
	show(node) {
		for (let n = node.parent; n && n !== this.view.root; n = n.parent)
			this.opened.add(n);
		this.view.chosen = node;
		this.fill();
		const i = this.at();
		if (i >= 0)
			this.choose(i, true, node);
	}
	parentRow(i) {
		return i > 0 ? this.rowOf(chainHead(this.row(i).node, this.view.root).parent) : 0;
	}
	right(i) {
		const { node, depth } = this.row(i);
		if (i > 0 && !this.opened.has(node) && this.view.tree.open(node))
			this.twist(node, i);
		else if (this.row(i + 1).depth > depth)
			this.choose(i + 1, true);
	}
	left(i) {
		const { node } = this.row(i);
		if (i > 0 && this.opened.has(node))
			this.twist(node, i);
		else
			this.choose(this.parentRow(i), true);
	}
	mark(i) {
		const { node } = this.row(i);
		if (!this.marked.delete(node))
			this.marked.add(node);
		this.choose(i + 1, true);
		this.tell.marked(this.marked);
	}
	/* Opens the row and those beside it; of very many the first ones. */
	siblings(i) {
		const block = this.blocks.get(chainHead(this.row(i).node, this.view.root).parent);
		if (!block)
			return;
		for (const number of block.order.head(SIBLINGS_MAX))
			if (this.view.tree.open(block.kids.node(number)))
				this.opened.add(chainEnd(block.kids.node(number), this.view.root));
		this.fill();
	}
	key(e) {
		if (e.ctrlKey || e.metaKey || e.altKey)
			return;
		const i = this.at(), page = Math.max(1, Math.floor(this.body.clientHeight / ROW) - 1);
		const keys = {
			ArrowDown: () => this.choose(i + 1, true), ArrowUp: () => this.choose(i - 1, true),
			PageDown: () => this.choose(i + page, true), PageUp: () => this.choose(i - page, true),
			Home: () => this.choose(0, true), End: () => this.choose(this.count - 1, true),
			ArrowRight: () => this.right(i), ArrowLeft: () => this.left(i),
			Enter: () => this.tell.zoom(this.row(i).node),
			Backspace: () => this.tell.zoom(this.view.root.parent || this.view.root),
			" ": () => this.mark(i), Insert: () => this.mark(i), "*": () => this.siblings(i),
			c: () => this.tell.copy(), "/": () => $("with").focus(),
		};
		if (!keys[e.key])
			return;
		e.preventDefault();
		keys[e.key]();
	}
	/* The rows that are open, or those that are marked. */
	csv() {
		const list = this.columns().filter(c => c.key !== "part"), rows = [];
		for (let i = 0; i < this.count; i++) {
			const { node } = this.row(i);
			if (this.marked.size === 0 || this.marked.has(node))
				rows.push([node.parent ? node.path() : ["TOTAL"], list.map(c => c.value(node))]);
		}
		const deep = Math.max(1, ...rows.map(([path]) => path.length)), path = Array.from({ length: deep }, (_, i) => "level " + (i + 1));
		return [[path, list.map(c => c.title)], ...rows].map(([labels, values]) => csvLine([...labels, ...Array(deep - labels.length).fill(""), ...values])).join("");
	}
}

/* A name whose last part stays in sight where there is no room for all of it. */
function nameOf(node, root) {
	const name = cut(labelBelow(node)), last = partStarts(name).at(-1), chain = node.above(), head = chain.indexOf(chainHead(node, root));
	const front = chain.slice(head, -1).map(n => cut(n.label, 60) + " › ").join("") + name.slice(0, last);
	return element("span", { class: "text" + (node.label.startsWith("[") ? " own" : "") }, ...(front ? [element("span", { class: "front" }, front)] : []), element("span", { class: "last" }, name.slice(last)));
}

const CHANGES = ["unchanged", "changed", "added", "removed", "moved", "renamed"];

/* What became of a row of a diff, a number of CHANGES: as its line says; where lines say nothing, by whether there was any of it
 * before and is now.  -1: it has more lines than one. */
function whatBecame(node, tab) {
	if (!tab.diff || !node.parent)
		return -1;
	if (tab.changeOf)
		return node.end - node.start === 1 && !node.tree.opens(node) ? tab.changeOf[node.tree.order[node.start]] : -1;
	const any = what => tab.measures.some((_, m) => node.value(what, m) > 0);
	return !any("base") ? 2 : !any("now") ? 3 : tab.measures.some((_, m) => node.change(m) !== 0) ? 1 : 0;
}

/* Of the rows before row i of a block those of blocks within it; or the one that row i is in, and where there. */
function skippedAt(block, i) {
	let rows = 0;
	for (const { at, inner } of block.opens) {
		if (i <= at + rows)
			break;
		if (i <= at + rows + inner.height)
			return { inner, at: i - at - rows - 1 };
		rows += inner.height;
	}
	return { rows };
}
