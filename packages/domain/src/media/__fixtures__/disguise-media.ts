import { type MadeMedia, makeMedia } from './make-media.ts';
import type { Random } from './seeded-random.ts';

/** A file inside a text, as agents and tools put it there. `chunks` are the text as it comes. */
export type Disguise = {
  form: string;
  chunks: string[];
  files: MadeMedia[];
  /** The text around the media, which must stay letter for letter. */
  before: string;
  after: string;
};

type Spelled = { text: string; before?: string; after?: string; files?: MadeMedia[] };
type Form = { form: string; minBytes: number; spell(random: Random, file: MadeMedia): Spelled };

const base64 = (bytes: Buffer) => bytes.toString('base64');
const lines = (text: string, width: number, lineBreak: string) =>
  (text.match(new RegExp(`.{1,${width}}`, 'gs')) ?? []).join(lineBreak);
const widths = [4, 8, 16, 20, 40, 57, 60, 64, 70, 72, 75, 76, 77, 80, 100, 120, 128, 200, 500];
const breaks = ['\n', '\r\n', '\n  ', '\n\t', '\n    '];
const json = (value: unknown, random: Random): string =>
  random.chance(0.5) ? JSON.stringify(value) : JSON.stringify(value, null, 2);
/** As PHP, Go and others escape it. */
const escaped = (text: string, random: Random): string => {
  const slashes = random.chance(0.5) ? text.replaceAll('/', '\\/') : text;
  return random.chance(0.5) ? slashes.replaceAll('+', '\\u002b').replaceAll('=', '\\u003d') : slashes;
};
const capitals = (text: string, random: Random): string =>
  [...text].map((each) => (random.chance(0.5) ? each.toUpperCase() : each)).join('');
const percent = (bytes: Buffer, random: Random): string =>
  [...bytes]
    .map((byte) => {
      const one = String.fromCharCode(byte);
      return /[A-Za-z0-9._~-]/.test(one) && random.chance(0.9)
        ? one
        : `%${byte.toString(16).padStart(2, '0').toUpperCase()}`;
    })
    .join('');
const parameters = ['', ';charset=utf-8', ';name=x.png', ';name="a b;c,d.png"', ';charset=US-ASCII;x=y', '; name=x'];

/** Keys and values of what model APIs, agent protocols and MCP call a file. */
const items: Record<string, (data: string, mimeType: string) => unknown> = {
  mcp: (data, mimeType) => ({ content: [{ type: mimeType.startsWith('audio') ? 'audio' : 'image', data, mimeType }] }),
  'mcp resource': (blob, mimeType) => ({ type: 'resource', resource: { uri: 'file:///a', mimeType, blob } }),
  claude: (data, media_type) => ({ type: 'image', source: { type: 'base64', media_type, data } }),
  'openai chat': (data, mimeType) => ({ type: 'image_url', image_url: { url: `data:${mimeType};base64,${data}` } }),
  'openai responses': (data, mimeType) => ({ type: 'input_image', image_url: `data:${mimeType};base64,${data}` }),
  'openai sound': (data, mimeType) => ({ type: 'input_audio', input_audio: { data, format: mimeType.split('/')[1] } }),
  gemini: (data, mimeType) => ({ parts: [{ inlineData: { mimeType, data } }] }),
  'gemini python': (data, mime_type) => ({ inline_data: { data, mime_type } }),
  acp: (data, mimeType) => ({ sessionUpdate: 'agent_message_chunk', content: { type: 'image', mimeType, data } }),
};

