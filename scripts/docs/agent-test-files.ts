import { triedPrograms } from '@attache/programs/tried-programs';
import type { GeneratedDoc } from './generated-doc.ts';

/** The trials of each program, by the name of their file. Files run side by side. */
const drives = [
  ['cells', 'driveCells'],
  ['limits', 'driveLimits'],
  ['own-calls', 'driveOwnCalls'],
  ['sizes', 'driveSizes'],
] as const;

/** The test files of each program: a program is one more row, and no file of its own. */
export function composeAgentTests(): GeneratedDoc[] {
  return triedPrograms.flatMap(({ profile: { name: key } }) =>
    drives.map(([name, drive]) => ({
      path: `tests/agents/programs/${key}/${name}.test.ts`,
      text: `// Made by npm run docs.\nimport { ${drive} } from '../../src/drive-program.ts';\n\nawait ${drive}('${key}');\n`,
    })),
  );
}
