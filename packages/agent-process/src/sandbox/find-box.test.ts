import { statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findBox } from './find-box.ts';

describe('the first process of a sandbox', () => {
  it.each(['x64', 'arm64'])('is an executable file for %s [BX-22]', (architecture) => {
    const { mode } = statSync(findBox(architecture) ?? '');
    expect(mode & 0o111).toBe(0o111);
  });

  it('is not there for other architectures', () => {
    expect(findBox('riscv64')).toBeUndefined();
  });
});
