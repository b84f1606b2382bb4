import { existsSync } from 'node:fs';
import { styleText } from 'node:util';
import { findBubblewrap, readMachineFacts, shareUsers } from '@attache/agent-process';
import { redactText } from '@attache/domain';
import { loadDrivers } from '@attache/programs/drivers';
import { judgeSandbox, settlePermissions } from '@attache/programs/settle-sandbox';
import { hasHostedSettings } from '../config.ts';
import { exitCodes } from '../exit-codes.ts';
import { sayStack } from '../say-stack.ts';
import { checksOfAgentUsers } from './check-agent-users.ts';
import { checkOfMediaWorkers, findMediaBarrier, type MediaWorkers } from './check-media-workers.ts';
import { checkOfSandbox } from './check-sandbox.ts';
import type { Finding } from './finding.ts';
import { examineProfile, type ProfileReport } from './profiles/examine-profile.ts';
import { findingsOfReport } from './profiles/findings-of-report.ts';
import type { Offer } from './profiles/offer.ts';
import { runChecks } from './run-checks.ts';

export type DoctorOptions = {
  isJson: boolean;
  /** Whether each agent is started once. */
  isStarting: boolean;
};

const say = (line: string): unknown => process.stderr.write(`${line}\n`);

/** Checks every dependency of the stack that the settings describe, and every agent that it offers; answers 1 if something is wrong. */
export async function runDoctor(options: DoctorOptions): Promise<number> {
  const { stack, dataDir, checks, policy, offer } = hasHostedSettings()
    ? (await import('./check-hosted.ts')).checkupOfHosted()
    : (await import('./check-embedded.ts')).checkupOfEmbedded();
  sayStack(stack);
  const privateFolders = offer.privateFolders.filter((each) => existsSync(each));
  const bubblewrap = await findBubblewrap(offer.inherited.PATH, readMachineFacts);
  const settled = judgeSandbox(policy, bubblewrap);
  const isRoot = process.getuid?.() === 0;
  const around = [
    checkOfSandbox(bubblewrap, settled),
    ...checksOfAgentUsers(offer.agentUsers, isRoot, dataDir),
    checkOfMediaWorkers(() => findMediaWorkers(offer, { isSandboxed: bubblewrap.status === 'works', isRoot })),
  ];
  const found = await runChecks([...checks, ...around]);
  const whole = {
    ...offer,
    privateFolders,
    permissionMode: settlePermissions(offer.permissionMode, settled),
    sandbox: settled.byDefault,
    bubblewrap,
  };
  const profiles = await examineProfiles(whole, options.isStarting);
  const findings = [...found, ...profiles.flatMap(findingsOfReport)];
  const isWell = findings.every(({ state }) => state !== 'failed');
  const output = options.isJson
    ? JSON.stringify({ ok: isWell, findings, profiles }, null, 2)
    : formatFindings(findings).join('\n');
  process.stdout.write(`${output}\n`);
  return isWell ? exitCodes.done : exitCodes.failed;
}

async function findMediaWorkers(
  { agentUsers, inherited }: Pick<Offer, 'agentUsers' | 'inherited'>,
  machine: Pick<MediaWorkers, 'isSandboxed' | 'isRoot'>,
): Promise<MediaWorkers> {
  const user = agentUsers && shareUsers(agentUsers).media;
  return { ...machine, user, barrier: user && (await findMediaBarrier(inherited.PATH, user)) };
}

/** One after the other: a program that starts is busy enough. */
async function examineProfiles(offer: Offer, isStarting: boolean): Promise<ProfileReport[]> {
  const client = { name: 'attache-doctor', version: '0.1.0' };
  const drivers = await loadDrivers({ inherited: offer.inherited, redact: redactText, client });
  const reports: ProfileReport[] = [];
  const names = Object.keys(offer.profiles);
  for (const [index, name] of names.entries()) {
    say(`looking at the profile ${name} (${index + 1} of ${names.length}) …`);
    reports.push(await examineProfile({ offer, drivers, isStarting }, name));
  }
  return reports;
}

const signs = { ok: ['✓', 'green'], warning: ['!', 'yellow'], failed: ['✗', 'red'] } as const;

/** One line per finding, and under those that are not well what to do. */
function formatFindings(findings: readonly Finding[]): string[] {
  const width = Math.max(...findings.map(({ name }) => name.length));
  return findings.flatMap(({ name, state, detail, fix }) => {
    const [sign, colour] = signs[state];
    const line = `${styleText(colour, sign, { stream: process.stdout })} ${name.padEnd(width)}  ${detail}`;
    return fix === undefined || state === 'ok' ? [line] : [line, `${' '.repeat(width + 4)}→ ${fix}`];
  });
}
