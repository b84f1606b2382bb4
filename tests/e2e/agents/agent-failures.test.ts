// hosted: long – what an agent does to its turn is judged by one process; interrupts cross in interrupt.test.ts
import type { Session } from '@attache/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStack, type Stack } from '../stack/stack.ts';
import { runScript, takeTurn } from '../steps/turns.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await openStack();
});
afterAll(() => stack.stop());

const openSession = (profile: string) => stack.api.createSession({ profile, model: 'model-1' });

async function stopsOf(sessionId: string) {
  const events = await stack.api.events(sessionId);
  return events.flatMap(({ kind, data }) => (kind === 'agent.stopped' ? [data] : []));
}

describe('an agent that crashes', () => {
  for (const directive of ['crash', 'crash-before-answer']) {
    it(`fails its delivery by code and is reported apart (${directive}) [DL-82 DL-38 DL-40]`, async () => {
      const place = await stack.api.createSession();
      const { delivery } = await takeTurn(stack.api, place, `example: ${directive}`);
      expect(delivery).toMatchObject({
        status: 'failed',
        failure: {
          code: 'delivery_agent_crashed',
          severity: 'error',
          retryable: true,
          diagnostic: expect.stringContaining('crashing as it was told'),
          safeDetails: { phase: 'after-write', signal: 'SIGKILL' },
        },
      });
      expect(delivery.timeline.map(({ status }) => status)).toEqual([
        'queued',
        'prepared',
        'claimed',
        'written',
        'failed',
      ]);
      expect(delivery.timeline.at(-1)?.code).toBe('delivery_agent_crashed');
      await stack.api.logged(place.session.id, ({ kind }) => kind === 'agent.stopped');
      expect(await stopsOf(place.session.id)).toMatchObject([
        {
          agentId: place.agent.id,
          reason: 'crashed',
          signal: 'SIGKILL',
          diagnostic: expect.stringContaining('crashing'),
        },
      ]);
    });
  }

  it('is started again for the next message: one failure does not block what follows [DL-05]', async () => {
    const place = await stack.api.createSession();
    const { session, agent } = place;
    const crashing = await stack.api.send(session.id, { to: [agent.id], text: 'example: crash' });
    const behind = await stack.api.send(session.id, { to: [agent.id], text: 'hello' });
    expect((await stack.api.settled(crashing.deliveries[0].id)).status).toBe('failed');
    expect((await stack.api.settled(behind.deliveries[0].id)).status).toBe('responded');
    const started = (await stack.api.events(session.id)).filter(({ kind }) => kind === 'agent.started');
    expect(started).toHaveLength(2);
  });

  it('has failed a delivery alone: nothing that is said of the agent names the error [DL-60]', async () => {
    const { api } = stack;
    const place = await api.createSession();
    const { delivery } = await takeTurn(api, place, 'example: crash');
    await api.logged(place.session.id, ({ kind }) => kind === 'agent.stopped');
    const { body } = await api.call('GET', `/sessions/${place.session.id}`);
    const told = JSON.stringify((body.session as Session).agents);
    expect(told).toContain(place.agent.id);
    expect(told).not.toMatch(/error|fail|crash/);
    for (const word of [delivery.id, delivery.failure?.code, delivery.failure?.userMessage])
      expect(told).not.toContain(word);
  });

  it('tells no secret by its last words [DL-67 DL-82]', async () => {
    const place = await openSession('scripted');
    const secrets = ['sk-proj-abcdefgh12345678', 'ata_abcdefgh12345678', 'hunter2hunter2'];
    const words = `key ${secrets[0]} token ${secrets[1]} OPENAI_API_KEY=${secrets[2]} in /srv`;
    const { delivery } = await takeTurn(stack.api, place, `do: complain-and-crash ${words}`);
    expect(delivery.failure?.diagnostic).toContain('[redacted]');
    const told = JSON.stringify([delivery, await stopsOf(place.session.id)]);
    expect(secrets.filter((secret) => told.includes(secret))).toEqual([]);
  });
});

