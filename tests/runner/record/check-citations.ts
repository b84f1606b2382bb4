import { type Citation, readIds, withoutIds } from './cited-ids.ts';
import type { Requirement } from './requirements.ts';
import { listTopicWords } from './topic.ts';

/** Faults of the tests that passed as proofs of the requirements, one sentence each. */
export function checkCitations(requirements: readonly Requirement[], shown: readonly Citation[]): string[] {
  return [...requirements.flatMap((each) => checkProof(each, shown)), ...findStrayCitations(requirements, shown)];
}

/** Tests that passed, as the runs have written them, one JSON value on each line. */
export function readShown(lines: string): Citation[] {
  return lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

function checkProof({ id, proof }: Requirement, shown: readonly Citation[]): string[] {
  if (proof === undefined) return [`${id} names no test that proves it.`];
  const { file, name } = proof;
  const passed = shown.filter((each) => each.file === file && withoutIds(each.name) === name);
  if (passed.length === 0) return [`${id}: its proof did not run and pass, or cites nothing: ${file}: ${name}`];
  const cites = passed.some((each) => readIds(each.name).includes(id));
  return cites ? [] : [`${id}: its proof does not cite it: ${file}: ${name}`];
}

/** Citations of ids that are not listed, or whose test has no word in common with the line of the id; one sentence for each. */
export function findStrayCitations(requirements: readonly Requirement[], shown: readonly Citation[]): string[] {
  const stems = new Map(requirements.map((each) => [each.id, listTopic(each)]));
  const faults = shown.flatMap(({ file, name }) => {
    const words = listTopicWords(`${placeOf(file)} ${withoutIds(name)}`);
    return readIds(name).flatMap((id) => {
      const topic = stems.get(id);
      if (topic === undefined) return [`${id} is not listed, and cited by ${file}: ${name}`];
      return words.isDisjointFrom(topic) ? [`${id} has no word in common with what cites it, ${file}: ${name}`] : [];
    });
  });
  return [...new Set(faults)];
}

/** The words of a requirement: those of what holds, and those by which its proof says the same. */
function listTopic({ text, proof }: Requirement): Set<string> {
  const [holds] = text.split('**Narrower:**');
  return listTopicWords(`${holds} ${placeOf(proof?.file)} ${proof?.name}`);
}

/** Folders and name of a file, without what its ending says of its cost. */
const placeOf = (file = '') => file.split('.')[0];
