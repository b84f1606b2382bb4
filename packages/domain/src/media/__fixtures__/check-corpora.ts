import { type Disguise, disguiseMedia } from './disguise-media.ts';
import { cutResult, makeOrdinaryResult } from './ordinary-results.ts';
import { digestOf, PLACE, runStrip } from './run-strip.ts';
import { createRandom } from './seeded-random.ts';

/** The results of one form or kind: how many there were, how many came out wrong, and a description of the first of those. */
export type Tally = { count: number; faults: number; first: string | undefined };
export type Tallies = Map<string, Tally>;

function note(tallies: Tallies, name: string, fault: string | undefined): void {
  const tally = tallies.get(name) ?? { count: 0, faults: 0, first: undefined };
  tallies.set(name, tally);
  tally.count += 1;
  if (fault === undefined) return;
  tally.faults += 1;
  tally.first ??= fault;
}

/** Each file must come out with its digest, and all that stood around it must stay. */
export function checkDisguises(seed: number, count: number): Tallies {
  const random = createRandom(seed);
  const tallies: Tallies = new Map();
  for (let index = 0; index < count; index += 1) {
    const disguise = disguiseMedia(random, index);
    note(tallies, disguise.form, findFault(disguise, index));
  }
  return tallies;
}

function findFault({ chunks, files, before, after }: Disguise, index: number): string | undefined {
  const stripped = runStrip(chunks);
  const expected = files.map(({ mimeType, bytes }) => `${mimeType} ${bytes.length} ${digestOf(bytes)}`);
  const found = stripped.files.map(({ bytes }) => `${bytes.length} ${digestOf(bytes)}`);
  const isAll = expected.length === found.length && expected.every((each, at) => each.endsWith(` ${found[at]}`));
  const text = `${before}${files.map(() => PLACE).join('\n')}${after}`;
  if (isAll && stripped.text === text) return undefined;
  return `number ${index}: ${expected.join(', ')} became ${found.join(', ')}, and there stayed ${JSON.stringify(stripped.text.slice(-120))}`;
}

/** Text without media must stay the same to the letter. */
export function checkOrdinaryResults(seed: number, count: number): Tallies {
  const random = createRandom(seed);
  const tallies: Tallies = new Map();
  for (let index = 0; index < count; index += 1) {
    const { kind, text } = makeOrdinaryResult(random, index);
    const stripped = runStrip(cutResult(random, text));
    const [taken] = stripped.files;
    const isSame = taken === undefined && stripped.text === text;
    note(tallies, kind, isSame ? undefined : `number ${index}: ${taken?.kind} ${taken?.mimeType} was taken out`);
  }
  return tallies;
}

export function sumOf(tallies: Tallies): { count: number; faults: number } {
  const all = [...tallies.values()];
  return {
    count: all.reduce((sum, each) => sum + each.count, 0),
    faults: all.reduce((sum, each) => sum + each.faults, 0),
  };
}

export const faultsOf = (tallies: Tallies): string[] =>
  [...tallies].flatMap(([name, { first }]) => (first === undefined ? [] : [`${name}: ${first}`]));

/** A line for each form or kind. */
export function formatTallies(title: string, tallies: Tallies): string {
  const { count, faults } = sumOf(tallies);
  const rows = [...tallies].map(
    ([name, tally]) => `  ${String(tally.faults).padStart(4)} of ${String(tally.count).padStart(5)}  ${name}`,
  );
  return [`${title}: ${faults} of ${count}`, ...rows, ''].join('\n');
}
