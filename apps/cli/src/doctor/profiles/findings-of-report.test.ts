import type { FoundBubblewrap } from '@attache/agent-process';
import { describe, expect, it } from 'vitest';
import type { ProfileReport } from './examine-profile.ts';
import { findingsOfReport } from './findings-of-report.ts';

const report: ProfileReport = {
  profile: 'mine',
  runtime: 'acp',
  isNamedInFile: true,
  program: 'my-agent',
  programPath: '/opt/my-agent',
  isBundled: false,
  version: 'my-agent 2',
  start: {
    status: 'started',
    tookMs: 1240,
    declared: { image: true, audio: false, embeddedContext: false },
    programVersion: '2.0',
    isNamed: true,
  },
  abilities: {
    status: 'known',
    provider: 'p',
    model: 'm',
    takes: { image: 'yes', pdf: 'no', text: 'yes', audio: 'unknown' },
  },
  permissionMode: 'gated',
  gate: { place: 'here', coversEveryCall: true, note: 'All of it.', runsAnyway: [] },
  sandbox: { status: 'none', isByProfile: true },
  survivesRestart: 'yes',
};

const linesOf = (changes: Partial<ProfileReport> = {}) =>
  Object.fromEntries(findingsOfReport({ ...report, ...changes }).map(({ name, ...found }) => [name, found]));

const started = { ...(report.start as Extract<ProfileReport['start'], { status: 'started' }>) };

const failed: ProfileReport['start'] = {
  status: 'failed',
  failure: {
    code: 'delivery_agent_auth_required',
    severity: 'error',
    userMessage: 'Sign in.',
    diagnostic: 'no key\nand more',
    retryable: true,
  },
};

