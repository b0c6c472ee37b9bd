/* The texts of the page: bytes, of which only what is shown becomes a string.
 *
 * What is looked for is looked for in many texts at once, PART of them joined by line ends: a search
 * of its own for each of a million names takes ten times as long. */

const PART = 4096;

/* Two arrays that take turns.  What is made anew at every filter is made where the last but one was: to get new memory
 * from the system takes longer than to fill it. */
class Turns {
	constructor(type) {
		this.type = type;
		this.rooms = [];
		this.turn = 0;
	}
	take(length) {
		this.turn ^= 1;
		if (!(this.rooms[this.turn]?.length >= length))
			this.rooms[this.turn] = new this.type(length);
		return this.rooms[this.turn].subarray(0, length);
	}
}

class Texts {
	constructor(bytes, count) {
		this.bytes = bytes;
		this.count = count;
		this.start = new Uint32Array(count + 1); /* of each, and of what would come behind the last */
		this.utf8 = new TextDecoder("utf-8", { ignoreBOM: true });
		for (let at = 0, i = 1; i <= count; at++)
			if (bytes[at] === 10)
				this.start[i++] = at + 1;
	}
	get(id) {
		return this.utf8.decode(this.bytes.subarray(this.start[id], this.start[id + 1] - 1));
	}
	/* Is it these bytes? */
	is(id, bytes) {
		const start = this.start[id];
		if (this.start[id + 1] - 1 - start !== bytes.length)
			return false;
		for (let i = 0; i < bytes.length; i++)
			if (this.bytes[start + i] !== bytes[i])
				return false;
		return true;
	}
	/* found[id] is 1 where the expression matches; of flags it has "gm", and "i" or not. */
	search(regex) {
		const found = new Uint8Array(this.count), alone = crossesLines(regex.source) ? new RegExp(regex.source, regex.flags.replace(/[gm]/g, "")) : null;
		for (let first = 0; first < this.count; first += PART) {
			const last = Math.min(this.count, first + PART);
			const part = this.utf8.decode(this.bytes.subarray(this.start[first], this.start[last] - 1));
			if (alone)
				searchEach(part, alone, found, first, last);
			else
				searchPart(part, regex, found.subarray(first, last), this.startsIn(part, first, last));
		}
		return found;
	}
	/* Where in the string each text of a part begins, the first one at base. */
	startsIn(part, first, last) {
		const starts = this.start.subarray(first, last + 1);
		/* As many characters as bytes: it is ASCII. */
		if (part.length + 1 === this.start[last] - this.start[first])
			return { starts, base: starts[0] };
		const counted = new Uint32Array(starts.length);
		for (let i = 1; i < last - first; i++)
			counted[i] = part.indexOf("\n", counted[i - 1]) + 1;
		counted[last - first] = part.length + 1;
		return { starts: counted, base: 0 };
	}
}

/* Could a match take in a line end, or depend on one that a name alone has not? */
function crossesLines(source) {
	return /\\[sWDnxuc0tvfr]|\[\^|\(\?[^:]|[\0-\x1f]/.test(source);
}

function searchEach(part, regex, found, first, last) {
	const texts = part.split("\n");
	for (let i = first; i < last; i++)
		found[i] = regex.test(texts[i - first]) ? 1 : 0;
}

function searchPart(part, regex, found, { starts, base }) {
	regex.lastIndex = 0;
	for (let i = 0; regex.test(part); regex.lastIndex = starts[++i] - base) {
		/* A match ends in its line, before the line end. */
		for (const at = regex.lastIndex + base; starts[i + 1] <= at;)
			i++;
		found[i] = 1;
	}
	regex.lastIndex = 0;
}
