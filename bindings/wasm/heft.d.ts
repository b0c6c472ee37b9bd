/** heft: where the bytes of native programs go. */

/** What a file may be given as: its bytes; a string is its text, not its name.  A Blob (a File that was dropped, say) can be read in a worker alone. */
export type Content = Uint8Array | ArrayBuffer | ArrayBufferView | string | Blob;

/** A row of a report (docs/json.md): a label, sizes, and the rows of the next level. */
export interface Row {
	label: string;
	/** Bytes in the file. */
	file?: number;
	/** Bytes in memory. */
	vm?: number;
	/** The same of the base, where something was compared. */
	base_file?: number;
	base_vm?: number;
	/** Of diff(): "changed", "added", "removed", "moved" or "renamed". */
	change?: string;
	/** Of a row that sums up those over the limit: how many. */
	others?: number;
	children: Row[];
	[measure: string]: unknown;
}

/** The document of `--json`; what else it has is described in docs/json.md. */
export interface Report {
	schema_version: number;
	heft: string;
	diff: boolean;
	notes?: { path: string; text: string; count: number }[];
	total: Row;
	[member: string]: unknown;
}

export interface Options {
	/** Name of the program in the report; "program" where none is given. */
	name?: string;
	/** Data sources, one a level: "sections", "symbols", "compileunits", ...  */
	by?: string | string[];
	demangle?: 'none' | 'short' | 'full';
	/** Rows a level; 0, the usual, is all. */
	rows?: number;
	/** A separate debug file (.debug, .pdb, .dwp). */
	debug?: Content;
	/** A linker map. */
	map?: Content;
	/** Other files, by their names beside the program. */
	beside?: Record<string, Content>;
	/** Further words of the command line, such as "--domain=vm". */
	options?: string[];
	/** Called now and then with the part that is done, 0 to 1 or null, and what is done. */
	progress?: (part: number | null, what: string) => void;
}

export interface CompareOptions extends Options {
	/** The program that it is compared with. */
	base?: Content;
	baseName?: string;
}

export interface RunOptions {
	/** The files that the run sees, by their names. */
	files?: Record<string, Content> | Map<string, Content>;
	env?: Record<string, string>;
	/** What is read from the standard input. */
	input?: Content;
	/** node alone: the run sees the files of this computer, and may write to them. */
	disk?: boolean;
	progress?: Options['progress'];
}

export interface Run {
	/** 0 fine, 1 the answer is no, 2 trouble, 3 a bug in heft. */
	status: number;
	/** What was written to the standard output, as text and as bytes. */
	out: string;
	bytes: Uint8Array;
	/** Messages. */
	err: string;
	/** What the run wrote to files (not with `disk`). */
	files: Record<string, Uint8Array>;
	/** Bytes of memory that the run had. */
	memory: number;
}

export class HeftError extends Error {
	status: number;
}

export class Heft {
	readonly module: WebAssembly.Module;
	readonly version: string;
	/** Runs a command line: heft.run(["size", "-d", "symbols", "a.out"], {files: {"a.out": bytes}}). */
	run(words: string[], options?: RunOptions): Run;
	/** Where the bytes of a program go; with `base`, what changed. */
	size(program: Content, options?: CompareOptions): Report;
	/** What changed between two programs, symbol by symbol. */
	diff(base: Content, program: Content, options?: Options & { baseName?: string }): Report;
	/** The page of a program, as the text of one html file. */
	report(program: Content, options?: CompareOptions): string;
	reportBytes(program: Content, options?: CompareOptions): Uint8Array;
}

export interface LoadOptions {
	/** heft.wasm: its address, its bytes, or what it was compiled to.  Usually what lies beside this file. */
	wasm?: string | URL | Response | BufferSource | WebAssembly.Module | Promise<Response>;
}

/** Compiles heft, once. */
export function load(options?: LoadOptions): Promise<Heft>;
