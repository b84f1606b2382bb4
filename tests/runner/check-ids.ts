import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { checkCitations, readShown } from './record/check-citations.ts';
import { readRequirements } from './record/requirements.ts';

// Whether each requirement that is listed as held was shown by the very test that its line names, in whichever of several runs, and whether
// tests cite nothing but what they show. Arguments: the file into which the runs wrote what passed, and the list, if it is another one.

const [, , shownFile = '', listFile = fileURLToPath(new URL('../requirements.md', import.meta.url))] = process.argv;
const requirements = readRequirements(readFileSync(listFile, 'utf8'));
const faults = checkCitations(requirements, readShown(readFileSync(shownFile, 'utf8')));
process.stdout.write(
  faults.length === 0
    ? `All ${requirements.length} listed requirements were shown by their proofs.\n`
    : `${faults.join('\n')}\n${faults.length} faults of citations, see tests/requirements.md.\n`,
);
process.exitCode = faults.length === 0 ? 0 : 1;
