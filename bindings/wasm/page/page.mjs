// The page that opens a file: chooses, has a worker make the report, shows it in a frame.
const $ = id => document.getElementById(id);
const wasm = $('wasm').textContent, workerSource = new Blob([$('worker').textContent], { type: 'text/javascript' });
const chosen = { program: null, base: null, beside: [] };
let worker = null, clock = 0, report = null, reportUrl = '';

function shownAlone(id) {
	for (const part of ['choose', 'work', 'shown'])
		$(part).hidden = part !== id;
}

function trouble(text) {
	$('trouble').textContent = text;
	$('trouble').hidden = text === '';
}

function sizeText(bytes) {
	return bytes < 1024 ? `${bytes} bytes` : bytes < 1 << 20 ? `${(bytes / 1024).toFixed(1)} KiB` : `${(bytes / 1048576).toFixed(1)} MiB`;
}

/* ---- choosing ---- */

function choicesShow() {
	for (const zone of ['program', 'base', 'beside'])
		$(`${zone}-names`).textContent = [chosen[zone] ?? []].flat().map(file => `${file.name}, ${sizeText(file.size)}`).join('; ');
	$('show').disabled = chosen.program === null;
}

/** Takes files for a zone.  A program alone is shown at once. */
function filesTake(zone, files) {
	if (files.length === 0)
		return;
	trouble('');
	if (zone === 'beside') {
		chosen.beside.push(...files);
	} else {
		chosen[zone] = files[0];
		if (files.length > 1)
			trouble(`One file at a time: ${files[0].name} was taken. What belongs to it goes to "Beside it".`);
	}
	choicesShow();
	if (zone === 'program' && !$('more').open && files.length === 1)
		workStart();
	else if (chosen.program)
		$('show').focus();
}

function choicesClear() {
	Object.assign(chosen, { program: null, base: null, beside: [] });
	$('choose').reset();
	choicesShow();
}

function dropListen() {
	const zoneOf = event => event.target.closest?.('.zone');
	addEventListener('dragover', event => {
		event.preventDefault();
		for (const zone of document.querySelectorAll('.zone'))
			zone.classList.toggle('over', zone === (zoneOf(event) ?? document.querySelector('.zone')));
	});
	addEventListener('dragleave', () => document.querySelectorAll('.over').forEach(zone => zone.classList.remove('over')));
	addEventListener('drop', event => {
		event.preventDefault();
		document.querySelectorAll('.over').forEach(zone => zone.classList.remove('over'));
		if ($('work').hidden) {
			const zone = zoneOf(event)?.dataset.zone ?? 'program';
			shownAlone('choose');
			$(zone).files = event.dataTransfer.files;
			filesTake(zone, [...$(zone).files]);
		}
	});
}

/* ---- at work ---- */

function progressShow({ part, what }) {
	if (part === null || part === 1) // what is left has no measure
		$('progress').removeAttribute('value');
	else
		$('progress').value = part;
	$('what').textContent = `${chosen.program.name}: ${what}`;
}

function workEnd() {
	clearInterval(clock);
	shownAlone('choose');
}

function workStop() {
	worker?.terminate();
	worker = null;
	workEnd();
	$('show').focus();
}

function workStart() {
	const start = performance.now();
	trouble('');
	shownAlone('work');
	progressShow({ part: null, what: 'reading' });
	$('seconds').textContent = '';
	clock = setInterval(() => { $('seconds').textContent = `${Math.floor((performance.now() - start) / 1000)} s`; }, 1000);
	$('stop').focus();
	const fresh = worker === null;
	if (fresh) {
		const url = URL.createObjectURL(workerSource);
		worker = new Worker(url);
		URL.revokeObjectURL(url);
		worker.onerror = event => {
			workStop();
			trouble(`heft cannot work in this browser: ${event.message}`);
		};
	}
	worker.onmessage = ({ data }) => {
		if (data.bytes) {
			workEnd();
			reportShow(data.bytes, (performance.now() - start) / 1000);
		} else if (data.trouble !== undefined) {
			workEnd();
			trouble(data.trouble);
			$('program').focus();
		} else {
			progressShow(data);
		}
	};
	worker.postMessage({ wasm: fresh ? wasm : undefined, program: chosen.program, base: chosen.base ?? undefined, beside: Object.fromEntries(chosen.beside.map(file => [file.name, file])) });
}

/* ---- the report ---- */

function reportShow(bytes, seconds) {
	const { program, base } = chosen, title = base ? `${base.name} → ${program.name}` : program.name;
	URL.revokeObjectURL(reportUrl);
	report = new Blob([bytes], { type: 'text/html' });
	reportUrl = URL.createObjectURL(report);
	document.title = `${title} - heft`;
	$('title').textContent = `${title}, ${sizeText(program.size)}, read in ${seconds.toFixed(1)} s`;
	$('save').href = reportUrl;
	$('save').download = `${program.name}.html`;
	shownAlone('shown');
	$('report').onload = () => $('report').focus();
	$('report').contentWindow.location.replace(reportUrl);
}

function againShow() {
	choicesClear();
	trouble('');
	shownAlone('choose');
	document.title = 'heft: where the bytes of a program go';
	$('program').focus();
}

function start() {
	for (const zone of ['program', 'base', 'beside'])
		$(zone).addEventListener('change', event => filesTake(zone, [...event.target.files]));
	$('choose').addEventListener('submit', event => {
		event.preventDefault();
		workStart();
	});
	$('clear').addEventListener('click', choicesClear);
	$('stop').addEventListener('click', workStop);
	$('again').addEventListener('click', againShow);
	dropListen();
	if (typeof WebAssembly !== 'object' || typeof DecompressionStream !== 'function') {
		trouble('This browser is too old for heft: it needs WebAssembly and DecompressionStream, which browsers have since 2023.');
		return;
	}
	shownAlone('choose');
}

/* For tests: the report that is shown. */
globalThis.heftOpened = { text: () => report?.text() };

start();
