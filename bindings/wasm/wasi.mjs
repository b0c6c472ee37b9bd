// WASI, preview 1: those of its functions that heft calls, over a tree of files (files.mjs, disk.mjs).
// https://github.com/WebAssembly/WASI/blob/main/legacy/preview1/docs.md

export const ERRNO = {
	OK: 0, EACCES: 2, EAGAIN: 6, EBADF: 8, EBUSY: 10, EEXIST: 20, EFBIG: 22, EINVAL: 28, EIO: 29, EISDIR: 31, ELOOP: 32, EMFILE: 33,
	ENAMETOOLONG: 37, ENFILE: 41, ENOENT: 44, ENOSPC: 51, ENOSYS: 52, ENOTDIR: 54, ENOTEMPTY: 55, ENXIO: 60, EPERM: 63, EPIPE: 64,
	EROFS: 69, ESPIPE: 70, EXDEV: 75,
};
const KIND = { unknown: 0, device: 2, folder: 3, file: 4, link: 7 };
const ALL_RIGHTS = 0xffffffffffffffffn;
const ROOT = 3;
const CREATE = 1, FOLDER = 2, EXCLUSIVE = 4, TRUNCATE = 8; // of path_open
const MAY_WRITE = 1n << 6n;
const APPEND = 1;

/** A failure with the name of an errno, as node:fs has them. */
export class FileError extends Error {
	constructor(code, path) {
		super(`${code}: ${path}`);
		this.code = code;
	}
}

class Exit {
	constructor(status) {
		this.status = status;
	}
}

/** Joins a name to a folder; what is left has no "." and "..". */
function joined(folder, name) {
	const parts = [];
	for (const part of `${name.startsWith('/') ? '' : folder}/${name}`.split('/'))
		if (part === '..')
			parts.pop();
		else if (part !== '' && part !== '.')
			parts.push(part);
	return '/' + parts.join('/');
}

/** The files that a run has open: numbers to {path, kind, handle, at, flags}. */
class Open {
	constructor(tree, streams) {
		this.tree = tree;
		this.all = new Map([[0, { stream: streams.in }], [1, { stream: streams.out }], [2, { stream: streams.err }], [ROOT, { path: '/', kind: 'folder' }]]);
		this.next = ROOT + 1;
	}
	get(fd) {
		const file = this.all.get(fd);
		if (!file)
			throw new FileError('EBADF', fd);
		return file;
	}
	path(fd, name) {
		const file = this.get(fd);
		if (file.kind !== 'folder')
			throw new FileError('ENOTDIR', name);
		return joined(file.path, name);
	}
	add(path, how) {
		let is = this.tree.look(path, true);
		if (is && how.create && how.exclusive)
			throw new FileError('EEXIST', path);
		if (!is && !how.create)
			throw new FileError('ENOENT', path);
		if (is?.kind === 'folder' && how.write)
			throw new FileError('EISDIR', path);
		if (is && is.kind !== 'folder' && how.folder)
			throw new FileError('ENOTDIR', path);
		const kind = is?.kind ?? 'file';
		const handle = kind === 'folder' ? null : this.tree.open(path, how);
		this.all.set(this.next, { path, kind, handle, at: 0, flags: how.flags });
		return this.next++;
	}
	close(fd) {
		this.get(fd).handle?.close();
		this.all.delete(fd);
	}
	closeAll() {
		for (const file of this.all.values())
			file.handle?.close();
	}
}

