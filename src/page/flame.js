
/* How high a band is at least, and that of the root: few bands share the height of the picture. */
const BAND = 20;

function layFlame(tree, root, m, size, upward) {
	const boxes = [], waiting = [{ node: root, x: 0, w: size.w, depth: 0 }];
	for (let next; (next = waiting.pop());) {
		const y = next.depth * BAND;
		boxes.push({ ...next, y, h: BAND });
		if (next.w < 1.5 || y + BAND > size.most)
			continue;
		const whole = next.node.weight(m);
		let x = next.x;
		const kids = whole > 0 ? tree.open(next.node) : null;
		if (!kids)
			continue;
		const { ids } = tree.heaviest(kids, tree.weighs, m, 0.5 * whole / next.w);
		let own = 0;
		for (const i of ids) {
			const child = kids.node(i), w = next.w * child.weight(m) / whole;
			/* What a function has itself is where nothing stands on it. */
			if (child.itself) {
				own = w;
				continue;
			}
			waiting.push({ node: child, x, w, depth: next.depth + 1 });
			x += w;
		}
		const rest = next.x + next.w - own - x;
		if (ids.length < kids.count && rest >= 1)
			boxes.push({ node: next.node, x, w: rest, depth: next.depth + 1, smaller: kids.count - ids.length });
	}
	return { boxes, height: placeBands(boxes, size.h, upward) };
}

/* Sets where the boxes of each depth are; returns the height of all. */
function placeBands(boxes, room, upward) {
	const bands = boxes.reduce((most, b) => Math.max(most, b.depth), 0);
	const band = Math.max(BAND, Math.floor((room - BAND) / Math.max(1, bands))), height = Math.max(room, BAND + bands * band);
	for (const box of boxes) {
		const y = box.depth === 0 ? 0 : BAND + (box.depth - 1) * band;
		box.h = box.depth === 0 ? BAND : band;
		box.y = upward ? height - y - box.h : y;
	}
	return height;
}

/* ---- colours ------------------------------------------------------------------------------------ */

const KIND_HUES = [[212, 62], [176, 50], [130, 42], [92, 35], [275, 45], [20, 65], [42, 70], [312, 40], [220, 8]];

const SCHEME = matchMedia("(prefers-color-scheme: dark)");
let dark = SCHEME.matches;

/* Asked once a picture, not once a box. */
function readTheme() {
	const set = document.documentElement.dataset.theme;
	dark = set ? set === "dark" : SCHEME.matches;
}

function isDark() {
	return dark;
}

function shade(hue, saturation, lightness) {
	return { fill: `hsl(${hue} ${dark ? saturation * 0.8 : saturation}% ${dark ? 105 - lightness : lightness}%)`, ink: dark ? "#f3f4f6" : "#14181f" };
}

function hueOf(text) {
	let h = 2166136261;
	for (let i = 0; i < Math.min(text.length, 200); i++)
		h = Math.imul(h ^ text.charCodeAt(i), 16777619);
	return (h >>> 0) % 360;
}

/* Growth is orange and has "+" in its label, shrinkage blue and has "−". */
function colourOfChange(node, m, inner) {
	const change = node.change(m), size = Math.max(node.now(m), node.base(m), 1);
	if (Math.abs(change) < 1e-6)
		return shade(220, 6, 84);
	/* What has boxes in it is paler than they are. */
	if (inner)
		return change > 0 ? shade(24, 70, 91) : shade(212, 60, 91);
	const strength = Math.min(1, 0.35 + 0.65 * Math.abs(change) / size);
	return change > 0 ? shade(24, 50 + 40 * strength, 88 - 24 * strength) : shade(212, 40 + 40 * strength, 88 - 22 * strength);
}

/* The hottest first. */
const HEAT = { hot: [6, 75, 66], warm: [32, 75, 72], cold: [205, 45, 78], never: [220, 8, 82] }, NO_HEAT = [220, 6, 90];

