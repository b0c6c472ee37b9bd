// heft as a library: load() once, then as many runs as one likes, each in a memory of its own.
import { MemoryFiles } from './files.mjs';
import { run } from './wasi.mjs';

/** heft could not do what was asked; `status` is 2, or 3 where it has a bug. */
export class HeftError extends Error {
	constructor(message, status) {
		super(message);
		this.name = 'HeftError';
		this.status = status;
	}
}

/** Takes what a run writes to a stream. */
class Collector {
	constructor() {
		this.parts = [];
	}
	read() {
		return 0;
	}
	write(part) {
		this.parts.push(part.slice());
	}
	bytes() {
		const all = new Uint8Array(this.parts.reduce((sum, part) => sum + part.length, 0));
		let at = 0;
		for (const part of this.parts) {
			all.set(part, at);
			at += part.length;
		}
		return all;
	}
	text() {
		return new TextDecoder().decode(this.bytes());
	}
}

/** The messages of a run; of its progress line, as a terminal would get it, what it says. */
class Messages extends Collector {
	constructor(progress) {
		super();
		this.progress = progress;
		this.terminal = progress !== undefined;
		this.line = '';
	}
	write(part) {
		super.write(part);
		if (!this.terminal)
			return;
		this.line += new TextDecoder().decode(part);
		const found = /\r(?: *(\d+)% of [\d.]+ MiB, )?([^\r\n\x1b]+)\x1b\[K$/.exec(this.line);
		if (found)
			this.progress(found[1] === undefined ? null : found[1] / 100, found[2]);
		if (found || this.line.endsWith('\n'))
			this.line = '';
	}
	text() {
		return super.text().replace(/\r[^\r\n]*\x1b\[K/g, '').replaceAll('\r', '');
	}
}

class Input {
	constructor(bytes) {
		this.bytes = typeof bytes === 'string' ? new TextEncoder().encode(bytes) : new Uint8Array(bytes ?? 0);
		this.at = 0;
	}
	read(into) {
		const part = this.bytes.subarray(this.at, this.at + into.length);
		into.set(part);
		this.at += part.length;
		return part.length;
	}
}

/** The names and the files of a program, what it is compared with, and what belongs to it; and the words that name them. */
function inputsOf(program, { name = 'program', base, baseName = name, debug, map, beside = {} }) {
	const files = new Map(Object.entries(beside)), words = [];
	const take = (path, content) => {
		if (files.has(path))
			throw new TypeError(`heft: two files have the name ${path}`);
		files.set(path, content);
		return path.startsWith('-') ? `./${path}` : path;
	};
	words.push(take(name, program));
	if (debug !== undefined)
		words.unshift(`--debug-file=${take(`${name}.debug`, debug)}`);
	if (map !== undefined)
		words.unshift(`--map=${take(`${name}.map`, map)}`);
	if (base !== undefined)
		words.push('--', take(`base/${baseName}`, base));
	return { files, words };
}

/** Words for the options that size, diff and report share. */
function optionsOf({ by, demangle, rows, options = [] }) {
	const words = [...options];
	if (by !== undefined)
		words.push(`--by=${[by].flat().join(',')}`);
	if (demangle !== undefined)
		words.push(`--demangle=${demangle}`);
	if (rows !== undefined)
		words.push(`--rows=${rows}`);
	return words;
}

/** heft, compiled. */
export class Heft {
	constructor(module) {
		this.module = module;
	}
	/** Runs a command line.  The files are names to bytes; what the run writes is in `files` of the result. */
	run(words, { files = {}, env = {}, input, tree, progress } = {}) {
		const disk = tree ?? new MemoryFiles(files), out = new Collector(), err = new Messages(progress);
		try {
			const { status, memory } = run(this.module, {
				words: ['heft', ...words], env: { PWD: '/', ...env }, tree: disk, streams: { in: new Input(input), out, err },
			});
			return { status, memory, bytes: out.bytes(), get out() { return out.text(); }, err: err.text(), files: disk.written ?? {} };
		} catch (error) {
			if (error instanceof WebAssembly.RuntimeError || error instanceof RangeError)
				throw new HeftError(`${err.text()}heft: ${error.message}`, 3);
			throw error;
		}
	}
	/** The same, where another status than 0 and 1 is an error. */
	need(words, options) {
		const done = this.run(words, options);
		if (done.status > 1)
			throw new HeftError(done.err.trim(), done.status);
		return done;
	}
	/** Where the bytes of a program go: the document of docs/json.md.  With `base`, what changed. */
	size(program, options = {}) {
		const { files, words } = inputsOf(program, options);
		return JSON.parse(this.need(['size', '--json', ...optionsOf({ rows: 0, ...options }), ...words], { files, progress: options.progress }).out);
	}
	/** What changed between two programs, symbol by symbol: the document of docs/json.md. */
	diff(base, program, options = {}) {
		const { files, words } = inputsOf(program, { ...options, base }), between = words.indexOf('--');
		words.splice(between - 1, 3, words[between + 1], words[between - 1]);
		return JSON.parse(this.need(['diff', '--json', ...optionsOf({ rows: 0, ...options }), ...words], { files, progress: options.progress }).out);
	}
	/** The page of a program: one html file, as its bytes. */
	reportBytes(program, options = {}) {
		const { files, words } = inputsOf(program, options);
		return this.need(['report', ...optionsOf(options), ...words], { files, progress: options.progress }).bytes;
	}
	/** The same as a text. */
	report(program, options) {
		return new TextDecoder().decode(this.reportBytes(program, options));
	}
	/** The version of heft. */
	get version() {
		return /[\d.]+/.exec(this.run(['--version']).out)[0];
	}
}

/** Compiles heft from its bytes, a response, an address, or a module that is compiled already. */
export async function load({ wasm = new URL('heft.wasm', import.meta.url) } = {}) {
	let from = await wasm;
	if (from instanceof WebAssembly.Module)
		return new Heft(from);
	if (typeof from === 'string' || from instanceof URL)
		from = await fetch(from);
	if (globalThis.Response && from instanceof Response) {
		if (!from.ok)
			throw new Error(`heft: ${from.url}: ${from.status} ${from.statusText}`);
		from = await from.arrayBuffer();
	}
	return new Heft(await WebAssembly.compile(from));
}