describe('what is said of a profile', () => {
  it('has the field for which the relay would refuse the requests of a new version', () => {
    const requestOf = (request: (typeof started)['request'], changes: Partial<ProfileReport> = {}) =>
      linesOf({ start: { ...started, request }, ...changes })['mine: request'];
    expect(requestOf({ status: 'passed' })).toEqual({ state: 'ok', detail: 'its first request passes the relay' });
    expect(requestOf({ status: 'not-asked' })).toMatchObject({ state: 'warning' });
    const refused = { status: 'refused', code: 'relay_field_refused', field: 'messages[0].telepathy' } as const;
    expect(requestOf(refused, { triedVersion: '1.9' })).toEqual({
      state: 'failed',
      detail: 'the relay refuses its first request: relay_field_refused, messages[0].telepathy',
      fix: expect.stringContaining('tried with version 1.9'),
    });
    expect(requestOf(refused, { isNamedInFile: false })).toMatchObject({ state: 'warning' });
    expect(requestOf(undefined)).toBeUndefined();
  });

  it('is one line for each check', () => {
    expect(linesOf()).toEqual({
      'mine: program': { state: 'ok', detail: '/opt/my-agent, my-agent 2' },
      'mine: start': { state: 'ok', detail: 'ready for a prompt after 1.2 s' },
      'mine: takes': { state: 'ok', detail: 'image yes, pdf no, text yes, audio unknown (p, m)' },
      'mine: gate': { state: 'ok', detail: 'every call: here. All of it.' },
      'mine: sandbox': {
        ...{ state: 'warning', detail: expect.stringMatching(/^none, on the word of the profile: /) },
      },
      'mine: restart': { state: 'ok', detail: 'its conversation continues in a later process' },
    });
  });

  it('says what its agents reach in their sandbox, or what to do where it cannot be made [BX-22]', () => {
    const sandboxed = (bubblewrap: FoundBubblewrap, network: 'relay' | 'none' | { allow: string[] } = 'relay') =>
      linesOf({ isNamedInFile: false, sandbox: { status: 'sandboxed', bubblewrap, network } });
    const works = { status: 'works', program: '/usr/bin/bwrap' } as const;
    const said = (reached: string) => ({
      'mine: sandbox': { state: 'ok', detail: `its agents see their own folder alone, and reach ${reached}` },
      'mine: start': { detail: 'ready for a prompt after 1.2 s, in its sandbox' },
    });
    expect(sandboxed(works)).toMatchObject(said('their model API alone'));
    expect(sandboxed(works, 'none')).toMatchObject(said('nobody'));
    expect(sandboxed(works, { allow: ['a.example:443', 'b.example:1'] })).toMatchObject(
      said('a.example:443, b.example:1'),
    );
    const unavailable = {
      status: 'unavailable',
      cause: 'seccomp',
      remedy: 'Allow it.',
      said: 'bwrap: No\nmore',
    } as const;
    expect(sandboxed(unavailable)).toMatchObject({
      'mine: sandbox': { state: 'failed', detail: 'seccomp: bwrap: No', fix: 'Allow it.' },
    });
  });

  it('names what keeps the users of its agents from its program [BX-22]', () => {
    const bubblewrap = { status: 'works', program: '/usr/bin/bwrap' } as const;
    const sandbox = { status: 'sandboxed', bubblewrap, network: 'relay', barrier: '/root/agents' } as const;
    expect(linesOf({ sandbox })['mine: sandbox']).toMatchObject({
      ...{ state: 'failed', detail: expect.stringContaining('/root/agents') },
    });
  });

  it('fails where nothing says what its agents reach, and warns where they have no sandbox [BX-22]', () => {
    expect(linesOf({ sandbox: { status: 'unreachable' } })['mine: sandbox']).toMatchObject({
      ...{ state: 'failed', fix: expect.stringContaining('"network"') },
    });
    expect(linesOf({ sandbox: { status: 'wrapped', program: '/opt/wrap' } })['mine: sandbox']).toMatchObject({
      ...{ state: 'ok', detail: expect.stringContaining('/opt/wrap') },
    });
    expect(linesOf({ sandbox: { status: 'none', isByProfile: false } })['mine: sandbox']).toMatchObject({
      ...{ state: 'warning', detail: expect.stringContaining('none works here') },
    });
  });

  it.each([
    ['relay', 'ok', 'by the relay'],
    ['own', 'warning', 'key in the child, no proof on the wire'],
  ] as const)('says where the key of a model API is: %s [BX-24]', (modelWay, state, detail) => {
    expect(linesOf({ modelWay })['mine: model']).toMatchObject({ state, detail: expect.stringContaining(detail) });
  });

  it('names the version of the handshake where the program tells none by itself', () => {
    expect(linesOf({ version: undefined })['mine: program']?.detail).toBe('/opt/my-agent, 2.0');
  });

  it('is wrong where a file names what is not there, and ends there', () => {
    const start = { status: 'not-tried', why: 'its program is not there' } as const;
    const { 'mine: program': program, ...rest } = linesOf({ programPath: undefined, start });
    expect(program).toMatchObject({ state: 'failed', detail: 'my-agent is not there' });
    expect(program?.fix).toContain('Install my-agent');
    expect(rest).toEqual({});
  });

  it.each([
    [true, 'failed'],
    [false, 'warning'],
  ])(
    'is no more than a warning where a program does not start that was merely found: named %s',
    (isNamedInFile, state) => {
      expect(linesOf({ isNamedInFile, start: failed })['mine: start']).toEqual({
        state,
        detail: 'delivery_agent_auth_required: no key',
        fix: 'Sign in.',
      });
    },
  );

  it('says under deny what leaves the program no tools, or that nothing does and what to do [BX-21]', () => {
    const gateOf = (denial: ProfileReport['denial']) =>
      linesOf({ permissionMode: 'deny', denial, isNamedInFile: false })['mine: gate'];
    expect(gateOf({ evidence: 'trial', by: 'an empty list' })).toEqual({
      state: 'ok',
      detail: 'no tools but those of Attaché: an empty list',
    });
    expect(gateOf({ evidence: 'operator' })).toMatchObject({ state: 'ok', detail: expect.stringContaining('word') });
    expect(gateOf(undefined)).toMatchObject({ state: 'failed', fix: expect.stringContaining('"ownTools": "none"') });
  });

  it('warns of what would be refused and of calls that nobody is asked about, with what to do', () => {
    const lines = linesOf({
      abilities: { status: 'no-target', reason: 'no model' },
      gate: { place: 'here', coversEveryCall: false, note: 'Reading runs.', runsAnyway: ['cat', 'ls'] },
    });
    expect(lines['mine: takes']).toMatchObject({ state: 'warning', fix: expect.stringContaining('model') });
    expect(lines['mine: gate']).toMatchObject({
      state: 'warning',
      detail: "not every call: here. Reading runs. Seen to run although they named another session's file: cat, ls.",
    });
  });
});
