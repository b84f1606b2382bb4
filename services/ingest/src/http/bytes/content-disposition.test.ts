import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDisposition } from './content-disposition.ts';

const anyName = fc
  .array(fc.integer({ min: 0, max: 0x10ffff }), { maxLength: 20 })
  .map((codes) => String.fromCodePoint(...codes));

describe('a Content-Disposition header', () => {
  it('gives an ASCII fallback and the name in UTF-8', () => {
    expect(formatDisposition('inline', 'grün.png')).toBe(`inline; filename="gr_n.png"; filename*=UTF-8''gr%C3%BCn.png`);
  });

  it('is one line of visible ASCII with two names, whatever the name holds [S9]', () => {
    fc.assert(
      fc.property(anyName, (name) => {
        const header = formatDisposition('attachment', name);
        expect(header).toMatch(/^attachment; filename="[^"\\\r\n]*"; filename\*=UTF-8''[A-Za-z0-9%._~-]*$/);
        expect(() => new Headers({ 'content-disposition': header })).not.toThrow();
      }),
    );
  });

  it('cannot be ended early by a quote or a line break [S9]', () => {
    const header = formatDisposition('inline', 'a"; filename="b.html\r\nSet-Cookie: x=1');
    expect(header.match(/filename="/g)).toHaveLength(1);
    expect(header).not.toMatch(/[\r\n]/);
  });
});
