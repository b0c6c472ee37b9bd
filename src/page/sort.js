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
	const given = order;
	for (let unit = 1; unit < count; unit *= step) {
		const from = order;
		order = sortDigit(from, ranks, unit, step);
		if (from !== given)
			letGo(from);
	}
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
	if (digits !== ranks)
		letGo(digits);
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

/* Numbers in an order, of which perhaps only the first are known until somebody asks for another. */
class Order {
	constructor(first, all = () => first) {
		this.first = first;
		this.all = all;
	}
	whole() {
		return this.known ??= this.all();
	}
	at(i) {
		return i < this.first.length ? this.first[i] : this.whole()[i];
	}
	indexOf(number) {
		const at = this.first.indexOf(number);
		return at >= 0 ? at : this.whole().indexOf(number);
	}
	head(count) {
		return (count <= this.first.length ? this.first : this.whole()).subarray(0, count);
	}
}

const ORDER_MANY = 100000, ORDER_SAMPLES = 2048, ORDER_FIRST = 16;

/* The order of sortedBy().  Of very many the first ones alone are sorted at once: a table shows a screen of them. */
function orderBy(keys, up) {
	return keys.length > ORDER_MANY ? new Order(firstBy(keys, up), () => sortedBy(keys, up)) : new Order(sortedBy(keys, up));
}

/* Those that come first, sorted: all that stand before, or beside, one of the first among some samples. */
function firstBy(keys, up) {
	const samples = Float64Array.from({ length: ORDER_SAMPLES }, (_, i) => keys[Math.floor(i * keys.length / ORDER_SAMPLES)]).sort();
	const limit = up ? samples[ORDER_FIRST] : samples[ORDER_SAMPLES - 1 - ORDER_FIRST], found = new Uint32Array(keys.length);
	let count = 0;
	for (let i = 0; i < keys.length; i++) {
		found[count] = i;
		count += (up ? keys[i] <= limit : keys[i] >= limit) ? 1 : 0;
	}
	const few = found.slice(0, count), order = sortedBy(Float64Array.from(few, i => keys[i]), up);
	return order.map(i => few[i]);
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
