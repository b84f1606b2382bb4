export type Writing = {
  share: number;
  /** How many different characters these are. */
  letters: number;
};

/** How much of the characters beyond ASCII of a text look like writing, from 0 to 1: letters amid letters of their own script, signs at the ends of words. */
export function judgeWriting(text: string): Writing {
  let odd = 0;
  let count = 0;
  const letters = new Set<string>();
  for (let index = 0; index < text.length; index += 1) {
    if (text.charCodeAt(index) < 0x80) continue;
    count += 1;
    letters.add(text[index] ?? ' ');
    if (isOdd(text[index] ?? ' ', text[index - 1] ?? ' ', text[index + 1] ?? ' ')) odd += 1;
  }
  return { share: count === 0 ? 0 : Math.max(0, 1 - (oddWeight * odd) / count), letters: letters.size };
}

// A text of which a third is odd is none.
const oddWeight = 3;

function isOdd(char: string, before: string, after: string): boolean {
  const script = scriptOf(char);
  if (script === 'noise') return true;
  const around = [scriptOf(before), scriptOf(after)];
  const letters = around.filter((other) => !signs.has(other));
  // A frame encloses words; what a wrong encoding makes of letters is amid them.
  if (script === 'frame') return letters.length > 0;
  // Chinese and Japanese set signs without blanks.
  if (script === 'mark') return isOddMark(char, letters, scriptOf(after) !== 'mark');
  if (script === 'eastern') return isOddEastern(letters);
  if (letters.some((other) => other !== script)) return true;
  return isSmall(before) && isCapital(char);
}

// Words of Latin letters are beside others without a blank, but do not hold one.
function isOddEastern(letters: readonly string[]): boolean {
  const isWithin = letters.length === 2 && letters.every((other) => other === 'latin');
  return isWithin || letters.some((other) => other !== 'eastern' && other !== 'latin');
}

function isOddMark(char: string, letters: readonly string[], isBeforeLetter: boolean): boolean {
  if (letters.includes('eastern') || char === '’') return false;
  // Punctuation encloses words; a sign of a trade mark or a currency does not begin one.
  return letters.length === 2 || (isBeforeLetter && !/[\p{P}°µ]/u.test(char));
}

const signs = new Set(['mark', 'noise', 'frame']);

const isCapital = (char: string) => char !== char.toLowerCase();
const isSmall = (char: string) => char !== char.toUpperCase();

// The first that fits; all else is a mark. Half-width kana, controls and private characters are what a wrong encoding makes of letters.
const scripts: [name: string, pattern: RegExp][] = [
  ['frame', /[\u2500-\u259f]/u],
  ['noise', /[\x80-\x9f\u3100-\u318f\ue000-\uf8ff\uff61-\uff9f\ufff0-\uffff]/u],
  ['mark', /[\uff01-\uff60]/u],
  ['eastern', /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー\ud800-\udfff]/u],
  ...['Latin', 'Cyrillic', 'Greek', 'Hebrew', 'Arabic', 'Thai'].map((name): [string, RegExp] => [
    name.toLowerCase(),
    new RegExp(`\\p{Script=${name}}`, 'u'),
  ]),
];
const scriptsOfCharacters = new Map<string, string>();

function scriptOf(char: string): string {
  const known = scriptsOfCharacters.get(char);
  if (known) return known;
  const script = scripts.find(([, pattern]) => pattern.test(char))?.[0] ?? 'mark';
  scriptsOfCharacters.set(char, script);
  return script;
}
