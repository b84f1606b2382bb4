import { findLabel } from '@attache/domain/text-decoder';

/** An encoding that letter frequencies suggest, with a confidence of 0 to 100. */
type Guess = { name: string; confidence: number };

// Frequencies need a page of text. A few lines in these encodings are often taken for another; the decoded text distinguishes them.
const alwaysTried = ['windows-1252', 'shift_jis', 'gb18030', 'big5', 'euc-jp', 'euc-kr', 'windows-1251', 'koi8-r'];
const leastScore = 0.2;

/** Encodings that bytes may have, the most plausible first. A guess is never dropped, only put behind. */
export function rankEncodings(sample: Uint8Array, guesses: readonly Guess[]): string[] {
  const scores = new Map<string, number>();
  for (const { name, confidence } of guesses) {
    const label = findLabel(name);
    if (label && !scores.has(label)) scores.set(label, judge(sample, label) + confidence / 500);
  }
  for (const label of alwaysTried) {
    const score = scores.has(label) ? 0 : judge(sample, label);
    if (score > leastScore) scores.set(label, score);
  }
  return [...scores].toSorted(([, a], [, b]) => b - a).map(([label]) => label);
}

/** How much the characters beyond ASCII look like writing: from -1, noise, to 1, the commonest letters of one script in each word. */
function judge(sample: Uint8Array, label: string): number {
  const text = new TextDecoder(label).decode(sample, { stream: true });
  let sum = 0;
  let count = 0;
  for (let index = 0; index < text.length; index += 1) {
    if (text.charCodeAt(index) < 0x80) continue;
    sum += judgeCharacter(text[index - 1] ?? ' ', text[index] ?? ' ', text[index + 1] ?? ' ', label);
    count += 1;
  }
  return count === 0 ? 0 : sum / count;
}

function judgeCharacter(before: string, char: string, after: string, label: string): number {
  const script = scriptOf(char);
  if (script === 'noise') return -1;
  const around = [scriptOf(before), scriptOf(after)].filter((other) => other !== 'mark' && other !== 'noise');
  // A symbol amid a word; Chinese and Japanese set quotes without blanks.
  if (script === 'mark') return char === '’' || around.length < 2 || around.some(isEastern) ? 0.3 : -1;
  const isMixed = around.some((other) => other !== script && !(isEastern(script) && other === 'latin'));
  if (isMixed || (around.length > 0 && !around.includes(script))) return -1;
  if (isEastern(script)) return weigh(char, label);
  if (around.length === 0) return 0.3;
  if ((isCapital(char) && isSmall(before)) || (isSmall(char) && isCapital(after))) return -1;
  // A letter with an accent comes next to a plain one; words of nothing else are of another script.
  if (script === 'latin' && around.length === 2 && before > '\x7f' && after > '\x7f') return -1;
  return isCapital(char) ? weigh(char, label) * 0.9 : weigh(char, label);
}

function weigh(char: string, label: string): number {
  const small = char === 'İ' ? char : char.toLowerCase();
  if (common.has(small) || latinOf[label]?.includes(small)) return 1;
  if (!isEastern(scriptOf(char))) return 0.4;
  return firstLevelSets.get(label)?.has(char) ? 0.5 : -0.3;
}

const isCapital = (char: string) => char !== char.toLowerCase();
const isSmall = (char: string) => char !== char.toUpperCase();
const isEastern = (script: string) => script === 'eastern' || script === 'hangul';

// The first that fits; all else is a mark. Half-width kana, box drawing and single jamo are what a wrong encoding makes of letters.
const alphabets = ['Hangul', 'Latin', 'Cyrillic', 'Greek', 'Hebrew', 'Arabic', 'Thai'];
const scripts: [name: string, pattern: RegExp][] = [
  ['noise', /[\x80-\x9f\u2500-\u259f\u3100-\u318f\ue000-\uf8ff\uff61-\uff9f\ufff0-\uffff]/u],
  ['mark', /[\uff01-\uff60]/u],
  ['eastern', /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー\ud800-\udfff]/u],
  ...alphabets.map((name): [string, RegExp] => [name.toLowerCase(), new RegExp(`\\p{Script=${name}}`, 'u')]),
];
const scriptsOfCharacters = new Map<string, string>();

function scriptOf(char: string): string {
  const known = scriptsOfCharacters.get(char);
  if (known) return known;
  const script = scripts.find(([, pattern]) => pattern.test(char))?.[0] ?? 'mark';
  scriptsOfCharacters.set(char, script);
  return script;
}

// The letters and characters that make up half of any text, by language.
const common = new Set([
  ...'оеаинтсрвлкмдпуіαοιετσνηυρπκςλάέίόήיוהלאתרמבשנاليمنوترةبهعدานรอกเงมยลวดทสต่้',
  ...'のにたいをはしがるとてでれなかあおこきりもまらくさっそよんだすーンスルトリアイラクッドレシジタフロカ',
  ...'日本語月年名前円時分京都府県市区町村田山川東西南北男女会社所電話番号住文字章数合計売上品金税説明商店価格',
  ...'的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多经么',
  ...'去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实者意无力它与长把机十民第公此已工使情明性知全三又关点',
  ...'正业外将两高间由问很最重并物手应向头文体美相见被利什二等产或新己制身果加话合回特代内信表化老给世位次度门任常先海通教原声提立',
  ...'這個們來為國說時會對過發後裡樣種經麼學現當沒動還進實無與長機關點業將兩間問應頭體見產給門聲員處認條氣題別變總電數報場計統區書號請資訊',
  ...'이다는에의을를가고하지은로어한사자기도시있그것나정들해서대과인일니아리수라보전스부상주제마여장우용국안조구모성무원동세비습입요',
]);

// The same byte is one accented letter in the west and another further east, so these go by the encoding.
const central = 'áéíóúýčďěňřšťůžąćęłńśźżäöüßőűăâîşţ';
const latinOf: Record<string, string> = {
  'windows-1252': 'éèàêçùôâîûëïœäöüßñáíóúåæøãõìò',
  'iso-8859-2': central,
  'windows-1250': central,
  'windows-1254': 'éâîöüçğışİäß',
  'windows-1257': 'ąčęėįšųūžāēģīķļņõäöü',
};

// First bytes of kana and of the characters of daily use, which each of these standards keeps apart, and their least second byte.
const firstLevels: Record<string, { second: number; leads: number[] }> = {
  shift_jis: { second: 0x40, leads: [...between(0x82, 0x83), ...between(0x88, 0x97)] },
  'euc-jp': { second: 0xa1, leads: [...between(0xa4, 0xa5), ...between(0xb0, 0xcf)] },
  gb18030: { second: 0xa1, leads: between(0xb0, 0xd7) },
  big5: { second: 0x40, leads: between(0xa4, 0xc6) },
  'euc-kr': { second: 0xa1, leads: between(0xb0, 0xc8) },
};
const firstLevelSets = new Map(
  Object.entries(firstLevels).map(([label, { second, leads }]) => {
    const pairs = leads.flatMap((lead) => between(second, 0xfe).flatMap((trail) => [lead, trail, 0x20]));
    return [label, new Set(new TextDecoder(label).decode(Uint8Array.from(pairs)))];
  }),
);

function between(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
