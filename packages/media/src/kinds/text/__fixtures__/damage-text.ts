import type { Random } from '../../../passing/__fixtures__/random.ts';

/** A text with damage in a few places, and its lines that have none. */
export type DamagedText = { bytes: Buffer; how: string; wholeLines: string[] };

type Line = { bytes: Buffer; isWhole: boolean };

const kinds = ['zero', 'zeros', 'control', 'broken byte', 'foreign line', 'cut end'] as const;

/** `text` is what `bytes` say; no byte of a newline is part of another character. */
export function damageText(text: string, bytes: Buffer, { pick, below }: Random): DamagedText {
  const said = text.split('\n');
  const lines = splitLines(bytes).map((line): Line => ({ bytes: line, isWhole: true }));
  const chosen = Array.from({ length: 1 + below(2) }, () => pick(kinds));
  for (const kind of chosen) {
    const at = below(lines.length - 1);
    const line = lines[at];
    if (line) lines[at] = { bytes: damageLine(line.bytes, kind, below(line.bytes.length + 1)), isWhole: false };
  }
  return {
    bytes: Buffer.concat(lines.flatMap(({ bytes: line }, index) => (index === 0 ? [line] : [newline, line]))),
    how: chosen.join(', '),
    wholeLines: said.filter((_, index) => lines[index]?.isWhole),
  };
}

const newline = Buffer.from('\n');

function splitLines(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  let start = 0;
  for (let end = bytes.indexOf(0x0a); end !== -1; end = bytes.indexOf(0x0a, start)) {
    lines.push(bytes.subarray(start, end));
    start = end + 1;
  }
  return [...lines, bytes.subarray(start)];
}

function damageLine(line: Buffer, kind: (typeof kinds)[number], at: number): Buffer {
  const insert = (...bytes: number[]) => Buffer.concat([line.subarray(0, at), Buffer.from(bytes), line.subarray(at)]);
  switch (kind) {
    case 'zero':
      return insert(0);
    case 'zeros':
      return insert(...Buffer.alloc(512));
    case 'control':
      return insert(1 + (at % 6));
    case 'broken byte':
      return insert(0xff);
    case 'foreign line':
      return Buffer.from('caf\xe9, M\xfcller, na\xefve', 'latin1');
    case 'cut end':
      return line.subarray(0, at);
    default:
      return kind satisfies never;
  }
}
