import { describe, expect, it } from 'vitest';
import { classifyMediaType, isActiveMediaType, isInlineSafe } from './classify-media-type.ts';

describe('classifyMediaType', () => {
  it.each([
    ['image/png', 'image'],
    ['image/jpeg', 'image'],
    ['image/gif', 'image'],
    ['image/webp', 'image'],
    ['image/avif', 'image'],
    ['image/heic', 'image'],
    ['image/tiff', 'image'],
    ['application/pdf', 'document'],
    ['text/plain', 'text'],
    ['text/markdown', 'text'],
    ['text/csv', 'text'],
    ['text/html', 'text'],
    ['text/x-script.python', 'text'],
    ['text/vnd.something-new', 'text'],
    ['application/json', 'text'],
    ['application/ld+json', 'text'],
    ['application/xml', 'text'],
    ['application/atom+xml', 'text'],
    ['application/yaml', 'text'],
    ['application/x-yaml', 'text'],
    ['application/toml', 'text'],
    ['application/sql', 'text'],
    ['application/javascript', 'text'],
    ['audio/wav', 'audio'],
    ['audio/mpeg', 'audio'],
    ['audio/mp2', 'audio'],
    ['video/mp4', 'video'],
    ['video/quicktime', 'video'],
    ['image/svg+xml', 'unsupported'],
    ['image/x-unheard-of', 'unsupported'],
    ['audio/midi', 'unsupported'],
    ['application/zip', 'unsupported'],
    ['application/octet-stream', 'unsupported'],
    ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'unsupported'],
  ])('%s is a type of the kind %s [RP-10 DL-14]', (mimeType, kind) => {
    expect(classifyMediaType(mimeType)).toBe(kind);
  });

  it('ignores case and parameters [RP-10]', () => {
    expect(classifyMediaType('TEXT/Plain; charset=utf-8')).toBe('text');
    expect(classifyMediaType(' Image/PNG ;q=1')).toBe('image');
  });

  it.each(['', 'image', 'image/', '/png', 'image/png/x', 'image png', 'text/\u0000', `text/${'x'.repeat(200)}`])(
    'takes %j for no media type',
    (mimeType) => {
      expect(classifyMediaType(mimeType)).toBe('unsupported');
      expect(isInlineSafe(mimeType)).toBe(false);
    },
  );
});

describe('what a browser may show', () => {
  it.each([
    'text/html',
    'TEXT/HTML; charset=utf-8',
    'application/xhtml+xml',
    'image/svg+xml',
    'application/xml',
    'text/xml',
    'application/rss+xml',
    'text/javascript',
    'text/javascript1.5',
    'application/x-javascript',
    'multipart/x-mixed-replace',
    'not a type',
  ])('%s is active and download-only [AT-22]', (mimeType) => {
    expect(isActiveMediaType(mimeType)).toBe(true);
    expect(isInlineSafe(mimeType)).toBe(false);
  });

  it.each(['image/png', 'image/jpeg; x=1', 'application/pdf', 'text/plain', 'video/mp4', 'audio/mpeg'])(
    '%s may be shown inline [AT-22]',
    (mimeType) => {
      expect(isActiveMediaType(mimeType)).toBe(false);
      expect(isInlineSafe(mimeType)).toBe(true);
    },
  );

  it.each(['application/octet-stream', 'application/zip', 'text/csv'])(
    '%s is neither active nor inline [AT-22]',
    (mimeType) => {
      expect(isActiveMediaType(mimeType)).toBe(false);
      expect(isInlineSafe(mimeType)).toBe(false);
    },
  );
});
