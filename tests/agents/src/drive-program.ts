import { afterAll, beforeAll, describe, it } from 'vitest';
import { type InstalledRuntime, listInstalled, openAgentsStack } from './agents-stack.ts';
import type { Driven } from './driven.ts';
import { describeCells } from './suites/cells.ts';
import { describeConversation } from './suites/conversation.ts';
import { describeEvidence } from './suites/evidence.ts';
import { describeGate } from './suites/gate.ts';
import { describeLeftovers } from './suites/left-behind.ts';
import { describeRefusals } from './suites/refusals.ts';
import { describeRefusedPicture } from './suites/refused-picture.ts';
import { describeRest } from './suites/rest.ts';
import { describeUnreached } from './suites/unreached.ts';
import { openPlace } from './take-turn.ts';

/**
 * Everything that is tried with one program. What it takes to start is spent once for each profile: the agent of a profile carries all
 * cells that need nothing else, one after the other, so the order of the suites is part of some of them.
 */
export async function driveProgram(key: string): Promise<void> {
  const runtime = (await listInstalled(process.env)).find((each) => each.key === key);
  if (runtime === undefined) {
    it.skip(`${key} is driven (npm run agents installs it)`);
    return;
  }
  describe(key, () => {
    let driven: Driven | undefined;
    beforeAll(async () => {
      driven = await drive(runtime);
    });
    afterAll(() => driven?.stack.stop());
    describeSuites(runtime, () => {
      if (driven === undefined) throw new Error(`${key} is driven by no stack`);
      return driven;
    });
  });
}

async function drive(runtime: InstalledRuntime): Promise<Driven> {
  const startedAt = Date.now();
  const stack = await openAgentsStack(runtime);
  const open = (profile: string) => openPlace(stack.api, profile, runtime.model);
  return {
    ...{ stack, startedAt },
    patient: await open(runtime.key),
    wordy: await open(`${runtime.key}-text`),
    hasty: await open(`${runtime.key}-hasty`),
  };
}

function describeSuites(runtime: InstalledRuntime, use: () => Driven): void {
  describeConversation(runtime, use);
  describeCells(runtime, use);
  describeGate(runtime, use);
  describeRefusedPicture(runtime, use);
  describeEvidence(runtime, use);
  describeUnreached(runtime, use);
  describeRest(runtime, use);
  describeRefusals(runtime, use);
  describeLeftovers(runtime, use);
}
