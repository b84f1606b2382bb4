import { resolve } from 'node:path';
import { Fault, type Profiles } from '@attache/contracts';
import { invokedFrom } from '../config.ts';
import { exitCodes } from '../exit-codes.ts';
import { isColorWanted } from '../operator/config.ts';
import { formatTable } from '../operator/format-table.ts';
import { readProfiles } from './config.ts';
import { describeFile } from './describe-file.ts';
import { inspectLocally, type LocalFile } from './inspect-locally.ts';
import { type ExplainTarget, findTarget, listCatalogTargets } from './list-targets.ts';
import { type ExplainedTarget, planTarget } from './plan-target.ts';
import { tabulatePlans } from './tabulate-plans.ts';
import { wrapTable, wrapText } from './wrap-table.ts';

const DEFAULT_WIDTH = 100;

/** The options that a person gave; `--all` takes the place of a profile. */
export type ExplainOptions = { profile?: string; model?: string; all?: true; json?: true };

const say = (line: string): unknown => process.stderr.write(`${line}\n`);

/** Prints how targets would get a file, by the rules of a delivery; returns the exit code. Nothing is sent or stored. */
export async function runExplain(path: string, options: ExplainOptions): Promise<number> {
  const { profiles, warnings } = readProfiles();
  for (const warning of warnings) say(warning);
  const targets = chooseTargets(profiles, options);
  const file = await inspectLocally(resolve(invokedFrom(), path));
  const explained = targets.map((target) => planTarget(target, file));
  process.stdout.write(options.json ? formatForPrograms(file, explained) : formatForPeople(file, explained));
  if (file.status === 'rejected') return exitCodes.blocked;
  const isBlocked = explained.some(({ plan }) => plan.decision === 'blocked');
  return isBlocked && options.all !== true ? exitCodes.blocked : exitCodes.done;
}

function chooseTargets(profiles: Profiles, { profile, model, all }: ExplainOptions): ExplainTarget[] {
  if (all === true) {
    if (profile === undefined && model === undefined) return [...listOffered(profiles), ...listCatalogTargets()];
    throw new Fault('INVALID_REQUEST', 'Say --all, or --profile and perhaps --model, but not both.');
  }
  if (profile === undefined)
    throw new Fault('INVALID_REQUEST', 'Name a target: --profile PROFILE [--model MODEL], or --all.');
  const found = findTarget(profiles, profile, model);
  if (!found.ok) throw new Fault('INVALID_REQUEST', found.message);
  return [found.target];
}

function listOffered(profiles: Profiles): ExplainTarget[] {
  return Object.keys(profiles).flatMap((name) => {
    const found = findTarget(profiles, name);
    if (found.ok) return [found.target];
    say(`${found.message} It is left out.`);
    return [];
  });
}

function formatForPrograms(file: LocalFile, explained: readonly ExplainedTarget[]): string {
  const targets = explained.map(({ target: { profile, transport, program, provider, model }, plan }) => {
    return { profile, transport, program, provider, model, plan };
  });
  return `${JSON.stringify({ file, targets }, null, 2)}\n`;
}

function formatForPeople(file: LocalFile, explained: readonly ExplainedTarget[]): string {
  const lines = describeFile(file);
  if (file.status === 'ready') {
    const width = process.stdout.columns ?? DEFAULT_WIDTH;
    const { table, notes } = tabulatePlans(file, explained);
    const isColored = isColorWanted(process.stdout.isTTY === true);
    lines.push('', ...formatTable(wrapTable(table, width), isColored), '');
    lines.push(...notes.flatMap((note) => wrapText(note, width)));
  }
  return `${lines.join('\n')}\n`;
}
