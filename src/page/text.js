/* Numbers and names as people read them; elements of the document, which take text, never markup. */

function group(digits) {
	return digits.replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}

function exact(value, unit) {
	const sign = value < 0 ? "−" : "", v = Math.abs(value);
	if (unit === "parts" && Math.abs(v - Math.round(v)) > 1e-6)
		return sign + group(Math.floor(v).toString()) + (v % 1).toFixed(1).slice(1).replace(/^\.0$/, "");
	return sign + group(Math.round(v).toString());
}

function short(value, unit) {
	const v = Math.abs(value), sign = value < 0 ? "−" : "";
	if (unit === "count")
		return exact(value, unit);
	const units = ["", " Ki", " Mi", " Gi", " Ti", " Pi"];
	let i = 0, n = v;
	while (n >= 1023.5 && i + 1 < units.length) {
		n /= 1024;
		i++;
	}
	const text = i === 0 ? String(Math.round(n)) : n < 9.995 ? n.toFixed(2) : n < 99.95 ? n.toFixed(1) : n.toFixed(0);
	return sign + text + units[i] + (i === 0 ? " B" : "B");
}

function signed(text, value) {
	return value > 0 ? "+" + text : text;
}

function percent(part, whole) {
	if (!whole)
		return "";
	const p = 100 * part / whole;
	return (p !== 0 && Math.abs(p) < 0.05 ? "<0.1" : p.toFixed(1).replace("-", "−")) + " %";
}

const SHOWN_MAX = 400;

/* A name may be megabytes long. */
function cut(text, most = SHOWN_MAX) {
	if (text.length <= most)
		return text;
	return text.slice(0, most) + "… (" + group(String(text.length)) + " characters)";
}

function $(id) {
	return document.getElementById(id);
}

function element(name, attributes = {}, ...children) {
	const e = document.createElement(name);
	for (const [key, value] of Object.entries(attributes)) {
		if (value === false || value === null || value === undefined)
			continue;
		if (key.startsWith("on"))
			e.addEventListener(key.slice(2), value);
		else
			e.setAttribute(key, value === true ? "" : value);
	}
	e.append(...children);
	return e;
}

function choices(select, list, chosen) {
	select.replaceChildren(...list.map(([value, text]) => element("option", { value, selected: value === chosen }, text)));
	select.value = chosen;
}

/* A field of csv; what a spreadsheet would take for a formula begins with "'". */
function csvField(text) {
	const safe = /^[=+\-@\t\r]/.test(text) && !/^-?\d+(\.\d+)?$/.test(text) ? "'" + text : text;
	return /[",\n\r]/.test(safe) ? "\"" + safe.replaceAll("\"", "\"\"") + "\"" : safe;
}

function csvLine(fields) {
	return fields.map(f => csvField(String(f))).join(",") + "\r\n";
}
