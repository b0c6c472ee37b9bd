/* The tree as a table: only the rows that are in sight are elements of the document. */

const ROW = 26;

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
		tab.measures.forEach((measure, i) => {
			if (i !== m && (tab.diff || tab.measures.length > 2))
				return;
			if (tab.diff) {
				list.push({ key: "base" + i, title: "before", spare: 2, text: n => short(n.base[i], measure.unit), value: n => n.base[i], exact: n => exact(n.base[i], measure.unit) });
				list.push({ key: "now" + i, title: "now", text: n => short(n.now[i], measure.unit), value: n => n.now[i], exact: n => exact(n.now[i], measure.unit) });
				list.push({ key: "change" + i, title: "change", text: n => signed(short(n.change(i), measure.unit), n.change(i)), value: n => n.change(i), exact: n => signed(exact(n.change(i), measure.unit), n.change(i)), tinted: true });
			} else {
				list.push({ key: "now" + i, title: measure.title, text: n => short(n.now[i], measure.unit), value: n => n.now[i], exact: n => exact(n.now[i], measure.unit), main: i === m });
			}
		});
		if (tab.diff)
			list.push({ key: "part", title: "of change", spare: 3, text: n => percent(n.change(m), n.parent ? this.view.tree.top.change(m) : n.change(m)), value: n => n.change(m), exact: () => "" });
		else
			list.push({ key: "part", title: "share", spare: 1, text: n => percent(n.now[m], this.view.tree.top.now[m]), value: n => n.now[m], exact: () => "" });
		return list;
	}
	/* Those that leave the names some room. */
	fitting() {
		const list = this.columns(), room = this.box.clientWidth;
		const most = Math.max(1, Math.floor((room - 150) / (room < 500 ? 78 : 90)));
		for (let rank = 3; room > 0 && list.length > most && rank > 0; rank--) {
			const at = list.findIndex(c => c.spare === rank);
			if (at >= 0)
				list.splice(at, 1);
		}
		return list;
	}
	/* After anything has changed. */
	fill() {
		const root = this.view.root, rows = [{ node: root, depth: 0 }];
		this.rows = rows;
		this.list = this.fitting();
		const add = (node, depth) => {
			for (const child of this.view.tree.sorted(node, this.view.m, this.sort) || []) {
				rows.push({ node: child, depth });
				if (this.opened.has(child))
					add(child, depth + 1);
			}
		};
		add(root, 1);
		this.space.style.height = rows.length * ROW + "px";
		this.box.setAttribute("aria-rowcount", rows.length + 1);
		if (!rows.some(r => r.node === this.view.chosen))
			this.view.chosen = root;
		this.drawHead();
		this.draw();
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
	}
	sortBy(c) {
		const again = this.sort.key === c.key;
		this.sort = { key: c.key, name: c.name, value: c.value, up: again ? !this.sort.up : !!c.name };
		if (c.name)
			this.sort.up = again ? this.sort.up : false;
		this.sort.key = c.key;
		for (const row of this.rows)
			row.node.sortedBy = null;
		this.fill();
		this.tell.sorted();
	}
	draw() {
		if (!this.rows)
			return;
		const first = Math.max(0, Math.floor(this.body.scrollTop / ROW) - 4);
		const last = Math.min(this.rows.length, first + Math.ceil(this.body.clientHeight / ROW) + 9);
		this.space.replaceChildren(...this.rows.slice(first, last).map((row, i) => this.drawRow(row, first + i)));
		const chosen = this.rows.findIndex(r => r.node === this.view.chosen);
		this.box.setAttribute("aria-activedescendant", chosen >= first && chosen < last ? "row" + chosen : "");
	}
	drawRow({ node, depth }, i) {
		const { view } = this, children = view.tree.open(node), open = i === 0 || this.opened.has(node);
		const whole = view.root.weight(view.m), part = whole > 0 ? node.weight(view.m) / whole : 0;
		const name = element("span", { class: "name", role: "gridcell", title: cut(node.label, 1000) },
			element("span", { class: "twist", "aria-hidden": "true", onclick: e => { e.stopPropagation(); this.twist(node, i); } }, children && i > 0 ? (open ? "▾" : "▸") : ""),
			element("span", { class: "text" + (node.label.startsWith("[") ? " own" : "") }, cut(node.label)),
			...this.badges(node));
		name.style.paddingInlineStart = 4 + depth * 14 + "px";
		const cells = this.list.map(c => element("span", { class: "number" + (c.tinted ? (node.change(view.m) > 0 ? " more" : node.change(view.m) < 0 ? " less" : "") : ""), role: "gridcell", title: c.exact(node) }, c.text(node)));
		const bar = element("span", { class: "bar", "aria-hidden": "true" });
		bar.style.width = 100 * Math.min(1, part) + "%";
		const row = element("div", {
			class: "row" + (node === view.chosen ? " chosen" : "") + (this.marked.has(node) ? " marked" : "") + (i === 0 ? " total" : ""),
			id: "row" + i, role: "row", "aria-level": depth + 1, "aria-rowindex": i + 2,
			"aria-expanded": children ? String(open) : null, "aria-selected": String(node === view.chosen),
			onclick: () => this.choose(i), ondblclick: () => this.tell.zoom(node),
		}, bar, name, ...cells);
		row.style.transform = `translateY(${i * ROW}px)`;
		return row;
	}
	badges(node) {
		const list = [], { tab } = this.view;
		if (node.others > 0)
			list.push(element("span", { class: "badge" }, group(String(node.others)) + " summed up"));
		if (tab.changeOf && node.leaf && node.end - node.start === 1 && node.changes > 1)
			list.push(element("span", { class: "badge" }, CHANGES[tab.changeOf[node.tree.order[node.start]]]));
		return list;
	}
	choose(i, see) {
		i = Math.max(0, Math.min(this.rows.length - 1, i));
		this.view.chosen = this.rows[i].node;
		if (see) {
			const top = i * ROW, room = this.body.clientHeight;
			if (top < this.body.scrollTop)
				this.body.scrollTop = top;
			else if (top + ROW > this.body.scrollTop + room)
				this.body.scrollTop = top + ROW - room;
		}
		this.draw();
		this.tell.chosen(this.view.chosen);
	}
	at() {
		return this.rows.findIndex(r => r.node === this.view.chosen);
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
			this.choose(i, true);
	}
	parentRow(i) {
		const depth = this.rows[i].depth;
		while (i > 0 && this.rows[i].depth >= depth)
			i--;
		return i;
	}
	right(i) {
		const { node } = this.rows[i];
		if (i > 0 && !this.opened.has(node) && this.view.tree.open(node))
			this.twist(node, i);
		else if (this.rows[i + 1]?.depth > this.rows[i].depth)
			this.choose(i + 1, true);
	}
	left(i) {
		const { node } = this.rows[i];
		if (i > 0 && this.opened.has(node))
			this.twist(node, i);
		else
			this.choose(this.parentRow(i), true);
	}
	mark(i) {
		const { node } = this.rows[i];
		if (!this.marked.delete(node))
			this.marked.add(node);
		this.choose(i + 1, true);
		this.tell.marked(this.marked);
	}
	siblings(i) {
		const { depth } = this.rows[i];
		for (const row of this.rows)
			if (row.depth === depth && row.depth > 0 && this.view.tree.open(row.node))
				this.opened.add(row.node);
		this.fill();
	}
	key(e) {
		if (e.ctrlKey || e.metaKey || e.altKey)
			return;
		const i = this.at(), page = Math.max(1, Math.floor(this.body.clientHeight / ROW) - 1);
		const keys = {
			ArrowDown: () => this.choose(i + 1, true), ArrowUp: () => this.choose(i - 1, true),
			PageDown: () => this.choose(i + page, true), PageUp: () => this.choose(i - page, true),
			Home: () => this.choose(0, true), End: () => this.choose(this.rows.length - 1, true),
			ArrowRight: () => this.right(i), ArrowLeft: () => this.left(i),
			Enter: () => this.tell.zoom(this.rows[i].node),
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
		const list = this.columns().filter(c => c.key !== "part"), lines = [["path", ...list.map(c => c.title)]];
		for (const { node } of this.rows)
			if (this.marked.size === 0 || this.marked.has(node))
				lines.push([node.path().join(" › ") || "TOTAL", ...list.map(c => c.value(node))]);
		return lines.map(csvLine).join("");
	}
}

const CHANGES = ["unchanged", "changed", "added", "removed", "moved", "renamed"];
