import { runtimes } from '@attache/contracts';
import { describe, expect, it } from 'vitest';
import { findProgram, listsToolsAtStart } from './find-program.ts';
import { programs } from './programs.ts';

const nameOf = (...command: string[]) => findProgram('acp', command)?.name;

describe('a program', () => {
  it('is known by its file name, wherever it lies and whatever starts it', () => {
    for (const { name, runtime } of programs) {
      if (name === undefined) continue;
      expect(findProgram(runtime, [`/opt/bin/${name}`])?.name).toBe(name);
      expect(findProgram(runtime, ['node', `/opt/${name}.js`, '--acp'])?.name).toBe(name);
    }
  });

  it.each(['constructor', '__proto__', 'toString', 'my-agent'])('%s is none of them', (program) => {
    expect(nameOf(program)).toBeUndefined();
    expect(listsToolsAtStart([program])).toBe(false);
  });

  it('of a runtime of its own is the same whatever the command is; where a runtime has several, one takes what the others do not', () => {
    for (const runtime of new Set(programs.map((each) => each.runtime))) {
      const taking = programs.filter((each) => each.runtime === runtime && each.takesAnyCommand);
      expect([runtime, taking.length]).toEqual([runtime, 1]);
      expect(findProgram(runtime, ['my-agent'])).toBe(taking[0]);
    }
  });

  it('has a name, a profile and a package that no other has', () => {
    const keys = [
      programs.map(({ name }) => name),
      programs.flatMap(({ profile }) => profile?.name ?? []),
      programs.flatMap((program) => program.package?.key ?? []),
    ];
    for (const each of keys) expect(new Set(each).size).toBe(each.length);
  });

  it('is driven by one way at most where it has several', () => {
    const driven = new Set(programs.map(({ runtime }) => runtime));
    expect(runtimes.filter((runtime) => !driven.has(runtime))).toEqual([
      'codex-exec',
      'opencode-serve',
      'opencode-run',
    ]);
  });

  it('lists tools at its start only where its own command is the first word', () => {
    const [listing] = programs.filter((each) => each.listsToolsAtStart);
    expect(listsToolsAtStart([listing?.name ?? ''])).toBe(true);
    expect(listsToolsAtStart(['docker', listing?.name ?? ''])).toBe(false);
  });
});