describe('an agent that cannot be used', () => {
  const cases = [
    { profile: 'absent', code: 'delivery_agent_start_failed' },
    { profile: 'dying', code: 'delivery_agent_start_failed' },
    { profile: 'garbled', code: 'delivery_protocol_error' },
  ];
  for (const { profile, code } of cases) {
    it(`fails the delivery before anything is written (${profile}) [DL-40 DL-61]`, async () => {
      const { delivery } = await takeTurn(stack.api, await openSession(profile), 'hello');
      expect(delivery).toMatchObject({ status: 'failed', failure: { code, retryable: true } });
      expect(delivery.timeline.map(({ status }) => status)).not.toContain('written');
      expect(delivery.failure?.userMessage).toMatch(/retry/i);
    });
  }
});

describe('a turn that does not end as it should', () => {
  const cases = [
    { text: 'example: fail 32603', code: 'delivery_runtime_transport_failed' },
    { text: 'example: fail 32000', code: 'delivery_agent_auth_required' },
    { text: 'example: garbage', code: 'delivery_protocol_error' },
  ];
  for (const { text, code } of cases) {
    it(`fails as ${code} (${text}) [DL-38 DL-57]`, async () => {
      const { delivery } = await takeTurn(stack.api, await stack.api.createSession(), text);
      expect(delivery).toMatchObject({ status: 'failed', failure: { code } });
    });
  }

  it('and takes too long is interrupted, then failed by code', async () => {
    const { delivery } = await takeTurn(stack.api, await openSession('hasty'), 'example: hang');
    expect(delivery).toMatchObject({ status: 'failed', failure: { code: 'delivery_turn_timeout', retryable: true } });
  });

  it('and is refused by the agent is responded, and the receipt says refused [DL-58 DL-84]', async () => {
    const place = await stack.api.createSession();
    const note = new Uint8Array(Buffer.from('a note'));
    const { attachment } = await stack.api.upload(place.session.id, note, { name: 'note.txt', type: 'text/plain' });
    const { delivery } = await takeTurn(stack.api, place, 'example: refuse', [attachment.id]);
    expect(delivery).toMatchObject({ status: 'responded', receipt: { items: [{ verdict: 'refused' }] } });
    const responded = (await stack.api.events(place.session.id)).find(({ kind }) => kind === 'delivery.responded');
    expect(responded?.data.diagnostic).toMatchObject({
      code: 'attachment_provider_rejected',
      severity: 'warning',
      model: 'example-vision',
    });
    const retried = await stack.api.call('POST', `/deliveries/${delivery.id}/retry`);
    expect(retried).toMatchObject({ status: 409, body: { code: 'NOT_RETRYABLE' } });
  });

  it('and is refused is not retried by itself: when a later turn has ended, it was written once [DL-84]', async () => {
    const place = await stack.api.createSession();
    const { delivery } = await takeTurn(stack.api, place, 'example: refuse');
    await takeTurn(stack.api, place, 'hello');
    const written = (await stack.api.events(place.session.id)).filter(({ kind }) => kind === 'delivery.written');
    expect(written.filter(({ data }) => data.deliveryId === delivery.id)).toHaveLength(1);
    expect(written).toHaveLength(2);
    const { body } = await stack.api.call('GET', `/deliveries/${delivery.id}`);
    expect(body.delivery).toMatchObject({ status: 'responded', attempts: 1 });
  });
});

describe('an agent that asks for a tool of its own', () => {
  it.each([
    ['toolless', 'no', 'tool.blocked'],
    ['gated', 'yes', 'tool.called'],
  ])('is answered as its profile says, which the log tells: %s [BX-21]', async (profile, told, kind) => {
    const place = await openSession(profile);
    const { answer } = await takeTurn(stack.api, place, 'example: ask-permission');
    expect(answer).toContain(`I asked for permission: ${told}.`);
    const decided = (await stack.api.events(place.session.id)).filter((event) => event.kind.startsWith('tool.'));
    expect(decided.map((event) => [event.kind, event.data.agentId])).toEqual([[kind, place.agent.id]]);
  });
});

it('an agent whose own tools nothing switches off is not started under deny, and its failure says what to do [BX-21]', async () => {
  const { delivery } = await takeTurn(stack.api, await openSession('undeniable'), 'example: ask-permission');
  expect(delivery).toMatchObject({
    status: 'failed',
    failure: { code: 'delivery_agent_start_failed', userMessage: expect.stringContaining('"ownTools": "none"') },
  });
});

it('an agent that lives serves one message after the other in the same process', async () => {
  const place = await openSession('scripted');
  const [first] = await runScript(stack.api, place, ['process']);
  expect(await runScript(stack.api, place, ['process'])).toEqual([first]);
});
