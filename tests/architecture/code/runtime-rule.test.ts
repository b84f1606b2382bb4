import { describe, expect, it } from 'vitest';
import { listShippedFiles, repositoryRoot } from '../source/source-files.ts';
import { parseSource, readSourceFile } from '../source/syntax-tree.ts';
import { findRuntimeQuestions } from './runtime-rule.ts';

const services = listShippedFiles(repositoryRoot).filter((path) => path.startsWith('services/'));

describe('the services', () => {
  it('were read', () => {
    expect(new Set(services.map((path) => path.split('/')[1]))).toEqual(
      new Set(['ingest', 'projector', 'runner-gateway']),
    );
  });

  it('never ask which runtime an agent has: what differs is a trait, a row or a driver [DL-65 DL-76]', () => {
    const questions = services.flatMap((path) => findRuntimeQuestions(readSourceFile(repositoryRoot, path)));
    expect(questions).toEqual([]);
  });
});

describe('a planted question for the runtime', () => {
  const find = (code: string) => findRuntimeQuestions(parseSource('services/ingest/src/planted.ts', code));

  it.each([
    "if (agent.runtime === 'acp') send();",
    "if ('claude-stream-json' !== runtime) send();",
    'const isCodex = runtime == `codex-app-server`;',
    "const asking = new Set(['acp']).has(runtime);",
    "const ways = { 'codex-exec': send };",
    'switch (target.runtime) { default: send(); }',
    'switch (runtime) { default: send(); }',
    "switch (kind) { case 'pi-rpc': send(); }",
  ])('is found: %s [DL-65]', (code) => {
    expect(find(code)).toHaveLength(1);
  });

  it.each([
    'const driver = drivers[agent.runtime];',
    "const format: Exclude<Format, 'acp'> = 'google';",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the code under test
    'const transport = `${row.runtime}/stdio`;',
    'switch (attachment.kind) { default: send(); }',
  ])('is none: %s', (code) => {
    expect(find(code)).toEqual([]);
  });
});
