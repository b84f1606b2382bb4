import { capabilitySchema } from '@attache/contracts';
import { describe, expect, it } from 'vitest';
import { capabilityTable } from './capability-table.ts';
import { type CapabilityRequest, matchesModel, resolveCapability } from './resolve-capability.ts';

const example = (model: string) => ({ profile: 'example', runtime: 'acp', provider: 'example', model }) as const;
const stranger = { profile: 'other', runtime: 'acp', provider: 'openai', model: 'gpt-5.5' } as const;
const resolve = (request: Partial<CapabilityRequest>) =>
  resolveCapability({
    target: stranger,
    declared: undefined,
    profileCapability: undefined,
    lineBytes: 1_000_000,
    ...request,
  });
const declared = { image: true, audio: true, embeddedContext: true };

describe('the catalog', () => {
  it('gives evidence for every row: what was seen, and when [DL-100 DL-19]', () => {
    for (const row of capabilityTable) {
      expect(row.evidence.date).toMatch(/^\d{4}-\d{2}-\d{2}$/);
      expect(row.evidence.note.length).toBeGreaterThan(20);
      expect(row.evidence.source).not.toBe('unknown');
      expect(capabilitySchema.parse({ ...row.capability, evidence: row.evidence })).toBeDefined();
    }
  });

  it('has one row at most for a model by name', () => {
    const names = capabilityTable.map(
      ({ runtime, provider, modelPattern }) => `${runtime} ${provider} ${modelPattern}`,
    );
    expect(new Set(names).size).toBe(names.length);
  });

  it('matches a model by its whole name or by its start', () => {
    expect(matchesModel('m-1', 'm-1')).toBe(true);
    expect(matchesModel('m-1', 'm-10')).toBe(false);
    expect(matchesModel('m-*', 'm-10')).toBe(true);
    expect(matchesModel('m-*', 'n-10')).toBe(false);
  });
});

describe('resolveCapability', () => {
  it('knows that example-vision takes images and text, and no more [DL-19]', () => {
    const capability = resolve({ target: example('example-vision') });
    expect(capability).toMatchObject({
      image: { transport: 'yes', model: 'yes', mimeTypes: ['image/png', 'image/jpeg', 'image/webp', 'image/gif'] },
      text: { transport: 'yes', model: 'yes' },
      document: { transport: 'no' },
      audio: { transport: 'no' },
      video: { transport: 'no' },
      forwardsNative: true,
      maxLineBytes: 1_000_000,
      evidence: { source: 'static', date: '2026-11-21' },
    });
  });

  it('keeps transport and understanding apart: example-text is reached but sees nothing [DL-09 DL-35]', () => {
    expect(resolve({ target: example('example-text') }).image).toMatchObject({ transport: 'yes', model: 'no' });
  });

  it('is narrowed by what the agent declares, never widened [DL-50]', () => {
    const narrowed = resolve({
      target: example('example-vision'),
      declared: { ...declared, image: false, embeddedContext: false },
    });
    expect(narrowed.image).toMatchObject({ transport: 'no', model: 'yes' });
    expect(narrowed.embeddedContext).toBe('no');
    expect(
      resolve({ target: example('example-text'), declared, profileCapability: { image: true, pdf: true } }),
    ).toMatchObject({
      image: { model: 'no' },
      document: { transport: 'no', model: 'no' },
      audio: { transport: 'no' },
    });
  });

  it('does not infer a model from its provider [DL-06 DL-66]', () => {
    const capability = resolve({ target: { ...stranger, provider: 'example' }, declared });
    expect(capability).toMatchObject({
      image: { transport: 'yes', model: 'unknown' },
      text: { transport: 'yes', model: 'yes' },
      forwardsNative: false,
      evidence: { source: 'live-probe' },
    });
  });

  it("takes the operator's word where nothing else is known [DL-66]", () => {
    const capability = resolve({ declared, profileCapability: { image: true } });
    expect(capability.image).toMatchObject({ transport: 'yes', model: 'yes' });
    expect(capability.evidence.source).toBe('operator');
    expect(resolve({ declared, profileCapability: { image: false, text: false } })).toMatchObject({
      image: { model: 'no' },
      text: { model: 'no' },
    });
  });

  it('knows nothing of an agent that was never initialised, but that it takes text [DL-50]', () => {
    expect(resolve({})).toMatchObject({
      image: { transport: 'unknown', model: 'unknown' },
      text: { transport: 'yes', model: 'yes' },
      embeddedContext: 'unknown',
      evidence: { source: 'unknown' },
    });
  });

  it('assumes nothing of another runtime without a row [DL-50]', () => {
    const capability = resolve({ target: { ...stranger, runtime: 'pi-rpc' } });
    expect(capability.text).toMatchObject({ transport: 'unknown', model: 'unknown' });
  });
});