/** The functions of WASI for one run.  `words` and `env` are those of the program. */
class Functions {
	constructor({ words, env, tree, streams }) {
		const encoder = new TextEncoder();
		this.words = words.map(word => encoder.encode(word + '\0'));
		this.env = Object.entries(env).filter(([, value]) => value !== undefined).map(([name, value]) => encoder.encode(`${name}=${value}\0`));
		this.open = new Open(tree, streams);
		this.tree = tree;
	}
	get bytes() {
		if (this.seen?.buffer !== this.memory.buffer)
			this.seen = new Uint8Array(this.memory.buffer);
		return this.seen;
	}
	get view() {
		if (this.viewed?.buffer !== this.memory.buffer)
			this.viewed = new DataView(this.memory.buffer);
		return this.viewed;
	}
	u32(at, value) {
		this.view.setUint32(at, value, true);
	}
	u64(at, value) {
		this.view.setBigUint64(at, BigInt(value), true);
	}
	text(at, size) {
		return new TextDecoder().decode(this.bytes.slice(at >>> 0, (at >>> 0) + size));
	}
	/** The pieces of memory of a list of iovec. */
	*pieces(list, count) {
		for (let i = 0; i < count; i++) {
			const at = this.view.getUint32(list + 8 * i, true), size = this.view.getUint32(list + 8 * i + 4, true);
			yield this.bytes.subarray(at, at + size);
		}
	}
	strings(all, list, text) {
		for (const one of all) {
			this.u32(list, text);
			this.bytes.set(one, text);
			list += 4;
			text += one.length;
		}
	}
	stringSizes(all, count, size) {
		this.u32(count, all.length);
		this.u32(size, all.reduce((sum, one) => sum + one.length, 0));
	}
	filestat(at, is) {
		this.bytes.fill(0, at, at + 64);
		this.u64(at, is.device ?? 1);
		this.u64(at + 8, is.id ?? 0);
		this.view.setUint8(at + 16, KIND[is.kind]);
		this.u64(at + 24, 1);
		this.u64(at + 32, is.size ?? 0);
		for (const time of [40, 48, 56])
			this.u64(at + time, is.time ?? 0);
	}

	args_get(list, text) {
		this.strings(this.words, list, text);
	}
	args_sizes_get(count, size) {
		this.stringSizes(this.words, count, size);
	}
	environ_get(list, text) {
		this.strings(this.env, list, text);
	}
	environ_sizes_get(count, size) {
		this.stringSizes(this.env, count, size);
	}
	clock_time_get(clock, precision, ret) {
		const ms = clock === 0 ? Date.now() : performance.now();
		this.u64(ret, Math.round(ms * 1e6));
	}
	/** heft only makes names of new files of it, which it opens exclusively; node 18 has no crypto in each module. */
	random_get(at, size) {
		for (let i = 0; i < size; i++)
			this.bytes[at + i] = Math.random() * 256;
	}
	proc_exit(status) {
		throw new Exit(status);
	}

	fd_close(fd) {
		this.open.close(fd);
	}
	fd_fdstat_get(fd, ret) {
		const file = this.open.get(fd);
		this.bytes.fill(0, ret, ret + 24);
		this.view.setUint8(ret, KIND[file.stream ? file.stream.terminal ? 'device' : 'unknown' : file.kind]);
		this.view.setUint16(ret + 2, file.flags ?? 0, true);
		// A terminal is a device that cannot seek.
		const rights = file.stream ? ALL_RIGHTS & ~(1n << 2n | 1n << 5n) : ALL_RIGHTS;
		this.u64(ret + 8, rights);
		this.u64(ret + 16, rights);
	}
	fd_fdstat_set_flags(fd, flags) {
		this.open.get(fd).flags = flags;
	}
	fd_filestat_get(fd, ret) {
		const file = this.open.get(fd);
		this.filestat(ret, file.stream ? { kind: 'unknown' } : file.handle?.look() ?? this.tree.look(file.path, true));
	}
	fd_prestat_get(fd, ret) {
		if (fd !== ROOT)
			throw new FileError('EBADF', fd);
		this.u32(ret, 0);
		this.u32(ret + 4, 1);
	}
	fd_prestat_dir_name(fd, at) {
		this.bytes[at] = 0x2f;
	}
	fd_read(fd, list, count, ret) {
		const file = this.open.get(fd);
		let sum = 0;
		if (file.kind === 'folder')
			throw new FileError('EISDIR', file.path);
		for (const piece of this.pieces(list, count)) {
			const n = piece.length === 0 ? 0 : file.stream ? file.stream.read(piece) : file.handle.read(piece, file.at);
			file.at += n;
			sum += n;
			if (n < piece.length)
				break;
		}
		this.u32(ret, sum);
	}
	fd_pread(fd, list, count, at, ret) {
		const file = this.open.get(fd);
		let sum = 0;
		if (!file.handle)
			throw new FileError(file.stream ? 'ESPIPE' : 'EISDIR', fd);
		for (const piece of this.pieces(list, count)) {
			const n = file.handle.read(piece, Number(at) + sum);
			sum += n;
			if (n < piece.length)
				break;
		}
		this.u32(ret, sum);
	}
	fd_write(fd, list, count, ret) {
		const file = this.open.get(fd);
		let sum = 0;
		if (!file.stream && !file.handle)
			throw new FileError('EBADF', fd);
		if (file.flags & APPEND)
			file.at = file.handle?.look().size ?? 0;
		for (const piece of this.pieces(list, count)) {
			if (file.stream)
				file.stream.write(piece);
			else
				file.handle.write(piece, file.at);
			file.at += piece.length;
			sum += piece.length;
		}
		this.u32(ret, sum);
	}
	fd_seek(fd, by, whence, ret) {
		const file = this.open.get(fd);
		if (!file.handle)
			throw new FileError('ESPIPE', fd);
		const at = [0, file.at, file.handle.look().size][whence] + Number(by);
		if (!(at >= 0))
			throw new FileError('EINVAL', fd);
		file.at = at;
		this.u64(ret, at);
	}
	fd_readdir(fd, at, room, cookie, ret) {
		const file = this.open.get(fd);
		file.list ??= [{ name: '.', kind: 'folder' }, { name: '..', kind: 'folder' }, ...this.tree.list(file.path)];
		const buffer = new Uint8Array(room), view = new DataView(buffer.buffer);
		let used = 0;
		// What does not fit is cut off, and is asked for again.
		for (let i = Number(cookie); i < file.list.length && used < room; i++) {
			const name = new TextEncoder().encode(file.list[i].name), entry = new Uint8Array(24 + name.length), head = new DataView(entry.buffer);
			head.setBigUint64(0, BigInt(i + 1), true);
			head.setBigUint64(8, BigInt(file.list[i].id ?? 0), true);
			head.setUint32(16, name.length, true);
			head.setUint8(20, KIND[file.list[i].kind]);
			entry.set(name, 24);
			const part = entry.subarray(0, room - used);
			buffer.set(part, used);
			used += part.length;
		}
		this.bytes.set(new Uint8Array(view.buffer, 0, used), at);
		this.u32(ret, used);
	}

