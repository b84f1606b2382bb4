import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { failureCodes, failureExplanations, type Raiser } from '@attache/contracts';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

const all = (folder: string) => `${folder}/src/**/*.ts`;
const decided = 'packages/domain/src/{attachment,delivery}';

/** The code of each raiser. Failures of the bus and the gateway are partly decided in domain. Two raisers share the projector and the media workers. */
const places: { raisers: Raiser[]; sources: string[] }[] = [
  { raisers: ['plan'], sources: ['packages/domain/src/*.ts', 'packages/domain/src/!(attachment|delivery)/**/*.ts'] },
  { raisers: ['inspection', 'execution'], sources: [all('packages/media'), all('services/projector')] },
  { raisers: ['bus'], sources: [all('packages/database'), `${decided}/message-died.ts`] },
  { raisers: ['gateway'], sources: [all('services/runner-gateway'), `${decided}/!(message-died).ts`] },
  { raisers: ['driver'], sources: [all('packages/agent-process')] },
];

function readCode(patterns: readonly string[]): string {
  const files = patterns.flatMap((pattern) => globSync(pattern, { cwd: root }));
  const sources = files.filter((file) => !/\.(test|contract|spec)\.ts$|__fixtures__|-fixtures\.ts$/.test(file));
  return sources.map((file) => readFileSync(`${root}/${file}`, 'utf8')).join('\n');
}

describe('who raises a failure', () => {
  it.each(places)('$raisers: as the code does, neither more nor fewer [DL-37 DL-12]', ({ raisers, sources }) => {
    const code = readCode(sources);
    const raised = failureCodes.filter((name) => new RegExp(`\\b${name}\\b`).test(code));
    const said = failureCodes.filter((name) =>
      failureExplanations[name].raisedBy.some((raiser) => raisers.includes(raiser)),
    );
    expect(said).toEqual(raised);
  });
});

describe('whether a failure may be retried', () => {
  it('is what the drivers say of each [DL-42]', () => {
    const meanings = readFileSync(`${root}/packages/agent-process/src/agent-failure.ts`, 'utf8');
    const said = [...meanings.matchAll(/^ {2}(\w+): \{[^}]*?retryable: (true|false)/gms)];
    expect(said.length).toBeGreaterThan(10);
    const wrong = said.filter(([, code = '', retryable]) => {
      const explained = failureExplanations[code as keyof typeof failureExplanations].retryable;
      return typeof explained === 'string' && explained !== (retryable === 'true' ? 'yes' : 'no');
    });
    expect(wrong.map(([, code]) => code)).toEqual([]);
  });

  it('is never for what media find [DL-42]', () => {
    const found = readFileSync(`${root}/packages/media/src/worker-protocol.ts`, 'utf8');
    const codes = failureCodes.filter((code) => new RegExp(`'${code}'`).test(found));
    expect(codes.length).toBeGreaterThan(5);
    expect(codes.filter((code) => failureExplanations[code].retryable !== 'no')).toEqual([]);
  });
});
