import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { describeFullDisk } from './describe-full-disk.ts';

describe('a disk', () => {
  it('with room for what is needed is not mentioned', () => {
    expect(describeFullDisk(tmpdir(), 1)).toBeUndefined();
  });

  it('with less is named, with what helps', () => {
    const { blocks, bsize } = statfsSync(tmpdir());
    const sentence = describeFullDisk(tmpdir(), (blocks + 1) * bsize);
    expect(sentence).toMatch(
      /^The disk of \S+, where tests keep their files, has \d+ MiB free of the \d+ that are needed\. /,
    );
    expect(sentence).toContain('TMPDIR');
  });
});
