import { capabilitySchema } from '@attache/contracts';
import { describe, expect, it } from 'vitest';
import { trialCatalog } from '../__fixtures__/trial-catalog.ts';
import { type CapabilityRequest, resolveCapability } from './resolve-capability.ts';

const example = (model: string) => ({ profile: 'example', runtime: 'acp', provider: 'example', model }) as const;
const stranger = { profile: 'other', runtime: 'acp', provider: 'nobody', model: 'gpt-5.5' } as const;
const resolve = (request: Partial<CapabilityRequest>) =>
  resolveCapability(
    {
      target: stranger,
      declared: undefined,
      profileCapability: undefined,
      lineBytes: 1_000_000,
      ...request,
    },
    trialCatalog,
  );
const declared = { image: true, audio: true, embeddedContext: true };

describe('resolveCapability', () => {
  it('knows that example-vision takes images and text, and no more [DL-19]', () => {
    const capability = resolve({ target: example('example-vision') });
    expect(capability).toMatchObject({
      image: { transport: 'yes', model: 'yes', mimeTypes: ['image/png', 'image/jpeg', 'image/webp', 'image/gif'] },
      text: { transport: 'yes', model: 'yes' },
      document: { transport: 'yes', model: 'no', mimeTypes: [] },
      audio: { transport: 'yes', model: 'no' },
      video: { transport: 'no', model: 'no' },
      forwardsNative: true,
      maxLineBytes: 1_000_000,
      evidence: { source: 'static', date: '2026-11-21' },
    });
  });

  it('knows whose program reads files with tools of its own, and that its profile may deny them [BX-19 SR-29]', () => {
    const reading = { target: { ...stranger, profile: 'mine' }, command: ['reader'] };
    expect(resolve({ ...reading, hasOwnTools: true }).files).toMatchObject({
      read: 'yes',
      evidence: { source: 'static', note: expect.stringContaining('attachment_file') },
    });
    expect(resolve(reading).files).toMatchObject({
      read: 'no',
      evidence: { source: 'operator', note: expect.stringContaining('The profile mine') },
    });
    expect(resolve({ target: example('example-vision'), hasOwnTools: true }).files).toBeUndefined();
    expect(resolve({ target: stranger, hasOwnTools: true }).files).toBeUndefined();
  });

  it('takes the operator’s word that a program reads files, or does not [BX-19 SR-29]', () => {
    const profileOf = (files: boolean, hasOwnTools = true) =>
      resolve({ target: stranger, profileCapability: { files }, hasOwnTools });
    expect(profileOf(true)).toMatchObject({ tools: 'yes', files: { read: 'yes', evidence: { source: 'operator' } } });
    expect(profileOf(true).evidence.source).toBe('unknown');
    expect(profileOf(true, false).files).toMatchObject({ read: 'no' });
    expect(profileOf(false).files).toMatchObject({ read: 'no' });
    const tried = resolve({ command: ['reader'], profileCapability: { files: false }, hasOwnTools: true });
    expect(tried.files).toMatchObject({ read: 'no', evidence: { note: expect.stringContaining('reads no files') } });
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
      document: { transport: 'yes', model: 'no' },
    });
  });

  it('does not infer a model from its provider [DL-06 DL-66]', () => {
    const capability = resolve({ target: { ...stranger, provider: 'google' }, declared });
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

  it('knows what a runtime carries, whatever its model is [BX-19]', () => {
    const capability = resolve({ target: { ...stranger, runtime: 'pi-rpc' } });
    expect(capability).toMatchObject({
      text: { transport: 'yes', model: 'yes' },
      image: { transport: 'yes', model: 'unknown' },
      document: { transport: 'no' },
      audio: { transport: 'no' },
    });
    expect(capability.image.evidence?.transport.note).toContain('runtime 1.0');
  });

  it('takes the word of a tenant where nothing is known, and its limits where they are tighter [BX-05 DL-66]', () => {
    const override = {
      capability: { image: true, limits: { maxImages: 3, maxRequestBytes: 1000 } },
      reason: 'measured by us',
    };
    const capability = resolve({ declared, override });
    expect(capability).toMatchObject({
      image: { model: 'yes', maxCount: 3, evidence: { model: { source: 'tenant-override', note: 'measured by us' } } },
      document: { model: 'unknown' },
      maxRequestBytes: 1000,
      evidence: { source: 'tenant-override' },
    });
    const known = resolve({ target: example('example-text'), declared, override });
    expect(known.image).toMatchObject({ model: 'no' });
    expect(capabilitySchema.parse(known)).toEqual(known);
  });

  it('says what it knows of a model API without any agent [DL-19 RP-07]', () => {
    const target = { runtime: 'anthropic', provider: 'anthropic', model: 'claude-sonnet-5' } as const;
    const capability = resolve({ target, lineBytes: undefined });
    expect(capability).toMatchObject({
      image: { transport: 'yes', model: 'yes', maxCount: 600 },
      document: { transport: 'yes', model: 'yes', mimeTypes: ['application/pdf'] },
      audio: { transport: 'no' },
      maxRequestBytes: 32 * 1024 * 1024,
    });
    expect(capability.maxLineBytes).toBeUndefined();
  });

  it('tells programs of one protocol apart [BX-19 DL-65]', () => {
    const of = (...command: string[]) => resolve({ command, declared }).document.transport;
    expect(of('reader', '--acp')).toBe('yes');
    expect(of('/opt/bin/viewer')).toBe('no');
    expect(of('node', '/x/reader.js')).toBe('yes');
    expect(of('some-agent')).toBe('no');
  });
});
