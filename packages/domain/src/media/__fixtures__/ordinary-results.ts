import { deflateSync } from 'node:zlib';
import type { Random } from './seeded-random.ts';

/** Results that tools and agents give on an ordinary day: none of them is media, and none is long base64. */
export type OrdinaryResult = { kind: string; text: string };

type Maker = (random: Random) => string;

const HEX = '0123456789abcdef';
const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const DIGITS = '0123456789';
const ALPHANUMERIC = `ABCDEFGHIJKLMNOPQRSTUVWXYZ${LOWER}${DIGITS}`;

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const hex = (random: Random, length: number) => random.text(HEX, length);
const base64 = (random: Random, bytes: number) => random.bytes(bytes).toString('base64');
const wrap = (text: string, width: number) => (text.match(new RegExp(`.{1,${width}}`, 'gs')) ?? []).join('\n');
const uuid = (random: Random) => [8, 4, 4, 4, 12].map((length) => hex(random, length)).join('-');
const words = (random: Random, count: number) => times(count, () => random.pick(vocabulary)).join(' ');
const vocabulary =
  'the file image data server returns a list of paths and every request has one session id base64 is an encoding media type attachment hex dump png jpeg II MM BM ID3 RIFF GIF89a cafe dead beef face added Done OK true null 0 1 42 255 137 80 71'.split(
    ' ',
  );
const path = (random: Random) =>
  `/${times(random.integer(2, 12), () => random.text(`${LOWER}-_`, random.integer(2, 14))).join('/')}`;
const identifier = (random: Random) =>
  random.text(LOWER, random.integer(1, 3)) + random.text(ALPHANUMERIC, random.integer(0, 6));

function jwt(random: Random): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { sub: uuid(random), iat: random.integer(1e9, 2e9), scope: words(random, random.integer(1, 40)) };
  return `${part({ alg: 'RS256', typ: 'JWT', kid: hex(random, 8) })}.${part(claims)}.${random.bytes(256).toString('base64url')}`;
}

function armour(random: Random, what: string, bytes: number): string {
  return `-----BEGIN ${what}-----\n${wrap(`MII${base64(random, bytes)}`.slice(0, -4), 64)}\n-----END ${what}-----\n`;
}

function sourceMap(random: Random): string {
  const mappings = random.text(`${ALPHANUMERIC}+/,;`, random.integer(500, 6000));
  return JSON.stringify({
    version: 3,
    sources: times(4, () => path(random)),
    names: times(60, () => identifier(random)),
    mappings,
  });
}

function minified(random: Random): string {
  return times(
    random.integer(20, 200),
    () =>
      `function ${identifier(random)}(${identifier(random)}){return ${identifier(random)}[${random.integer(0, 255)}]||${identifier(random)}.${identifier(random)}(0x${hex(random, 2)},"${random.text(ALPHANUMERIC, 8)}")}`,
  ).join(';');
}

function dump(random: Random): string {
  return times(
    random.integer(1, 20),
    (row) =>
      `${(row * 16).toString(16).padStart(8, '0')}: ${times(8, () => hex(random, 4)).join(' ')}  ${random.text('.abc', 16)}`,
  ).join('\n');
}

/** The beginning of a real file, as a person may print it. */
function fileHead(random: Random): string {
  const head = Buffer.concat([
    Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'),
    random.bytes(random.integer(16, 80)),
  ]);
  return random.pick([
    head.toString('hex'),
    head.toString('base64'),
    `<Buffer ${(head.toString('hex').match(/../g) ?? []).join(' ')} ... 1200 more bytes>`,
  ]);
}

