import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describeMachine, formatMachine } from '../../report/describe-machine.ts';
import type { Costs } from './costs.ts';
import { WARMING } from './deliver-files.ts';

const page = fileURLToPath(new URL('../../../../docs/costs.md', import.meta.url));

/** Below this share of deliveries a statement belongs to the upkeep of a service. */
const UPKEEP_BELOW = 0.02;

const inFigures = (value: number): string => value.toFixed(value < 10 ? 2 : 1);

const toTable = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

const nameOf = (statement: string): string => /attache_\w+/.exec(statement)?.[0] ?? statement.replaceAll(/\s+/g, ' ');

const serviceOf = (login: string): string => login.replace(/^attache_/, '').replace(/_(app|worker)$/, '');

function formatLoad({ load, steps, statements, writingTransactions, oneByOne, inFlight }: Costs): string {
  const calls = statements.reduce((sum, each) => sum + each.calls, 0);
  const total = steps.reduce((sum, { tookMs }) => sum + tookMs, 0);
  const often = statements.filter((each) => each.calls >= UPKEEP_BELOW);
  return [
    `## ${load.name === 'text' ? 'A text' : 'A sound'} of ${load.sizeBytes / 1000} kB`,
    '### Time',
    toTable(
      ['Step', 'ms'],
      [...steps.map(({ step, tookMs }) => [step, inFigures(tookMs)]), ['all of these', inFigures(total)]],
    ),
    '### Statements',
    `${inFigures(calls)} calls and ${inFigures(writingTransactions)} commits that write.`,
    toTable(
      ['Service', 'Statement', 'calls', 'ms of the server, each'],
      often.map(({ login, statement, calls: each, meanMs }) => [
        serviceOf(login),
        `\`${nameOf(statement)}\``,
        inFigures(each),
        inFigures(meanMs),
      ]),
    ),
    '### Processor time',
    toTable(
      ['Program', 'ms, one after the other', 'ms, sixteen in flight'],
      [...oneByOne].map(([program, ms]) => [program, inFigures(ms), inFigures(inFlight.get(program) ?? 0)]),
    ),
  ].join('\n\n');
}

/** The page as Markdown. */
function formatCosts(costs: readonly Costs[], measured: string): string {
  return `${[
    '# Costs of an upload and a delivery',
    'One file on its way from the upload through a message to an agent that runs, until a follower has seen its answer: where the time goes, which statements the database runs, and what each program needs. ' +
      `The agent refuses at once, so that its own work is small. All figures are means; those of sixteen in flight are taken after ${WARMING} other deliveries. ` +
      'Made by `npm run bench -- --hosted --only steps`.',
    measured,
    ...costs.map(formatLoad),
  ].join('\n\n')}\n`;
}

/** Replaces the page in `docs`. */
export async function writeCosts(costs: readonly Costs[], servers: Readonly<Record<string, string>>): Promise<void> {
  const said = Object.entries(servers).map(([name, about]) => `${name} ${about}`);
  const day = new Date().toISOString().slice(0, 10);
  await writeFile(page, formatCosts(costs, `${day}, ${formatMachine(describeMachine())}. ${said.join('; ')}.`));
}
