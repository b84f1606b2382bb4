import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { InstalledRuntime } from './agents-stack.ts';
import type { SampleFile } from './files.ts';
import type { Matrix } from './matrix.ts';
import { runtimesUnderTest } from './runtimes.ts';

const page = fileURLToPath(new URL('../../../docs/compatibility.md', import.meta.url));
const WRITE_VARIABLE = 'ATTACHE_WRITE_COMPATIBILITY';
const TABLE = /<!-- made by tests\/agents -->[\s\S]*<!-- end -->/;

/**
 * Undefined where the page says what was seen, else what to do. Rows of programs that are not installed stay as they are; with
 * ATTACHE_WRITE_COMPATIBILITY=1 the page is written.
 */
export async function checkCompatibilityPage(
  runtimes: readonly InstalledRuntime[],
  samples: readonly SampleFile[],
  matrix: Matrix,
): Promise<string | undefined> {
  const present = await readFile(page, 'utf8');
  const rows = runtimes.flatMap((runtime) => rowsOf(runtime, samples, matrix));
  process.stdout.write(`\n${[heading(samples), ...rows].join('\n')}\n`);
  if (process.env[WRITE_VARIABLE] !== '1') {
    const missing = rows.filter((row) => !present.includes(row));
    return missing.length === 0
      ? undefined
      : `docs/compatibility.md does not say:\n${missing.join('\n')}\nRun ${WRITE_VARIABLE}=1 npm test -- agents.`;
  }
  if (runtimes.length < runtimesUnderTest.length) return 'Not every agent is installed: run npm run agents first.';
  const date = new Date().toISOString().slice(0, 10);
  const made = ['<!-- made by tests/agents -->', `Seen on ${date}.`, '', heading(samples), ...rows, '', '<!-- end -->'];
  await writeFile(
    page,
    present.replace(TABLE, () => made.join('\n')),
  );
  return undefined;
}

function heading(samples: readonly SampleFile[]): string {
  const kinds = samples.map(({ kind }) => kind);
  return `| program | model takes | ${kinds.join(' | ')} |\n| --- | --- | ${kinds.map(() => '---').join(' | ')} |`;
}

function rowsOf(
  { key, installed, runtime }: InstalledRuntime,
  samples: readonly SampleFile[],
  matrix: Matrix,
): string[] {
  return [
    [key, 'every kind'],
    [`${key}-text`, 'text'],
  ].map(([profile, ability]) => {
    const cells = samples.map(({ kind }) => matrix.get(`${profile} ${kind}`) ?? 'not tried');
    return `| ${installed.name} ${installed.version} (\`${runtime}\`) | ${ability} | ${cells.join(' | ')} |`;
  });
}
