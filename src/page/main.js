/* The page: what is chosen, and what follows from it.  All that is chosen stands in the address. */

const NOTHING = { with: "", without: "", in: "", regex: false, kind: "", flag: "", least: 0, nodebug: false };
const PICTURES = [["regions", "Memory regions"], ["map", "Treemap"], ["both", "Before and after"], ["ice", "Icicle"], ["flame", "Flame graph"], ["time", "Timeline"], ["memory", "Memory by page"], ["course", "Sizes over builds"]];

const state = { tab: 0, by: [], m: -1, picture: "", colour: "", filter: { ...NOTHING }, zoom: [], range: null, theme: "" };
const view = { book: null, tab: null, tree: null, root: null, chosen: null, levels: [], m: 0, measure: null, picture: "map", colour: "owner" };
let table, picture = { boxes: [], w: 0, h: 0 }, hovered = null, filterKey = "", treeKey = "", levelsKey = "";

/* ---- the address -------------------------------------------------------------------------------- */

function address() {
	const p = new URLSearchParams(), f = state.filter;
	p.set("t", state.tab);
	p.set("by", state.by.join(","));
	p.set("m", state.m);
	p.set("v", state.picture);
	p.set("c", state.colour);
	for (const key of ["with", "without", "in", "kind", "flag"])
		if (f[key] !== "")
			p.set(key, f[key]);
	if (f.regex)
		p.set("regex", 1);
	if (f.least > 0)
		p.set("least", f.least);
	if (f.nodebug)
		p.set("nodebug", 1);
	if (state.zoom.length > 0)
		p.set("z", JSON.stringify(state.zoom));
	if (state.range)
		p.set("r", state.range.join("-"));
	if (state.theme)
		p.set("theme", state.theme);
	return "#" + p;
}

function listOf(text) {
	try {
		const list = JSON.parse(text);
		return Array.isArray(list) ? list.map(String) : [];
	} catch {
		return [];
	}
}

function readAddress() {
	const p = new URLSearchParams(location.hash.slice(1)), whole = key => Math.max(0, Math.floor(+p.get(key) || 0));
	state.tab = Math.min(view.book.tabs.length - 1, whole("t"));
	state.by = (p.get("by") || "").split(",").filter(Boolean);
	state.m = p.has("m") ? whole("m") : -1;
	state.picture = p.get("v") || "";
	state.colour = p.get("c") || "";
	state.filter = { ...NOTHING };
	for (const key of ["with", "without", "in", "kind", "flag"])
		state.filter[key] = p.get(key) || "";
	state.filter.regex = p.has("regex");
	state.filter.least = whole("least");
	state.filter.nodebug = p.has("nodebug");
	state.zoom = p.has("z") ? listOf(p.get("z")) : [];
	const range = /^(\d+)-(\d+)$/.exec(p.get("r") || "");
	state.range = range && +range[1] < +range[2] ? [+range[1], +range[2]] : null;
	state.theme = p.get("theme") || "";
}

function writeAddress(step) {
	const next = address();
	if (next === location.hash)
		return;
	if (step)
		history.pushState(null, "", next);
	else
		history.replaceState(null, "", next);
}

/* ---- what there is to choose --------------------------------------------------------------------- */

/* The level that has each symbol below what keeps it. */
const KEEPERS = "keepers";

function specsOf(tab) {
	if (tab.specs)
		return tab.specs;
	tab.specs = [];
	tab.columns.forEach((column, i) => {
		if (column.stack) {
			tab.specs.push({ id: "down", title: "Call stacks, callers first", stack: "down", part: FRAME_FUNCTION, column });
			tab.specs.push({ id: "up", title: "Call stacks, who asked first", stack: "up", part: FRAME_FUNCTION, column });
			tab.specs.push({ id: "files", title: "Files along the stack", stack: "down", part: FRAME_FILE, column });
			tab.specs.push({ id: "modules", title: "Modules along the stack", stack: "down", part: FRAME_MODULE, column });
		} else if (!column.aside) {
			tab.specs.push({ id: "c" + i, title: column.title, split: column.split || "", column });
		}
	});
	if (tab.keepers)
		tab.specs.push({ id: KEEPERS, title: "What keeps what", keepers: tab.keepers, column: tab.columns[tab.cards.column] });
	if (tab.specs.length === 0)
		tab.specs.push({ id: "c0", title: tab.columns[0].title, split: "", column: tab.columns[0] });
	tab.kindColumn = tab.columns.find(c => /^(in_section|sections)$/.test(c.name)) || null;
	return tab.specs;
}

/* The share of a tab, by a measure, whose labels in a column match. */
function shareOf(tab, column, { now }, regex) {
	const matches = Uint8Array.from(column.labels, text => regex.test(view.book.texts.get(text)) ? 1 : 0);
	let sum = 0, all = 0;
	for (let i = 0; i < tab.lines; i++) {
		all += now[i];
		sum += matches[column.lines[i]] * now[i];
	}
	return all > 0 ? sum / all : 0;
}

/* What heft report groups by where nobody says otherwise. */
const USUAL_COLUMNS = /^(regions|libraries|armembers|sections|compileunits|packages|namespaces|symbols|flags|hotness)$/;

