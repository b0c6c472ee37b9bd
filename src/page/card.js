/* What is known of the row that is chosen. */

function factList(pairs) {
	return element("dl", {}, ...pairs.filter(p => p[1] !== "" && p[1] !== null && p[1] !== undefined).flatMap(([name, text, title]) => [element("dt", {}, name), element("dd", { title: title || null }, text)]));
}

function sizeFacts(node, view) {
	return view.tab.measures.flatMap((measure, m) => {
		const unit = measure.unit, now = exact(node.now(m), unit);
		if (!view.tab.diff)
			return [[measureTitle(measure), `${now}${unit === "count" ? "" : " B"}`, short(node.now(m), unit)]];
		const change = node.change(m);
		if (!isOfOneBuild(view, node))
			return [[measureTitle(measure), signed(exact(change, unit), change)]];
		return [[measureTitle(measure), `${exact(node.base(m), unit)} → ${now} (${signed(exact(change, unit), change)})`]];
	});
}

const SUMS = 8;

/* Sums over lines by the labels of a column: [label, sum] of the largest, and of the others how many they
 * are and their sum. */
function sumBy(view, column, lines) {
	const sums = new Float64Array(column.count), seen = new Uint8Array(column.count), { now, base } = view.measure;
	for (const line of lines) {
		const label = column.lines[line];
		seen[label] = 1;
		sums[label] += view.tab.diff ? now[line] - base[line] : now[line];
	}
	const largest = [];
	let others = 0, rest = 0;
	for (let i = 0; i < column.count; i++) {
		if (!seen[i] || sums[i] === 0)
			continue;
		let at = largest.length;
		while (at > 0 && Math.abs(sums[largest[at - 1]]) < Math.abs(sums[i]))
			at--;
		if (at < SUMS)
			largest.splice(at, 0, i);
		else
			rest += sums[i];
		if (largest.length > SUMS)
			rest += sums[largest.pop()];
		others++;
	}
	return { largest: largest.map(i => [view.book.texts.get(column.labels[i]), sums[i]]), others: others - largest.length, rest };
}

function sumList(view, column, lines) {
	const { largest, others, rest } = sumBy(view, column, lines), unit = view.measure.unit;
	/* It would say the row's own name again, or nothing. */
	if (others === 0 && largest.every(([label]) => label === "" || label === view.chosen.label))
		return "";
	const items = largest.map(([label, value]) => element("li", {}, element("span", {}, cut(label || "[none]", 160)), element("b", { title: exact(value, unit) }, view.tab.diff ? signed(short(value, unit), value) : short(value, unit))));
	if (others > 0)
		items.push(element("li", {}, element("span", {}, `${group(String(others))} others`), element("b", {}, short(rest, unit))));
	return element("div", { class: "sums" }, element("h3", {}, column.title), element("ul", {}, ...items));
}

/* The number in its column of the label that a node has.  The lines of a node may be those of what it keeps. */
function labelNumber(node, view) {
	const level = view.levels[node.labelLevel];
	return level.numbers?.[node.among.id(node.i)] ?? level.spec.column.lines[node.tree.order[node.start]];
}

/* All lines of the symbol that a row is, whatever the view has grouped it below. */
function linesOfSymbol(node, view) {
	const spec = view.levels[node.labelLevel]?.spec;
	if (!spec || spec.stack || !/symbols?$/.test(spec.column.name))
		return null;
	const column = spec.column, number = labelNumber(node, view), lines = [];
	for (let i = 0; i < view.tab.lines; i++)
		if (column.lines[i] === number)
			lines.push(i);
	return lines;
}

/* Sizes told apart: what is the symbol itself, and what other sections hold because of it. */
function symbolFacts(lines, view) {
	const column = view.tab.kindColumn, measure = view.measure;
	if (!column || view.tab.diff || view.tab.kind !== "sizes")
		return [];
	const kinds = kindsOf(view.book, column);
	let own = 0, all = 0;
	for (const line of lines) {
		all += measure.now[line];
		own += kinds[column.lines[line]] <= 3 ? measure.now[line] : 0;
	}
	return [["own bytes", exact(own, measure.unit) + " B"], ["all because of it", exact(all, measure.unit) + " B"]];
}

function stackList(node, view) {
	const { stacks } = view.tab, lines = new Set();
	for (let i = node.start; i < node.end && lines.size < 2; i++)
		lines.add(stacks.lines[node.tree.order[i]]);
	if (lines.size !== 1)
		return null;
	const items = [];
	for (let at = [...lines][0]; at !== 0; at = stacks.parent[at]) {
		const f = stacks.frame[at], text = what => view.book.texts.get(stacks.part(f, what));
		const place = text(FRAME_FILE) ? text(FRAME_FILE) + ":" + stacks.part(f, FRAME_LINE) : text(FRAME_MODULE);
		items.push(element("li", {}, element("span", {}, cut(text(FRAME_FUNCTION), 300)), element("small", {}, cut(place, 300))));
	}
	return element("div", { class: "sums" }, element("h3", {}, "Call stack, innermost first"), element("ol", {}, ...items));
}

