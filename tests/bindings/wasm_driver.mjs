// Runs heft for tests/bindings/wasm_test.py: a line of JSON [words] in, a line {status, out, err} out.
// usage: wasm_driver.mjs PACKAGE
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const { load } = await import(pathToFileURL(`${process.argv[2]}/node.mjs`));
const heft = await load();
for await (const line of createInterface({ input: process.stdin })) {
	const { status, bytes, err } = heft.run(JSON.parse(line), { disk: true });
	process.stdout.write(JSON.stringify({ status, out: Buffer.from(bytes).toString('base64'), err }) + '\n');
}