/* What a program is shown by, the first that enough of its bytes have.  Sources in folders make a tree.  A third in packages says more
 * than names of objects, which for Rust is one unit of the whole program.  What heft has no owner for stands in brackets, what is in no
 * package or namespace in parentheses. */
const OWNERS = [["compileunits", /^[^[(].*\//, .5], ["packages", /^[^[(]/, 1 / 3], ["compileunits", /^[^[(]/, .5], ["armembers", /^[^[(]/, .5], ["namespaces", /^[^[(]/, .5]];

/* Opens on the source tree where there is one, else on packages, on members of an archive, on namespaces, on sections. */
function usualBy(tab) {
	const specs = specsOf(tab), find = regex => specs.find(s => regex.test(s.column.name) && !s.stack && !s.keepers);
	if (tab.stacks)
		return ["down"];
	if (tab.kind === "sizes" && !specs.every(s => USUAL_COLUMNS.test(s.column.name)))
		return specs.slice(0, 3).map(s => s.id);
	const measure = tab.measures[usualMeasure(tab)];
	const owners = tab.kind === "sizes" && !tab.regions ? OWNERS.map(([name, regex, least]) => {
		const spec = find(new RegExp(`^${name}$`));
		return spec && shareOf(tab, spec.column, measure, regex) >= least ? spec : null;
	}).find(Boolean) : null;
	const outer = tab.regions && find(/^regions$/) ? [find(/^regions$/), find(/^libraries$/)] : [owners || find(/^build$/) || find(/^(in_section|sections|modules)$/) || specs[0]];
	const list = [...outer, find(/^(symbol|symbols|rawsymbols|fullsymbols|shortsymbols|block)$/)];
	return [...new Set(list.filter(Boolean).map(s => s.id))];
}

/* Debug info, and tables that only a linker reads, are in no memory: a program that has them, and an archive, is shown as it is
 * loaded.  A program that gave nearly all its heap back is
 * shown at its peak. */
function usualMeasure(tab) {
	const of = name => tab.measures.findIndex(m => m.name === name), vm = of("vm"), peak = of("peak_bytes");
	if (tab.regions)
		return memoryMeasure(tab);
	if (tab.kind === "heap" && !tab.diff && peak > 0 && sumOf(tab.measures[0].now) < sumOf(tab.measures[peak].now) / 10)
		return peak;
	return tab.kind === "sizes" && vm >= 0 && (hasDebugInfo(tab) || tab.columns[0].name === "armembers") && sumOf(tab.measures[vm].now) > 0 ? vm : 0;
}

function hasDebugInfo(tab) {
	return tab.kindColumn !== null && kindsOf(view.book, tab.kindColumn).includes(DEBUG_INFO);
}

/* Takes what the address says as far as the tab has it. */
function settle() {
	const tab = view.tab, ids = specsOf(tab).map(s => s.id);
	state.by = [...new Set(state.by)].filter(id => ids.includes(id)).slice(0, 3);
	if (state.by.length === 0)
		state.by = usualBy(tab);
	state.m = state.m < 0 ? usualMeasure(tab) : Math.min(state.m, tab.measures.length - 1);
	const pictures = picturesOf(tab).map(p => p[0]);
	if (!pictures.includes(state.picture))
		state.picture = tab.built ? "course" : tab.stacks ? "ice" : tab.regions ? "regions" : "map";
	const colours = coloursOf(tab).map(c => c[0]);
	if (!colours.includes(state.colour))
		state.colour = tab.diff ? "change" : tab.kindColumn ? "kind" : "owner";
	if (state.filter.in !== "" && !tab.columns[state.filter.in])
		state.filter.in = "";
	if (!tab.kindColumn || !(+state.filter.kind < KINDS.length))
		state.filter.kind = "";
	state.filter.nodebug &&= hasDebugInfo(tab);
	if (state.filter.flag !== "" && !flagsOf(view.book, tab).includes(state.filter.flag))
		state.filter.flag = "";
}

function picturesOf(tab) {
	const there = { regions: tab.regions?.length > 0, both: tab.diff, time: tab.moments?.length > 1, memory: tab.pieces?.length > 0, course: tab.built?.builds.length > 0 };
	return PICTURES.filter(([id]) => there[id] ?? true);
}

/* Is the picture one of rows? */
function showsRows() {
	return !["time", "memory", "course"].includes(view.picture);
}

function coloursOf(tab) {
	return [...(tab.diff ? [["change", "by change"]] : []), ...(tab.kindColumn ? [["kind", "by kind"]] : []), ["owner", "by owner"], ["heat", "by heat"]];
}

/* ---- controls ----------------------------------------------------------------------------------- */

function fillControls() {
	const { tab } = view, specs = specsOf(tab), none = [["", "—"]], all = specs.map(s => [s.id, s.title]);
	for (let i = 0; i < 3; i++)
		choices($("by" + i), i ? none.concat(all) : all, state.by[i] || "");
	choices($("measure"), tab.measures.map((m, i) => [String(i), measureTitle(m)]), String(state.m));
	choices($("view"), picturesOf(tab), state.picture);
	choices($("colour"), coloursOf(tab), state.colour);
	choices($("in"), [["", "in any name"], ...tab.columns.map((c, i) => [String(i), "in " + c.title.toLowerCase()]).filter(([i]) => tab.columns[i].count > 1 || tab.columns[i].stack)], state.filter.in);
	choices($("kind"), [["", "any kind"], ...KINDS.map((k, i) => [String(i), k])], state.filter.kind);
	$("kind").hidden = !tab.kindColumn;
	const flags = flagsOf(view.book, tab);
	choices($("flag"), [["", "any flag"], ...flags.map(f => [f, f])], state.filter.flag);
	$("flag").hidden = flags.length === 0;
	$("debug").checked = !state.filter.nodebug;
	$("debug").parentElement.hidden = !hasDebugInfo(tab);
	for (const key of ["with", "without"])
		if (document.activeElement !== $(key))
			$(key).value = state.filter[key];
	$("regex").checked = state.filter.regex;
	if (document.activeElement !== $("least"))
		$("least").value = state.filter.least || "";
}

/* The button that groups by what keeps what. */
function fillKeepers() {
	const button = $("keepers"), on = state.by.includes(KEEPERS);
	button.hidden = !view.tab.keepers;
	button.setAttribute("aria-pressed", String(on));
	$("kept").hidden = !on;
}

function toKeepers() {
	Object.assign(state, { by: state.by.includes(KEEPERS) ? [] : [KEEPERS], picture: showsRows() ? state.picture : "", zoom: [] });
	update(true);
}

/* On a small screen the choices are behind a button that says what they are. */
function fillChoices() {
	const f = state.filter, filtered = [f.with, f.without && "without " + f.without, f.kind !== "" && KINDS[f.kind], f.flag, f.least > 0 && "from " + f.least, f.nodebug && "without debug info"].filter(Boolean);
	const said = view.levels.map(l => l.spec.title).join(" › ") + (filtered.length ? ", " + filtered.join(", ") : "");
	$("choices").replaceChildren("Choices", element("span", { class: "said" }, cut(said, 100)));
}

function measureTitle(measure) {
	const names = { file: "in the file", vm: "in memory (VM)", live_bytes: "live bytes", live_blocks: "live blocks", peak_bytes: "bytes at the peak", peak_blocks: "blocks at the peak", alloc_bytes: "allocated bytes", allocs: "allocations", temporary: "temporary allocations", charged: "charged bytes of the file", padded: "bytes with padding", own: "own bytes", padding: "padding in front" };
	return names[measure.name] || measure.title;
}

/* Behind "N bytes" in the sum. */
function sumTitle(measure) {
	const names = { live_bytes: "live", peak_bytes: "at the peak", alloc_bytes: "allocated", charged: "of the file, charged to symbols", padded: "with padding", own: "of its own" };
	return names[measure.name] || measureTitle(measure);
}

function fillTabs() {
	$("tabs").replaceChildren(...view.book.tabs.map((tab, i) => element("button", {
		type: "button", role: "tab", id: "tab" + i, "aria-selected": String(i === state.tab), tabindex: i === state.tab ? 0 : -1,
		title: cut(tab.title, 300), onclick: () => toTab(i),
	}, cut(tab.title, 40), tab.diff ? element("small", {}, " diff") : "")));
}

function toTab(i) {
	Object.assign(state, { tab: i, by: [], m: -1, picture: "", colour: "", zoom: [], range: null, filter: { ...NOTHING } });
	update(true);
	$("tab" + i).focus();
}

function fillNotes() {
	const { notes } = view.tab, button = $("notes-button");
	button.hidden = notes.length === 0;
	button.textContent = notes.length === 1 ? "1 note" : notes.length + " notes";
	$("notes").replaceChildren(element("ul", {}, ...notes.map(n => element("li", {}, cut(n.text, 600), n.count > 1 ? ` (${group(String(n.count))} times${n.bytes ? ", " + short(n.bytes, "bytes") : ""})` : "", element("small", {}, " " + cut(n.path, 300))))));
	if (notes.length === 0)
		$("notes").hidden = true;
	button.setAttribute("aria-expanded", String(!$("notes").hidden));
}

/* ---- from what is chosen to what is seen ---------------------------------------------------------- */

function levelFor(id) {
	const spec = specsOf(view.tab).find(s => s.id === id);
	spec.level ||= new Level(spec, view.book, view.tab);
	return spec.level;
}

/* The lines that pass; the last good ones while an expression is half written. */
function applyFilter() {
	const key = JSON.stringify([state.tab, state.filter, state.filter.least > 0 ? state.m : 0]);
	if (key === filterKey)
		return;
	try {
		view.passes = filterLines(view.book, view.tab, state.filter, view.measure);
		$("bar").classList.remove("wrong");
		$("with").title = "";
	} catch (e) {
		$("bar").classList.add("wrong");
		$("with").title = e.message;
		if (view.passes?.length !== view.tab.lines)
			view.passes = null;
	}
	filterKey = key;
	treeKey = "";
}

/* Returns whether its levels are others than before. */
function makeTree() {
	const key = JSON.stringify([state.tab, state.by]), again = key === levelsKey;
	if (key === treeKey)
		return false;
	const opened = table && again ? [...table.opened].slice(0, 50) : [];
	if (!again) {
		view.levels = state.by.map(levelFor);
		view.lines = linesInOrder(view.levels, view.tab.lines);
	}
	view.tree = new Tree(view.tab, view.levels, view.lines, view.passes);
	if (table) {
		table.marked.clear();
		table.opened = new Set(opened.map(n => view.tree.same(n)).filter(n => n?.parent));
	}
	treeKey = levelsKey = key;
	return !again;
}

function update(step) {
	const before = view.tree, rootBefore = view.root;
	leave();
	view.tab = decodeTab(view.book.tabs[state.tab], view.book.texts);
	settle();
	view.m = state.m;
	view.measure = view.tab.measures[state.m];
	view.picture = state.picture;
	view.colour = state.colour;
	applyFilter();
	const fresh = makeTree();
	view.root = view.tree.find(state.zoom);
	state.zoom = view.root.path();
	if (!view.chosen || view.chosen.tree !== view.tree)
		view.chosen = view.root;
	document.title = view.tab.title + " · heft";
	if (state.theme)
		document.documentElement.dataset.theme = state.theme;
	else
		delete document.documentElement.dataset.theme;
	readTheme();
	fillTabs();
	fillControls();
	fillChoices();
	fillKeepers();
	fillNotes();
	fillSum();
	fillCrumbs();
	table ||= new Table($("table"), view, { chosen: choose, zoom: zoomTo, marked: tellMarked, sorted: drawPicture, copy: copyRows });
	/* What has nearly all of it says little: rows begin with what it is made of. */
	for (const node of fresh ? forkOf(view, view.m).above() : [])
		if (node.parent)
			table.opened.add(node);
	table.fill();
	if (view.root !== rootBefore)
		table.scrollTo(0);
	tellMarked(table.marked);
	drawPicture();
	drawCard($("card"), view.chosen, view);
	if (before !== view.tree)
		before?.close();
	writeAddress(step);
}

function rowsOf(tree) {
	return group(String(tree.order.length)) + (tree.order.length === 1 ? " row" : " rows");
}

function fillSum() {
	const { tab, tree, m, measure } = view, unit = measure.unit, top = tree.top, bytes = unit === "count" ? "" : " bytes";
	const whole = measure.whole ??= sumOf(measure.now);
	const parts = [element("b", {}, exact(top.now(m), unit) + bytes)];
	if (!isOfOneBuild(view, top)) {
		$("sum").replaceChildren(`${measureTitle(measure)}: `, element("b", {}, signed(exact(top.change(m), unit), top.change(m)) + bytes), ` in ${group(String(tab.columns.find(c => c.name === "build").count))} steps; ${rowsOf(tree)}`);
		$("sum").dataset.now = top.now(m);
		return;
	}
	if (unit !== "count" && top.now(m) >= 1024)
		parts.push(` (${short(top.now(m), unit)})`);
	parts.push(` ${sumTitle(measure)}`);
	if (tree.order.length < tab.lines)
		parts.push(`, ${percent(top.now(m), whole)} of ${exact(whole, unit)}`);
	else
		parts.push(", all of it");
	if (tab.diff)
		parts.push(`; before ${exact(top.base(m), unit)}, change `, element("b", {}, signed(exact(top.change(m), unit), top.change(m))), percent(top.change(m), top.base(m)) ? ` (${signed(percent(top.change(m), top.base(m)), top.change(m))})` : "");
	if (tab.kind === "symbols")
		parts.push("; without debug info");
	parts.push("; " + rowsOf(tree));
	$("sum").replaceChildren(...parts);
	$("sum").dataset.now = top.now(m);
}

/* Where there is no room for all of a path, what is left of it: its ends. */
const CRUMBS_FIRST = 2, CRUMBS_LAST = 3;

function fillCrumbs() {
	const chain = view.root.above(), last = chain.length - 1;
	$("crumbs").replaceChildren(...chain.flatMap((node, i) => {
		const label = cut(node.parent ? labelBelow(node) : "TOTAL", 60), title = cut(node.path().join(" › "), 600);
		if (last > CRUMBS_FIRST + CRUMBS_LAST && i >= CRUMBS_FIRST && i <= last - CRUMBS_LAST)
			return i === CRUMBS_FIRST ? [element("span", { class: "sep", title: cut(chain[last - CRUMBS_LAST].path().join(" › "), 600) }, "› …")] : [];
		const part = i < last ? element("button", { type: "button", title, onclick: () => zoomTo(node) }, label) : element("span", { "aria-current": "location", title }, label);
		return i ? [element("span", { class: "sep", "aria-hidden": "true" }, "›"), part] : [part];
	}));
}

function choose(node) {
	view.chosen = node;
	drawCard($("card"), node, view);
	if (view.picture === "course")
		paint();
	drawOverlay();
}

function zoomTo(node) {
	if (!view.tree.open(node))
		return choose(node);
	const from = picture.boxes.find(b => b.node === node);
	state.zoom = node.path();
	view.chosen = node;
	const before = from && !matchMedia("(prefers-reduced-motion: reduce)").matches ? snapshotOf(from) : null;
	update(true);
	if (before)
		grow(before);
}

/* Shows a symbol, wherever it is in the tree: its largest line, of those that are not about it but it. */
function showSymbol(column, text) {
	const number = column.labels.indexOf(text), { tree, measure, tab } = view, kinds = tab.kindColumn ? kindsOf(view.book, tab.kindColumn) : null;
	const worth = i => (kinds && kinds[tab.kindColumn.lines[i]] > 3 ? 0 : Number.MAX_SAFE_INTEGER / 2) + measure.now[i];
	let line = -1;
	for (const i of tree.order)
		if (column.lines[i] === number && (line < 0 || worth(i) > worth(line)))
			line = i;
	if (line < 0)
		return;
	const node = tree.nodeOfLine(line, view.levels.findIndex(l => l.spec.column === column));
	if (!node.above().includes(view.root)) {
		state.zoom = [];
		update(true);
	}
	table.show(node);
}

function tellMarked(marked) {
	let sum = 0;
	for (const node of marked)
		if (!node.above().slice(0, -1).some(n => marked.has(n)))
			sum += view.tab.diff ? node.change(view.m) : node.now(view.m);
	$("marked").textContent = marked.size === 0 ? "" : `${marked.size} marked: ${exact(sum, view.measure.unit)}${view.measure.unit === "count" ? "" : " bytes"}, ${percent(sum, view.tab.diff ? view.tree.top.change(view.m) : view.tree.top.now(view.m))}`;
}

async function copyRows() {
	await copyText(table.csv());
	$("marked").textContent = "The rows are on the clipboard, as csv.";
}

/* ---- the picture -------------------------------------------------------------------------------- */

const canvas = $("canvas"), context = canvas.getContext("2d");

function drawPicture() {
	const legend = $("legend").offsetHeight;
	layPicture();
	/* The words below leave it more room, or less. */
	if ($("legend").offsetHeight !== legend)
		layPicture();
}

function layPicture() {
	const box = $("picture"), ratio = devicePixelRatio || 1, before = picture.kind;
	const w = Math.max(200, box.clientWidth), room = Math.max(220, box.clientHeight - $("legend").offsetHeight);
	if (view.picture === "time") {
		picture = { boxes: [], w, h: room };
	} else if (view.picture === "memory") {
		const laid = layStrip(view.tab.pieces, { w, h: room });
		picture = { boxes: [], cells: laid.cells, w, h: laid.height };
	} else if (view.picture === "course") {
		const laid = layCourse(view.tab.built, { w, h: room });
		picture = { boxes: [], charts: laid.charts, w, h: laid.height };
	} else if (view.picture === "regions") {
		const laid = layRegions(view, { w, h: room });
		picture = { ...laid, w, h: laid.height };
	} else if (view.picture === "map") {
		picture = { boxes: layMap(view.tree, view.root, view.m, { x: 0, y: 0, w, h: room }, view.tree.weighs), w, h: room };
	} else if (view.picture === "both") {
		picture = { boxes: laySides(view.tree, view.root, view.m, { w, h: room }), w, h: room };
	} else {
		const laid = layFlame(view.tree, view.root, view.m, { w, h: room, most: 8000 }, view.picture === "flame");
		picture = { boxes: laid.boxes, w, h: laid.height };
	}
	picture.kind = view.picture;
	canvas.width = Math.round(w * ratio);
	canvas.height = Math.round(picture.h * ratio);
	canvas.style.width = w + "px";
	canvas.style.height = picture.h + "px";
	context.setTransform(ratio, 0, 0, ratio, 0, 0);
	paint();
	tellPicture();
	/* A flame graph stands on its lowest band. */
	if (picture.kind !== before)
		box.scrollTop = picture.kind === "flame" ? box.scrollHeight : 0;
}

function paint() {
	context.fillStyle = getComputedStyle(document.body).backgroundColor;
	context.fillRect(0, 0, picture.w, picture.h);
	if (view.picture === "time")
		picture.scale = drawTimeline(context, picture, view.tab, state.range, timeCursor());
	else if (view.picture === "memory")
		drawStrip(new CanvasPen(context), picture.cells);
	else if (view.picture === "course")
		drawCourse(context, picture, view);
	else if (view.picture === "regions")
		drawRegions(new CanvasPen(context), picture, view);
	else
		drawBoxes(new CanvasPen(context), picture.boxes, view);
	picture.clean = null;
	drawOverlay();
}

function copyPicture() {
	const copy = document.createElement("canvas");
	copy.width = canvas.width;
	copy.height = canvas.height;
	copy.getContext("2d").drawImage(canvas, 0, 0);
	return copy;
}

function isChosen(box) {
	return (box.node === view.chosen || box.chain?.includes(view.chosen)) && box.depth > 0 && !box.smaller;
}

function isHovered(box) {
	return box === hovered || (box.node === hovered?.node && !box.smaller && !hovered.smaller);
}

/* The frames around what is chosen and what the pointer is over, on a copy of the picture. */
function drawOverlay() {
	if (!showsRows())
		return;
	const framed = picture.boxes.filter(box => isChosen(box) || isHovered(box));
	if (framed.length === 0 && !picture.clean)
		return;
	picture.clean ||= copyPicture();
	context.save();
	context.setTransform(1, 0, 0, 1, 0, 0);
	context.drawImage(picture.clean, 0, 0);
	context.restore();
	const ink = isDark() ? "#ffffff" : "#0b1220";
	context.strokeStyle = ink;
	for (const box of framed) {
		context.lineWidth = isChosen(box) ? 2.5 : 1.5;
		context.strokeRect(box.x + 1, box.y + 1, Math.max(1, box.w - 3), Math.max(1, box.h - 3));
	}
}

function tellPicture() {
	const legend = $("legend");
	if (view.picture === "time")
		return legend.replaceChildren(nameTimeline(canvas, view.tab, state.range, timeCursor()));
	unnameTimeline(canvas);
	const kids = view.tree.open(view.root), least = view.root.weight(view.m) / 1000;
	const first = Array.from(kids ? view.tree.heaviest(kids, view.tree.weighs, view.m, least).ids.subarray(0, 3) : [], i => kids.node(i)).map(n => `${cut(n.label, 60)} ${percent(n.weight(view.m), view.root.weight(view.m))}`);
	const told = view.picture === "memory" ? tellStrip(view.tab.pieces) : view.picture === "course" ? tellCourse(view.tab.built) : "", before = view.picture === "regions" ? tellRegions(view.tab) + " " : "";
	canvas.setAttribute("aria-label", told || before + `${PICTURES.find(p => p[0] === view.picture)[1]} of ${cut(view.root.label, 60)}; the largest: ${first.join(", ")}. The table has the same rows.`);
	const { live, other, free } = stripColours();
	const items = view.picture === "memory" ? [["in blocks", { fill: live }], ["headers, allocator, recorder", { fill: other }], ["free", { fill: free }]] :
		view.picture === "course" ? [] : view.colour === "kind" ? kindsShown() :
		view.colour === "change" ? [["+ grew, or new", shade(24, 90, 64)], ["− shrank, or removed", shade(212, 80, 66)], ["unchanged", shade(220, 6, 84)]] :
		view.colour === "heat" && heatColumn(view.tab) ? [...Object.entries(HEAT).map(([name, colour]) => [name, shade(...colour)]), ["not code that was sampled", shade(...NO_HEAT)]] :
		view.colour === "heat" ? [["larger", shade(6, 75, 66)], ["smaller", shade(48, 75, 84)]] : ownersShown();
	if (showsRows() && view.tab.inferred && sumOfLines(view.root, view.tab.inferred) > 0)
		items.push(["owner inferred, not stated", { fill: `repeating-linear-gradient(45deg, transparent 0 2px, ${HATCH_INK} 2px 4px)` }]);
	legend.replaceChildren(...items.map(([text, colour]) => {
		const dot = element("i", { "aria-hidden": "true" });
		dot.style.background = colour.fill;
		return element("span", {}, dot, text);
	}), view.picture === "course" ? "A click shows what a build changed, if it is one of those in the table." : told || element("span", { class: "hint" }, "Click chooses, double click opens, Backspace goes up. Keys: ?"));
}

/* The kinds that boxes have their colours from. */
function kindsShown() {
	const shown = new Set(picture.boxes.map(box => kindOfNode(box.node, view.tab, view.book, view.m)));
	return KINDS.map((k, i) => [k, shade(...KIND_HUES[i], 76)]).filter((_, i) => shown.has(i));
}

/* The owners with the largest boxes, in their colours. */
function ownersShown() {
	const most = 6, shown = new Map();
	for (const box of [...picture.boxes].sort((a, b) => b.w * b.h - a.w * a.h)) {
		const { label } = ownerOf(box, view);
		if (box.depth > 0 && !box.smaller && !shown.has(label))
			shown.set(label, shade(hueOf(label), 48, 78));
		if (shown.size === most)
			break;
	}
	return [...shown].map(([label, colour]) => [cut(label, 30), colour]);
}

function snapshotOf(box) {
	const copy = document.createElement("canvas");
	copy.width = canvas.width;
	copy.height = canvas.height;
	copy.getContext("2d").drawImage(picture.clean || canvas, 0, 0);
	return { copy, box };
}

/* The picture before grows until the box fills it. */
function grow({ copy, box }) {
	const start = performance.now(), last = document.createElement("canvas"), w = canvas.width, h = canvas.height, ratio = devicePixelRatio || 1;
	last.width = w;
	last.height = h;
	last.getContext("2d").drawImage(canvas, 0, 0);
	const drawn = picture;
	const frame = now => {
		if (picture !== drawn)
			return;
		const t = Math.min(1, (now - start) / 180), ease = t * (2 - t);
		const x = box.x * ratio * ease, y = box.y * ratio * ease, bw = w + (box.w * ratio - w) * ease, bh = h + (box.h * ratio - h) * ease;
		context.save();
		context.setTransform(1, 0, 0, 1, 0, 0);
		context.drawImage(copy, x, y, Math.max(1, bw), Math.max(1, bh), 0, 0, w, h);
		context.globalAlpha = ease;
		context.drawImage(last, 0, 0);
		context.restore();
		if (t < 1)
			requestAnimationFrame(frame);
		else
			drawOverlay();
	};
	requestAnimationFrame(frame);
}

/* ---- the pointer -------------------------------------------------------------------------------- */

function pointed(e) {
	const r = canvas.getBoundingClientRect();
	return { x: e.clientX - r.left, y: e.clientY - r.top };
}

function showTip(e, box) {
	const { node } = box, unit = view.measure.unit, m = view.m;
	const size = view.tab.diff ? `${short(node.base(m), unit)} → ${short(node.now(m), unit)}, ${signed(short(node.change(m), unit), node.change(m))}` : `${short(node.now(m), unit)} · ${exact(node.now(m), unit)}${unit === "count" ? "" : " B"}`;
	if (box.region)
		return placeTip(e, ...tellRegion(box.region, view.tab.diff).map((text, i) => element(i ? "span" : "b", {}, text)));
	placeTip(e, element("b", {}, cut(node.label, 300)), element("span", {}, size), element("span", {}, `${percent(node.weight(m), view.root.weight(m))} of ${cut(view.root.label, 40)}`), element("small", {}, cut(node.path().slice(0, -1).join(" › "), 200)));
}

function placeTip(e, ...children) {
	const tip = $("tip");
	tip.replaceChildren(...children);
	tip.hidden = false;
	const w = tip.offsetWidth, h = tip.offsetHeight;
	tip.style.left = Math.max(4, Math.min(innerWidth - w - 4, e.clientX + 14)) + "px";
	tip.style.top = Math.max(4, e.clientY + 18 + h > innerHeight ? e.clientY - h - 12 : e.clientY + 18) + "px";
}

function hover(e) {
	const { x, y } = pointed(e), box = boxAt(picture.boxes, x, y), cell = cellAt(picture.cells || [], x, y), build = courseAt(picture.charts || [], x, y);
	if (cell)
		return placeTip(e, ...tellCell(cell).map((text, i) => element(i ? "span" : "b", {}, text)));
	if (build)
		return placeTip(e, ...tellBuild(view.tab.built, build).map((text, i) => element(i ? "span" : "b", {}, text)));
	if (!showsRows()) {
		$("tip").hidden = true;
		return;
	}
	if (box !== hovered) {
		hovered = box;
		drawOverlay();
	}
	if (box)
		showTip(e, box);
	else
		$("tip").hidden = true;
}

function leave() {
	hovered = null;
	$("tip").hidden = true;
	drawOverlay();
}

/* Where keys are on the timeline.  It holds as long as the range is the one that they chose. */
let cursor = null;

function timeCursor() {
	return cursor && cursor.tab === view.tab && cursor.range === state.range ? cursor : null;
}

function timeKey(e) {
	const { moments } = view.tab, next = moveCursor(moments, state.range, timeCursor(), e.key, e.shiftKey);
	if (e.altKey || e.ctrlKey || e.metaKey || (!next && e.key !== "Escape"))
		return;
	e.preventDefault();
	state.range = next && cursorRange(moments, next);
	cursor = next && { ...next, tab: view.tab, range: state.range };
	paint();
	tellPicture();
	writeAddress(false);
}

function dragRange(e) {
	cursor = null;
	const from = picture.scale.at(pointed(e).x), move = to => {
		const at = picture.scale.at(pointed(to).x);
		state.range = Math.abs(at - from) < (picture.scale.last - picture.scale.first) / 200 ? null : [Math.min(from, at), Math.max(from, at)].map(Math.round);
		paint();
		tellPicture();
	};
	const done = () => {
		removeEventListener("pointermove", move);
		writeAddress(true);
	};
	addEventListener("pointermove", move);
	addEventListener("pointerup", done, { once: true });
}

/* What a build changed, as far as it was compared. */
function showBuild(label) {
	const node = view.tree.find([label]);
	if (node.label !== label)
		return;
	table.opened.add(node);
	table.show(node);
}

function pictureKey(e) {
	if (view.picture === "time")
		return timeKey(e);
	if (!["ArrowDown", "ArrowUp", "ArrowLeft", "ArrowRight", "Enter", "Backspace", "Home", "End"].includes(e.key) || !showsRows())
		return;
	table.key(e);
}

/* ---- all of it ---------------------------------------------------------------------------------- */

function chosenBy(e) {
	const id = e.target.id, value = e.target.value, f = state.filter;
	if (id.startsWith("by")) {
		state.by[+id[2]] = value;
		state.by = state.by.filter(Boolean);
		state.zoom = [];
	} else if (id === "measure")
		state.m = +value;
	else if (id === "view")
		state.picture = value;
	else if (id === "colour")
		state.colour = value;
	else if (id === "regex")
		f.regex = e.target.checked;
	else if (id === "debug")
		f.nodebug = !e.target.checked;
	else if (id === "least")
		f.least = Math.max(0, Math.floor(+value || 0));
	else
		f[id] = value;
	update(e.type === "change");
}

/* Shares the width between the picture and the rows: so many percent are the picture's. */
function divide(part) {
	const share = Math.round(Math.max(15, Math.min(85, part)));
	document.querySelector("main").style.setProperty("--picture", share);
	$("divider").setAttribute("aria-valuenow", share);
}

function dragDivider(e) {
	const box = document.querySelector("main").getBoundingClientRect(), move = to => divide(100 * (to.clientX - box.left) / box.width);
	e.preventDefault();
	addEventListener("pointermove", move);
	addEventListener("pointerup", () => removeEventListener("pointermove", move), { once: true });
}

const KEYS = [["↑ ↓ Page Home End", "choose another row"], ["→ ←", "open a row, close it, go to the one above"], ["Enter, double click", "show nothing but this row"], ["Backspace", "show what it is part of"], ["*", "open the rows beside it"], ["Space", "mark a row; the sum of the marked ones is below"], ["c", "copy the rows"], ["/", "filter"], ["?", "these keys"]];

function showKeys() {
	$("keys").replaceChildren(element("h2", {}, "Keys in the rows and the picture"), element("dl", {}, ...KEYS.flatMap(([key, does]) => [element("dt", {}, element("kbd", {}, key)), element("dd", {}, does)])), element("form", { method: "dialog" }, element("button", {}, "Close")));
	$("keys").showModal();
}

let typing = 0;

function listen() {
	$("bar").addEventListener("submit", e => e.preventDefault());
	$("bar").addEventListener("change", e => e.target.type !== "search" && chosenBy(e));
	$("bar").addEventListener("input", e => {
		if (e.target.type !== "search" && e.target.type !== "number")
			return;
		clearTimeout(typing);
		typing = setTimeout(() => chosenBy(e), 120);
	});
	$("choices").addEventListener("click", e => {
		const button = e.currentTarget, open = button.getAttribute("aria-expanded") !== "true";
		button.setAttribute("aria-expanded", String(open));
	});
	$("keepers").addEventListener("click", toKeepers);
	$("clear").addEventListener("click", () => {
		state.filter = { ...NOTHING };
		$("with").value = $("without").value = $("least").value = "";
		update(true);
	});
	canvas.addEventListener("pointermove", hover);
	canvas.addEventListener("pointerleave", leave);
	canvas.addEventListener("pointerdown", e => view.picture === "time" && dragRange(e));
	canvas.addEventListener("click", e => {
		const { x, y } = pointed(e), box = boxAt(picture.boxes, x, y), build = courseAt(picture.charts || [], x, y);
		if (box)
			table.show(box.node);
		if (build)
			showBuild(view.tab.built.builds[build.i].label);
	});
	canvas.addEventListener("dblclick", e => {
		const box = boxAt(picture.boxes, pointed(e).x, pointed(e).y);
		if (box)
			zoomTo(view.tree.open(box.node) ? box.node : box.node.parent || box.node);
	});
	canvas.addEventListener("keydown", pictureKey);
	$("tabs").addEventListener("keydown", e => {
		const go = { ArrowRight: 1, ArrowLeft: -1 }[e.key], count = view.book.tabs.length;
		if (go)
			toTab((state.tab + go + count) % count);
	});
	$("notes-button").addEventListener("click", () => {
		$("notes").hidden = !$("notes").hidden;
		fillNotes();
		drawPicture();
	});
	$("save-svg").addEventListener("click", () => saveSvg(view, picture));
	$("save-png").addEventListener("click", () => savePng(view, canvas));
	$("save-csv").addEventListener("click", () => save(fileName(view, "csv"), "text/csv", table.csv()));
	$("print").addEventListener("click", () => print());
	$("help").addEventListener("click", showKeys);
	addEventListener("keydown", e => e.key === "?" && !/^(INPUT|SELECT)$/.test(e.target.tagName) && showKeys());
	$("divider").addEventListener("pointerdown", dragDivider);
	$("divider").addEventListener("keydown", e => {
		const step = { ArrowLeft: -2, ArrowRight: 2 }[e.key];
		if (step)
			divide(+$("divider").getAttribute("aria-valuenow") + step);
	});
	$("theme").addEventListener("click", () => {
		state.theme = isDark() ? "light" : "dark";
		update(false);
	});
	addEventListener("pagehide", e => !e.persisted && closePage());
	addEventListener("hashchange", () => { readAddress(); update(false); });
	addEventListener("popstate", () => { readAddress(); update(false); });
	SCHEME.addEventListener("change", () => {
		readTheme();
		drawPicture();
	});
	new ResizeObserver(() => view.tree && ($("picture").clientWidth !== picture.w || isMap(view)) && drawPicture()).observe($("picture"));
}

/* The memory goes with the page, not when the browser finds the time: another one may be next in the same tab. */
function closePage() {
	const levels = view.book.tabs.flatMap(tab => tab.specs || []).map(spec => spec.level).filter(Boolean);
	/* What scrolls or changes its size now draws nothing any more. */
	table.blocks = null;
	closeBook(view.book);
	view.tree.close();
	for (const array of [view.passes, view.lines, ...levels.flatMap(level => [level.order, level.ranks, level.trie?.parent, level.trie?.depth, level.trie?.end]), ...orders.rooms, ...marks.rooms])
		letGo(array);
	for (const drawn of [canvas, picture.clean])
		if (drawn)
			drawn.width = drawn.height = 0;
}

async function start() {
	try {
		const { textContent } = $("data");
		$("data").remove();
		view.book = await Book.read(textContent, part => { $("message").textContent = `Unpacking … ${Math.floor(100 * part)} %`; });
		readAddress();
		$("message").hidden = true;
		$("app").hidden = false;
		listen();
		update(false);
	} catch (e) {
		$("message").hidden = false;
		$("message").textContent = "This report cannot be shown: " + e.message;
	}
}

/* For tests: what is shown below a node, in full. */
globalThis.heftPage = {
	state, view, update, picture: () => picture,
	csv: () => table.csv(), sortedBy, orderBy, zoom: zoomTo,
	forget: () => view.book.answers?.clear(),
	hatched: () => picture.boxes.filter(b => isInferred(b, view.tab)),
	rows: path => {
		const kids = view.tree.open(view.tree.find(path)), { measures, diff } = view.tree;
		return Array.from({ length: kids ? kids.count : 0 }, (_, i) => kids.node(i)).map(n => ({
			label: n.label, now: measures.map((_, m) => n.now(m)), base: diff ? measures.map((_, m) => n.base(m)) : null, others: n.others,
		}));
	},
	totals: what => view.tree.measures.map((_, m) => view.tree.top.value(what, m)),
};

start();
