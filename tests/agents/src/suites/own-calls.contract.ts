import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findProgram } from '@attache/programs/find-program';
import { listNamedCommands } from '@attache/programs/named-commands';
import type { ModelToolCall, TrialPlace } from '@attache/programs/program-trial';
import { beforeAll, describe, expect, it } from 'vitest';
import { callOnce, type Driven, eventsOf, listen, type Suite } from '../driven.ts';
import { paintNoise, png } from '../files.ts';
import { checkRows } from '../page/compatibility-page.ts';
import { composeOwnCallRows, listByOutcome, type OwnCallOutcome, type OwnCallOutcomes } from '../page/own-call-rows.ts';
import { openPlace, type Place, takeTurn, uploadSample } from '../take-turn.ts';

const secret = `marker-${randomBytes(12).toString('hex')}`;
/** In the name of a file that no call names. */
const listed = `listed-${randomBytes(12).toString('hex')}`;

type Opened = { place: Place; trial: TrialPlace };

/** Without a sandbox, so that calls reach the file that they name: a folder of the agent has the name of another session's file, and each call names it. */
async function openTrial(driven: Driven, profile: string, model: string): Promise<Opened> {
  const { stack } = driven;
  const other = await openPlace(stack.api, profile, model);
  const foreign = await uploadSample(stack.api, other, png);
  const place = await openPlace(stack.api, profile, model);
  listen(driven, model);
  await takeTurn(stack.api, place, 'Begin.');
  const folder = join(stack.dataDir, 'agents', place.agent.id, 'work', foreign.id);
  await mkdir(folder);
  const trial = { folder, textFile: join(folder, 'a-text.txt'), pictureFile: join(folder, 'a-picture.png') };
  await writeFile(trial.textFile, `${secret}\n`);
  await writeFile(trial.pictureFile, (await paintNoise()).bytes);
  await writeFile(join(folder, listed), '');
  return { place, trial };
}

/** All that a call could change: which files there are, and what the text holds. */
async function readTrial({ folder, textFile }: TrialPlace): Promise<string> {
  return JSON.stringify([await readdir(folder), await readFile(textFile, 'utf8')]);
}

/** Has the model call one tool in a turn of its own; answers what came of it. */
async function tryCall(
  driven: Driven,
  model: string,
  { place, trial }: Opened,
  call: ModelToolCall,
): Promise<OwnCallOutcome> {
  const before = await readTrial(trial);
  const blockedBefore = await eventsOf(driven, place, 'tool.blocked');
  const asked = callOnce(driven, model, call);
  await takeTurn(driven.stack.api, place, 'Go on.');
  const results = JSON.stringify(asked.flatMap(({ toolResults }) => toolResults));
  const cameBack = results.includes(secret) || results.includes(listed);
  const isChanged = (await readTrial(trial)) !== before;
  const isShown = asked.some(({ newAttachments }) => newAttachments.length > 0);
  if (cameBack || isChanged || isShown) return 'ran';
  const blocked = await eventsOf(driven, place, 'tool.blocked');
  return blocked.length > blockedBefore.length ? 'stopped' : 'nothing';
}

/** Calls of the program's own tools that name another session's file, in `gated`: what the gate stops, and what runs all the same. */
export const describeOwnCalls: Suite = (runtime, use) => {
  describe(`own calls of ${runtime.key} with another session’s id`, () => {
    let opened: Opened;
    const outcomes: OwnCallOutcomes = { commands: new Map(), tools: new Map() };
    beforeAll(async () => {
      opened = await openTrial(use(), `${runtime.key}-open`, runtime.model);
    });

    async function tryAll(
      into: keyof OwnCallOutcomes,
      calls: readonly (readonly [string, ModelToolCall])[],
    ): Promise<void> {
      for (const [name, call] of calls) {
        const outcome = await tryCall(use(), runtime.model, opened, call);
        // A tool that is called in two ways is as open as the more open one.
        if (outcomes[into].get(name) !== 'ran') outcomes[into].set(name, outcome);
      }
    }

    it('are tried with twenty commands and more [BX-21 S2 A5]', async () => {
      const commands = listNamedCommands(opened.trial);
      expect(commands.length).toBeGreaterThanOrEqual(20);
      const named = commands.map(([name, command]) => [name, runtime.bareShell(command)] as const);
      await tryAll('commands', named);
      expect(outcomes.commands.size).toBe(commands.length);
    }, 300_000);

    it('are tried with each of its tools [BX-21 S2 A5]', async () => {
      const shell = runtime.bareShell('').name;
      const tools = runtime.ownTools(opened.trial).filter(({ name }) => name !== shell);
      await tryAll(
        'tools',
        tools.map((call) => [call.name, call] as const),
      );
      expect(outcomes.tools.size).toBe(new Set(tools.map(({ name }) => name)).size);
    }, 300_000);

    it('run only where doctor says so [BX-21]', () => {
      const { gate } = findProgram(runtime.runtime, [runtime.installed.program]) ?? {};
      const ran = [outcomes.commands, outcomes.tools].flatMap((each) => listByOutcome(each, 'ran'));
      expect(ran).toEqual(gate?.runsAnyway);
    });

    it('run or are stopped as docs/compatibility.md says [BX-21 DL-100]', async () => {
      expect(await checkRows(runtime.key, composeOwnCallRows(runtime, outcomes), 'own-calls')).toBeUndefined();
    });
  });
};
