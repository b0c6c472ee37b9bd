/* The treemap: squarified, after Bruls, Huizing and van Wijk, "Squarified Treemaps" (2000).  Own
 * code, for d3-hierarchy would have all nodes made before the first is drawn; here a node is opened
 * when its rectangle has room for what is in it. */

const MAP_LABEL = 16, MAP_GAP = 2, MAP_ROOM = 500, MAP_DOT = 3, MAP_LEAST = 9;

function worst(areas, sum, side) {
	return Math.max(side * side * areas[0] / (sum * sum), sum * sum / (side * side * areas[areas.length - 1]));
}

/* Rectangles for falling weights, the first of those that make up `whole`; calls put(i, x, y, w, h).
 * Returns the room that is left for the others. */
function squarify(weights, whole, box, put) {
	let { x, y, w, h } = box, left = whole;
	for (let i = 0; i < weights.length && weights[i] > 0 && w > 0 && h > 0;) {
		const side = Math.min(w, h), scale = w * h / left, row = [];
		let sum = 0, best = Infinity;
		for (let k = i; k < weights.length && weights[k] > 0; k++) {
			row.push(weights[k] * scale);
			const ratio = worst(row, sum + row[row.length - 1], side);
			if (ratio > best) {
				row.pop();
				break;
			}
			best = ratio;
			sum += row[row.length - 1];
		}
		const thick = sum / side;
		let at = 0;
		for (const area of row) {
			const long = area / thick;
			if (w >= h)
				put(i, x, y + at, thick, long);
			else
				put(i, x + at, y, long, thick);
			at += long;
			left -= weights[i++];
		}
		if (w >= h) {
			x += thick;
			w -= thick;
		} else {
			y += thick;
			h -= thick;
		}
	}
	return { x, y, w, h };
}

/* Boxes of a node and what is below it, outer ones first; as large as they are now, were ("base") or have changed ("moved"). */
function layMap(tree, root, m, room, what) {
	const boxes = [], waiting = [{ ...room, node: root, depth: 0, what }];
	for (let next; (next = waiting.pop());) {
		const box = next, inner = box.depth === 0 ? box : insideOf(box);
		boxes.push(box);
		if (inner.w * inner.h < MAP_ROOM || inner.w < MAP_DOT || inner.h < MAP_DOT)
			continue;
		const kids = openChain(tree, box);
		if (!kids)
			continue;
		/* What has no room for a dot and the gap around it is not drawn. */
		const whole = box.node.value(what, m), { ids, weights } = tree.heaviest(kids, what, m, MAP_LEAST * whole / (inner.w * inner.h));
		box.inner = box.depth > 0;
		const left = squarify(weights, whole, inner, (i, x, y, w, h) => {
			if (w >= 1 && h >= 1)
				waiting.push({ node: kids.node(ids[i]), x, y, w, h, depth: box.depth + 1, what });
		});
		if (ids.length < kids.count && left.w * left.h >= MAP_ROOM)
			boxes.push({ ...left, node: box.node, depth: box.depth + 1, smaller: kids.count - ids.length });
	}
	return boxes;
}

/* The children of a box.  What holds nothing but one other node becomes that node, and a part of its chain. */
function openChain(tree, box) {
	let kids = tree.open(box.node);
	for (; kids?.count === 1 && box.depth > 0 && kids.label(0) !== ITSELF; kids = tree.open(box.node)) {
		box.chain = [...box.chain || [], box.node];
		box.node = kids.node(0);
	}
	return kids;
}

const SIDE_GAP = 14, SIDE_TITLE = 20;

/* What there was and what there is, beside each other, a byte as large on both sides. */
function laySides(tree, root, m, { w, h }) {
	const base = root.value("base", m), now = root.value("now", m), room = w - SIDE_GAP;
	const left = base + now > 0 ? Math.round(room * base / (base + now)) : 0, side = { y: SIDE_TITLE, h: h - SIDE_TITLE };
	return [...layMap(tree, root, m, { ...side, x: 0, w: left }, "base"), ...layMap(tree, root, m, { ...side, x: left + SIDE_GAP, w: room - left }, "now")];
}

function insideOf(box) {
	const label = box.h > 3 * MAP_LABEL && box.w > 40 ? MAP_LABEL : MAP_GAP;
	return { x: box.x + MAP_GAP, y: box.y + label, w: box.w - 2 * MAP_GAP, h: box.h - label - MAP_GAP };
}

const BY_WEIGHT = { key: "weight" };

/* ---- flame graphs: the same nodes in bands, as wide as they weigh -------------------------------- */
