// A tree of files in memory, for wasi.mjs.
import { FileError } from './wasi.mjs';

const SLICE = 16 << 20; // of a blob that is read

/** What is read of a blob, in a worker. */
class BlobBytes {
	constructor(blob) {
		this.blob = blob;
		this.size = blob.size;
		this.reader = new FileReaderSync();
	}
	read(into, at) {
		let done = 0;
		while (done < into.length && at + done < this.size) {
			const part = new Uint8Array(this.reader.readAsArrayBuffer(this.blob.slice(at + done, at + done + Math.min(SLICE, into.length - done))));
			into.set(part, done);
			done += part.length;
		}
		return done;
	}
}

/** Bytes that may grow. */
class Bytes {
	constructor(bytes) {
		this.bytes = bytes;
		this.size = bytes.length;
	}
	read(into, at) {
		const part = this.bytes.subarray(at, Math.min(this.size, at + into.length));
		into.set(part);
		return part.length;
	}
	write(part, at) {
		const end = at + part.length;
		if (end > this.bytes.length) {
			const grown = new Uint8Array(Math.max(end, 2 * this.bytes.length, 65536));
			grown.set(this.bytes.subarray(0, this.size));
			this.bytes = grown;
		}
		this.bytes.set(part, at);
		this.size = Math.max(this.size, end);
	}
	all() {
		return this.bytes.subarray(0, this.size);
	}
}

function bytesOf(content, path) {
	if (typeof content === 'string')
		return new Bytes(new TextEncoder().encode(content));
	if (content instanceof ArrayBuffer)
		return new Bytes(new Uint8Array(content));
	if (ArrayBuffer.isView(content))
		return new Bytes(new Uint8Array(content.buffer, content.byteOffset, content.byteLength));
	if (globalThis.Blob && content instanceof Blob && globalThis.FileReaderSync)
		return new BlobBytes(content);
	throw new TypeError(`heft: the file ${path} is neither bytes nor a text; a Blob can be read in a worker alone`);
}

/** Files by their paths.  Folders are there where a file is below them. */
export class MemoryFiles {
	constructor(files = {}) {
		this.files = new Map();
		this.given = new Set();
		this.ids = 0;
		for (const [name, content] of files instanceof Map ? files : Object.entries(files)) {
			const path = '/' + name.replace(/^\/+/, '');
			this.files.set(path, { id: ++this.ids, content: bytesOf(content, name) });
			this.given.add(path);
		}
	}
	/** What the run has written: names to bytes. */
	get written() {
		return Object.fromEntries([...this.files].filter(([path]) => !this.given.has(path)).map(([path, file]) => [path.slice(1), file.content.all()]));
	}
	names(folder) {
		const start = folder === '/' ? '/' : folder + '/';
		return [...this.files.keys()].filter(path => path.startsWith(start)).map(path => path.slice(start.length));
	}
	look(path) {
		const file = this.files.get(path);
		if (file)
			return { kind: 'file', size: file.content.size, id: file.id };
		return path === '/' || this.names(path).length > 0 ? { kind: 'folder' } : null;
	}
	list(folder) {
		const kinds = new Map();
		for (const name of this.names(folder))
			kinds.set(name.split('/')[0], name.includes('/') ? 'folder' : 'file');
		return [...kinds].map(([name, kind]) => ({ name, kind }));
	}
	open(path, { write, truncate }) {
		let file = this.files.get(path);
		if (write && (!file || truncate)) {
			file = { id: file?.id ?? ++this.ids, content: new Bytes(new Uint8Array(0)) };
			this.files.set(path, file);
			this.given.delete(path);
		}
		return {
			look: () => ({ kind: 'file', size: file.content.size, id: file.id }),
			read: (into, at) => file.content.read(into, at),
			write: (part, at) => file.content.write(part, at),
			close() {},
		};
	}
	makeFolder() {}
	rename(from, to) {
		const file = this.files.get(from);
		if (!file)
			throw new FileError('ENOENT', from);
		this.files.delete(from);
		this.files.set(to, file);
		this.given.delete(to);
	}
	remove(path) {
		if (!this.files.delete(path))
			throw new FileError('ENOENT', path);
	}
}
