import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText } from '../__fixtures__/any-text.ts';
import { sanitizeName } from './sanitize-name.ts';
import { utf8Bytes } from './text-size.ts';

const sanitize = (raw: string | undefined) => sanitizeName(raw, 'file');

describe('sanitizeName', () => {
  it.each([
    ['report.pdf', 'report.pdf'],
    ['Отчёт за май.pdf', 'Отчёт за май.pdf'],
    ['../../etc/passwd', '_.._.._etc_passwd'],
    ['..\\..\\boot.ini', '_.._.._boot.ini'],
    ['%2e%2e%2fetc', '%2e%2e%2fetc'],
    ['/etc/passwd', '_etc_passwd'],
    ['\\\\server\\share\\x.png', '__server_share_x.png'],
    ['a\u0000.png', 'a.png'],
    ['-rf', '_-rf'],
    ['--settings=x', '_--settings=x'],
    ['.env', '_.env'],
    ['  .env', '_.env'],
    ['CON', '_CON'],
    ['nul.txt', '_nul.txt'],
    ['COM1.tar.gz', '_COM1.tar.gz'],
    ['console.log', 'console.log'],
    ['name. . ', 'name'],
    ['invoice\u202Egpj.exe', 'invoicegpj.exe'],
    ['zero\u200Bwidth\uFEFF.png', 'zerowidth.png'],
    ['e\u0301.png', 'é.png'],
    ['\ud800lone.png', 'lone.png'],
    ['a\t\tb.png', 'a b.png'],
  ])('%j becomes %j [S7]', (raw, label) => {
    expect(sanitize(raw)).toBe(label);
  });

  it('puts a name with line breaks on one line [S9]', () => {
    expect(sanitize('a\r\nSet-Cookie: x\u2028b')).toBe('a Set-Cookie: x b');
  });

  it.each([undefined, '', '   ', '...', '\u200B\u202E', '\r\n'])('falls back for %j [S7]', (raw) => {
    expect(sanitize(raw)).toBe('file');
  });

  it('cuts a long name between characters and keeps its extension [S7]', () => {
    const label = sanitize(`${'é'.repeat(5000)}.jpeg`);
    expect(utf8Bytes(label)).toBeLessThanOrEqual(200);
    expect(label).toMatch(/^é+\.jpeg$/);
    expect(utf8Bytes(sanitize('😀'.repeat(100)))).toBe(200);
  });

  it('gives a safe label for any name, and the same for that label [S7 S9]', () => {
    const name = fc.oneof(
      anyText(100),
      fc.array(fc.constantFrom('.', '-', '/', '\\', ' ', '\r', '\u202E', '\u0301', '😀', 'con', 'a', '_', '\ud800'), {
        maxLength: 300,
      }),
    );
    fc.assert(
      fc.property(name, (raw) => {
        const label = sanitize(typeof raw === 'string' ? raw : raw.join(''));
        expect(utf8Bytes(label)).toBeLessThanOrEqual(200);
        expect(label).not.toMatch(/^[-. ]|[/\\\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]|[. ]$/u);
        expect(label).toBe(label.normalize('NFC'));
        expect(sanitize(label)).toBe(label);
      }),
      { numRuns: 300 },
    );
  });
});
