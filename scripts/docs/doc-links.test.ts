import { describe, expect, it } from 'vitest';
import { findLinks, isLocalTarget, listAnchors } from './doc-links.ts';

describe('links of a document', () => {
  it('are links, images, references and HTML', () => {
    const text = '[a](a.md) ![b](<b.png> "title")\n\n[c]: c.md\n<img src="d.svg"> [![e](e.svg)](f.md)';
    expect(findLinks(text).map(({ target }) => target)).toEqual(['a.md', 'b.png', 'c.md', 'f.md', 'e.svg', 'd.svg']);
  });

  it('know their line', () => {
    expect(findLinks('one\ntwo [x](y.md)')).toEqual([{ line: 2, target: 'y.md' }]);
  });

  it('are not looked for in code', () => {
    expect(findLinks('`[a](a.md)`\n```md\n[b](b.md)\n```\n~~~\n[c](c.md)\n~~~\n')).toEqual([]);
  });

  it.each(['https://example.org', 'mailto:a@example.org', '//example.org'])('leave the repository: %s', (target) => {
    expect(isLocalTarget(target)).toBe(false);
  });
});

describe('anchors of a document', () => {
  it('come from headings, without marks and links', () => {
    const anchors = listAnchors('# One `two`: three!\n## [Ünder](x.md) the_hood\n```\n# no heading\n```\n');
    expect([...anchors]).toEqual(['one-two-three', 'ünder-the_hood']);
  });

  it('are numbered where headings repeat, and may be written by hand', () => {
    expect([...listAnchors('# A\n# A\n<a id="here"></a>')]).toEqual(['a', 'a-1', 'here']);
  });
});