const TEXT_END = "\\x1f"; /* as the data have control characters */

/* Of each label the sum of its lines and of those of all that it keeps. */
function keptSums(tab, measure) {
	const column = tab.columns[tab.cards.column], sums = new Float64Array(column.count), kids = new Uint32Array(column.count);
	const above = Int32Array.from(tab.keepers, text => numberOfText(tab, text));
	for (let i = 0; i < tab.lines; i++)
		sums[column.lines[i]] += measure.now[i];
	for (const keeper of above)
		if (keeper >= 0)
			kids[keeper]++;
	const ready = Array.from(kids.keys()).filter(i => kids[i] === 0);
	for (let at; (at = ready.pop()) !== undefined;) {
		const keeper = above[at];
		if (keeper < 0)
			continue;
		sums[keeper] += sums[at];
		if (--kids[keeper] === 0)
			ready.push(keeper);
	}
	return sums;
}

/* What would go if a symbol went. */
function keptFacts(node, view) {
	const { tab, measure } = view;
	if (!tab.keepers || view.levels[node.labelLevel].spec.column !== tab.columns[tab.cards.column])
		return [];
	measure.kept ??= keptSums(tab, measure);
	return [["with all that only it keeps", exact(measure.kept[labelNumber(node, view)], measure.unit) + " B"]];
}

const CHAIN_ENDS = 20;

/* Why the symbols of a label are in the program: the shortest chain of references to them, from a root. */
function chainList(own, view) {
	const { book, tab } = view, column = tab.columns[tab.cards.column], chain = [], all = element("div", { class: "sums" }, element("h3", {}, "Why it is there"));
	const name = number => cut(book.texts.get(column.labels[number]), 300);
	const link = number => number === own ? element("b", {}, name(number)) : element("button", { type: "button", class: "link", onclick: () => showSymbol(column, column.labels[number]) }, name(number));
	for (let number = own; number >= 0 && chain.length < column.count; number = numberOfText(tab, tab.cardOf(number).by))
		chain.unshift(number);
	const hop = number => {
		const { kind, file, line } = tab.cardOf(number);
		return element("li", {}, link(number), element("small", {}, cut(book.texts.get(kind) + (line > 0 ? `, ${book.texts.get(file)}:${line}` : ""), 300)));
	};
	const hidden = chain.length - 2 * CHAIN_ENDS, first = hidden > 0 ? chain.slice(0, CHAIN_ENDS) : chain, keeper = numberOfText(tab, tab.keepers[own]);
	if (tab.keepers[own] === KEPT_UNKNOWN)
		return null;
	if (tab.keepers[own] === KEPT_NOT)
		all.append("Nothing that a root reaches refers to it.");
	else
		all.append(element("ol", {}, ...first.map(hop), ...(hidden > 0 ? [element("li", {}, `${group(String(hidden))} more`), ...chain.slice(-CHAIN_ENDS).map(hop)] : [])));
	if (keeper >= 0)
		all.append(element("p", {}, "If ", link(keeper), " went, it would go too."));
	return all;
}

/* Who refers to the symbols of a label, and the texts among their data. */
function symbolLists(node, view) {
	const { book, tab } = view, spec = view.levels[node.labelLevel]?.spec;
	if (!tab.cardOf || spec?.column !== tab.columns[tab.cards.column])
		return [];
	const card = tab.cardOf(labelNumber(node, view));
	const user = text => element("button", { type: "button", class: "link", onclick: () => showSymbol(spec.column, text) }, cut(book.texts.get(text), 300));
	const quoted = text => element("span", {}, cut(`"${text}"`, 300));
	return [tab.keepers && chainList(labelNumber(node, view), view), moreList("Referred to by", Array.from(card.users, user), card.allUsers),
		moreList("Its texts", card.allTexts > 0 ? book.texts.get(card.texts).split(TEXT_END).map(quoted) : [], card.allTexts)].filter(Boolean);
}

function moreList(title, items, all) {
	if (items.length === 0)
		return null;
	const lines = items.map(item => element("li", {}, item));
	if (all > items.length)
		lines.push(element("li", {}, element("span", {}, `${group(String(all - items.length))} more`)));
	return element("div", { class: "sums" }, element("h3", {}, `${title} (${group(String(all))})`), element("ul", {}, ...lines));
}

const CODE_LINES = 400;