/* What has boxes in it is paler than they are. */
function shadeOf(box, [hue, saturation, lightness]) {
	return shade(hue, saturation, box.inner ? Math.min(97, lightness + 12) : lightness);
}

function heatColumn(tab) {
	return tab.columns.find(c => c.name === "hotness") || null;
}

/* By number in the dictionary: which of HEAT it is, or more than there are. */
function heatsOf(book, column) {
	const names = Object.keys(HEAT);
	return column.heats ||= Uint8Array.from(column.labels, text => (names.indexOf(book.texts.get(text)) + 9) % 9);
}

/* As the hottest of its lines, where samples say how hot these are. */
function heatOfNode(node, view) {
	const column = heatColumn(view.tab), heats = heatsOf(view.book, column), { order } = node.tree;
	let hottest = 9;
	for (let i = node.start; i < node.end && hottest > 0; i++)
		hottest = Math.min(hottest, heats[column.lines[order[i]]]);
	return Object.values(HEAT)[hottest];
}

function colourOfHeat(box, root, m, view) {
	if (heatColumn(view.tab))
		return shadeOf(box, box.node.heat ??= heatOfNode(box.node, view) || NO_HEAT);
	const part = root.weight(m) > 0 ? box.node.weight(m) / root.weight(m) : 0;
	return shadeOf(box, [48 - 42 * Math.min(1, Math.sqrt(part) * 2), 75, 84 - 18 * Math.min(1, Math.sqrt(part) * 2)]);
}

const NEARLY_ALL = 0.9;

/* The last node from the root down that has nearly all that is shown: what is below it are the owners. */
function forkOf({ tree, root }, m) {
	let node = root;
	for (let kids = tree.open(node); kids; kids = tree.open(node)) {
		const [first] = tree.heaviest(kids, tree.weighs, m, NEARLY_ALL * root.weight(m)).ids;
		if (first === undefined || !tree.open(kids.node(first)))
			break;
		node = kids.node(first);
	}
	return node;
}

/* The node that a box has its colour from, where owners have colours. */
function ownerOf(box, view) {
	const chain = box.node.above(), fork = chain.indexOf(view.fork);
	return isMap(view) && !box.part && fork >= 0 ? chain[Math.min(chain.length - 1, fork + 1)] : box.node;
}

function colourOfOwner(box, view) {
	return shadeOf(box, [hueOf(ownerOf(box, view).label), 48, 80 - box.depth % 3 * 2]);
}

function colourOf(box, view) {
	if (box.smaller && !isMap(view))
		return shade(...NO_HEAT);
	switch (view.colour) {
	case "change": return colourOfChange(box.node, view.m, box.inner);
	case "kind": {
		return shadeOf(box, [...KIND_HUES[kindOfNode(box.node, view.tab, view.book, view.m)], 76]);
	}
	case "heat": return colourOfHeat(box, view.root, view.m, view);
	default: return colourOfOwner(box, view);
	}
}

/* ---- how sure owners are ------------------------------------------------------------------------ */

/* Has this leaf its bytes in memory mostly because heft inferred it? */
function isInferred({ node, inner, smaller }, tab) {
	if (!tab.inferred || inner || smaller)
		return false;
	return node.inferred ??= 2 * sumOfLines(node, tab.inferred) > sumOfLines(node, tab.measures.find(m => m.name === "vm"));
}

function sumOfLines({ start, end, tree }, { now }) {
	let sum = 0;
	for (let i = start; i < end; i++)
		sum += now[tree.order[i]];
	return sum;
}

const HATCH = 6, HATCH_INK = "#7c8594";

/* Lines of a hatch: from x, y to x, y. */
function hatchLines(x, y, w, h) {
	const lines = [];
	for (let at = HATCH - h; at < w; at += HATCH) {
		const from = Math.max(0, -at), to = Math.min(h, w - at);
		lines.push([x + at + from, y + from, x + at + to, y + to]);
	}
	return lines;
}

/* ---- drawing ------------------------------------------------------------------------------------ */

