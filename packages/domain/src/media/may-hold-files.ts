import { base64Values, NO_VALUE } from './encoding/base64-values.ts';

/** Each line of base64 but the last has more characters than two of these. */
const blockLength = 20;

/** Whether a text may hold a data URL or base64 of a file, at a tenth of the time that a look for it takes. */
export function mayHoldFiles(text: string): boolean {
  if (text.includes('data:') || text.includes('DATA:')) return true;
  for (let start = 0; start + blockLength <= text.length; start += blockLength) if (isBase64(text, start)) return true;
  return false;
}

function isBase64(text: string, start: number): boolean {
  for (let at = start; at < start + blockLength; at += 1) {
    const value = base64Values[text.charCodeAt(at)];
    if (value === undefined || value === NO_VALUE) return false;
  }
  return true;
}
