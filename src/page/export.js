/* What leaves the page: files that the reader asks for. */

function save(name, type, data) {
	const url = URL.createObjectURL(data instanceof Blob ? data : new Blob([data], { type }));
	const link = element("a", { href: url, download: name });
	link.click();
	setTimeout(() => URL.revokeObjectURL(url), 10000);
}

function fileName(view, ending) {
	return view.tab.title.replace(/[^\w.-]+/g, "_").slice(0, 80) + "." + ending;
}

function saveSvg(view, picture) {
	const pen = new SvgPen(picture.w, picture.h, `${view.tab.title}: ${view.levels.map(l => l.spec.title).join(" › ")}`);
	pen.box(0, 0, picture.w, picture.h, isDark() ? "#14181f" : "#ffffff");
	if (view.picture === "time")
		drawTimeline(new SvgContext(pen), picture, view.tab, state.range);
	else if (view.picture === "memory")
		drawStrip(pen, picture.cells);
	else if (view.picture === "course")
		drawCourse(new SvgContext(pen), picture, view);
	else if (view.picture === "regions")
		drawRegions(pen, picture, view, true);
	else
		drawBoxes(pen, picture.boxes, view, true);
	save(fileName(view, "svg"), "image/svg+xml", pen.end());
}

function savePng(view, canvas) {
	canvas.toBlob(blob => save(fileName(view, "png"), "image/png", blob));
}

async function copyText(text) {
	try {
		await navigator.clipboard.writeText(text);
	} catch {
		/* Pages from disk may not be let near the clipboard that way. */
		const area = element("textarea", { class: "unseen" });
		area.value = text;
		document.body.append(area);
		area.select();
		document.execCommand("copy");
		area.remove();
	}
}
