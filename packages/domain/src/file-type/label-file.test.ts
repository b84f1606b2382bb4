import { describe, expect, it } from 'vitest';
import { claimTextType, labelFile } from './label-file.ts';
import { nameMediaType } from './name-media-type.ts';

const bytes = (text: string) => Uint8Array.from(text, (char) => char.charCodeAt(0));
const noise = Uint8Array.from({ length: 4100 }, (_, index) => ((index + 3) * (index + 7) * 7919) >> 3);

describe('the label of a file that nothing has inspected yet', () => {
  it.each([
    'video/mp4',
    'audio/wav',
    'image/png',
    'application/pdf',
    'text/plain',
    'text/html',
    'application/zip',
    undefined,
  ])('is never a claim: noise declared %s is unknown [DL-10 S10]', (declaredMimeType) => {
    expect(labelFile(noise, { name: 'clip.mp4', declaredMimeType })).toBe('application/octet-stream');
  });

  it('is what the first bytes begin like [DL-10]', () => {
    expect(labelFile(bytes('\x89PNG\r\n\x1a\n'), { declaredMimeType: 'text/plain' })).toBe('image/png');
    expect(labelFile(bytes('PK\x03\x04'), { name: 'a.docx' })).toBe('application/zip');
  });

  it('is an active type where they show one, whatever it is called [S10 S11]', () => {
    expect(labelFile(bytes('<html><p>'), { declaredMimeType: 'text/markdown' })).toBe('text/html');
    expect(labelFile(bytes('<svg>'), { declaredMimeType: 'image/png' })).toBe('image/svg+xml');
    const feed = { declaredMimeType: 'application/atom+xml' };
    expect(labelFile(bytes('<?xml version="1.0"?><feed>'), feed)).toBe('application/atom+xml');
  });

  it.each([
    [{ name: 'notes.md' }, 'text/markdown'],
    [{ name: 'notes.md', declaredMimeType: 'application/octet-stream' }, 'text/markdown'],
    [{ name: 'notes.md', declaredMimeType: 'text/plain; charset=utf-8' }, 'text/markdown'],
    [{ name: 'notes.md', declaredMimeType: 'text/csv' }, 'text/csv'],
    [{ name: 'notes', declaredMimeType: 'application/json' }, 'application/json'],
    [{ name: 'photo.png', declaredMimeType: 'image/png' }, 'text/plain'],
    [{}, 'text/plain'],
  ])('of text is the declared or named one: %j [RP-05]', (claims, expected) => {
    expect(labelFile(bytes('a,b\n1,2\n'), claims)).toBe(expected);
  });

  it('of a PDF behind something else is PDF, but of a source that holds one what its name tells [DL-10]', () => {
    const pdf = '%PDF-1.4\n1 0 obj\n<</Type/Catalog>>\n';
    expect(labelFile(bytes(`From: a\r\n\r\n${pdf}`), { name: 'a.pdf' })).toBe('application/pdf');
    expect(labelFile(bytes(`\x93\xfe\n${pdf}`), { declaredMimeType: 'text/plain' })).toBe('application/pdf');
    expect(labelFile(bytes(`DATA = b'''${pdf}`), { name: 'make_pdf.py' })).toBe('text/x-python');
    expect(labelFile(bytes(pdf), { name: 'a.md' })).toBe('application/pdf');
  });

  it('knows a text that ends amid a character, and one in UTF-16', () => {
    expect(labelFile(new TextEncoder().encode('größer').subarray(0, 4), {})).toBe('text/plain');
    expect(labelFile(bytes('\xff\xfea\0b\0'), { name: 'a.csv' })).toBe('text/csv');
    expect(labelFile(new Uint8Array(0), {})).toBe('application/octet-stream');
  });
});

describe('the type that a name tells', () => {
  it.each([
    ['a.MD', 'text/markdown'],
    ['a.tar.json', 'application/json'],
    ['.md', undefined],
    ['md', undefined],
    ['a.constructor', undefined],
    ['a.md/', undefined],
    ['', undefined],
  ])('of %j is %s', (name, expected) => {
    expect(nameMediaType(name)).toBe(expected);
  });

  it('counts among texts alone', () => {
    expect(claimTextType({ name: 'a.mp4', declaredMimeType: 'video/mp4' })).toBeUndefined();
    expect(claimTextType({ name: 'a.mp4', declaredMimeType: 'text/plain' })).toBe('text/plain');
  });
});
