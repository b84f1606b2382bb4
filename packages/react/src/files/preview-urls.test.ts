import { describe, expect, it } from 'vitest';
import { createPreviewUrls } from './preview-urls.ts';

function open() {
  const alive = new Set<string>();
  let made = 0;
  const previews = createPreviewUrls({
    createObjectURL() {
      made += 1;
      alive.add(`blob:${made}`);
      return `blob:${made}`;
    },
    revokeObjectURL: (url) => void alive.delete(url),
  });
  return { previews, alive };
}

const previewFile = new Blob(['x']);

describe('previews', () => {
  it('are made for local images, and revoked once the server has a URL or the file is gone', () => {
    const { previews, alive } = open();
    previews.show([{ key: 'a', previewFile }, { key: 'b', previewFile }, { key: 'c' }]);
    expect([...previews.getSnapshot().urls]).toEqual([
      ['a', 'blob:1'],
      ['b', 'blob:2'],
    ]);
    previews.show([
      { key: 'a', previewFile, displayUrl: 'https://files/a' },
      { key: 'b', previewFile },
    ]);
    expect([...previews.getSnapshot().urls.keys()]).toEqual(['b']);
    expect([...alive]).toEqual(['blob:2']);
    previews.show([]);
    expect([...alive]).toEqual([]);
  });

  it('tell of changes alone, so that drawing again changes nothing', () => {
    const { previews } = open();
    let told = 0;
    const stop = previews.subscribe(() => {
      told += 1;
    });
    previews.show([{ key: 'a', previewFile }]);
    const before = previews.getSnapshot();
    previews.show([{ key: 'a', previewFile }]);
    expect(previews.getSnapshot()).toBe(before);
    stop();
    previews.show([]);
    expect(told).toBe(1);
  });
});
