const escapes: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };

/** The bytes of a string of a PDF as it is written; none where it is no string. */
export function decodeString(written: string): Buffer {
  if (written.startsWith('(')) return Buffer.from(decodeLiteral(written.slice(1, -1)), 'latin1');
  if (!written.startsWith('<') || written.startsWith('<<')) return Buffer.alloc(0);
  const digits = written.replaceAll(/[^0-9a-f]/gi, '');
  return Buffer.from(digits.length % 2 === 0 ? digits : `${digits}0`, 'hex');
}

function decodeLiteral(text: string): string {
  return text.replaceAll(/\\(?:([0-7]{1,3})|(\r\n|.))|\r\n?/gs, (_, octal?: string, escaped?: string) => {
    if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8) & 0xff);
    if (escaped === undefined) return '\n';
    return escaped.startsWith('\r') || escaped === '\n' ? '' : (escapes[escaped] ?? escaped);
  });
}

/** Writes a string of a PDF in the shorter way. */
export function encodeString(bytes: Buffer): string {
  return `(${bytes
    .toString('latin1')
    .replaceAll(/[\\()]/g, String.raw`\$&`)
    .replaceAll('\r', String.raw`\r`)})`;
}
