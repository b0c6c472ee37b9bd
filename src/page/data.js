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

/* Gives the memory of an array back at once, which is no array any more; otherwise it stays until the browser looks for garbage. */
function letGo(array) {
	if (array?.buffer.detached === false)
		array.buffer.transfer(0);
}

/* Lets the browser draw and answer. */
function breathe() {
	return new Promise(go => setTimeout(go));
}

async function feed(stream, text) {
	const writer = stream.getWriter();
	for (let at = 0; at < text.length; at += SLICE) {
		await writer.ready;
		const part = fromBase64(text.slice(at, at + SLICE));
		writer.write(part).then(() => letGo(part), () => {});
	}
	return writer.close();
}

/* The data, unpacked as they are taken, so that they are not there twice. */
class Unpacked {
	/* A gzip member ends with the size of what it holds: RFC 1952 section 2.3.1.  tell(part) is called now and then. */
	constructor(text, tell) {
		const stream = new DecompressionStream("gzip");
		this.size = new DataView(fromBase64(text.slice(-8)).slice(-4).buffer).getUint32(0, true);
		this.reader = stream.readable.getReader();
		this.fed = feed(stream.writable, text);
		this.tell = tell;
		this.got = 0;
		this.rested = performance.now();
		this.rest = new Uint8Array(0);
	}
	/* Returns false at the end.  What was there has been taken. */
	async more() {
		letGo(this.rest);
		const { done, value } = await this.reader.read();
		if (done)
			return false;
		this.rest = value;
		this.got += value.length;
		if (performance.now() - this.rested > 100) {
			this.tell(this.got / this.size);
			await breathe();
			this.rested = performance.now();
		}
		return true;
	}
	async take(size) {
		const all = new Uint8Array(size);
		for (let at = 0; at < size;) {
			if (this.rest.length === 0 && !await this.more())
				throw new Error("its data end too early");
			const part = this.rest.subarray(0, size - at);
			all.set(part, at);
			at += part.length;
			this.rest = this.rest.subarray(part.length);
		}
		return all;
	}
	async end() {
		while (await this.more());
		await this.fed;
	}
}

