#!/usr/bin/env node
// heft as WebAssembly, run by node 18 or later:  node heft.mjs [--wasm heft.wasm] size FILE
// It sees all files that node may read; relative names are those of the current folder.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { WASI } from 'node:wasi';

const words = process.argv.slice(2);
const given = words[0] === '--wasm' ? words.splice(0, 2)[1] : null;
const path = given ?? fileURLToPath(new URL('heft.wasm', import.meta.url));
const wasi = new WASI({
	version: 'preview1',
	args: ['heft', ...words],
	env: { ...process.env, PWD: process.cwd() },
	preopens: { '/': '/' },
	returnOnExit: true,
});
try {
	const module = await WebAssembly.compile(await readFile(path));
	const instance = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: wasi.wasiImport });
	process.exitCode = wasi.start(instance);
} catch (error) {
	// A trap: the stack of node ended, or heft has a bug.
	console.error(`heft: ${error.message} (node --stack-size=4000 has a larger stack)`);
	process.exitCode = 3;
}
