import { afterAll, expect, it } from 'vitest';
import { createTempFolder } from '../../__fixtures__/temp-folder.ts';
import { createRandom } from '../../passing/__fixtures__/random.ts';
import { damageText } from './__fixtures__/damage-text.ts';
import { makeTexts } from './__fixtures__/made-texts.ts';
import { writings } from './__fixtures__/writings.ts';
import { decodeFile } from './decode-file.ts';
import { detectEncoding } from './detect-encoding.ts';

const seed = Number(process.env.ATTACHE_TEST_SEED ?? 1);
const COUNT = 2_000;
const folder = createTempFolder();
afterAll(folder.remove);

const unicode = Object.entries(writings).map(([language, sentences]) => {
  const text = `${sentences.join('\n')}\n`;
  return { encoding: 'utf-8', language, form: 'letter', text, bytes: Buffer.from(text) };
});
const originals = [...makeTexts().filter(({ form }) => form === 'letter'), ...unicode];

async function read(bytes: Buffer) {
  const path = folder.write('text', bytes);
  const { facts, warnings } = await detectEncoding(path);
  const isUnsure = warnings.some(({ code }) => code === 'encoding_uncertain');
  const text = facts && [...decodeFile(path, facts.encoding, facts.textFaults?.linesAs)].join('');
  return { text, isUnsure, facts };
}

it(`what is damaged in ${COUNT} texts costs no other line of theirs: it stays a text, and is right or said to be unsure [BX-29]`, async () => {
  const random = createRandom(seed);
  const wrong: string[] = [];
  for (let count = 0; count < COUNT; count += 1) {
    const { encoding, language, ...original } = random.pick(originals);
    const times = 8 + random.below(16);
    const { bytes, how, wholeLines } = damageText(
      original.text.repeat(times),
      Buffer.concat(Array.from({ length: times }, () => original.bytes)),
      random,
    );
    const { text, isUnsure, facts } = await read(bytes);
    const lines = new Set(text?.split('\n'));
    const lost = wholeLines.filter((line) => !lines.has(line));
    if (text === undefined || (lost.length > 0 && !isUnsure))
      wrong.push(`${encoding} ${language} ×${times}, ${how}: ${JSON.stringify(facts)} ${lost[0] ?? ''}`);
  }
  expect(wrong).toEqual([]);
});