/* Of a name that is cut as many letters are left, or none. */
const LEAST_LETTERS = 4;

/* What is drawn with: a canvas, or text of svg.  text() says whether there was room. */
class SvgPen {
	constructor(w, h, title) {
		this.out = [`<svg xmlns="http://www.w3.org/2000/svg" width="${w}" height="${h}" viewBox="0 0 ${w} ${h}" font-family="system-ui, sans-serif" font-size="11">`, `<title>${markup(title)}</title>`];
	}
	box(x, y, w, h, fill, line, title) {
		this.out.push(`<rect x="${x.toFixed(1)}" y="${y.toFixed(1)}" width="${w.toFixed(1)}" height="${h.toFixed(1)}" fill="${fill || "none"}"${line ? ` stroke="${line}"` : ""}>${title ? `<title>${markup(title)}</title>` : ""}</rect>`);
	}
	fits(text, most) {
		return text.length <= Math.floor(most / 6.2);
	}
	width(text) {
		return 6.2 * text.length;
	}
	text(text, x, y, most, ink, bold) {
		const fits = Math.floor(most / 6.2), room = fits >= LEAST_LETTERS || fits >= text.length;
		if (room)
			this.out.push(`<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" fill="${ink}"${bold ? " font-weight=\"600\"" : ""}>${markup(text.length > fits ? text.slice(0, fits - 1) + "…" : text)}</text>`);
		return room;
	}
	hatch(x, y, w, h) {
		const path = hatchLines(x, y, w, h).map(l => l.map(n => n.toFixed(1))).map(([a, b, c, d]) => `M${a} ${b}L${c} ${d}`);
		this.shape(`d="${path.join("")}" stroke="${HATCH_INK}"`);
	}
	shape(attributes) {
		this.out.push(`<path ${attributes}/>`);
	}
	end() {
		this.out.push("</svg>");
		return this.out.join("\n");
	}
}

