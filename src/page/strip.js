/* The memory of a heap, page by page: a cell for each, filled from below by what is in use. */

const CELL_LEAST = 5, CELL_MOST = 64;

function decodeStrip(strip) {
	const all = numbersOf(strip.bytes[0], 4 * strip.count), pieces = [];
	for (let i = 0, at = 0; i < strip.count; i++) {
		at += all[4 * i];
		pieces.push({ addr: at * strip.piece, size: strip.piece, live: all[4 * i + 1], free: all[4 * i + 2], other: all[4 * i + 3] });
	}
	return pieces;
}

/* Pieces beside each other become one where there are more than cells; null stands for a gap in the addresses. */
function joinPieces(pieces, room) {
	for (let many = 1; ; many *= 2) {
		const cells = [];
		let last = null, joined = 0;
		for (const piece of pieces) {
			const beside = last !== null && last.addr + last.size === piece.addr;
			if (beside && joined < many) {
				for (const what of ["size", "live", "free", "other"])
					last[what] += piece[what];
				joined++;
				continue;
			}
			if (last !== null && !beside)
				cells.push(null);
			cells.push(last = { ...piece });
			joined = 1;
		}
		if (cells.length <= room || many >= pieces.length)
			return cells;
	}
}

/* Cells from left to right and down, by address. */
function layStrip(pieces, { w, h }) {
	const cells = joinPieces(pieces, Math.floor(w / CELL_LEAST) * Math.floor(h / CELL_LEAST));
	let side = Math.min(CELL_MOST, Math.max(CELL_LEAST, Math.floor(Math.sqrt(w * h / cells.length))));
	while (side > CELL_LEAST && Math.ceil(cells.length / Math.floor(w / side)) * side > h)
		side--;
	const columns = Math.floor(w / side), placed = [];
	cells.forEach((cell, i) => cell && placed.push({ ...cell, x: i % columns * side, y: Math.floor(i / columns) * side, side }));
	return { cells: placed, height: Math.max(h, Math.ceil(cells.length / columns) * side) };
}

function stripColours() {
	return { live: shade(212, 62, 62).fill, other: shade(32, 75, 72).fill, free: shade(220, 8, 82).fill };
}

function drawStrip(pen, cells) {
	const colours = stripColours();
	for (const { x, y, side, size, live, free, other } of cells) {
		const w = side - 1, known = w * (live + free + other) / size, used = w * (live + other) / size, inBlocks = w * live / size;
		pen.box(x, y + w - known, w, known, colours.free);
		pen.box(x, y + w - used, w, used, colours.other);
		pen.box(x, y + w - inBlocks, w, inBlocks, colours.live);
	}
}

function tellStrip(pieces) {
	const sum = what => short(pieces.reduce((n, piece) => n + piece[what], 0), "bytes");
	return `${group(String(pieces.length))} pieces of ${short(pieces[0].size, "bytes")} by address: ${sum("live")} in blocks, ${sum("other")} headers, the allocator's and the recorder's, ${sum("free")} free.`;
}

function cellAt(cells, x, y) {
	return cells.find(c => x >= c.x && x < c.x + c.side && y >= c.y && y < c.y + c.side) || null;
}

function tellCell(cell) {
	const part = what => `${exact(cell[what], "bytes")} B (${percent(cell[what], cell.size)})`;
	return [`0x${cell.addr.toString(16)}, ${short(cell.size, "bytes")}`, `in blocks ${part("live")}`, `headers and allocator ${part("other")}`, `free ${part("free")}`];
}