class Book {
	static async read(text, tell) {
		const book = new Book(), data = new Unpacked(text, tell);
		const size = new DataView((await data.take(4)).buffer).getUint32(0, true);
		const head = JSON.parse(new TextDecoder().decode(await data.take(size)));
		book.texts = new Texts(await data.take(head.text_bytes), head.texts);
		book.tabs = head.tabs;
		for (const tab of book.tabs)
			await book.place(tab, data);
		await data.end();
		return book;
	}
	/* Takes the columns of a tab; they are decoded when it is shown. */
	async place(tab, data) {
		const takeAll = async part => {
			part.bytes = [];
			for (const size of part.sizes)
				part.bytes.push(await data.take(size));
		};
		/* What is inferred is hatched, and is no measure to choose. */
		tab.numbers = tab.measures;
		tab.measures = tab.numbers.filter(m => m.name !== "inferred");
		tab.inferred = tab.numbers.find(m => m.name === "inferred");
		for (const part of [...tab.columns, ...tab.numbers])
			await takeAll(part);
		tab.others = await data.take(tab.others);
		if (tab.changes !== undefined)
			tab.changes = await data.take(tab.changes);
		for (const part of [tab.stacks, tab.points, tab.strip, tab.cards, tab.code, tab.course])
			if (part)
				await takeAll(part);
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

/* Of each line the number in the dictionary, which has so many, of what it has. */
function linesOf(bytes, count, labels) {
	const to = labels <= 256 ? new Uint8Array(count) : new Uint32Array(count);
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

function decodeTab(tab, texts) {
	if (tab.decoded)
		return tab;
	for (const column of tab.columns) {
		column.labels = numbersOf(column.bytes[0], column.count);
		column.lines = linesOf(column.bytes[1], tab.lines, column.count);
		column.bytes.forEach(letGo);
	}
	for (const measure of tab.numbers) {
		measure.now = valuesOf(measure.bytes[0], tab.lines, measure.unit);
		measure.base = tab.diff ? valuesOf(measure.bytes[1], tab.lines, measure.unit) : null;
		measure.bytes.forEach(letGo);
	}
	tab.othersOf = tab.others.some(byte => byte > 0) ? numbersOf(tab.others, tab.lines) : null;
	tab.changeOf = tab.changes ? numbersOf(tab.changes, tab.lines) : null;
	if (tab.stacks)
		decodeStacks(tab);
	if (tab.strip)
		tab.pieces = decodeStrip(tab.strip);
	if (tab.points)
		tab.moments = decodePoints(tab.points);
	if (tab.cards)
		decodeCards(tab, tab.columns[tab.cards.column], texts);
	if (tab.code)
		tab.codeOf = decodeCode(tab.code);
	if (tab.course)
		tab.built = decodeCourse(tab.course, texts);
	tab.decoded = true;
	forget(tab);
	return tab;
}

/* The bytes of a tab that is decoded. */
function forget(tab) {
	for (const part of [...tab.columns, ...tab.numbers, tab.stacks, tab.points, tab.strip, tab.cards, tab.code, tab.course]) {
		part?.bytes.forEach(letGo);
		if (part)
			part.bytes = null;
	}
	letGo(tab.others);
	letGo(tab.changes);
	tab.others = tab.changes = null;
}

/* All that is large, when the page is left for good. */
function closeBook(book) {
	letGo(book.texts.bytes);
	letGo(book.texts.start);
	for (const tab of book.tabs)
		for (const part of [...tab.columns, ...tab.numbers, { now: tab.othersOf, base: tab.changeOf, labels: tab.cardBytes, lines: tab.cardStarts }, { now: tab.keepers, base: tab.numbersOfTexts }])
			for (const array of [part.labels, part.lines, part.now, part.base, ...part.bytes || []])
				letGo(array);
	for (const found of book.answers?.values() || [])
		letGo(found);
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

/* Numbers of seven bits a byte, one by one. */
class Numbers {
	constructor(bytes, at) {
		this.bytes = bytes;
		this.at = at;
	}
	next() {
		let byte = this.bytes[this.at++], value = byte & 127;
		for (let unit = 128; byte >= 128; unit *= 128) {
			byte = this.bytes[this.at++];
			value += (byte & 127) * unit;
		}
		return value;
	}
}

/* What keeps a label where it is not another label. */
const KEPT_UNKNOWN = 0xffffffff, KEPT_NOT = 0xfffffffe, KEPT_BY_ALL = 0xfffffffd;

/* Of each label of a column where its card begins in the bytes; these are read when it is asked for.  Of each the text of what keeps it. */
function decodeCards(tab, column, texts) {
	const [bytes] = tab.cards.bytes, starts = new Uint32Array(column.count), keepers = new Uint32Array(column.count), numbers = new Numbers(bytes, 0);
	let known = false;
	for (let i = 0; i < column.count; i++) {
		starts[i] = numbers.at;
		const { keeper } = cardAt(numbers, column.labels[i]);
		keepers[i] = keeper;
		known ||= keeper !== KEPT_UNKNOWN;
	}
	tab.cards.bytes = [];
	tab.keepers = known && !tab.diff ? keepers : null;
	if (tab.keepers) {
		tab.numbersOfTexts = new Int32Array(texts.count).fill(-1);
		column.labels.forEach((text, i) => { tab.numbersOfTexts[text] = i; });
	}
	tab.cardBytes = bytes;
	tab.cardStarts = starts;
	tab.cardOf = label => cardAt(new Numbers(bytes, starts[label]), column.labels[label]);
}

/* The number of a text in the column that has cards.  -1: the column has no such label. */
function numberOfText(tab, text) {
	return tab.numbersOfTexts[text] ?? -1;
}

/* The text with the code of some labels of a column. */
function decodeCode(code) {
	const numbers = numbersOf(code.bytes[0], 2 * code.count), texts = new Map();
	for (let i = 0, label = 0; i < code.count; i++) {
		label += numbers[2 * i];
		texts.set(label, numbers[2 * i + 1]);
	}
	return texts;
}

/* The number of a text, from how far before another one it is. */
function textBefore(own, n) {
	return own - (n % 2 ? -(n + 1) / 2 : n / 2);
}

function cardAt(numbers, own) {
	const card = { allUsers: numbers.next(), users: [], allTexts: 0, texts: 0, keeper: KEPT_UNKNOWN, by: KEPT_UNKNOWN, kind: 0, file: 0, line: 0 };
	for (let count = numbers.next(); count > 0; count--)
		card.users.push(textBefore(own, numbers.next()));
	card.allTexts = numbers.next();
	card.texts = card.allTexts > 0 ? numbers.next() : 0;
	const reached = numbers.next(), keeper = () => {
		const n = numbers.next();
		return n > 0 ? textBefore(own, n - 1) : KEPT_BY_ALL;
	};
	if (reached === 0)
		return card;
	if (reached === 1)
		return { ...card, keeper: KEPT_NOT };
	card.keeper = keeper();
	card.by = keeper();
	card.kind = numbers.next();
	card.line = numbers.next();
	card.file = card.line > 0 ? numbers.next() : 0;
	return card;
}

const FRAME_FUNCTION = 0, FRAME_FILE = 1, FRAME_MODULE = 2, FRAME_LINE = 3;

function decodePoints(points) {
	const all = numbersOf(points.bytes[0], 3 * points.count), moments = [];
	for (let i = 0; i < points.count; i++)
		moments.push({ at: all[3 * i], value: all[3 * i + 1], peak: all[3 * i + 2] });
	return moments;
}
