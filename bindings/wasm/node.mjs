// heft as a library of node: api.mjs, whose program is read from the disk, and which may see the files of this computer.
import { readFile } from 'node:fs/promises';
import * as api from './api.mjs';
import { diskEnv, DiskFiles, treeWord } from './disk.mjs';

export { HeftError } from './api.mjs';

export class Heft extends api.Heft {
	/** With `disk`, the run sees all files that node may read, and writes to them. */
	run(words, { disk = false, env, ...options } = {}) {
		if (!disk)
			return super.run(words, { ...options, env });
		return super.run(words.map(treeWord), { ...options, tree: new DiskFiles(), env: { ...diskEnv(), ...env } });
	}
}

export async function load({ wasm = new URL('heft.wasm', import.meta.url) } = {}) {
	const from = await wasm, isFile = from instanceof URL && from.protocol === 'file:';
	const heft = await api.load({ wasm: isFile ? await readFile(from) : from });
	return new Heft(heft.module);
}
