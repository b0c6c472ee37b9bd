// The files of this computer, for wasi.mjs in node.
import fs from 'node:fs';
import { resolve } from 'node:path';

/* Of Windows, C:\folder is /C:/folder in the tree. */
const WINDOWS = process.platform === 'win32';

function treePath(path) {
	return WINDOWS ? '/' + resolve(path).replaceAll('\\', '/') : path;
}

function diskPath(path) {
	return WINDOWS && path !== '/' ? path.slice(1) + (path.length === 3 ? '/' : '') : path;
}

/** A word of a command line, with a name of a file as the tree has it. */
export function treeWord(word) {
	const [, option = '', file] = /^(--?[\w-]+=)?(.*)$/s.exec(word);
	return WINDOWS && /[\\:]/.test(file) && fs.existsSync(file) ? option + treePath(file) : word;
}

/** The environment of a run that sees the disk. */
export function diskEnv() {
	const { columns } = process.stdout;
	return { ...process.env, ...(columns ? { COLUMNS: String(columns) } : {}), PWD: treePath(process.cwd()) };
}

function stated(stat) {
	const kind = stat.isDirectory() ? 'folder' : stat.isFile() ? 'file' : stat.isSymbolicLink() ? 'link' : stat.isCharacterDevice() ? 'device' : 'unknown';
	return { kind, size: stat.size, id: stat.ino, device: stat.dev, time: stat.mtimeNs };
}

/** All files that node may read, from "/" on. */
export class DiskFiles {
	look(path, follow) {
		const stat = follow ? fs.statSync : fs.lstatSync;
		try {
			return stated(stat(diskPath(path), { bigint: true }));
		} catch (error) {
			if (error.code === 'ENOENT')
				return null;
			throw error;
		}
	}
	list(folder) {
		return fs.readdirSync(diskPath(folder), { withFileTypes: true }).map(entry => ({ name: entry.name, kind: stated(entry).kind }));
	}
	open(path, { write, create, exclusive, truncate }) {
		const c = fs.constants, fd = fs.openSync(diskPath(path), (write ? c.O_RDWR : c.O_RDONLY) | (create ? c.O_CREAT : 0) | (exclusive ? c.O_EXCL : 0) | (truncate ? c.O_TRUNC : 0), 0o666);
		return {
			look: () => stated(fs.fstatSync(fd, { bigint: true })),
			read: (into, at) => fs.readSync(fd, into, 0, into.length, at),
			write(part, at) {
				for (let done = 0; done < part.length;)
					done += fs.writeSync(fd, part, done, part.length - done, at + done);
			},
			close: () => fs.closeSync(fd),
		};
	}
	makeFolder(path) {
		fs.mkdirSync(diskPath(path));
	}
	rename(from, to) {
		fs.renameSync(diskPath(from), diskPath(to));
	}
	remove(path) {
		fs.unlinkSync(diskPath(path));
	}
}

/** The status of a program that SIGPIPE ended.  Node ignores that signal. */
const BROKEN_PIPE = 141;

/** A stream of this process, by its number.  A pipe may be full: it is tried again.  The process ends where nobody reads it. */
export class ProcessStream {
	constructor(fd, terminal) {
		this.fd = fd;
		this.terminal = terminal;
	}
	again(call) {
		for (;;)
			try {
				return call();
			} catch (error) {
				if (error.code === 'EOF')
					return 0;
				if (error.code !== 'EAGAIN')
					throw error;
				Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
			}
	}
	read(into) {
		return this.again(() => fs.readSync(this.fd, into, 0, into.length, null));
	}
	write(part) {
		try {
			for (let done = 0; done < part.length;)
				done += this.again(() => fs.writeSync(this.fd, part, done));
		} catch (error) {
			if (error.code === 'EPIPE')
				process.exit(BROKEN_PIPE);
			throw error;
		}
	}
}
