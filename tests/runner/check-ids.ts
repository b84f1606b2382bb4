import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { findUnshownIds, listPromisedIds } from './record/cited-ids.ts';

// Whether every requirement that is listed as held was shown by a test that ran and passed, in whichever of several runs. Argument: the file into which they
// wrote what they had shown.

const [, , shownFile = ''] = process.argv;
const requirements = fileURLToPath(new URL('../requirements.md', import.meta.url));
const promised = listPromisedIds(readFileSync(requirements, 'utf8'));
const unshown = findUnshownIds(promised, readFileSync(shownFile, 'utf8'));
process.stdout.write(
  unshown.length === 0
    ? `All ${promised.length} listed requirements were shown by tests that passed.\n`
    : `No test that passed shows these, which tests/requirements.md lists: ${unshown.join(' ')}\n`,
);
process.exitCode = unshown.length === 0 ? 0 : 1;
