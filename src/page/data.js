/* What the page holds, unpacked: docs/page.md says what the bytes are. */

const SLICE = 1 << 20; /* of the text, a multiple of 4 */

function fromBase64(text) {
	if (Uint8Array.fromBase64)
		return Uint8Array.fromBase64(text);
	const plain = atob(text), bytes = new Uint8Array(plain.length);
	for (let i = 0; i < plain.length; i++)
		bytes[i] = plain.charCodeAt(i);
	return bytes;
}

/* Lets the browser draw and answer. */
function breathe() {
	return new Promise(go => setTimeout(go));
}

async function feed(stream, text) {
	const writer = stream.getWriter();
	for (let at = 0; at < text.length; at += SLICE) {
		await writer.ready;
		writer.write(fromBase64(text.slice(at, at + SLICE))).catch(() => {});
	}
	return writer.close();
}

/* A gzip member ends with the size of what it holds: RFC 1952 section 2.3.1.  tell(part) is called now and then. */
async function unpack(text, tell) {
	const size = new DataView(fromBase64(text.slice(-8)).slice(-4).buffer).getUint32(0, true);
	const all = new Uint8Array(size), stream = new DecompressionStream("gzip"), reader = stream.readable.getReader();
	const fed = feed(stream.writable, text);
	let at = 0, rested = performance.now();
	for (let got; !(got = await reader.read()).done; at += got.value.length) {
		all.set(got.value, at);
		if (performance.now() - rested > 100) {
			tell(at / size);
			await breathe();
			rested = performance.now();
		}
	}
	await fed;
	return all;
}

class Book {
	constructor(bytes) {
		const size = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
		this.head = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + size)));
		this.bytes = bytes;
		this.at = 4 + size;
		this.texts = new Texts(this.take(this.head.text_bytes), this.head.texts);
		this.tabs = this.head.tabs.map(tab => this.place(tab));
		this.bytes = null;
	}
	/* A copy: all bytes are forgotten when everything is taken. */
	take(size) {
		this.at += size;
		return this.bytes.slice(this.at - size, this.at);
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

/* ---- numbers of seven bits a byte, the lowest first ---------------------------------------------- */

/* Of two kinds of arrays only: loops that meet more kinds are slow. */
function roomFor(bytes, count) {
	for (let i = 0, long = 0; i < bytes.length; i++) {
		long = bytes[i] < 128 ? 0 : long + 1;
		if (long === 4)
			return new Float64Array(count);
	}
	return new Uint32Array(count);
}

function numbersOf(bytes, count) {
	const to = roomFor(bytes, count);
	for (let i = 0, at = 0; i < count; i++) {
		let byte = bytes[at++], value = byte & 127;
		for (let unit = 128; byte >= 128; unit *= 128) {
			byte = bytes[at++];
			value += (byte & 127) * unit;
		}
		to[i] = value;
	}
	return to;
}

function valuesOf(bytes, count, unit) {
	return unit === "parts" ? new Float64Array(bytes.slice().buffer) : numbersOf(bytes, count);
}

/* Of each line the number in the dictionary of what it has. */
function linesOf(bytes, count) {
	const to = new Uint32Array(count);
	for (let i = 0, at = 0, known = 0; i < count; i++) {
		let byte = bytes[at++], back = byte & 127;
		for (let unit = 128; byte >= 128; unit *= 128) {
			byte = bytes[at++];
			back += (byte & 127) * unit;
		}
		to[i] = back === 0 ? known++ : known - back;
	}
	return to;
}

function decodeTab(tab) {
	if (tab.decoded)
		return tab;
	for (const column of tab.columns) {
		column.labels = numbersOf(column.bytes[0], column.count);
		column.lines = linesOf(column.bytes[1], tab.lines);
	}
	for (const measure of tab.measures) {
		measure.now = valuesOf(measure.bytes[0], tab.lines, measure.unit);
		measure.base = tab.diff ? valuesOf(measure.bytes[1], tab.lines, measure.unit) : null;
	}
	tab.othersOf = tab.others.some(byte => byte > 0) ? numbersOf(tab.others, tab.lines) : null;
	tab.changeOf = tab.changes ? numbersOf(tab.changes, tab.lines) : null;
	if (tab.stacks)
		decodeStacks(tab);
	if (tab.points)
		tab.moments = decodePoints(tab.points);
	tab.decoded = true;
	forget(tab);
	return tab;
}

/* The bytes of a tab that is decoded. */
function forget(tab) {
	for (const part of [...tab.columns, ...tab.measures, tab.stacks, tab.points])
		if (part)
			part.bytes = null;
	tab.others = tab.changes = null;
}

function decodeStacks(tab) {
	const s = tab.stacks, frames = numbersOf(s.bytes[0], 4 * s.frames), steps = numbersOf(s.bytes[1], 2 * Math.max(0, s.steps - 1));
	s.parent = new Uint32Array(s.steps);
	s.frame = new Uint32Array(s.steps);
	for (let i = 1; i < s.steps; i++) {
		s.parent[i] = i - steps[2 * i - 2];
		s.frame[i] = steps[2 * i - 1];
	}
	s.lines = numbersOf(s.bytes[2], tab.lines);
	s.part = (frame, what) => frames[4 * frame + what];
}

const FRAME_FUNCTION = 0, FRAME_FILE = 1, FRAME_MODULE = 2, FRAME_LINE = 3;

function decodePoints(points) {
	const all = numbersOf(points.bytes, 3 * points.count), moments = [];
	for (let i = 0; i < points.count; i++)
		moments.push({ at: all[3 * i], value: all[3 * i + 1], peak: all[3 * i + 2] });
	return moments;
}
