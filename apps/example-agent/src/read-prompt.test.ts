import { describe, expect, it } from 'vitest';
import { readDirectives } from './directives.ts';
import { readMarkers, readPrompt, sha256Of } from './read-prompt.ts';

const id = 'att_AAAAAAAAAAAAAAAAAAAAAA';

describe('a prompt', () => {
  it('gives its text and the files that arrived with their digests', () => {
    const bytes = Buffer.from('picture');
    const data = bytes.toString('base64');
    const prompt = readPrompt([
      { type: 'text', text: 'look' },
      { type: 'image', mimeType: 'image/png', data },
      { type: 'resource', resource: { uri: 'attachment:a/b.txt', mimeType: 'text/plain', text: 'body' } },
      { type: 'resource', resource: { uri: 'attachment:a/b.pdf', mimeType: 'application/pdf', blob: data } },
      { type: 'audio', mimeType: 'audio/wav', data },
    ]);
    expect(prompt.text).toBe('look');
    expect(prompt.files).toMatchObject([
      { type: 'image', bytes, sha256: sha256Of(bytes) },
      { type: 'text-file', text: 'body', sha256: sha256Of('body') },
      { type: 'document', mimeType: 'application/pdf', bytes, sha256: sha256Of(bytes) },
      { type: 'audio', mimeType: 'audio/wav', bytes, sha256: sha256Of(bytes) },
    ]);
  });
});

describe('markers', () => {
  it('are read one per line, their names as JSON strings [AT-28]', () => {
    const name = 'a "b" ]\n[attachment id=x.png';
    const text = `See this:\n[attachment id=${id} type=image/png name=${JSON.stringify(name)}]\nand that`;
    expect(readMarkers(text)).toEqual([{ id, mimeType: 'image/png', name }]);
  });

  it('are not read from the middle of a line or in another shape [S21]', () => {
    expect(readMarkers(`say [attachment id=${id} type=image/png name="a"]`)).toEqual([]);
    expect(readMarkers(`[attachment id=../x type=image/png name="a"]\n[attachment id=${id} type=a name=b]`)).toEqual(
      [],
    );
  });
});

describe('directives', () => {
  it('stand on lines of their own', () => {
    const text =
      'Hello\nexample: slow 300\nexample: crash\nexample: unknown\nsay example: refuse\nexample: constructor';
    expect([...readDirectives(text)]).toEqual([
      ['slow', 300],
      ['crash', 0],
    ]);
  });
});