const forms: readonly Form[] = [
  { form: 'base64', minBytes: 750, spell: (_, { bytes }) => ({ text: base64(bytes) }) },
  { form: 'base64, unpadded', minBytes: 750, spell: (_, { bytes }) => ({ text: base64(bytes).replaceAll('=', '') }) },
  {
    form: 'base64url',
    minBytes: 750,
    spell: (random, { bytes }) => ({
      text: bytes.toString('base64url') + (random.chance(0.5) ? '='.repeat((3 - (bytes.length % 3)) % 3) : ''),
    }),
  },
  {
    form: 'base64, wrapped',
    minBytes: 750,
    spell: (random, { bytes }) => ({ text: lines(base64(bytes), random.pick(widths), random.pick(breaks)) }),
  },
  {
    form: 'base64url, wrapped, unpadded',
    minBytes: 750,
    spell: (random, { bytes }) => ({ text: lines(bytes.toString('base64url'), random.pick(widths), '\n') }),
  },
  {
    form: 'armour',
    minBytes: 750,
    spell: (random, { bytes }) => ({
      text: lines(base64(bytes), random.pick([64, 76]), random.pick(['\n', '\r\n'])),
      before: '-----BEGIN FILE-----\n',
      after: '\n-----END FILE-----\n',
    }),
  },
  {
    form: 'mail',
    minBytes: 750,
    spell: (_, { bytes, mimeType }) => ({
      before: `--=_b0undary\r\nContent-Type: ${mimeType}; name="a.bin"\r\nContent-Transfer-Encoding: base64\r\n\r\n`,
      text: lines(base64(bytes), 76, '\r\n'),
      after: '\r\n--=_b0undary--\r\n',
    }),
  },
  { form: 'JSON', minBytes: 750, spell: (random, { bytes }) => spellJson(random, base64(bytes), 1) },
  {
    form: 'JSON in JSON',
    minBytes: 750,
    spell: (random, { bytes }) => spellJson(random, base64(bytes), random.integer(2, 4)),
  },
  {
    form: 'wrapped, in JSON',
    minBytes: 750,
    spell: (random, { bytes }) =>
      spellJson(random, lines(base64(bytes), random.pick(widths), '\n'), random.integer(1, 3)),
  },
  {
    form: 'query',
    minBytes: 750,
    spell: (_, { bytes }) => ({
      before: 'https://x.test/?a=1&f=',
      text: encodeURIComponent(base64(bytes)),
      after: '&z=2',
    }),
  },
  {
    form: 'data URL',
    minBytes: 1,
    spell: (random, { bytes, mimeType }) => ({
      text: `${capitals('data:', random)}${capitals(mimeType, random)}${random.pick(parameters)}${capitals(';base64', random)},${base64(bytes)}`,
    }),
  },
  {
    form: 'data URL, wrapped',
    minBytes: 1,
    spell: (random, { bytes, mimeType }) => ({
      before: '<img src="',
      text: `data:${mimeType};base64,${random.pick(['', '\n', ' '])}${lines(base64(bytes), random.pick([60, 76, 100]), random.pick(breaks))}`,
      after: '">',
    }),
  },
  {
    form: 'data URL, percent in base64',
    minBytes: 1,
    spell: (random, { bytes, mimeType }) => ({
      text: `data:${mimeType};base64,${encodeURIComponent(lines(base64(bytes), 1_000_000, random.pick(['', '\n'])))}`,
    }),
  },
  {
    form: 'data URL, percent',
    minBytes: 1,
    spell: (random, { bytes, mimeType }) => ({
      before: '![a](',
      text: `data:${mimeType}${random.pick(parameters)},${percent(bytes, random)}`,
      after: ')',
    }),
  },
  { form: 'hex', minBytes: 1000, spell: (random, { bytes }) => ({ text: caseOf(random, bytes.toString('hex')) }) },
  {
    form: 'hex, wrapped',
    minBytes: 1000,
    spell: (random, { bytes }) => ({
      text: caseOf(random, lines(bytes.toString('hex'), random.pick([32, 40, 60, 64, 80]), random.pick(breaks))),
    }),
  },
  {
    form: 'hex, bytes apart',
    minBytes: 1000,
    spell: (random, { bytes }) => ({
      text: caseOf(random, [...pairsOf(bytes)].join(random.pick([' ', ':', '-', ', ']))),
    }),
  },
  {
    form: 'hex, 0x and \\x',
    minBytes: 1000,
    spell: (random, { bytes }) => {
      const pairs = [...pairsOf(bytes)];
      return random.chance(0.5)
        ? { before: '{ ', text: pairs.map((pair) => `0x${pair}`).join(random.pick([', ', ',', ',\n  '])), after: ' }' }
        : { before: "b'", text: pairs.map((pair) => `\\x${pair}`).join(''), after: "'" };
    },
  },
  {
    form: 'hex dump',
    minBytes: 1000,
    spell: (random, { bytes }) => ({
      text: random.chance(0.5) ? xxd(bytes) : hexdump(bytes),
      before: '\n',
      after: '\n',
    }),
  },
  { form: 'Buffer JSON', minBytes: 64, spell: (random, { bytes }) => splitNumbers(json({ file: bytes }, random)) },
  {
    form: 'byte array',
    minBytes: 64,
    spell: (random, { bytes }) => {
      const numbers = random.chance(0.7) ? [...bytes] : [...new Int8Array(bytes)];
      return {
        before: random.pick(['[', '[ ', 'Uint8Array.of(', '{"data": [\n  ']),
        text: numbers.join(random.pick([',', ', ', ',\n  '])),
        after: random.pick([']', ' ]']),
      };
    },
  },
  {
    form: 'byte object',
    minBytes: 64,
    spell: (random, { bytes }) => {
      const text = json(new Uint8Array(bytes), random);
      const nested = random.chance(0.5) ? JSON.stringify(text) : text;
      const from = nested.search(/\d+\\*"\s*:\s*/);
      const start = from + (/^\d+\\*"\s*:\s*/.exec(nested.slice(from))?.[0].length ?? 0);
      const end = nested.search(/(?:\\n|\s)*\}"?$/);
      return { before: nested.slice(0, start), text: nested.slice(start, end), after: nested.slice(end) };
    },
  },
  ...Object.entries(items).map(
    ([name, make]): Form => ({
      form: `item of ${name}`,
      minBytes: 48,
      spell: (random, { bytes, mimeType }) => {
        const data = base64(bytes);
        let text = json(make(data, mimeType), random);
        if (random.chance(0.3)) text = JSON.stringify(text);
        if (random.chance(0.2)) text = text.replaceAll('/', '\\/');
        const url = /data:[^"\\]{3,40}(?:\\+\/)?[^"\\]{0,40};base64,/.exec(text)?.[0] ?? '';
        const spelled = data.replaceAll('/', text.includes('\\/') ? '\\/' : '/');
        return splitAround(text, url + spelled);
      },
    }),
  ),
  {
    form: 'two in a row',
    minBytes: 750,
    spell: (random, { bytes }) => {
      const other = makeMedia(random, random.integer(800, 3000));
      return { text: `${base64(bytes)}\n${base64(other.bytes)}`, files: [other] };
    },
  },
];

function spellJson(random: Random, data: string, depth: number): Spelled {
  let text = json({ id: 7, data, ok: true }, random);
  for (let level = 1; level < depth; level += 1) text = JSON.stringify(random.chance(0.5) ? { result: text } : text);
  const start = text.search(/data\\*"\s*:\s*\\*"/);
  const from = start + (/^data\\*"\s*:\s*\\*"/.exec(text.slice(start))?.[0].length ?? 0);
  const length = /^[^"]*?(?=\\*")/.exec(text.slice(from))?.[0].length ?? 0;
  const spelled = escaped(text.slice(from, from + length), random);
  return { before: text.slice(0, from), text: spelled, after: text.slice(from + length) };
}

function splitAround(text: string, spelled: string): Spelled {
  const at = text.indexOf(spelled);
  if (at < 0) throw new Error('The spelling is not in its text.');
  return { before: text.slice(0, at), text: spelled, after: text.slice(at + spelled.length) };
}

function splitNumbers(text: string): Spelled {
  const [list = ''] = /\d+(?:,\s*\d+)+/.exec(text) ?? [];
  return splitAround(text, list);
}

const caseOf = (random: Random, text: string): string => (random.chance(0.5) ? text.toUpperCase() : text);
const pairsOf = (bytes: Buffer): string[] => bytes.toString('hex').match(/../g) ?? [];
const printable = (bytes: Buffer): string => bytes.toString('latin1').replaceAll(/[^ -~]/g, '.');
const rowsOf = (bytes: Buffer): Buffer[] =>
  Array.from({ length: Math.ceil(bytes.length / 16) }, (_, index) => bytes.subarray(index * 16, index * 16 + 16));

const xxd = (bytes: Buffer): string =>
  rowsOf(bytes)
    .map((row, index) => {
      const groups = (row.toString('hex').match(/.{1,4}/g) ?? []).join(' ');
      return `${(index * 16).toString(16).padStart(8, '0')}: ${groups.padEnd(39)}  ${printable(row)}`;
    })
    .join('\n');
const hexdump = (bytes: Buffer): string =>
  rowsOf(bytes)
    .map((row, index) => {
      const [left, right] = [pairsOf(row).slice(0, 8).join(' '), pairsOf(row).slice(8).join(' ')];
      return `${(index * 16).toString(16).padStart(8, '0')}  ${`${left}  ${right}`.padEnd(48)}  |${printable(row)}|`;
    })
    .join('\n');

const befores = ['', 'Here it is: ', 'result\n', '> ', '{"a": 1}\n', 'Saved as chart.png\n\n', '(', '"', '`'];
const afters = ['', '\n', ' and more', '\nDone\n', '\nimage\n', '\n\nThat is all.', '.', ')', '"', '`', '\nok'];

/** A disguise of the form with this number, counted round. */
export function disguiseMedia(random: Random, index: number): Disguise {
  const form = forms[index % forms.length];
  if (form === undefined) throw new Error('There is no form.');
  const file = makeMedia(random, random.integer(form.minBytes, random.chance(0.05) ? 60_000 : 4000));
  const spelled = form.spell(random, file);
  const before = spelled.before ?? random.pick(befores);
  const after = spelled.after ?? pickAfter(random, form.form, file);
  const text = before + spelled.text + after;
  return { form: form.form, chunks: cutUp(text, random), files: [file, ...(spelled.files ?? [])], before, after };
}

/** Formats that have no mark of their end: if their last line is spelled like a word, nobody can tell the two apart. */
const ENDLESS = ['image/tiff', 'audio/flac'];

function pickAfter(random: Random, form: string, { mimeType }: MadeMedia): string {
  // A mark of a sentence is a character of the URL; behind other forms it is none.
  const after = random.pick(form.startsWith('data URL') ? ['', '\n', ' and more', '"', '\n\nThat is all.'] : afters);
  return ENDLESS.includes(mimeType) && /^\s\w/.test(after) ? '"' : after;
}

/** Whole, or in pieces, the least of one character. */
function cutUp(text: string, random: Random): string[] {
  const longest = random.pick([text.length, 4096, 80, 20, 3]);
  const chunks: string[] = [];
  for (let at = 0; at < text.length; ) {
    const length = longest === text.length ? longest : random.integer(1, longest);
    chunks.push(text.slice(at, at + length));
    at += length;
  }
  return chunks;
}
