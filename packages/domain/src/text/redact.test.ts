import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redactDiagnostic, redactText } from './redact.ts';

const isShort = process.env.ATTACHE_TEST_AMOUNT === 'few';

const base64 = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

describe('redactText', () => {
  it.each([
    [`got data:image/png;base64,${base64}.`, `got [data URL of ${22 + base64.length} characters].`],
    ['x data:text/html,%3Cb%3Ehi y', 'x [data URL of 24 characters] y'],
    [`"data":"${base64}"`, `"data":"[base64 of ${base64.length} characters]"`],
    [`-${'a_b-'.repeat(20)} end`, '[base64 of 81 characters] end'],
    ['key sk-ant-api03-abcdefgh is wrong', 'key sk-[redacted] is wrong'],
    ['OPENAI_API_KEY=abc123 node x', 'OPENAI_API_KEY=[redacted] node x'],
    ['{"api_key":"a b\\"c","n":1}', '{"api_key":[redacted],"n":1}'],
    ["password: 'hunter two'", 'password: [redacted]'],
    ['Authorization: Bearer abc.def-ghi', 'Authorization: Bearer [redacted]'],
    ['authorization: Basic dXNlcjpwYXNz', 'authorization: Basic [redacted]'],
    ['a bearer abcdefgh1234 here', 'a bearer [redacted] here'],
    ['atk_abc_defghijk ats_aaaa.bbbbbb.cc ata_12345678', 'atk_[redacted] ats_[redacted] ata_[redacted]'],
    ['GET /raw?exp=1&kid=k&g=1&sig=AbC-_9 HTTP', 'GET /raw?exp=1&kid=k&g=1&sig=[redacted] HTTP'],
    ['?X-Amz-Signature=00ff&x=1', '?X-Amz-Signature=[redacted]&x=1'],
    ['?key=AIzaSyA1234567890abcdefghij', '?key=[redacted]'],
    ['jwt eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl!', 'jwt [redacted]!'],
  ])('%j becomes %j [DL-67]', (text, redacted) => {
    expect(redactText(text)).toBe(redacted);
  });

  it.each([
    'ENOENT: no such file, open /home/me/project/src/index.ts',
    'attachment att_ABEiM0RVZneImaq7zN3u_w is pending',
    'usage: {"inputTokens":123,"outputTokens":4}',
    `${'-'.repeat(100)}\n${'='.repeat(100)}`,
    'error 429: rate_limit, try again in 20 s',
    'cannot read /srv/platform/deployments/production/agents/claude/config/projects/settings: EACCES',
    'spawn /opt/agent-platform/node_modules/some-package/bin/linux-x64/program/agents/main ENOENT',
    'at /Users/somebody/Documents/Projects/agent-platform/services/runner/src/main/start',
  ])('leaves %j alone [DL-67]', (text) => {
    expect(redactText(text)).toBe(text);
  });

  it('finds base64 over line breaks, as they are and escaped [DL-67]', () => {
    const wrapped = `${'QUJD'.repeat(19)}\r\n${'QUJD'.repeat(19)}\r\nQUJD`;
    expect(redactText(`a ${wrapped} b`)).not.toContain('QUJD');
    expect(redactText(JSON.stringify({ data: wrapped }))).not.toContain('QUJD');
    expect(redactText(JSON.stringify(JSON.stringify({ data: wrapped })))).not.toContain('QUJD');
  });

  it('finds base64 that begins as a path does, or has slashes [DL-67]', () => {
    for (const run of [
      `/9j/4AAQSkZJRgABAQAAAQABAAD/${'2wBDAAMC'.repeat(6)}`,
      `/home/user/project/${base64}`,
      'aB3/'.repeat(20),
    ])
      expect(redactText(`got ${run} here`)).toMatch(/^got \[base64 of \d+ characters\] here$/);
  });

  it('leaves no canary in whatever place a secret can stand [DL-67]', () => {
    const secret = fc.string({ unit: fc.constantFrom(...'ABCDEFGHabcdefgh0123456789'), minLength: 16, maxLength: 90 });
    const places = [
      (s: string) => `OPENAI_API_KEY=${s}`,
      (s: string) => `export X_API_KEY="${s}"`,
      (s: string) => JSON.stringify({ apiKey: s }),
      (s: string) => JSON.stringify(JSON.stringify({ client_secret: `${s} ${s}` })),
      (s: string) => `Bearer ${s}`,
      (s: string) => `sk-${s}`,
      (s: string) => `sk-proj-${s}_${s}`,
      (s: string) => `atk_k_${s}`,
      (s: string) => `https://h/raw?exp=1&sig=${s}&v=1`,
      (s: string) => `data:image/png;base64,${s}`,
      (s: string) => 'A'.repeat(64) + s,
    ];
    const noise = fc.string({ unit: fc.constantFrom(' ', '\n', ',', '"', ')', '.', ' x '), maxLength: 4 });
    fc.assert(
      fc.property(secret, fc.constantFrom(...places), noise, noise, (canary, place, before, after) => {
        expect(redactText(` ${before}${place(canary)} ${after}`)).not.toContain(canary);
      }),
      { numRuns: isShort ? 80 : 300 },
    );
  });

  it('keeps its pace on hostile texts of any size [DL-67]', () => {
    const seeds = [
      'A',
      '\\',
      '"',
      'data:',
      'secret="',
      'bearer ',
      'atk_',
      'eyJ.',
      'authorization:',
      'password=[',
      '?sig=a.',
      'AAAA\n',
      '%2B',
    ];
    fc.assert(
      fc.property(fc.constantFrom(...seeds), fc.constantFrom(...seeds), (first, second) => {
        const hostile = first + second.repeat(40_000);
        expect(redactText(hostile).length).toBeLessThanOrEqual(hostile.length * 3);
      }),
      { numRuns: isShort ? 5 : 40 },
    );
    expect(redactText(`bearer ${'a.'.repeat(1_000_000)}`)).toBe('bearer [redacted]');
  });
});

describe('redactDiagnostic', () => {
  it('cuts after it has redacted [DL-67 DL-38]', () => {
    const cut = redactDiagnostic(`${'x '.repeat(20)}${base64}`, 60);
    expect(cut).toHaveLength(60);
    expect(cut).not.toContain('iVBOR');
    expect(cut.endsWith('…')).toBe(true);
  });

  it('does not cut a character in two', () => {
    expect(redactDiagnostic('😀😀😀', 4)).toBe('😀…');
  });

  it('is at most 2000 characters long', () => {
    expect(redactDiagnostic('some words '.repeat(1000))).toHaveLength(2000);
  });
});