/* Text of many lines, whose ends are escapes in it; `shown` makes an element of a line. */
function plainText(title, text, shown = line => element("span", {}, cut(line, 300) + "\n")) {
	const lines = text.replace(/\\n$/, "").split("\\n"), pre = element("pre", { tabindex: 0, "aria-label": title }, ...lines.slice(0, CODE_LINES).map(shown));
	const all = element("div", { class: "sums" }, element("h3", {}, title), pre), left = lines.length - CODE_LINES;
	if (left > 0)
		all.append(element("button", { type: "button", onclick: e => { pre.append(...lines.slice(CODE_LINES).map(shown)); e.target.remove(); } }, `${group(String(left))} lines more`));
	return all;
}

function diffLine(line) {
	return element("span", { class: /^(---|\+\+\+|@@) /.test(line) ? "aside" : { "+": "more", "-": "less" }[line[0]] }, cut(line, 300) + "\n");
}

const BLOCK_LINE = /^ {2,}\d+ {2}0x/, BLOCK_RAN = / {2}ran (\d+)$/;

/* Lines of blocks stand out; behind them a bar says how often they ran, the longest that of the one that ran most. */
function listingLine(text) {
	const most = text.split("\\n").reduce((n, line) => Math.max(n, line.match(BLOCK_RAN)?.[1] ?? 0), 0);
	return line => {
		if (!BLOCK_LINE.test(line))
			return element("span", {}, cut(line.replace(/^ {8}/, ""), 300) + "\n");
		const ran = line.match(BLOCK_RAN), shown = element("span", { class: "block" }, (ran ? line.replace(BLOCK_RAN, "") + `  ran ${group(ran[1])}` : line).trim() + "\n");
		if (ran && most > 0)
			shown.style.setProperty("--heat", ran[1] / most);
		return shown;
	};
}

/* What became of the instructions: a unified diff; or the instructions, by basic block. */
function codeList(node, view, line) {
	const { book, tab } = view, spec = view.levels[node.labelLevel]?.spec;
	if (tab.codeOf && spec?.column === tab.columns[tab.code.column]) {
		const text = book.texts.get(tab.codeOf.get(labelNumber(node, view)) ?? 0);
		return text === "" ? null : tab.diff ? plainText("Disassembly, before and after", text, diffLine) : plainText("Disassembly", text, listingLine(text));
	}
	const column = node.end - node.start === 1 ? tab.columns.find(c => c.name === CODE_COLUMN) : null, text = column ? book.texts.get(column.labels[column.lines[line]]) : "";
	return text ? plainText("Disassembly, before and after", text, diffLine) : null;
}

/* Sums over more lines are made when the picture stands still. */
const LINES_AT_ONCE = 20000;

function drawCard(card, node, view) {
	const symbol = linesOfSymbol(node, view), lines = symbol || node.tree.order.subarray(node.start, node.end);
	const parts = [...cardFacts(node, view, symbol)], columns = view.tab.columns.filter(c => !c.aside && !c.stack && c.count > 1);
	clearTimeout(card.later);
	if (lines.length <= LINES_AT_ONCE)
		return card.replaceChildren(...parts, ...columns.map(column => sumList(view, column, lines)));
	card.replaceChildren(...parts);
	const next = () => {
		const column = columns.shift();
		if (column) {
			card.append(sumList(view, column, lines));
			card.later = setTimeout(next);
		}
	};
	card.later = setTimeout(next, 300);
}

function cardFacts(node, view, symbol) {
	const { tab } = view, top = view.tree.top, single = node.end - node.start === 1, line = node.tree.order[node.start];
	const share = tab.diff ? percent(node.change(view.m), top.change(view.m)) : percent(node.now(view.m), top.now(view.m));
	const facts = [...sizeFacts(node, view), [tab.diff ? "share of the change" : "share of what is shown", share]];
	if (symbol)
		facts.push(...symbolFacts(symbol, view), ...keptFacts(node, view));
	if (whatBecame(node, tab) >= 0)
		facts.push(["became", CHANGES[whatBecame(node, tab)]]);
	for (const column of tab.columns)
		if (column.aside && !column.stack && single && column.name !== CODE_COLUMN)
			facts.push([column.title, view.book.texts.get(column.labels[column.lines[line]])]);
	const parts = [element("h2", {}, cut(node.label, 2000)), element("p", { class: "path" }, cut(node.path().slice(0, -1).join(" › "), 600)), factList(facts)];
	if (!node.parent)
		parts.push(factList(tab.facts.map(f => [f.name, f.text])), ...(tab.damage ? [plainText("What is damaged", view.book.texts.get(tab.damage))] : []));
	const more = [...symbolLists(node, view), tab.stacks && node.parent ? stackList(node, view) : null, codeList(node, view, line)];
	return [...parts, ...more.filter(Boolean)];
}
