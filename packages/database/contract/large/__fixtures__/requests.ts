import { randomUUID } from 'node:crypto';
import type { Tx } from '../../../src/index.ts';
import { newPlan, newRecord, newReservation, target } from '../../__fixtures__/database-fixtures.ts';
import { actor, agentId, idOf, type ListRows, past, place, sessionId, tenantId } from './large-place.ts';

/** Requests of callers, except for messages and their deliveries. */
export const listRequests: ListRows = (db, api) => {
  const within = (work: (tx: Tx) => Promise<unknown>) => () => db.asTenant(tenantId, work);
  const attachmentId = idOf('attachment 7');
  const upload = async (given: object = {}) => {
    const reservation = newReservation(place, given);
    await api.reserveUpload(db, reservation);
    return reservation;
  };
  const store = async (given: object = {}) => {
    const record = newRecord(await upload(), given);
    await api.recordUpload(db, record);
    return record;
  };
  const fill = async () => {
    const keys = Array.from({ length: 4 }, () => ({ id: randomUUID(), key: `${tenantId}/${randomUUID()}` }));
    await api.fillKeyPool(db, { tenantId, keys, storeId: 'files', shareBytes: 1, leastShareBytes: 1 });
    return keys.map(({ id }) => id);
  };
  const named = { sessionId, agentIds: [agentId], attachmentIds: [attachmentId] };
  const newKey = () => ({ route: 'sendMessage', sessionId, key: randomUUID(), principal: 'k' });
  const answer = { fingerprint: 'f', status: 200, sealedAnswer: 's' };
  const insertKey = (tx: Tx) =>
    api.insertApiKey(tx, {
      ...{ tenantId, id: randomUUID(), name: 'key', secretHash: 'hash', trustedTrace: false, scopes: ['admin'] },
    });
  const generations = { sessionGeneration: 1, participantGeneration: 1, keyId: randomUUID() };
  const days = { from: '2026-01-01', to: '2026-01-31', after: undefined, limit: 50 };
  const createSession = async (tx: Tx) => {
    const settings = { replayPolicy: { originals: 'none' }, conversions: 'allow', metadata: {} } as const;
    const row = { tenantId, id: randomUUID(), externalId: null, createdAt: new Date(), ...settings };
    await api.insertSession(tx, row);
    const userId = await api.upsertUser(tx, { tenantId, externalUserId: randomUUID() });
    await api.insertParticipant(tx, { tenantId, sessionId: row.id, userId, rights: ['events:read'] });
    const agent = { tenantId, sessionId: row.id, id: randomUUID(), name: 'a', role: 'lead', target } as const;
    await api.insertAgent(tx, { ...agent, createdAt: new Date() });
    return row.id;
  };
  return [
    ['looks an API key up', 40, () => api.findApiKey(db, idOf('key 123456'))],
    [
      'looks one up for a message',
      300,
      () => api.findApiKey(db, idOf('key 123456'), { of: 'message', sessionId, named }),
    ],
    ['looks one up for a log', 60, () => api.findApiKey(db, idOf('key 123456'), { of: 'log', sessionId })],
    [
      'looks a session token up',
      40,
      () => api.findTokenHolder(db, { tenantId, sessionId, ...generations, userId: idOf('user 77') }),
    ],
    ['looks a signed URL up', 60, () => api.findRaw(db, idOf('attachment 765432'))],
    [
      'looks a tenant up',
      60,
      () => Promise.all([api.findTenantByName(db, 'tenant-7'), api.isTenantActive(db, tenantId)]),
    ],
    ['reads a tenant', 40, within((tx) => Promise.all([api.readTenant(tx), api.readTenantUrlGeneration(tx)]))],
    ['lists tenants', 200, () => api.listTenants(db, { limit: 50 })],
    [
      'reads the newest events of a long log',
      120,
      () => api.readEvents(db, { ...place, afterSeq: 199_900, limit: 100 }),
    ],
    ['stores an upload', 400, () => store()],
    ['gives an upload up', 150, async () => api.abandonUpload(db, await upload())],
    ['reserves keys in advance', 300, fill],
    ['gives keys back that no upload got', 300, async () => api.releaseKeys(db, tenantId, await fill())],
    ['reads an attachment', 60, within((tx) => api.findAttachment(tx, attachmentId))],
    ['notes that a key was used', 60, within((tx) => api.noteKeyUse(tx, idOf('key 77770')))],
    ['reads attachments in one trip', 60, () => api.readStoredAttachments(db, tenantId, [attachmentId])],
    ['looks whether an attachment is there', 20, within((tx) => api.hasAttachment(tx, attachmentId))],
    ['looks a variant up', 20, within((tx) => api.findVariant(tx, randomUUID()))],
    [
      'deletes an attachment',
      900,
      async () => {
        const { attachmentId: stored } = await store({ sha256: randomUUID() });
        await db.asTenant(tenantId, (tx) => api.deleteAttachment(tx, stored));
      },
    ],
    [
      'discards an attachment that should not have been',
      900,
      async () => {
        const { attachmentId: stored } = await store({ sha256: randomUUID() });
        await db.asTenant(tenantId, (tx) => api.discardAttachments(tx, [stored]));
      },
    ],
    ['ends the URLs of an attachment', 60, within((tx) => api.raiseUrlGeneration(tx, attachmentId))],
    [
      'lists what is granted to an agent',
      1_800,
      within((tx) => api.listAttachments(tx, { sessionId, grantedTo: agentId, limit: 50 })),
    ],
    ['looks whether a file is granted', 20, within((tx) => api.isGranted(tx, agentId, attachmentId))],
    [
      'looks which files of a call are granted',
      40,
      () => api.readPermitted(db, place, [attachmentId, idOf('attachment 8')]),
    ],
    [
      'grants a file, and takes that back',
      120,
      within(async (tx) => {
        const grant = { ...place, id: randomUUID(), attachmentId, rights: [], expiresAt: undefined };
        await api.insertGrant(tx, grant);
        await api.revokeGrant(tx, sessionId, grant.id);
      }),
    ],
    [
      'reads a session',
      40,
      within((tx) => Promise.all([api.readSession(tx, sessionId), api.readParticipant(tx, sessionId, idOf('user 7'))])),
    ],
    [
      'reads a message and its deliveries',
      60,
      within((tx) =>
        Promise.all([api.findMessage(tx, idOf('message 7')), api.readDeliveriesOfMessage(tx, idOf('message 7'))]),
      ),
    ],
    [
      'appends to the audit log',
      60,
      within((tx) => api.appendAudits(tx, [{ tenantId, actor, action: 'urls.created' }])),
    ],
    ['lists sessions', 400, within((tx) => api.listSessions(tx, { limit: 50 }))],
    ['makes a session', 300, within(createSession)],
    [
      'ends a session',
      400,
      within(async (tx) => {
        const made = await createSession(tx);
        await api.endSession(tx, made);
        await api.appendEvents(tx, made, [{ kind: 'session.ended', actor, data: {} }]);
      }),
    ],
    ['ends the tokens of a participant', 80, within((tx) => api.raiseTokenGeneration(tx, sessionId, 'user 78'))],
    [
      'takes an agent out of its session',
      300,
      within(async (tx) => {
        const made = await createSession(tx);
        const [agent] = await api.readAllAgents(tx, made);
        await api.findAgent(tx, made, agent?.id ?? '');
        await api.removeAgent(tx, made, agent?.id ?? '');
      }),
    ],
    [
      'opens, answers and drops an idempotency key',
      120,
      async () => {
        const [kept, dropped] = [newKey(), newKey()];
        await api.openIdempotency(db, tenantId, kept);
        await api.openIdempotency(db, tenantId, dropped);
        await db.asTenant(tenantId, async (tx) => {
          await api.closeIdempotency(tx, kept, answer);
          await api.dropIdempotency(tx, dropped);
        });
      },
    ],
    ['lists keys', 120, within((tx) => api.listApiKeys(tx, { limit: 50 }))],
    [
      'lists a later page of keys',
      120,
      within(async (tx) => {
        const [last] = (await api.listApiKeys(tx, { limit: 50 })).slice(-1);
        return last && api.listApiKeys(tx, { after: last, limit: 50 });
      }),
    ],
    [
      'rotates and revokes a key',
      200,
      within(async (tx) => {
        const key = await insertKey(tx);
        if (!key) return;
        await api.readApiKey(tx, key.id, 'for-update');
        await api.hasSuccessor(tx, key.id);
        await api.shortenApiKey(tx, key.id, 60);
        await api.revokeApiKey(tx, key.id);
      }),
    ],
    ['lists the audit log', 120, within((tx) => api.listAudit(tx, { limit: 50 }))],
    [
      'lists a late page of the audit log',
      200,
      within((tx) =>
        api.listAudit(tx, {
          before: { createdAt: new Date('2026-01-01T05:00:00Z'), id: idOf('audit 1') },
          limit: 50,
        }),
      ),
    ],
    [
      'lists an action that the audit log has none of',
      40,
      within((tx) => api.listAudit(tx, { action: 'tenant.created' as never, limit: 50 })),
    ],
    ['adds to the audit log', 40, within((tx) => api.appendAudit(tx, { tenantId, actor, action: 'access.denied' }))],
    ['lists use by day', 120, within((tx) => api.listUseByDay(tx, days))],
    ['lists use by session', 200, within((tx) => api.listUseBySession(tx, days))],
    [
      'lists use by model, of three days',
      // This reads 3,000 rows, each found by the index.
      3_300,
      within((tx) => api.listUseByModel(tx, { ...days, to: '2026-01-03', after: undefined })),
    ],
    ['reads what a day has used', 20, () => api.readDayTokens(db, tenantId, '2026-01-01')],
    [
      'saves, reads and takes back an override',
      100,
      within(async (tx) => {
        const said = { profile: 'p', model: randomUUID(), capability: { image: true }, reason: 'seen', author: actor };
        await api.saveOverride(tx, { tenantId, ...said });
        await api.findOverride(tx, said);
        await api.deleteOverride(tx, said);
      }),
    ],
    [
      'saves, reads and deletes a secret',
      160,
      within(async (tx) => {
        const [name, sealed] = [randomUUID(), { kid: 'k1', enc: 'enc', ciphertext: 'text' }];
        await api.holdSecrets(tx, name);
        const saved = await api.saveSecret(tx, { tenantId, name, version: 1, ...sealed });
        await api.findSecret(tx, name);
        await api.listSecrets(tx);
        await api.listSecretsOfOtherKeys(tx, { kid: 'k2', after: '', limit: 50 });
        await api.noteSecretUse(tx, name);
        await api.rewrapSecret(tx, saved, sealed);
        await api.deleteSecret(tx, name);
      }),
    ],
    [
      'saves and lists origins, and looks for one of its own and of any tenant',
      160,
      async () => {
        const origin = `https://${randomUUID()}.example`;
        await db.asTenant(tenantId, (tx) => api.replaceOrigins(tx, tenantId, [origin]));
        await db.readAsTenant(tenantId, api.listOrigins);
        await api.isOriginAllowed(db, origin, tenantId);
        await api.isOriginAllowed(db, origin);
      },
    ],
    [
      'uses a ticket once',
      60,
      async () => {
        const use = { tenantId, route: 'event-ticket', sessionId, key: randomUUID(), principal: 'a key' };
        await api.useOnce(db, use);
      },
    ],
    [
      'asks for a projection, and fetches it',
      200,
      async () => {
        const jobId = randomUUID();
        await db.asTenant(tenantId, (tx) =>
          api.insertProjectionJob(tx, { tenantId, sessionId, id: jobId, plan: newPlan(agentId) as never }),
        );
        await api.readWaitingProjection(db, { tenantId, jobId });
        await api.settleProjectionJob(
          db,
          { tenantId, sessionId, jobId, eventId: randomUUID() },
          { state: 'done', parts: [] },
        );
        await db.asTenant(tenantId, async (tx) => {
          await api.findProjectionJob(tx, jobId);
          await api.deleteProjectionJob(tx, jobId);
        });
      },
    ],
    [
      'sets the limits of a tenant, suspends and restores it',
      100,
      within(async (tx) => {
        await api.setTenantLimits(tx, { maxUploadBytes: null } as never);
        await api.suspendTenant(tx);
        await api.restoreTenant(tx);
        await api.raiseTenantUrlGeneration(tx);
      }),
    ],
    [
      'makes, forgets and looks up a variant',
      160,
      async () => {
        const [id, blobId] = [randomUUID(), randomUUID()];
        await api.reserveVariant(db, { tenantId, id: blobId, key: blobId, storeId: 'files' });
        await api.recordVariant(db, {
          ...{ tenantId, id, blobId, sourceSha256: id, purpose: 'preview', recipe: 'preview/1', sha256: id },
          ...{ mimeType: 'image/webp', sizeBytes: 7, width: 8, height: 8, scale: 0.5, page: null, warnings: [] },
        });
        await db.asTenant(tenantId, async (tx) => {
          await api.findVariant(tx, id);
          await api.forgetVariant(tx, id, blobId);
        });
      },
    ],
    [
      'adds a tenant',
      40,
      async () => {
        const [first, second] = [randomUUID(), randomUUID()];
        await api.insertTenant(db, { tenantId: first, name: first });
        await db.asTenant(second, (tx) => api.addTenant(tx, { tenantId: second, name: second }));
      },
    ],
    [
      'reads what is granted to an agent of few files',
      60,
      within(async (tx) => api.readAttachments(tx, await api.readGrantedAttachments(tx, randomUUID()))),
    ],
    [
      'appends to a log',
      60,
      within(async (tx) => {
        await api.findSession(tx, sessionId);
        await api.addToOutbox(tx, 'session.ended', { tenantId, sessionId });
        await api.appendAsCaller(tx, sessionId, [{ kind: 'session.ended', actor, data: {} }]);
      }),
    ],
    ['reads the time', 5, () => api.readDatabaseTime(db)],
    [
      'looks for blobs that were never recorded among 50,000 condemned ones',
      40,
      () => api.readAbandonedBlobs(db, idOf('tenant 1'), { madeBefore: new Date(), limit: 200 }),
    ],
    ['looks for unused blobs', 5_000, () => api.findUnusedBlobs(db, { tenantId, retryableSince: past, limit: 200 })],
  ];
};
