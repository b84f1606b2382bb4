import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Delivery } from '@attache/contracts';
import {
  type Api,
  conversingAgent,
  copyTemplateFolder,
  makePng,
  type PickyModel,
  type SpawnedStack,
  spawnStack,
  startPickyModel,
} from '@attache/test-harness';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

/** The first refusal may be lost with the process, and a refusal in words alone takes nothing out. */
const MOST_TURNS = 6;

let dataDir: string;
let model: PickyModel;
let stack: SpawnedStack;

beforeEach(async () => {
  dataDir = await copyTemplateFolder();
  model = await startPickyModel();
  const command = [process.execPath, conversingAgent, 'claude-agent-acp'];
  const endpoint = { api: 'anthropic', baseUrl: model.url, apiKey: 'env:PATH' };
  const conversing = { runtime: 'acp', command, provider: 'anthropic', model: 'claude-sonnet-5', endpoint };
  await writeFile(join(dataDir, 'profiles.json'), JSON.stringify({ profiles: { conversing } }));
  await start();
});
afterEach(async () => {
  await stack.end('SIGKILL');
  await model.stop();
  await rm(dataDir, { recursive: true, force: true });
});

async function start(): Promise<void> {
  stack = await spawnStack(dataDir, { ATTACHE_PROFILES: join(dataDir, 'profiles.json') });
}

let seed = 0;

async function upload({ api }: SpawnedStack, sessionId: string) {
  seed += 1;
  const { attachment } = await api.upload(sessionId, makePng(40, 30, seed), { name: 'noise.png', type: 'image/png' });
  return api.inspected(attachment.id);
}

type Place = Awaited<ReturnType<Api['createSession']>>;

async function say({ session, agent }: Place, text: string, ...attachmentIds: string[]): Promise<Delivery> {
  const { deliveries } = await stack.api.send(session.id, { to: [agent.id], text, attachmentIds });
  return stack.api.settled(deliveries[0].id);
}

const countKept = async ({ session }: Place) =>
  (await stack.api.events(session.id)).filter(({ kind }) => kind === 'attachment.quarantined').length;

const isReplacement = (text: string): boolean => text.includes('was refused by the model');

/** Moments at which the gateway dies with its relay, by what is at the model. */
const moments: Record<string, (bad: string, kill: () => void) => void> = {
  'a request with the file is at the model': (bad, kill) => {
    model.onAsked = (said) => said.includes(bad) && kill();
  },
  'the refusal is on its way': (_, kill) => {
    model.onAnswered = (status) => status === 400 && kill();
  },
  'a request without it is at the model': (_, kill) => {
    model.onAsked = (said) => said.some(isReplacement) && kill();
  },
  'the model takes a request without it': (_, kill) => {
    let isOut = false;
    model.onAsked = (said) => {
      isOut = said.some(isReplacement);
    };
    model.onAnswered = () => isOut && kill();
  },
};

// The long tests have every moment of both.
const isShort = process.env.ATTACHE_TEST_AMOUNT === 'few';
const ways = isShort ? (['by its place'] as const) : (['by its place', 'in words'] as const);

describe.each(ways)('a gateway that is killed with its relay, of a file that is refused %s', (how) => {
  it.each(isShort ? ['the model takes a request without it'] : Object.keys(moments))(
    'while %s: the conversation is usable again, and the file is out [BX-01 BX-02 DL-61]',
    async (name) => {
      const place = await stack.api.createSession({ profile: 'conversing', model: 'claude-sonnet-5' });
      const [good, bad] = [await upload(stack, place.session.id), await upload(stack, place.session.id)];
      await say(place, 'First.', good.id);
      model.refused.set(bad.sha256, how);
      const killed = Promise.withResolvers<void>();
      moments[name]?.(bad.sha256, () => {
        stack.process.kill('SIGKILL');
        killed.resolve();
      });
      // Until the moment comes; what was sent last is lost with the process, or not.
      const talk = async () => {
        await say(place, 'Second.', bad.id);
        for (let turn = 0; turn < MOST_TURNS; turn += 1) await say(place, `Before ${turn}.`);
      };
      await Promise.race([killed.promise, talk().catch(() => killed.promise)]);
      await killed.promise;
      Object.assign(model, { onAsked: () => undefined, onAnswered: () => undefined });
      await start();

      const statuses: string[] = [];
      while (statuses.length < MOST_TURNS && statuses.slice(-2).join() !== 'responded,responded')
        statuses.push((await say(place, `After ${statuses.length}.`)).status);
      expect(statuses.slice(-2)).toEqual(['responded', 'responded']);
      const last = model.requests.at(-1) ?? [];
      expect(last).toContain(good.sha256);
      expect(last).not.toContain(bad.sha256);
      // A picture that the program itself had not kept is no longer in its conversation.
      expect(await countKept(place)).toBe(last.some(isReplacement) ? 1 : 0);
    },
  );
});
