import type { SessionPolicy } from '@attache/contracts';
import { describe, expect, it } from 'vitest';
import { type Candidate, type CheckRules, checkFiles } from './check-files.ts';
import { guessKind, guessMimeType } from './guess-kind.ts';

type Accepts = SessionPolicy['agents'][number]['accepts'];

const accept = (
  kind: Accepts[number]['kind'],
  accepted: 'yes' | 'no' | 'unknown',
  more: Partial<Accepts[number]> = {},
) => ({
  ...{ kind, accepted, mimeTypes: [], ...more },
});

function policyOf(accepts: Accepts, more: Partial<SessionPolicy> = {}, tools: 'yes' | 'no' = 'no'): SessionPolicy {
  const target = { profile: 'example', runtime: 'acp', provider: 'example', model: 'm' } as const;
  return {
    ...{ sessionId: 'ses_1', status: 'active', conversions: 'allow', maxUploadBytes: 1_000, quotaLeftBytes: null },
    agents: [{ agentId: 'agt_1', name: 'helper', target, accepts, tools }],
    ...more,
  };
}

function file(name: string, sizeBytes = 10): Candidate {
  const mimeType = guessMimeType(name, '');
  return { name, mimeType, kind: guessKind(mimeType), sizeBytes, isReadable: true };
}

function check(files: Candidate[], rules: Partial<CheckRules> = {}) {
  const all = { supported: undefined, maxFiles: undefined, policy: undefined, presentKinds: [], unstoredBytes: 0 };
  return checkFiles(files, { ...all, ...rules }).map((found) => found && [found.code, found.limit, found.actual]);
}

const images = [accept('image', 'yes'), accept('document', 'no'), accept('text', 'yes'), accept('audio', 'no')];

describe('files before a byte of them moves', () => {
  it.each([
    ['images alone, where nothing is known', {}, ['a.png'], ['a.txt', 'a.pdf', 'a']],
    ['what the model takes', { policy: policyOf(images) }, ['a.png', 'a.txt', 'a.pdf', 'unknown'], ['a.mp3']],
    ['no format that nobody reads', { policy: policyOf(images) }, ['a.toml'], ['a.svg', 'a.zip', 'a.docx', 'a.exe']],
    [
      'no pages of a document without conversions',
      {
        policy: policyOf([accept('image', 'yes', { mimeTypes: ['image/png'] }), accept('document', 'no')], {
          conversions: 'deny',
        }),
      },
      ['a.png'],
      ['a.pdf', 'a.webp'],
    ],
    ['all where a tool reads it', { policy: policyOf(images, {}, 'yes') }, ['a.mp3', 'a.mp4', 'a.docx'], []],
    ['no image that nobody knows of', { policy: policyOf([accept('image', 'unknown')]) }, ['a.txt'], ['a.png']],
    ['what the caller names', { supported: ['.pdf', 'audio/*', 'image/png'] }, ['a.PDF', 'a.mp3', 'a.png'], ['a.gif']],
  ])('may be %s', (_, rules, taken, refused) => {
    expect(
      check(
        taken.map((name) => file(name)),
        rules,
      ),
    ).toEqual(taken.map(() => undefined));
    expect(
      check(
        refused.map((name) => file(name)),
        rules,
      ),
    ).toEqual(refused.map(() => ['type', undefined, undefined]));
  });

  it('are measured by size, count and quota, each against those before it', () => {
    const policy = policyOf([accept('image', 'yes', { maxCount: 2 })], { quotaLeftBytes: 100 });
    expect(check([file('a.png', 1_001), file('b.png', 60), file('c.png', 60), file('d.png', 40)], { policy })).toEqual([
      ['size', 1_000, 1_001],
      undefined,
      ['quota', 40, 60],
      undefined,
    ]);
    expect(check([file('e.png'), file('f.png')], { policy, presentKinds: ['image'] })).toEqual([
      undefined,
      ['count', 2, 3],
    ]);
    expect(check([file('g.png')], { maxFiles: 1, presentKinds: ['text'] })).toEqual([['count', 1, 2]]);
  });

  it('are source code, although systems call TypeScript a video', () => {
    const mimeType = guessMimeType('main.ts', 'video/mp2t');
    expect([mimeType, guessKind(mimeType)]).toEqual(['', 'unsupported']);
    expect(guessMimeType('film.m2ts', 'video/mp2t')).toBe('video/mp2t');
  });

  it('are refused if they are empty or cannot be read', () => {
    expect(check([file('a.png', 0), { ...file('b.png'), isReadable: false }])).toEqual([
      ['empty', undefined, undefined],
      ['unreadable', undefined, undefined],
    ]);
  });

  it('get a reason that names the file, the limit, the value and a way out [AT-37]', () => {
    const [found] = checkFiles([file('scan.png', 2_500_000)], {
      ...{ presentKinds: [], unstoredBytes: 0, policy: policyOf(images, { maxUploadBytes: 1_000_000 }) },
    });
    expect(found?.reason).toBe('“scan.png” has 2.5 MB; one file may have 1 MB. Make it smaller or split it.');
  });
});
