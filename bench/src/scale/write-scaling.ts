import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describeMachine, formatMachine } from '../report/describe-machine.ts';
import type { ScaleFigures } from './scale-figures.ts';

const page = fileURLToPath(new URL('../../../docs/scaling.md', import.meta.url));
const OPEN = '<!-- figures of the bench -->';
const CLOSE = '<!-- end of figures -->';

const inFigures = (value: number): string => value.toFixed(Math.abs(value) < 10 ? 2 : Math.abs(value) < 100 ? 1 : 0);

type Line = [what: string, read: (figures: ScaleFigures) => number];

const lines: readonly Line[] = [
  ['agents that run', ({ agentCount }) => agentCount],
  ['sessions that have an owner', ({ ownedCount }) => ownedCount],
  ['accepted → written, p50, ms', ({ dispatchMs }) => dispatchMs.p50],
  ['accepted → written, p99, ms', ({ dispatchMs }) => dispatchMs.p99],
  ['the generator sent late by, p99, ms', ({ latenessMs }) => latenessMs],
  ['connections to Postgres', ({ connectionCount }) => connectionCount],
  ['own memory of the gateways together, MB', ({ gatewayBytes }) => gatewayBytes / 1e6],
  ['**for each delivery**: transactions', ({ perDelivery }) => perDelivery.transactions],
  ['bus messages', ({ perDelivery }) => perDelivery.busMessages],
  ['requests to the object store', ({ perDelivery }) => perDelivery.storeRequests],
  ['bytes of the session log', ({ perDelivery }) => perDelivery.logBytes],
  ['processor time of Postgres, ms', ({ perDelivery }) => perDelivery.databaseSeconds * 1000],
  ['processor time of the gateways, ms', ({ perDelivery }) => perDelivery.gatewaySeconds * 1000],
  ['**for each second in which nobody sends**: transactions', ({ perQuietSecond }) => perQuietSecond.transactions],
  ['bus messages', ({ perQuietSecond }) => perQuietSecond.busMessages],
  ['requests to the object store', ({ perQuietSecond }) => perQuietSecond.storeRequests],
  ['bytes of the session logs', ({ perQuietSecond }) => perQuietSecond.logBytes],
  ['processor time of Postgres, ms', ({ perQuietSecond }) => perQuietSecond.databaseSeconds * 1000],
  ['processor time of the gateways, ms', ({ perQuietSecond }) => perQuietSecond.gatewaySeconds * 1000],
];

/** The table as Markdown. */
function formatScaling(figures: readonly ScaleFigures[]): string {
  const head = [
    '',
    ...figures.map(({ sessionCount, gatewayCount }) => `${sessionCount} sessions, ${gatewayCount} gateways`),
  ];
  const rows = lines.map(([what, read]) => [what, ...figures.map((each) => inFigures(read(each)))]);
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** Replaces the figures of the page in `docs`. */
export async function writeScaling(
  figures: readonly ScaleFigures[],
  servers: Readonly<Record<string, string>>,
): Promise<void> {
  const said = Object.entries(servers).map(([name, about]) => `${name} ${about}`);
  const day = new Date().toISOString().slice(0, 10);
  const measured = `${day}, ${formatMachine(describeMachine())}. ${said.join('; ')}.`;
  const text = await readFile(page, 'utf8');
  const [start, end] = [text.indexOf(OPEN), text.indexOf(CLOSE)];
  if (start < 0 || end < start) throw new Error('docs/scaling.md has no place for the figures.');
  await writeFile(
    page,
    `${text.slice(0, start + OPEN.length)}\n\n${measured}\n\n${formatScaling(figures)}\n\n${text.slice(end)}`,
  );
}
