import { afterAll, beforeAll, describe, it } from 'vitest';
import { type InstalledRuntime, listInstalled, openAgentsStack, type ProfileSuffix } from './agents-stack.ts';
import type { Driven, Suite } from './driven.ts';
import { describeByTool } from './suites/by-tool.contract.ts';
import { describeCells } from './suites/cells.contract.ts';
import { describeConversation } from './suites/conversation.contract.ts';
import { describeDenied } from './suites/denied.contract.ts';
import { describeEvidence, describeEvidenceAgain } from './suites/evidence.contract.ts';
import { describeGate } from './suites/gate.contract.ts';
import { describeLeftovers } from './suites/left-behind.contract.ts';
import { describeOwnCalls } from './suites/own-calls.contract.ts';
import { describePlain } from './suites/plain.contract.ts';
import { describeRefusals } from './suites/refusals.contract.ts';
import { describeNamedOld } from './suites/relay/named-old.contract.ts';
import { describeQuarantine } from './suites/relay/quarantine.contract.ts';
import { describeRelayed, describeRelayedTools, describeRelayedTrace } from './suites/relay/relayed.contract.ts';
import { describeSecrets } from './suites/relay/secrets.contract.ts';
import { describeSetAside } from './suites/relay/set-aside.contract.ts';
import { describeRest } from './suites/rest.contract.ts';
import { describeRetries } from './suites/retries.contract.ts';
import { describeSizes } from './suites/sizes.contract.ts';
import { describeUnreached } from './suites/unreached.contract.ts';
import { openPlace } from './take-turn.ts';

// Starting a program is what takes time. So one agent carries all cells that need nothing else, one after the other, and the order of
// the suites is part of some of them.

/** Drives a program through files, tools and refusals; in the end its session leaves nothing behind. */
export function driveCells(key: string): Promise<void> {
  const suites = [
    describeConversation,
    describeCells,
    describePlain,
    describeGate,
    describeByTool,
    describeRefusals,
    describeRetries,
    describeNamedOld,
    describeSecrets,
    describeDenied,
    describeRelayedTrace,
    describeRelayed,
    describeLeftovers,
  ];
  return driveProgram(key, ['', '-text', '-plain', '-deny'], suites);
}

/** Drives a program whose turns last too long or whose process has ended: most of it is waiting, next to the cells. */
export function driveLimits(key: string): Promise<void> {
  const suites = [
    describeQuarantine,
    describeEvidence,
    describeUnreached,
    describeRest,
    describeEvidenceAgain,
    describeRelayed,
  ];
  return driveProgram(key, ['-resting'], suites);
}

/** Drives calls of the program's own tools that name another session's files, without a sandbox that would prevent them. */
export function driveOwnCalls(key: string): Promise<void> {
  return driveProgram(key, ['-open'], [describeOwnCalls, describeRelayedTools]);
}

/** Whether a later process continues with the conversation if an operator's wrapper is around both. */
export function driveWrapped(key: string): Promise<void> {
  return driveProgram(key, ['-wrapped'], [describeRest]);
}

/** Whether files of all sizes arrive as their receipts say, and more pictures than a model takes. */
export function driveSizes(key: string): Promise<void> {
  return driveProgram(key, [''], [describeSizes, describeSetAside, describeRelayed]);
}

/** The agent of the first profile is the one that carries the suites. */
async function driveProgram(
  key: string,
  suffixes: readonly [ProfileSuffix, ...ProfileSuffix[]],
  suites: readonly Suite[],
): Promise<void> {
  const [runtime] = await listInstalled({ ...process.env, ATTACHE_TEST_AGENTS: key });
  if (runtime === undefined) {
    it.skip(`${key} is driven (npm run agents installs it)`);
    return;
  }
  describe(key, () => {
    let driven: Driven | undefined;
    beforeAll(async () => {
      driven = await openDriven(runtime, suffixes);
    });
    afterAll(() => driven?.stack.stop());
    const use = () => {
      if (driven === undefined) throw new Error(`${key} is driven by no stack`);
      return driven;
    };
    for (const describeSuite of suites) describeSuite(runtime, use);
  });
}

async function openDriven(
  runtime: InstalledRuntime,
  suffixes: readonly [ProfileSuffix, ...ProfileSuffix[]],
): Promise<Driven> {
  const startedAt = Date.now();
  const stack = await openAgentsStack(runtime, suffixes);
  return { stack, startedAt, place: await openPlace(stack.api, `${runtime.key}${suffixes[0]}`, runtime.model) };
}
