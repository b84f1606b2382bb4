import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { failureCodes, failureExplanations, type Raiser } from '@attache/contracts';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Where each raiser lives. Two share the projector and the media workers. */
const places: { raisers: Raiser[]; folders: string[] }[] = [
  { raisers: ['plan'], folders: ['packages/domain'] },
  { raisers: ['inspection', 'execution'], folders: ['packages/media', 'services/projector'] },
  { raisers: ['bus'], folders: ['packages/database'] },
  { raisers: ['gateway'], folders: ['services/runner-gateway'] },
  { raisers: ['driver'], folders: ['packages/agent-process'] },
];

function readCode(folders: readonly string[]): string {
  const files = folders.flatMap((folder) => globSync(`${folder}/src/**/*.ts`, { cwd: root }));
  const sources = files.filter((file) => !/\.(test|contract|spec)\.ts$|__fixtures__|-fixtures\.ts$/.test(file));
  return sources.map((file) => readFileSync(`${root}/${file}`, 'utf8')).join('\n');
}

describe('who raises a failure', () => {
  it.each(places)('$raisers: as the code does, neither more nor fewer [DL-37 DL-12]', ({ raisers, folders }) => {
    const code = readCode(folders);
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
