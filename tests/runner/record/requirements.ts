/** A line of tests/requirements.md. */
export type Requirement = {
  id: string;
  /** The requirement, in words. */
  text: string;
  /** The one test that proves it. */
  proof: Proof | undefined;
};

export type Proof = {
  /** Relative to the repository. */
  file: string;
  /** Its suites and its title, joined by ` > `, without the ids that they cite. */
  name: string;
};

const ID = /^[A-Z]{1,2}-?\d+$/;
const PROOF = /^`([^`]+\.test\.ts|[^`]+\.spec\.ts)` (.+)$/;

/** Reads the rows `| id | what holds | proof |` of all tables. In a cell, `\|` is a bar. */
export function readRequirements(markdown: string): Requirement[] {
  return markdown.split('\n').flatMap((line) => {
    const [before, id = '', text = '', proof = ''] = line.split(/(?<!\\)\|/).map(readCell);
    return before === '' && ID.test(id) ? [{ id, text, proof: readProof(proof) }] : [];
  });
}

const readCell = (cell: string) => cell.trim().replaceAll('\\|', '|');

function readProof(cell: string): Proof | undefined {
  const [, file, name] = PROOF.exec(cell) ?? [];
  return file === undefined || name === undefined ? undefined : { file, name };
}
