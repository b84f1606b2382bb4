import { describe, expect, it } from 'vitest';
import { checkCitations, readShown } from './check-citations.ts';
import type { Requirement } from './requirements.ts';

const file = 'tests/e2e/access/urls.test.ts';
const signed: Requirement = {
  ...{ id: 'AT-20', text: 'The signature is checked first.' },
  proof: { file, name: 'a signed URL > that is altered is refused' },
};
const swept: Requirement = {
  ...{ id: 'W9', text: 'Variants that nobody recorded are swept.' },
  proof: { file: 'packages/upkeep/src/sweep.test.ts', name: 'removes what nothing uses' },
};
const proofs = [
  { file, name: 'a signed URL [S5] > that is altered is refused [AT-20]' },
  { file: 'packages/upkeep/src/sweep.test.ts', name: 'removes what nothing uses [W9]' },
];
const tampered: Requirement = { id: 'S5', text: 'Signed URLs with anything changed.', proof: signed.proof };
const requirements = [signed, swept, tampered];
const withoutProofOf = (id: string) => proofs.filter(({ name }) => !name.includes(id));

describe('what tests cite', () => {
  it('is well where each proof passed, and each other citation has a word of its requirement', () => {
    const also = { file, name: 'signs what it grants [AT-20]' };
    expect(checkCitations(requirements, [...proofs, also])).toEqual([]);
  });

  it('names the proof of an id that did not run and pass', () => {
    expect(checkCitations(requirements, withoutProofOf('W9'))).toEqual([
      'W9: its proof did not run and pass, or cites nothing: packages/upkeep/src/sweep.test.ts: removes what nothing uses',
    ]);
  });

  it('takes no test of another file or name for the proof, though it cites the id', () => {
    const others = [
      { file: 'packages/upkeep/src/other.test.ts', name: 'removes what nothing uses [W9]' },
      { file: 'packages/upkeep/src/sweep.test.ts', name: 'removes variants [W9]' },
    ];
    expect(checkCitations(requirements, [...withoutProofOf('W9'), ...others])).toHaveLength(1);
  });

  it('names a proof that does not cite its id', () => {
    const uncited = { file, name: 'a signed URL [S5] > that is altered is refused' };
    expect(checkCitations(requirements, [...withoutProofOf('AT-20'), uncited])).toEqual([
      `AT-20: its proof does not cite it: ${file}: a signed URL > that is altered is refused`,
    ]);
  });

  it('names an id that is not listed', () => {
    const stray = { file, name: 'a signed URL [S99]' };
    expect(checkCitations(requirements, [...proofs, stray])).toEqual([
      `S99 is not listed, and cited by ${file}: a signed URL [S99]`,
    ]);
  });

  it('names a citation whose test says nothing of the id, once for several runs', () => {
    const planted = { file: 'packages/egress/src/box.test.ts', name: 'the box is limited [AT-20 W9]' };
    expect(checkCitations(requirements, [...proofs, planted, planted])).toEqual([
      `AT-20 has no word in common with what cites it, ${planted.file}: ${planted.name}`,
      `W9 has no word in common with what cites it, ${planted.file}: ${planted.name}`,
    ]);
  });

  it('names a requirement without a proof', () => {
    const unproven = { id: 'A1', text: 'Ids.', proof: undefined };
    expect(checkCitations([unproven], [])).toEqual(['A1 names no test that proves it.']);
  });
});

it('what runs have shown is one test on each line', () => {
  expect(readShown(proofs.map((each) => `${JSON.stringify(each)}\n`).join(''))).toEqual(proofs);
  expect(readShown('')).toEqual([]);
});
