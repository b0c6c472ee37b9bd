/* Memory regions of a machine as bars, how much of each is used and what is free; below them the treemap. */

const REGION_TITLE = 18, REGION_BAR = 24, REGION_GAP = 10, REGION_PART = 0.62; /* of the height at most */

/* The measure of bytes in memory, which regions are of. */
function memoryMeasure(tab) {
	return Math.max(0, tab.measures.findIndex(m => m.name === "vm"));
}

function isByRegion(view) {
	return view.levels[0]?.spec.column.name === "regions";
}

/* The boxes of what a region has, side by side from the left; what is narrower than a dot has none. */
function partsOfRegion(view, region, bar, scale) {
	const kids = isByRegion(view) ? view.tree.open(view.tree.top) : null, at = kids ? kids.named(region.name) : -1, m = memoryMeasure(view.tab);
	const node = at >= 0 ? kids.node(at) : null, parts = node ? view.tree.open(node) : null, boxes = [];
	if (!node)
		return [];
	boxes.push({ node, ...bar, depth: 1, region });
	let { x } = bar;
	for (const i of parts ? view.tree.heaviest(parts, "now", m, 1 / scale).ids : []) {
		const child = parts.node(i), w = child.now(m) * scale;
		boxes.push({ node: child, x, y: bar.y, w, h: bar.h, depth: 1, part: true });
		x += w;
	}
	return boxes;
}

/* Bars, and the rest of the room for a treemap of the root. */
function layRegions(view, { w, h }) {
	const { tree, root, tab } = view, boxes = [], bars = [];
	let y = 0;
	for (const region of tab.regions) {
		const whole = Math.max(region.length, region.used), scale = w / whole, bar = { x: 0, y: y + REGION_TITLE, w: region.used * scale, h: REGION_BAR };
		bars.push({ region, y, bar, end: region.length * scale, was: region.base_used * scale, w });
		boxes.push(...partsOfRegion(view, region, bar, scale));
		y += REGION_TITLE + REGION_BAR + REGION_GAP;
	}
	const room = Math.max(h - y, Math.round(h * (1 - REGION_PART)));
	const map = layMap(tree, root, view.m, { x: 0, y, w, h: room }, tree.weighs);
	return { boxes: [...map, ...boxes], bars, height: y + room };
}

function tellRegion({ name, origin, length, used, base_used: was }, diff) {
	const left = length - used, change = used - was;
	return [name, `${short(used, "bytes")} of ${short(length, "bytes")}, ${percent(used, length)}`, left < 0 ? `${short(-left, "bytes")} too much` : `${short(left, "bytes")} free`,
		`from 0x${origin.toString(16).padStart(8, "0")}`, diff ? `${signed(short(change, "bytes"), change)} since` : ""].filter(Boolean);
}

/* Frames and words.  A line across says where a region ends that is too small, or what was used before. */
function drawBars(pen, bars, view) {
	const ink = isDark() ? "#eef1f5" : "#14181f", line = isDark() ? "#8b95a5" : "#6b7686", free = isDark() ? "#1c222c" : "#f4f6f9", over = isDark() ? "#ff8a7a" : "#b3261e";
	const used = shade(220, 8, 82).fill;
	for (const { region, y, bar, end, was, w } of bars) {
		const [name, ...rest] = tellRegion(region, view.tab.diff), full = region.used > region.length;
		pen.text(name, 0, y + 12, w, ink, true);
		const room = w - 8 - pen.width(name, true), told = rest.map((_, i) => rest.slice(0, rest.length - i).join(" · ")).find(text => pen.fits(text, room));
		pen.text(told || "", 8 + pen.width(name, true), y + 12, room, full ? over : ink);
		pen.box(0, bar.y, w, bar.h, free);
		pen.box(0, bar.y, bar.w, bar.h, used);
		pen.box(0, bar.y, end, bar.h, null, full ? over : line);
		if (view.tab.diff)
			pen.box(Math.max(0, was - 1), bar.y - 3, 2, bar.h + 6, line);
	}
}

function drawRegions(pen, { bars, boxes }, view, titled) {
	const over = isDark() ? "#ff8a7a" : "#b3261e";
	drawBars(pen, bars, view);
	drawBoxes(pen, boxes.filter(box => !box.region), view, titled);
	for (const { region, bar, end } of bars)
		if (region.used > region.length)
			pen.box(end - 1, bar.y - 3, 3, bar.h + 6, over);
}

function tellRegions(tab) {
	return `Memory regions: ${tab.regions.map(r => tellRegion(r, tab.diff).join(", ")).join("; ")}.`;
}
