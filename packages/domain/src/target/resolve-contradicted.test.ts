import { type Contradiction, capabilitySchema } from '@attache/contracts';
import { expect, it } from 'vitest';
import { trialCatalog } from '../__fixtures__/trial-catalog.ts';
import { givenAttachment, givenPdf, givenRequest } from '../plan/__fixtures__/plan-fixtures.ts';
import { planDelivery } from '../plan/plan-delivery.ts';
import { resolveCapability } from './resolve-capability.ts';

const target = { profile: 'mine', runtime: 'acp', provider: 'openai', model: 'gpt-5.5' } as const;
const seen = (given: Partial<Contradiction> = {}): Contradiction => ({
  ...{ row: 'acp reader', kind: 'image', programVersion: '1.0', date: '2026-11-23', isForAll: false },
  note: 'Version 1.0 left out an image in 3 turns of 2 sessions.',
  ...given,
});

type Given = {
  contradictions?: readonly Contradiction[];
  settingsSha256?: string;
  program?: string;
  hasOwnTools?: boolean;
};

function resolve({ contradictions = [], settingsSha256, program = 'reader', hasOwnTools }: Given) {
  const declared = { image: true, audio: true, embeddedContext: true };
  const request = { target, command: [program], declared, profileCapability: undefined, lineBytes: undefined };
  return resolveCapability({ ...request, hasOwnTools, contradictions, settingsSha256 }, trialCatalog);
}

const plan = (attachment: ReturnType<typeof givenAttachment>, given: Given) =>
  planDelivery(givenRequest({ target, attachments: [attachment], capability: resolve(given) }));

it('what was seen against a row closes the transport of that kind, with the day and what was seen [DL-58 DL-100]', () => {
  const capability = resolve({ contradictions: [seen()] });
  const { date, note } = seen();
  expect(capability.image).toMatchObject({
    transport: 'no',
    model: 'yes',
    evidence: {
      transport: { source: 'contradicted', date, note },
      model: { source: expect.stringMatching(/static|catalog/) },
    },
  });
  expect({ ...capability, image: undefined }).toEqual({ ...resolve({}), image: undefined });
  expect(capabilitySchema.parse(capability)).toEqual(capability);
});

it('of another row, another kind, or what the row does not carry anyway, changes nothing [DL-100]', () => {
  const others = [seen({ row: 'acp viewer' }), seen({ row: 'acp' }), seen({ kind: 'audio' })];
  expect(resolve({ contradictions: others })).toEqual(resolve({}));
});

it('of other settings concerns no profile but those that have them; the operator’s word, and what was seen before settings were kept, all [DL-58]', () => {
  const contradictions = [seen({ settingsSha256: 'a' })];
  expect(resolve({ contradictions, settingsSha256: 'a' }).image.transport).toBe('no');
  for (const rest of [{ settingsSha256: 'b' }, {}]) expect(resolve({ contradictions, ...rest })).toEqual(resolve({}));
  expect(resolve({ contradictions: [seen()], settingsSha256: 'b' }).image.transport).toBe('no');
});

it('of two, the latest is said', () => {
  const contradictions = [
    seen(),
    seen({ date: '2026-11-25', note: 'the operator knows it' }),
    seen({ date: '2026-11-24' }),
  ];
  expect(resolve({ contradictions }).image.evidence?.transport).toMatchObject({ note: 'the operator knows it' });
});

it('plans then take another route: a picture goes by tool, a document as its pages [BX-19 DL-58]', () => {
  expect(plan(givenAttachment(1), {}).items[0]?.becomes).toBe('native');
  expect(plan(givenAttachment(1), { contradictions: [seen()] }).items[0]).toMatchObject({ becomes: 'tool' });
  expect(plan(givenPdf(1), {}).items[0]?.becomes).toBe('native');
  expect(plan(givenPdf(1), { contradictions: [seen({ kind: 'document' })] }).items[0]).toMatchObject({
    becomes: 'pages',
  });
  const both = [seen(), seen({ kind: 'document' })];
  expect(plan(givenPdf(1), { contradictions: both }).items[0]?.becomes).toBe('text');
});

it('where there is no other, the plan is blocked, and says what was seen [DL-58]', () => {
  const contradictions = [seen({ row: 'acp viewer' })];
  const { decision, failures } = plan(givenAttachment(1), { contradictions, program: 'viewer' });
  expect([decision, failures.map(({ code }) => code)]).toEqual(['blocked', ['attachment_runtime_unsupported']]);
  expect(failures[0]?.userMessage).toContain(seen().note);
});

it('a program that is known to make other pictures is said so, in the capability and in the plan', () => {
  const alters = { source: 'static', date: '2026-11-23', note: 'reader 1.0 made each picture again' } as const;
  const transports = trialCatalog.transports.map((row) =>
    row.program === 'viewer' ? { ...row, kinds: { ...row.kinds, image: { ...row.kinds.image, alters } } } : row,
  );
  const request = {
    target,
    command: ['viewer'],
    declared: undefined,
    profileCapability: undefined,
    lineBytes: undefined,
  };
  const capability = resolveCapability(request, { ...trialCatalog, transports });
  expect(capability.image.alters).toEqual(alters);
  const { decision, items } = planDelivery(givenRequest({ target, attachments: [givenAttachment(1)], capability }));
  expect(decision).toBe('deliver');
  expect(items[0]?.warnings).toMatchObject([
    { code: 'program_alters_image', severity: 'warning', message: expect.stringContaining(alters.note) },
  ]);
});
