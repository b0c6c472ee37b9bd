// heft as a library of node: api.mjs, whose program is read from the disk, and which may see the files of this computer.
import { readFile } from 'node:fs/promises';
import * as api from './api.mjs';
import { DiskFiles } from './disk.mjs';

export { HeftError } from './api.mjs';

export class Heft extends api.Heft {
	/** With `disk`, the run sees all files that node may read, and writes to them. */
	run(words, { disk = false, env, ...options } = {}) {
		return disk ? super.run(words, { ...options, tree: new DiskFiles(), env: { ...process.env, PWD: process.cwd(), ...env } }) : super.run(words, { ...options, env });
	}
}

export async function load({ wasm = new URL('heft.wasm', import.meta.url) } = {}) {
	const from = await wasm, isFile = from instanceof URL && from.protocol === 'file:';
	const heft = await api.load({ wasm: isFile ? await readFile(from) : from });
	return new Heft(heft.module);
}
