/* How much was live when: a chart with a range that is chosen by dragging, or by keys. */

function seconds(ns) {
	const s = ns / 1e9, rounded = (n, digits) => String(Number(n.toFixed(digits)));
	return s >= 100 ? rounded(s, 0) + " s" : s >= 1 ? rounded(s, 2) + " s" : s >= 1e-3 ? rounded(s * 1e3, 2) + " ms" : rounded(s * 1e6, 0) + " µs";
}

/* A round step of which so many fit into `whole`. */
function stepOf(whole, many) {
	const rough = whole / many, power = 10 ** Math.floor(Math.log10(rough || 1));
	return [1, 2, 5, 10].map(k => k * power).find(k => k >= rough);
}

const CHART = { left: 70, right: 16, top: 14, bottom: 30 };

function chartScale(moments, size) {
	const last = moments[moments.length - 1].at, first = Math.min(moments[0].at, last);
	const most = moments.reduce((v, p) => Math.max(v, p.value, p.peak), 1);
	const w = size.w - CHART.left - CHART.right, h = size.h - CHART.top - CHART.bottom;
	return {
		first, last, most, w, h,
		x: at => CHART.left + w * (at - first) / Math.max(1, last - first),
		y: value => CHART.top + h - h * value / most,
		at: x => first + (last - first) * Math.max(0, Math.min(1, (x - CHART.left) / w)),
	};
}

/* What drawTimeline() asks of the context of a canvas, as shapes of svg. */
class SvgContext {
	constructor(pen) {
		this.pen = pen;
		this.path = [];
		this.dash = "";
	}
	beginPath() {
		this.path = [];
	}
	moveTo(x, y) {
		this.path.push(`M${x.toFixed(1)} ${y.toFixed(1)}`);
	}
	lineTo(x, y) {
		this.path.push(`L${x.toFixed(1)} ${y.toFixed(1)}`);
	}
	arc(x, y, r) {
		this.path.push(`M${(x - r).toFixed(1)} ${y.toFixed(1)}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`);
	}
	fill() {
		this.pen.shape(`d="${this.path.join("")}" fill="${this.fillStyle}"`);
	}
	stroke() {
		this.pen.shape(`d="${this.path.join("")}" fill="none" stroke="${this.strokeStyle}" stroke-width="${this.lineWidth}" stroke-dasharray="${this.dash}"`);
	}
	setLineDash(dash) {
		this.dash = dash.join(" ");
	}
	fillRect(x, y, w, h) {
		this.pen.box(x, y, w, h, this.fillStyle);
	}
	measureText(text) {
		return { width: this.pen.width(text) };
	}
	fillText(text, x, y) {
		const w = this.measureText(text).width;
		this.pen.text(text, x - w * ({ right: 1, center: 0.5 }[this.textAlign] || 0), y, Infinity, this.fillStyle);
	}
}

function chartPath(c, scale, moments, value) {
	c.beginPath();
	moments.forEach((p, i) => i ? c.lineTo(scale.x(p.at), scale.y(value(p))) : c.moveTo(scale.x(p.at), scale.y(value(p))));
}

function drawAxes(c, scale, ink, faint) {
	c.font = "11px system-ui, sans-serif";
	c.textAlign = "right";
	for (let v = 0, step = 2 ** Math.round(Math.log2(scale.most / 4 || 1)); v <= scale.most; v += step) {
		c.fillStyle = faint;
		c.fillRect(CHART.left, scale.y(v), scale.w, 1);
		c.fillStyle = ink;
		c.fillText(short(v, "bytes"), CHART.left - 8, scale.y(v) + 4);
	}
	c.textAlign = "center";
	const step = stepOf(scale.last - scale.first, Math.max(2, Math.min(5, Math.floor(scale.w / 90))));
	for (let t = Math.ceil(scale.first / step) * step; step > 0 && t <= scale.last; t += step)
		/* The last one does not leave the picture. */
		c.fillText(seconds(t), Math.min(scale.x(t), CHART.left + scale.w + CHART.right - c.measureText(seconds(t)).width / 2), CHART.top + scale.h + 18);
	c.textAlign = "left";
}

/* Marks when it was counted, as far as there is room for marks. */
function drawMoments(c, scale, moments, ink) {
	if (moments.length * 6 > scale.w)
		return;
	c.fillStyle = ink;
	for (const p of moments) {
		c.beginPath();
		c.arc(scale.x(p.at), scale.y(p.value), 3, 0, 2 * Math.PI);
		c.fill();
	}
}

/* A line at the moment where keys are. */
function drawCursor(c, scale, moment, ink) {
	c.fillStyle = ink;
	c.fillRect(scale.x(moment.at) - 1, CHART.top, 2, scale.h);
}

