// Works for the page: compiles heft once, then makes a report of each program that comes.
import { HeftError, load } from '../api.mjs';

async function unpacked(text) {
	const packed = Uint8Array.from(atob(text), c => c.charCodeAt(0));
	return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
}

/** A map is named as one; another file is the debug file if it is the only one. */
function wordsOf(beside) {
	const isMap = name => /\.map$/i.test(name), names = Object.keys(beside), others = names.filter(name => !isMap(name));
	return [...names.filter(isMap).slice(0, 1).map(name => `--map=${name}`), ...(others.length === 1 ? [`--debug-file=${others[0]}`] : [])];
}

let heft = null;

async function answer({ wasm, program, base, beside }) {
	heft ??= load({ wasm: unpacked(wasm).then(bytes => WebAssembly.compile(bytes)) });
	const bytes = (await heft).reportBytes(program, {
		name: program.name, base, baseName: base?.name, beside, options: wordsOf(beside), progress: (part, what) => postMessage({ part, what }),
	});
	postMessage({ bytes }, [bytes.buffer]);
}

// The browser's own words, of a folder or of a file that changed, name no file.
onmessage = ({ data }) => answer(data).catch(error => postMessage({ trouble: error instanceof HeftError ? error.message : `${data.program.name}: ${error.message}` }));
