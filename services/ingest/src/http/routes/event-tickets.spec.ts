import { idFromUuid, uuidFromId } from '@attache/contracts';
import { expect, it, onTestFinished } from 'vitest';
import { openFixture } from '../../__fixtures__/open-fixture.ts';
import { createKey, revokeKey } from '../../access/manage-keys.ts';
import { startIngest } from '../../ingest.ts';

it('a stream that a ticket opened ends with the credential behind it, and not with the ticket', async () => {
  const { deps, caller, sessionId, keep } = await openFixture();
  const settings = { ...deps.settings, limits: { heartbeatMs: 200 } };
  const ingest = await startIngest({ ...deps, settings });
  onTestFinished(() => ingest.stop());
  const { key, secret } = await createKey(deps, caller, { name: 'one', scopes: ['read'] }, keep);
  const log = `${ingest.url}/v1/sessions/${idFromUuid('session', sessionId)}/events`;
  const made = await fetch(`${log}/tickets`, { method: 'POST', headers: { authorization: `Bearer ${secret}` } });
  const { ticket } = (await made.json()) as { ticket: string };
  const stream = await fetch(`${log}?ticket=${ticket}`, { headers: { accept: 'text/event-stream' } });
  expect(stream.status).toBe(200);
  let text = '';
  for await (const piece of stream.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const [before, after] = [text.split('still here').length, `${text}${piece}`.split('still here').length];
    text += piece;
    // It outlives some heartbeats, then its key is taken away: reading ends because the stream does.
    if (before < 3 && after >= 3) await revokeKey(deps, caller, uuidFromId(key.id));
  }
  expect(text.split('still here').length).toBeGreaterThanOrEqual(3);
});