function drawTimeline(c, size, tab, range, cursor) {
	const moments = tab.moments, scale = chartScale(moments, size), dark = isDark();
	const ink = dark ? "#c9d0da" : "#3d4756", faint = dark ? "#333c49" : "#e2e6ec", line = dark ? "#6ea8fe" : "#1f6fd6", peak = dark ? "#f0a35e" : "#b85c00";
	drawAxes(c, scale, ink, faint);
	if (range) {
		c.fillStyle = dark ? "#6ea8fe33" : "#1f6fd622";
		c.fillRect(scale.x(range[0]), CHART.top, scale.x(range[1]) - scale.x(range[0]), scale.h);
	}
	chartPath(c, scale, moments, p => p.value);
	c.lineTo(scale.x(scale.last), scale.y(0));
	c.lineTo(scale.x(scale.first), scale.y(0));
	c.fillStyle = dark ? "#6ea8fe2e" : "#1f6fd626";
	c.fill();
	chartPath(c, scale, moments, p => p.value);
	c.strokeStyle = line;
	c.lineWidth = 2;
	c.stroke();
	chartPath(c, scale, moments, p => Math.max(p.peak, p.value));
	c.setLineDash([4, 3]);
	c.strokeStyle = peak;
	c.lineWidth = 1.25;
	c.stroke();
	c.setLineDash([]);
	drawMoments(c, scale, moments, line);
	if (cursor)
		drawCursor(c, scale, moments[cursor.at], ink);
	return scale;
}

/* Where a key leads: the number of a moment, and of the one where the range began that Shift extends.  Without a cursor keys go on
 * from the range.  Null: the key leads nowhere. */
function moveCursor(moments, range, cursor, key, shift) {
	const last = moments.length - 1, leap = Math.max(1, Math.round(last / 10));
	const step = { ArrowLeft: -1, ArrowRight: 1, PageUp: -leap, PageDown: leap, Home: -last, End: last }[key];
	if (!step)
		return null;
	const begin = cursor || { from: range ? moments.findIndex(p => p.at >= range[0]) : 0, at: range ? moments.findLastIndex(p => p.at <= range[1]) : 0 };
	const at = Math.max(0, Math.min(last, begin.at + step));
	return { at, from: shift ? Math.max(0, begin.from) : at };
}

/* The range between the moments of a cursor; null where no time is between them. */
function cursorRange(moments, { at, from }) {
	const [a, b] = [moments[Math.min(at, from)].at, moments[Math.max(at, from)].at];
	return a < b ? [a, b] : null;
}

/* What is said of a range of time; of a moment where keys are at one, of all where nothing is chosen. */
function tellRange(tab, range, cursor) {
	if (cursor && !range) {
		const { at, value, peak } = tab.moments[cursor.at];
		return `${seconds(at)}: ${short(value, "bytes")} live, at most ${short(Math.max(value, peak), "bytes")} since the moment before.`;
	}
	const all = tab.moments, [from, to] = range || [all[0].at, all[all.length - 1].at];
	const inside = all.filter(p => p.at >= from && p.at <= to);
	if (inside.length === 0)
		return "No moment lies between " + seconds(from) + " and " + seconds(to) + ".";
	const first = inside[0].value, last = inside[inside.length - 1].value;
	const peak = inside.reduce((v, p) => Math.max(v, p.value, p.peak), 0);
	return `${seconds(from)} to ${seconds(to)}: from ${short(first, "bytes")} to ${short(last, "bytes")} live (${signed(short(last - first, "bytes"), last - first)}), at most ${short(peak, "bytes")}.`;
}

const TIME_HELP = "The line is what was live, the dashed one the peak since the moment before. Drag to choose a range, or press arrow keys with Shift; Escape chooses all.";

/* A screen reader hears each step on the timeline as it does those of a slider. */
function nameTimeline(canvas, tab, range, cursor) {
	const all = tab.moments, told = tellRange(tab, range, cursor);
	const parts = { role: "slider", "aria-label": "Timeline of live bytes. " + TIME_HELP, "aria-valuemin": all[0].at, "aria-valuemax": all[all.length - 1].at, "aria-valuenow": cursor ? all[cursor.at].at : range ? range[1] : all[0].at, "aria-valuetext": told };
	for (const [name, value] of Object.entries(parts))
		canvas.setAttribute(name, value);
	return told + " " + TIME_HELP;
}

function unnameTimeline(canvas) {
	canvas.setAttribute("role", "img");
	for (const name of ["min", "max", "now", "text"])
		canvas.removeAttribute("aria-value" + name);
}
