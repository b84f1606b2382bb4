import { describe, expect, it } from 'vitest';
import { parseSource } from '../source/syntax-tree.ts';
import { findAmbientViolations } from './ambient-rules.ts';
import { findBase64Production } from './base64-rule.ts';
import { measureFunctions, summariseSizes } from './code-size.ts';

const DOMAIN = 'packages/domain/src/planted.ts';
const CONTRACTS = 'packages/contracts/src/planted.ts';
const SERVICE = 'services/ingest/src/planted.ts';

describe('a planted use of the surroundings', () => {
  it.each([
    ['clock', DOMAIN, 'const now = Date.now();'],
    ['clock', DOMAIN, 'const now = new Date();'],
    ['clock', DOMAIN, 'const now = new Date(undefined);'],
    ['clock', DOMAIN, 'const text = Date();'],
    ['clock', DOMAIN, 'const { now } = Date;'],
    ['clock', DOMAIN, 'const clock = { Date };'],
    ['clock', DOMAIN, 'const row = { times: [{ at: Date.now() }] };'],
    ['clock', DOMAIN, '{ using timer = open(Date.now()); }'],
    ['clock', DOMAIN, 'class Clock { at = Date.now(); }'],
    ['randomness', DOMAIN, 'function roll({ dice = Math.random() }) { return dice; }'],
    ['clock', CONTRACTS, 'const t = performance.now();'],
    ['clock', DOMAIN, 'setTimeout(() => {}, 1);'],
    ['randomness', DOMAIN, 'const x = Math.random();'],
    ['randomness', DOMAIN, "const x = Math['random']();"],
    ['randomness', DOMAIN, 'const { random } = Math;'],
    ['randomness', CONTRACTS, 'const id = crypto.randomUUID();'],
    ['environment', DOMAIN, 'const x = process.env.HOME;'],
    ['environment', 'packages/projections/src/planted.ts', 'const x = import.meta.env;'],
    ['environment', DOMAIN, 'const x = globalThis.location;'],
    ['environment', 'packages/react/src/planted.tsx', 'export const x = <p>{process.platform}</p>;'],
    ['network', DOMAIN, "const x = fetch('/');"],
    ['network', CONTRACTS, "const x = new WebSocket('ws:');"],
    ['node', DOMAIN, "const x = Buffer.from('a');"],
    ['async', DOMAIN, 'async function load() {}'],
    ['async', DOMAIN, 'const load = async () => 1;'],
    ['async', DOMAIN, 'const later = Promise.resolve(1);'],
    ['environment', SERVICE, 'const x = process.env.HOME;'],
    ['environment', SERVICE, "const x = process['env'];"],
    ['environment', SERVICE, 'const x = process?.env;'],
    ['environment', SERVICE, 'const { env } = process;'],
    ['environment', SERVICE, 'const x = (process as unknown as { env: object }).env;'],
    ['environment', SERVICE, 'const x = globalThis.process;'],
    ['environment', SERVICE, "import { env } from 'node:process';"],
    ['environment', SERVICE, "const x = await import('process');"],
    ['environment', SERVICE, 'const x = import.meta.env.MODE;'],
    ['process-exit', 'apps/cli/src/main.ts', 'process.exit(1);'],
    ['process-exit', SERVICE, 'process.abort();'],
    ['console', SERVICE, "console.log('a');"],
    ['console', SERVICE, "class A { print() { console.log('a'); } }"],
    ['console', SERVICE, "const a = { get text() { return console.log('a'); }, set text(b = console) {} };"],
    ['console', 'apps/cli/src/main.ts', 'const { error } = console;'],
    ['console', SERVICE, "globalThis.console.log('a');"],
    ['console', SERVICE, "import { log } from 'node:console';"],
  ])('fails as %s in %s: %s', (rule, path, code) => {
    expect(findAmbientViolations(parseSource(path, code)).map((violation) => violation.rule)).toContain(rule);
  });

  it.each([
    [DOMAIN, 'const at = new Date(givenMs); const day = Date.parse(text); const is = at instanceof Date;'],
    [DOMAIN, 'const size = Math.max(1, 2); type Clock = () => Date; type Wait = Promise<void>;'],
    [DOMAIN, 'const row = { process: 1, fetch: 2 }; const x = row.process + row.fetch;'],
    [SERVICE, 'const at = Date.now(); const x = await fetch(url); process.exitCode = 1;'],
    ['services/ingest/src/config.ts', 'const source = process.env;'],
  ])('passes where it is none: %s: %s', (path, code) => {
    expect(findAmbientViolations(parseSource(path, code))).toEqual([]);
  });
});

describe('planted base64', () => {
  it.each([
    "bytes.toString('base64')",
    'bytes.toString(`base64`)',
    "bytes?.toString('BASE64')",
    'btoa(text)',
    'bytes.toBase64()',
    "bytes.toBase64({ alphabet: 'base64' })",
    "hash.digest('base64')",
    "stream.setEncoding('base64')",
    "readFile(path, 'base64')",
    "createReadStream(path, { encoding: 'base64' })",
    "new StringDecoder('base64')",
    "const encoding = 'base64'",
    "bytes.toString(wanted ? 'base64' : 'hex')",
    'reader.readAsDataURL(file)',
    "sql`select encode(bytes, 'base64')`",
  ])('is found: %s [AT-03]', (code) => {
    expect(findBase64Production(parseSource(SERVICE, code))).toHaveLength(1);
  });

  it.each([
    "token.toString('base64url')",
    "bytes.toBase64({ alphabet: 'base64url' })",
    "Buffer.from(text, 'base64')",
    "z.literal('base64')",
    "if (word === 'base64') found += 1",
    'atob(text)',
  ])('is not seen in %s', (code) => {
    expect(findBase64Production(parseSource(SERVICE, code))).toEqual([]);
  });
});

describe('base64 in a pure package', () => {
  const read = (code: string) => findBase64Production(parseSource(DOMAIN, code));

  it('is found where it is made [AT-03]', () => {
    expect(read('const text = { data: btoa(binary) };')).toHaveLength(1);
    expect(read('bytes.toBase64()')).toHaveLength(1);
  });

  it('is not the word alone', () => {
    expect(read("const span = { encoding: 'base64' }; const what = isUrl ? 'data URL' : 'base64';")).toEqual([]);
  });
});

describe('sizes', () => {
  it('count the lines of functions and files, beyond ASCII too', () => {
    const file = parseSource(SERVICE, '// größer\nfunction measure() {\n  return 1;\n}\nconst short = () => 1;\n');
    expect(file.lineCount).toBe(5);
    expect(measureFunctions(file)).toEqual([{ name: `${SERVICE}:2 measure`, lineCount: 3 }]);
  });

  it('take the length that nine of ten do not exceed', () => {
    const sizes = Array.from({ length: 10 }, (_, index) => ({ name: `f${index}`, lineCount: index + 1 }));
    expect(summariseSizes(sizes)).toMatchObject({ count: 10, median: 5, p90: 9 });
  });
});
