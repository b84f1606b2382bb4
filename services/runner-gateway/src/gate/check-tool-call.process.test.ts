import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { idFromUuid } from '@attache/contracts';
import { type Database, deleteAttachment } from '@attache/database';
import { copyPgliteFolder, createAttachment, createDelivery, createPlace } from '@attache/database/contract';
import { connectPglite } from '@attache/database/pglite';
import { TOOL_CALL_DENIED } from '@attache/domain';
import { createLogger } from '@attache/telemetry';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkToolCall } from './check-tool-call.ts';

const log = createLogger({ service: 'test', level: 'silent' });

let folder: string;
let db: Database;
beforeAll(async () => {
  folder = await copyPgliteFolder();
  db = await connectPglite({ folder });
});
afterAll(async () => {
  await db.close();
  await rm(folder, { recursive: true, force: true });
});

/** An agent with one attachment that a message granted to it, and one that was only uploaded. */
async function openGranted() {
  const place = await createPlace(db);
  const { attachmentId: granted } = await createAttachment(db, place);
  await createDelivery(db, place, [granted]);
  const { attachmentId: uploaded } = await createAttachment(db, place);
  const { tenantId, sessionId, agentId } = place;
  const check = (uuid: string) =>
    checkToolCall({ db, log }, { tenantId, sessionId }, agentId, { file: { id: idFromUuid('attachment', uuid) } });
  return { place, granted, uploaded, check };
}

describe('a tool call that names an attachment', () => {
  it('may run where that was granted to its agent', async () => {
    const { granted, check } = await openGranted();
    expect(await check(granted)).toEqual({ decision: 'allow' });
  });

  it.each([
    ['that was never there', async () => randomUUID()],
    ['of another session', async () => (await openGranted()).granted],
    ['that is its session’s and was not granted', async (own: Opened) => own.uploaded],
    [
      'that is deleted',
      async ({ place, granted }: Opened) => {
        await db.asTenant(place.tenantId, (tx) => deleteAttachment(tx, granted));
        return granted;
      },
    ],
  ])('is denied for one %s, with the one reason [AT-31 S2]', async (_, name) => {
    const own = await openGranted();
    expect(await own.check(await name(own))).toEqual({ decision: 'deny', reason: TOOL_CALL_DENIED });
  });
});

type Opened = Awaited<ReturnType<typeof openGranted>>;