const makers: Record<string, Maker> = {
  'git rev-list': (random) => times(random.integer(5, 900), () => hex(random, 40)).join('\n'),
  'git log': (random) => times(random.integer(3, 80), () => `${hex(random, 40)} ${words(random, 6)}`).join('\n'),
  'git ls-tree': (random) =>
    times(random.integer(3, 120), () => `100644 blob ${hex(random, 40)}\t${path(random).slice(1)}`).join('\n'),
  diff: (random) =>
    times(
      random.integer(5, 100),
      () =>
        `${random.pick(['+', '-', ' '])}${random.pick([words(random, 9), path(random), `"sha": "${hex(random, 64)}"`])}`,
    ).join('\n'),
  'lock file': (random) =>
    times(
      random.integer(5, 80),
      () =>
        `  ${identifier(random)}@1.${random.integer(0, 30)}.0:\n    resolution: {integrity: sha512-${base64(random, 64)}}`,
    ).join('\n'),
  'package-lock.json': (random) =>
    JSON.stringify(
      times(random.integer(5, 60), () => ({
        resolved: `https://r.test${path(random)}.tgz`,
        integrity: `sha512-${base64(random, 64)}`,
      })),
      null,
      2,
    ),
  'go.sum': (random) =>
    times(
      random.integer(5, 60),
      () => `example.test${path(random)} v1.2.${random.integer(0, 99)} h1:${base64(random, 32)}`,
    ).join('\n'),
  certificate: (random) =>
    times(random.integer(1, 4), () => armour(random, 'CERTIFICATE', random.integer(500, 1500))).join(''),
  'public key': (random) =>
    random.pick([
      armour(random, 'PUBLIC KEY', 294),
      `ssh-rsa AAAAB3NzaC1yc2E${base64(random, 372)} user@host`,
      `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${base64(random, 33)} a`,
    ]),
  jwt: (random) => times(random.integer(1, 5), () => jwt(random)).join('\n'),
  dna: (random) =>
    random.pick([
      wrap(random.text('ACGT', random.integer(200, 60_000)), 70),
      random.text('acgt', random.integer(200, 60_000)),
    ]),
  protein: (random) => `>sp|P1\n${wrap(random.text('ACDEFGHIKLMNPQRSTVWY', random.integer(200, 30_000)), 60)}`,
  digits: (random) =>
    random.pick([random.text(DIGITS, random.integer(100, 100_000)), wrap(random.text(DIGITS, 20_000), 50)]),
  'minified JavaScript': minified,
  'source map': sourceMap,
  'inline source map': (random) =>
    `${minified(random).slice(0, 900)}\n//# sourceMappingURL=data:application/json;charset=utf-8;base64,${Buffer.from(sourceMap(random).slice(0, 9000)).toString('base64')}`,
  paths: (random) => times(random.integer(5, 400), () => path(random)).join('\n'),
  'find -name': (random) =>
    times(random.integer(5, 300), () => `.${path(random)}.${random.pick(['png', 'ts', 'pdf', 'wav'])}`).join('\n'),
  csv: (random) =>
    times(
      random.integer(5, 300),
      (row) =>
        `${row},${random.integer(0, 255)},${random.integer(0, 255)},${random.integer(0, 255)},${identifier(random)}`,
    ).join('\n'),
  numbers: (random) => JSON.stringify(times(random.integer(5, 3000), () => random.integer(0, 255))),
  'hex dump of a little': dump,
  'head of a file': fileHead,
  checksums: (random) => times(random.integer(5, 300), () => `${hex(random, 64)}  ${path(random).slice(1)}`).join('\n'),
  'checksums alone': (random) =>
    times(random.integer(5, 400), () => hex(random, random.pick([32, 64, 128]))).join('\n'),
  uuids: (random) => times(random.integer(5, 500), () => uuid(random)).join('\n'),
  ids: (random) => times(random.integer(5, 600), () => `att_${random.bytes(16).toString('base64url')}`).join('\n'),
  'short ids': (random) =>
    times(random.integer(5, 900), () => random.text(`${ALPHANUMERIC}-_`, random.pick([11, 21]))).join('\n'),
  'access log': (random) =>
    times(
      random.integer(5, 120),
      () =>
        `2026-11-22T20:17:${random.integer(10, 59)}Z INFO [w-${random.integer(1, 9)}] trace=${hex(random, 32)} GET ${path(random)}?t=${random.text(ALPHANUMERIC, 22)} 200 ${random.integer(1, 999)}ms`,
    ).join('\n'),
  'ANSI log': (random) =>
    times(
      random.integer(5, 120),
      () =>
        `\u001b[3${random.integer(1, 7)}m${random.pick(['✓', '✗', 'warn'])}\u001b[0m ${words(random, 7)} \u001b[2m(${random.integer(1, 99)} ms)\u001b[22m`,
    ).join('\r\n'),
  JSON: (random) =>
    JSON.stringify(
      times(random.integer(2, 60), () => ({
        id: uuid(random),
        name: words(random, 3),
        data: words(random, 5),
        blob: identifier(random),
        mimeType: 'image/png',
        size: random.integer(0, 9999),
      })),
      null,
      random.pick([0, 2]),
    ),
  'JSON in JSON': (random) =>
    JSON.stringify({
      body: JSON.stringify(
        times(random.integer(2, 40), () => ({
          path: path(random),
          token: random.bytes(32).toString('base64'),
          text: words(random, 9),
        })),
      ),
    }),
  'base64 of a configuration': (random) =>
    Buffer.from(times(random.integer(5, 200), () => `${identifier(random)}: ${words(random, 4)}`).join('\n'))
      .toString('base64')
      .slice(0, 16_000),
  'kubernetes secret': (random) =>
    `apiVersion: v1\nkind: Secret\ndata:\n${times(random.integer(1, 8), () => `  ${identifier(random)}: ${Buffer.from(words(random, random.integer(1, 300))).toString('base64')}`).join('\n')}`,
  'JSON of a secret': (random) =>
    JSON.stringify({
      kind: 'Secret',
      data: { [identifier(random)]: Buffer.from(words(random, random.integer(1, 300))).toString('base64') },
    }),
  'content of an API': (random) =>
    JSON.stringify({ encoding: 'base64', content: wrap(Buffer.from(words(random, 400)).toString('base64'), 60) }),
  'encrypted value': (random) =>
    `ENC[AES256_GCM,data:${base64(random, random.integer(16, 4000))},iv:${base64(random, 32)},tag:${base64(random, 16)},type:str]`,
  'compressed text': (random) => deflateSync(Buffer.from(words(random, 600))).toString('base64'),
  'data URL of text': (random) =>
    `a[href="data:text/plain;charset=utf-8,${encodeURIComponent(words(random, 30))}"] data:,x data: a, b`,
  'sample in a guide': (random) =>
    `Use \`data:image/png;base64,\${b64}\` or <img src="data:image/png;base64,..."> or data:image/gif;base64,AAAA. ${words(random, 20)}`,
  prose: (random) =>
    random.pick([
      words(random, random.integer(20, 500)),
      'Falsches Üben von Xylophonmusik quält jeden größeren Zwerg. '.repeat(random.integer(1, 40)),
      'Съешь же ещё этих мягких французских булок, да выпей чаю. '.repeat(random.integer(1, 40)),
      '我能吞下玻璃而不伤身体。'.repeat(random.integer(1, 100)),
      'أنا قادر على أكل الزجاج و هذا لا يؤلمني. '.repeat(random.integer(1, 40)),
      '🙂👍🏽 emoji and text 👩‍👩‍👧 '.repeat(random.integer(1, 60)),
    ]),
  'word list': (random) => times(random.integer(20, 3000), () => random.pick(vocabulary)).join('\n'),
  markdown: (random) =>
    times(
      random.integer(3, 30),
      () =>
        `## ${words(random, 3)}\n\n${'-'.repeat(random.integer(3, 200))}\n| ${words(random, 2)} | ${'='.repeat(80)} |\n[x](https://x.test${path(random)})`,
    ).join('\n\n'),
  code: (random) =>
    times(
      random.integer(5, 80),
      () =>
        `const ${identifier(random)} = Buffer.from([0x89, 0x50, ${random.integer(0, 255)}]); // ${words(random, 6)} \\x89\\u0050`,
    ).join('\n'),
  'stack trace': (random) =>
    times(
      random.integer(3, 40),
      () =>
        `    at ${identifier(random)} (file://${path(random)}.ts:${random.integer(1, 999)}:${random.integer(1, 99)})`,
    ).join('\n'),
  environment: (random) =>
    times(
      random.integer(5, 60),
      () => `${random.text('ABCDEFGHIJ_', 12)}=${random.pick([path(random), base64(random, 32), uuid(random)])}`,
    ).join('\n'),
  svg: (random) =>
    `<svg xmlns="http://www.w3.org/2000/svg"><path d="M${times(random.integer(20, 400), () => `${random.integer(0, 255)},${random.integer(0, 255)}`).join(' ')}"/></svg>`,
};

const kinds = Object.entries(makers);

/** A result of the kind with this number, counted round. */
export function makeOrdinaryResult(random: Random, index: number): OrdinaryResult {
  const [kind, make] = kinds[index % kinds.length] ?? ['', () => ''];
  return { kind, text: make(random) };
}

/** Whole, or in pieces. */
export function cutResult(random: Random, text: string): string[] {
  const longest = random.pick([text.length, text.length, 4096, 60]);
  const chunks: string[] = [];
  for (let at = 0; at < text.length; at += Math.max(1, longest)) chunks.push(text.slice(at, at + longest));
  return chunks;
}
