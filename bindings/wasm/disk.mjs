// The files of this computer, for wasi.mjs in node.
import fs from 'node:fs';

function stated(stat) {
	const kind = stat.isDirectory() ? 'folder' : stat.isFile() ? 'file' : stat.isSymbolicLink() ? 'link' : stat.isCharacterDevice() ? 'device' : 'unknown';
	return { kind, size: stat.size, id: stat.ino, device: stat.dev, time: stat.mtimeNs };
}

/** All files that node may read, from "/" on. */
export class DiskFiles {
	look(path, follow) {
		const stat = follow ? fs.statSync : fs.lstatSync;
		try {
			return stated(stat(path, { bigint: true }));
		} catch (error) {
			if (error.code === 'ENOENT')
				return null;
			throw error;
		}
	}
	list(folder) {
		return fs.readdirSync(folder, { withFileTypes: true }).map(entry => ({ name: entry.name, kind: stated(entry).kind }));
	}
	open(path, { write, create, exclusive, truncate }) {
		const c = fs.constants, fd = fs.openSync(path, (write ? c.O_RDWR : c.O_RDONLY) | (create ? c.O_CREAT : 0) | (exclusive ? c.O_EXCL : 0) | (truncate ? c.O_TRUNC : 0), 0o666);
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
		fs.mkdirSync(path);
	}
	rename(from, to) {
		fs.renameSync(from, to);
	}
	remove(path) {
		fs.unlinkSync(path);
	}
}

/** A stream of this process, by its number.  A pipe may be full: it is tried again. */
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
		for (let done = 0; done < part.length;)
			done += this.again(() => fs.writeSync(this.fd, part, done));
	}
}
