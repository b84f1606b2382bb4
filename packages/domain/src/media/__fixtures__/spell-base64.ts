import type { Base64Spelling } from '../encoding/base64-encoding.ts';

/** The text that bytes were taken out of. */
export function spellBase64(bytes: Buffer = Buffer.alloc(0), spelling: Base64Spelling | undefined): string {
  if (spelling === undefined) return bytes.toString('latin1');
  const { alphabet, isPadded, lineWidth, lineBreak } = spelling;
  const bare = bytes.toString(alphabet).replaceAll('=', '');
  const padded = isPadded ? bare.padEnd(Math.ceil(bare.length / 4) * 4, '=') : bare;
  if (lineWidth === 0) return padded;
  return (padded.match(new RegExp(`.{1,${lineWidth}}`, 'g')) ?? []).join(lineBreak);
}
