#!/usr/bin/env node
// heft as a program of node 18 or later:  npx heft size FILE  or  node heft.mjs [--wasm heft.wasm] size FILE
// It sees all files that node may read; relative names are those of the current folder.
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import { diskEnv, DiskFiles, ProcessStream, treeWord } from './disk.mjs';
import { run } from './wasi.mjs';

const words = process.argv.slice(2);
const given = words[0] === '--wasm' ? words.splice(0, 2)[1] : null;
const path = given ?? fileURLToPath(new URL('heft.wasm', import.meta.url));
const stream = (fd, of) => new ProcessStream(fd, of.isTTY === true);
try {
	process.exitCode = run(new WebAssembly.Module(fs.readFileSync(path)), {
		words: ['heft', ...words.map(treeWord)],
		env: diskEnv(),
		tree: new DiskFiles(),
		streams: { in: stream(0, process.stdin), out: stream(1, process.stdout), err: stream(2, process.stderr) },
	}).status;
} catch (error) {
	console.error(`heft: ${error.message}${error.code === 'ENOENT' && error.path === path ? ' (make npm builds it)' : ''}`);
	process.exitCode = 3;
}