	path_open(fd, follow, name, size, how, rights, inherited, flags, ret) {
		const path = this.open.path(fd, this.text(name, size));
		this.u32(ret, this.open.add(path, {
			create: (how & CREATE) !== 0, folder: (how & FOLDER) !== 0, exclusive: (how & EXCLUSIVE) !== 0, truncate: (how & TRUNCATE) !== 0,
			write: (rights & MAY_WRITE) !== 0n, flags,
		}));
	}
	path_filestat_get(fd, follow, name, size, ret) {
		const path = this.open.path(fd, this.text(name, size)), is = this.tree.look(path, (follow & 1) !== 0);
		if (!is)
			throw new FileError('ENOENT', path);
		this.filestat(ret, is);
	}
	path_create_directory(fd, name, size) {
		this.tree.makeFolder(this.open.path(fd, this.text(name, size)));
	}
	path_rename(fd, from, fromSize, toFd, to, toSize) {
		this.tree.rename(this.open.path(fd, this.text(from, fromSize)), this.open.path(toFd, this.text(to, toSize)));
	}
	path_unlink_file(fd, name, size) {
		this.tree.remove(this.open.path(fd, this.text(name, size)));
	}
}

/** Failures of files become errno; all others leave the program. */
function guarded(functions, name) {
	return (...args) => {
		try {
			functions[name](...args);
			return ERRNO.OK;
		} catch (error) {
			if (ERRNO[error?.code] === undefined)
				throw error;
			return ERRNO[error.code];
		}
	};
}

/**
 * Runs the program of a module once, in a memory of its own.  Returns its exit status and the size of its memory.
 * A trap is thrown as what it is, a WebAssembly.RuntimeError.
 */
export function run(module, options) {
	const functions = new Functions(options), imports = {};
	for (const { name } of WebAssembly.Module.imports(module))
		imports[name] = guarded(functions, name);
	const instance = new WebAssembly.Instance(module, { wasi_snapshot_preview1: imports });
	functions.memory = instance.exports.memory;
	let status = 0;
	try {
		instance.exports._start();
	} catch (error) {
		if (!(error instanceof Exit))
			throw error;
		status = error.status;
	} finally {
		functions.open.closeAll();
	}
	return { status, memory: functions.memory.buffer.byteLength };
}
