import { randomUUID } from 'node:crypto';
import { type AuditEntry, idFromUuid, profileSchema, type ReceiptItem } from '@attache/contracts';
import { listAudit, readContradictions } from '@attache/database';
import { createAgent, createDelivery, createSession, type Place } from '@attache/database/contract';
import { expect, it } from 'vitest';
import { type Fixture, openFixture } from '../__fixtures__/open-fixture.ts';
import { endOutdated } from './end-outdated.ts';
import { noteFindings } from './note-findings.ts';
import { describeRunning, type RunningProgram } from './running-program.ts';

const target = { profile: 'keyed', runtime: 'acp', provider: 'example', model: 'm' } as const;
const profileOf = (rest: object = {}) => profileSchema.parse({ runtime: 'acp', command: ['/opt/agent'], ...rest });
const describe = (programVersion: string | undefined) =>
  describeRunning(target, profileOf(), programVersion === undefined ? {} : { programVersion }, '');
const program = await describe(undefined);
const running = (version = ''): RunningProgram => ({ ...program, version });
const attachmentId = idFromUuid('attachment', randomUUID());
const attachments = [{ attachment: { id: attachmentId, kind: 'image' } }] as unknown as Parameters<
  typeof noteFindings
>[2]['attachments'];
const item = { attachmentId, form: 'native', sizeBytes: 1, sha256: 'a'.repeat(64) } as const;
const dropped: ReceiptItem = { ...item, verdict: 'dropped', proof: 'wire' };
const altered: ReceiptItem = {
  ...{ ...item, verdict: 'delivered', proof: 'wire' },
  wire: { sha256: 'b'.repeat(64), sizeBytes: 1, altered: true },
};
const whole: ReceiptItem = { ...altered, wire: { sha256: item.sha256, sizeBytes: 1, altered: false } };

async function openSession({ deps, tenantId }: Fixture): Promise<Place> {
  const sessionId = await createSession(deps.db, tenantId);
  return { tenantId, sessionId, agentId: await createAgent(deps.db, { tenantId, sessionId }) };
}

/** The end of a turn whose receipt has these items. */
async function note({ deps }: Fixture, place: Place, items: ReceiptItem[], program = running('1')): Promise<void> {
  const { deliveryId } = await createDelivery(deps.db, place);
  await noteFindings(deps, program, { ...place, deliveryId, receipt: { items }, attachments });
}

const read = ({ deps, tenantId }: Fixture) => deps.db.readAsTenant(tenantId, readContradictions);
const readAudit = ({ deps, tenantId }: Fixture): Promise<AuditEntry[]> =>
  deps.db.readAsTenant(tenantId, (tx) => listAudit(tx, { limit: 100 }));

it('the third turn of two sessions contradicts the row, once, and that is audited [DL-58 DL-100]', async () => {
  const fixture = await openFixture();
  const second = await openSession(fixture);
  await note(fixture, fixture, [dropped]);
  await note(fixture, second, [altered]);
  expect(await read(fixture)).toEqual([]);
  await note(fixture, fixture, [whole, dropped]);
  expect(await read(fixture)).toMatchObject([
    {
      row: 'acp example',
      kind: 'image',
      programVersion: '1',
      note: expect.stringContaining('3 turns of 2 sessions with the profile keyed'),
      settingsSha256: program.settingsSha256,
      isForAll: false,
    },
  ]);
  await note(fixture, second, [dropped]);
  expect(await read(fixture)).toHaveLength(1);
  expect(await readAudit(fixture)).toMatchObject([
    {
      actor: { type: 'service', id: 'runner-gateway' },
      action: 'capability.contradicted',
      data: { row: 'acp example', kind: 'image', programVersion: '1', profile: 'keyed', turns: 3, sessions: 2 },
    },
  ]);
});

it('three turns of one session do not, nor turns of two versions, nor what the wire does not show [DL-58]', async () => {
  const fixture = await openFixture();
  const second = await openSession(fixture);
  for (let turn = 0; turn < 3; turn += 1) await note(fixture, fixture, [dropped]);
  await note(fixture, second, [dropped], running('2'));
  await note(fixture, second, [whole, { ...dropped, proof: 'its answer' }]);
  await note(fixture, second, [dropped], { ...running('1'), row: undefined });
  expect(await read(fixture)).toEqual([]);
  await note(fixture, second, [dropped]);
  expect(await read(fixture)).toHaveLength(1);
});

it('turns of other settings are counted on their own: a fault of one profile is none of another [DL-58]', async () => {
  const fixture = await openFixture();
  const second = await openSession(fixture);
  const misled = await describeRunning(target, profileOf({ capability: { image: false } }), {}, '');
  await note(fixture, fixture, [dropped], { ...misled, version: '1' });
  for (const place of [second, second]) await note(fixture, place, [dropped]);
  expect(await read(fixture)).toEqual([]);
  await note(fixture, second, [dropped], { ...misled, version: '1' });
  await note(fixture, fixture, [dropped], { ...misled, version: '1' });
  expect((await read(fixture)).map(({ settingsSha256 }) => settingsSha256)).toEqual([misled.settingsSha256]);
  await note(fixture, fixture, [dropped]);
  expect(await read(fixture)).toHaveLength(2);
});

it('two gateways that end the third and the fourth turn at once contradict it once [DL-58]', async () => {
  const fixture = await openFixture();
  const second = await openSession(fixture);
  await note(fixture, fixture, [dropped]);
  await Promise.all([
    note(fixture, second, [dropped]),
    note(fixture, fixture, [dropped]),
    note(fixture, second, [dropped]),
  ]);
  expect(await read(fixture)).toHaveLength(1);
  expect(await readAudit(fixture)).toHaveLength(1);
});

it('what cannot be kept is logged, and fails nothing', async () => {
  const fixture = await openFixture();
  const logged: unknown[] = [];
  const log = {
    ...fixture.deps.log,
    warn: (_: object, message: string) => logged.push(message),
  } as unknown as Fixture['deps']['log'];
  const turn = { tenantId: fixture.tenantId, sessionId: fixture.sessionId, receipt: { items: [dropped] }, attachments };
  await noteFindings({ db: fixture.deps.db, log }, running('1'), { ...turn, deliveryId: randomUUID() });
  expect(logged).toEqual(['capability.findings_not_kept']);
});

it('another version of the program ends it, also what was only counted; one whose version is not known does not [DL-100]', async () => {
  const fixture = await openFixture();
  const second = await openSession(fixture);
  const contradict = async () => {
    for (const place of [fixture, second, second]) await note(fixture, place, [dropped]);
  };
  await contradict();
  for (const program of [running('1'), running(), { ...running('2'), row: undefined }])
    await endOutdated(fixture.deps, fixture.tenantId, program);
  expect(await read(fixture)).toHaveLength(1);
  fixture.takeRoundTrips();
  await endOutdated(fixture.deps, fixture.tenantId, running('2'));
  expect(fixture.takeRoundTrips()).toBe(1);
  expect(await read(fixture)).toEqual([]);
  expect((await readAudit(fixture))[0]).toMatchObject({
    action: 'capability.restored',
    data: { newProgramVersion: '2' },
  });
  await note(fixture, fixture, [dropped]);
  expect(await read(fixture)).toEqual([]);
});

it('a version is kept as the words of a stranger: short, and printable', async () => {
  const { version } = await describe('1.2\u0000\u001b[31m é'.padEnd(300, 'x'));
  expect(version).toMatch(/^1\.2\[31mx{57}$/);
  expect(await describe(undefined)).toMatchObject({ row: { name: 'acp example' }, version: '' });
});
