/* The sizes of the builds of a history: a chart for each, side by side where there is room. */

const COURSE = { wide: 300, least: 100, gap: 22, title: 26, left: 62, right: 12, bottom: 6, dots: 6 };

function decodeCourse(course, texts) {
	const all = numbersOf(course.bytes[0], 4 * course.count), builds = [];
	for (let i = 0; i < course.count; i++) {
		const [label, branch, date] = [0, 1, 2].map(k => texts.get(all[4 * i + k]));
		builds.push({ label, branch, date, before: all[4 * i + 3] });
	}
	return { builds, series: course.series.map((title, i) => ({ title: texts.get(title), values: new Float64Array(course.bytes[1 + i].slice().buffer) })) };
}

/* From the smallest value to the largest; where all are equal the line is in the middle. */
function chartOf({ title, values }, box) {
	let low = Infinity, high = -Infinity;
	for (const value of values) {
		low = Math.min(low, value);
		high = Math.max(high, value);
	}
	const x = box.x + COURSE.left, y = box.y + COURSE.title, w = box.w - COURSE.left - COURSE.right, h = box.h - COURSE.title - COURSE.bottom - COURSE.gap;
	return {
		...box, title, values, low, high, plot: { x, y, w, h },
		xOf: i => x + (values.length > 1 ? w * i / (values.length - 1) : w / 2),
		yOf: value => y + (high > low ? h * (high - value) / (high - low) : h / 2),
	};
}

function layCourse({ series }, { w, h }) {
	const columns = Math.max(1, Math.min(2, Math.floor(w / COURSE.wide))), width = w / columns;
	const height = Math.max(COURSE.least, Math.floor(h / Math.ceil(series.length / columns)));
	const charts = series.map((one, i) => chartOf(one, { x: i % columns * width, y: Math.floor(i / columns) * height, w: width, h: height }));
	return { charts, height: Math.max(h, Math.ceil(series.length / columns) * height) };
}

/* What a build changed of a size. */
function changeAt(values, builds, i) {
	return builds[i].before > 0 ? values[i] - values[i - builds[i].before] : 0;
}

function drawChart(c, chart, builds, chosen, ink) {
	const { plot, values, xOf, yOf, low, high } = chart, last = values[values.length - 1];
	c.font = "600 11px system-ui, sans-serif";
	c.textAlign = "left";
	c.fillStyle = ink.text;
	c.fillText(`${chart.title}  ${short(last, "bytes")}`, chart.x, chart.y + 12);
	c.font = "11px system-ui, sans-serif";
	c.textAlign = "right";
	for (const value of high > low ? [low, high] : [low]) {
		c.fillStyle = ink.faint;
		c.fillRect(plot.x, yOf(value), plot.w, 1);
		c.fillStyle = ink.text;
		c.fillText(short(value, "bytes"), plot.x - 6, yOf(value) + 4);
	}
	c.fillText(builds[builds.length - 1].date.slice(0, 10), plot.x + plot.w, plot.y + plot.h + 18);
	c.textAlign = "left";
	if (builds.length > 1)
		c.fillText(builds[0].date.slice(0, 10), plot.x, plot.y + plot.h + 18);
	if (chosen >= 0) {
		c.fillStyle = ink.chosen;
		c.fillRect(xOf(chosen) - 1, plot.y - 4, 2, plot.h + 8);
	}
	c.beginPath();
	values.forEach((value, i) => i ? c.lineTo(xOf(i), yOf(value)) : c.moveTo(xOf(i), yOf(value)));
	c.strokeStyle = ink.line;
	c.lineWidth = 1.75;
	c.stroke();
	c.fillStyle = ink.line;
	for (let i = 0; i < values.length && values.length * COURSE.dots < plot.w; i++) {
		if (i > 0 && i + 1 < values.length && changeAt(values, builds, i) === 0)
			continue;
		c.beginPath();
		c.arc(xOf(i), yOf(values[i]), 2.5, 0, 2 * Math.PI);
		c.fill();
	}
}

/* The number of a build in the course; -1: the row is in none. */
function buildOf(course, node) {
	const label = node?.above()[1]?.label;
	return label === undefined ? -1 : course.builds.findIndex(b => b.label === label);
}

/* Sizes of several builds add up to nothing that anybody asks for; their changes do. */
function isOfOneBuild({ tab, levels }, node) {
	return !tab.built || (levels[0].spec.column.name === "build" && node.parent !== null);
}

function drawCourse(c, { charts }, { tab, chosen }) {
	const dark = isDark(), ink = dark ? { text: "#c9d0da", faint: "#333c49", line: "#6ea8fe", chosen: "#f0a35e" } : { text: "#3d4756", faint: "#e2e6ec", line: "#1f6fd6", chosen: "#b85c00" };
	for (const chart of charts)
		drawChart(c, chart, tab.built.builds, buildOf(tab.built, chosen), ink);
}

/* The chart that a place is in, and the build that is nearest. */
function courseAt(charts, x, y) {
	const chart = charts.find(c => x >= c.x && x < c.x + c.w && y >= c.y && y < c.y + c.h), last = chart ? chart.values.length - 1 : 0;
	return chart ? { chart, i: Math.max(0, Math.min(last, Math.round((x - chart.plot.x) / chart.plot.w * last))) } : null;
}

function tellBuild({ builds }, { chart, i }) {
	const { label, branch, date } = builds[i], change = changeAt(chart.values, builds, i), value = chart.values[i];
	return [label, `${chart.title}: ${short(value, "bytes")} · ${exact(value, "parts")} B, ${change ? signed(short(change, "bytes"), change) : "as before"}`, [date, branch].filter(Boolean).join(" · ")];
}

function tellCourse({ builds, series }) {
	return `Sizes over ${group(String(builds.length))} ${builds.length === 1 ? "build" : "builds"}: ${series.map(({ title, values }) => `${title} from ${short(values[0], "bytes")} to ${short(values[values.length - 1], "bytes")}`).join(", ")}.`;
}
