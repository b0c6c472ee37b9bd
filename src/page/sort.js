/* Sorting many numbers: by their digits, which a million of them need. */

const DIGIT = 2048;

/* All lines in an order, sorted by their ranks, each below `count`; those of one rank stay as they are. */
function sortLines(order, ranks, count) {
	let sorted = true;
	for (let i = 1; sorted && i < order.length; i++)
		sorted = ranks[order[i - 1]] <= ranks[order[i]];
	if (sorted)
		return order;
	/* A step for each rank where they are about as many as the lines, for each digit otherwise. */
	const step = count <= Math.max(DIGIT, 2 * order.length) ? count : DIGIT;
	for (let unit = 1; unit < count; unit *= step)
		order = sortDigit(order, ranks, unit, step);
	return order;
}

function sortDigit(from, ranks, unit, step) {
	const places = new Uint32Array(step + 1), digits = unit === 1 && step !== DIGIT ? ranks : ranks.map(rank => (rank / unit) % step);
	const to = new Uint32Array(from.length);
	/* All lines are counted, whatever their order. */
	for (let i = 0; i < digits.length; i++)
		places[digits[i] + 1]++;
	for (let d = 1; d < step; d++)
		places[d] += places[d - 1];
	for (let i = 0; i < from.length; i++) {
		const line = from[i];
		to[places[digits[line]]++] = line;
	}
	return to;
}

/* The numbers of `keys` from the largest down, or from the smallest up; equal ones as they come. */
function sortedBy(keys, up) {
	let from = new Uint32Array(keys.length), to;
	for (let i = 0; i < from.length; i++)
		from[i] = i;
	if (from.length < 1000)
		return from.sort(up ? (a, b) => keys[a] - keys[b] || a - b : (a, b) => keys[b] - keys[a] || a - b);
	to = new Uint32Array(from.length);
	for (const { digits, bits } of wholeDigits(keys, up) || digitsOf(keys, up))
		for (let shift = 0; shift < bits; shift += 11)
			if (sortBits(from, to, digits, shift))
				[from, to] = [to, from];
	return from;
}

/* Of whole numbers that are not too large; or null. */
function wholeDigits(keys, up) {
	const digits = new Uint32Array(keys.length);
	let most = 0;
	for (let i = 0; i < keys.length; i++) {
		const key = keys[i], whole = key >>> 0;
		if (whole !== key)
			return null;
		digits[i] = whole;
		if (whole > most)
			most = whole;
	}
	for (let i = 0; !up && i < digits.length; i++)
		digits[i] = most - digits[i];
	return [{ digits, bits: 32 - Math.clz32(most) }];
}

/* Doubles as two halves that sort like them: the sign turned, and of negative ones all bits. */
function digitsOf(keys, up) {
	const doubles = Float64Array.from(keys), halves = new Uint32Array(doubles.buffer);
	const low = new Uint32Array(keys.length), high = new Uint32Array(keys.length), down = up ? 0 : 0xffffffff;
	for (let i = 0; i < keys.length; i++) {
		const h = doubles[i] === 0 ? 0 : halves[2 * i + 1], all = h & 0x80000000 ? 0xffffffff : 0;
		low[i] = halves[2 * i] ^ all ^ down;
		high[i] = h ^ (all | 0x80000000) ^ down;
	}
	return [{ digits: low, bits: 32 }, { digits: high, bits: 32 }];
}

/* Returns false where all have the same bits. */
function sortBits(from, to, keys, shift) {
	const places = new Uint32Array(DIGIT);
	for (let i = 0; i < from.length; i++)
		places[keys[from[i]] >>> shift & DIGIT - 1]++;
	if (places[keys[0] >>> shift & DIGIT - 1] === from.length)
		return false;
	for (let d = 0, at = 0; d < DIGIT; d++) {
		const count = places[d];
		places[d] = at;
		at += count;
	}
	for (let i = 0; i < from.length; i++)
		to[places[keys[from[i]] >>> shift & DIGIT - 1]++] = from[i];
	return true;
}
