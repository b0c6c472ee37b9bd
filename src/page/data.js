/* What the page holds, unpacked: docs/page.md says what the bytes are. */

async function unpack(text) {
	const plain = atob(text), packed = new Uint8Array(plain.length);
	for (let i = 0; i < plain.length; i++)
		packed[i] = plain.charCodeAt(i);
	const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
	return new Uint8Array(await new Response(stream).arrayBuffer());
}

/* Numbers of seven bits a byte, the lowest first. */
class Varints {
	constructor(bytes) {
		this.bytes = bytes;
		this.at = 0;
	}
	next() {
		let value = 0, unit = 1;
		for (;;) {
			const byte = this.bytes[this.at++];
			value += (byte & 127) * unit;
			if (byte < 128)
				return value;
			unit *= 128;
		}
	}
}

class Book {
	constructor(bytes) {
		const size = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
		const utf8 = new TextDecoder();
		this.head = JSON.parse(utf8.decode(bytes.subarray(4, 4 + size)));
		let at = 4 + size;
		this.texts = utf8.decode(bytes.subarray(at, at + this.head.text_bytes)).split("\n");
		this.bytes = bytes;
		this.at = at + this.head.text_bytes;
		this.tabs = this.head.tabs.map(tab => this.place(tab));
	}
	take(size) {
		this.at += size;
		return this.bytes.subarray(this.at - size, this.at);
	}
	/* Finds the columns of a tab; they are decoded when it is shown. */
	place(tab) {
		for (const column of tab.columns)
			column.bytes = column.sizes.map(n => this.take(n));
		for (const measure of tab.measures)
			measure.bytes = measure.sizes.map(n => this.take(n));
		tab.others = this.take(tab.others);
		if (tab.changes !== undefined)
			tab.changes = this.take(tab.changes);
		if (tab.stacks)
			tab.stacks.bytes = tab.stacks.sizes.map(n => this.take(n));
		if (tab.points)
			tab.points.bytes = this.take(tab.points.sizes[0]);
		return tab;
	}
}

function numbersOf(bytes, count, to = new Float64Array(count)) {
	const from = new Varints(bytes);
	for (let i = 0; i < count; i++)
		to[i] = from.next();
	return to;
}

function valuesOf(bytes, count, unit) {
	if (unit !== "parts")
		return numbersOf(bytes, count);
	return new Float64Array(bytes.slice().buffer);
}

/* lines[i]: the number in the dictionary of what line i has. */
function linesOf(bytes, count) {
	const from = new Varints(bytes), to = new Uint32Array(count);
	let known = 0;
	for (let i = 0; i < count; i++) {
		const back = from.next();
		to[i] = back === 0 ? known++ : known - back;
	}
	return to;
}

function decodeTab(tab) {
	if (tab.decoded)
		return tab;
	for (const column of tab.columns) {
		column.labels = numbersOf(column.bytes[0], column.count, new Uint32Array(column.count));
		column.lines = linesOf(column.bytes[1], tab.lines);
	}
	for (const measure of tab.measures) {
		measure.now = valuesOf(measure.bytes[0], tab.lines, measure.unit);
		measure.base = tab.diff ? valuesOf(measure.bytes[1], tab.lines, measure.unit) : null;
	}
	tab.othersOf = numbersOf(tab.others, tab.lines);
	tab.changeOf = tab.changes ? numbersOf(tab.changes, tab.lines, new Uint8Array(tab.lines)) : null;
	if (tab.stacks)
		decodeStacks(tab);
	if (tab.points)
		tab.moments = decodePoints(tab.points);
	tab.decoded = true;
	return tab;
}

function decodeStacks(tab) {
	const s = tab.stacks;
	const frames = numbersOf(s.bytes[0], 4 * s.frames, new Uint32Array(4 * s.frames));
	s.parent = new Uint32Array(s.steps);
	s.frame = new Uint32Array(s.steps);
	const from = new Varints(s.bytes[1]);
	for (let i = 1; i < s.steps; i++) {
		s.parent[i] = i - from.next();
		s.frame[i] = from.next();
	}
	s.lines = numbersOf(s.bytes[2], tab.lines, new Uint32Array(tab.lines));
	s.part = (frame, what) => frames[4 * frame + what];
}

const FRAME_FUNCTION = 0, FRAME_FILE = 1, FRAME_MODULE = 2, FRAME_LINE = 3;

function decodePoints(points) {
	const all = numbersOf(points.bytes, 3 * points.count), moments = [];
	for (let i = 0; i < points.count; i++)
		moments.push({ at: all[3 * i], value: all[3 * i + 1], peak: all[3 * i + 2] });
	return moments;
}