function markup(text) {
	const names = { "&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;" };
	return cut(text).replace(/[&<>"]/g, c => names[c]);
}

class CanvasPen {
	constructor(context) {
		this.c = context;
	}
	box(x, y, w, h, fill, line) {
		/* A browser reads the text of a colour each time that it is set. */
		if (fill && fill !== this.fill)
			this.c.fillStyle = this.fill = fill;
		if (fill)
			this.c.fillRect(x, y, w, h);
		if (line) {
			this.c.strokeStyle = line;
			this.c.lineWidth = 1;
			this.c.strokeRect(x + 0.5, y + 0.5, w - 1, h - 1);
		}
	}
	hatch(x, y, w, h) {
		this.c.strokeStyle = HATCH_INK;
		this.c.lineWidth = 1;
		this.c.beginPath();
		for (const [fromX, fromY, toX, toY] of hatchLines(x, y, w, h)) {
			this.c.moveTo(fromX, fromY);
			this.c.lineTo(toX, toY);
		}
		this.c.stroke();
	}
	width(text, bold) {
		this.c.font = `${bold ? "600 " : ""}11px system-ui, sans-serif`;
		return this.c.measureText(text.slice(0, 200)).width;
	}
	fits(text, most, bold) {
		this.c.font = `${bold ? "600 " : ""}11px system-ui, sans-serif`;
		return text.length <= 200 && this.c.measureText(text).width <= most;
	}
	text(text, x, y, most, ink, bold) {
		const c = this.c;
		c.font = `${bold ? "600 " : ""}11px system-ui, sans-serif`;
		c.fillStyle = this.fill = ink;
		let shown = text.length > 200 ? text.slice(0, 200) : text;
		if (c.measureText(shown).width > most) {
			let low = 0, high = shown.length;
			while (low < high) {
				const half = (low + high + 1) >> 1;
				if (c.measureText(shown.slice(0, half) + "…").width <= most)
					low = half;
				else
					high = half - 1;
			}
			if (low < LEAST_LETTERS)
				return false;
			shown = shown.slice(0, low) + "…";
		}
		c.fillText(shown, x, y);
		return true;
	}
}

function isMap(view) {
	return ["map", "both", "regions"].includes(view.picture);
}

/* In a picture of changes the change; on one side of a diff what there is of it there. */
function boxSize({ node, what }, view) {
	const unit = view.measure.unit, side = view.picture === "both" ? what : view.tab.diff ? "" : "now";
	return side ? short(node.value(side, view.m), unit) : signed(short(node.change(view.m), unit), node.change(view.m));
}

/* Nodes that hold nothing but one other node are one box with it. */
function boxLabel(box) {
	return [...box.chain || [], box.node].map(labelBelow).join(" › ");
}

/* Of a name with parts the last ones for which there is room. */
function fitLabel(pen, label, most, bold) {
	if (pen.fits(label, most, bold))
		return label;
	const ends = partStarts(label).slice(1).map(at => "…" + label.slice(at));
	return ends.find(end => pen.fits(end, most, bold)) || label.slice(partStarts(label).at(-1));
}

function boxTitle(box, view) {
	return `${boxLabel(box)} ${boxSize(box, view)}`;
}

/* A number is there as a whole or not at all. */
function drawTitle(pen, box, view, y, ink, bold) {
	const title = boxTitle(box, view), most = box.w - 8;
	pen.text(pen.fits(title, most, bold) ? title : fitLabel(pen, boxLabel(box), most, bold), box.x + 4, y, most, ink, bold);
}

function drawSmaller(pen, box, ink) {
	const count = group(String(box.smaller)), most = box.w - 8, text = [`${count} too small to draw`, `${count} more`].find(t => pen.fits(t, most));
	if (text)
		pen.text(text, box.x + 4, box.y + 13, most, ink);
}

function drawBox(pen, box, view, titled) {
	const colour = colourOf(box, view), gap = isMap(view) ? (box.w > 3 && box.h > 3 ? 1 : 0) : 0.5;
	pen.box(box.x, box.y, Math.max(box.w - gap, 0.5), Math.max(box.h - gap, 0.5), colour.fill,
		null, titled && !box.smaller ? boxTitle(box, view) : "");
	if (isInferred(box, view.tab) && box.w > 3 && box.h > 3)
		pen.hatch(box.x, box.y, box.w - gap, box.h - gap);
	if (box.w < 24 || box.h < 13)
		return;
	if (box.smaller)
		return drawSmaller(pen, box, colour.ink);
	if (box.inner) {
		if (box.h > 3 * MAP_LABEL && box.w > 40)
			drawTitle(pen, box, view, box.y + 12, colour.ink, true);
		return;
	}
	if (!isMap(view) && box.h < 2 * BAND)
		return drawTitle(pen, box, view, box.y + box.h / 2 + 4, colour.ink, false);
	if (pen.text(fitLabel(pen, boxLabel(box), box.w - 8), box.x + 4, box.y + 13, box.w - 8, colour.ink) && box.h > 30 && pen.fits(boxSize(box, view), box.w - 8))
		pen.text(boxSize(box, view), box.x + 4, box.y + 26, box.w - 8, colour.ink);
}

function drawBoxes(pen, boxes, view, titled) {
	view.fork = view.colour === "owner" && isMap(view) ? forkOf(view, view.m) : null;
	for (const box of boxes)
		if (box.depth > 0 || !isMap(view))
			drawBox(pen, box, view, titled);
		else if (view.picture === "both")
			pen.text(`${box.what === "now" ? "now" : "before"} ${boxSize(box, view)}`, box.x + 2, box.y - 6, box.w, dark ? "#eef1f5" : "#14181f", true);
}

function boxAt(boxes, x, y) {
	for (let i = boxes.length - 1; i >= 0; i--) {
		const b = boxes[i];
		if (x >= b.x && x < b.x + b.w && y >= b.y && y < b.y + b.h)
			return b;
	}
	return null;
}
