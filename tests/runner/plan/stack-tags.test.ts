import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listTagged, readStackTags } from './stack-tags.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

function givenFile(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'attache-tag-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'a.test.ts');
  writeFileSync(path, text);
  return path;
}

describe('the tag of an end-to-end file', () => {
  it('says when it runs on the hosted stack, and why', () => {
    const path = givenFile('// hosted: long – one process answers all of it\nimport x from "y";\n');
    expect(readStackTags(path)).toEqual({ hosted: 'long', embedded: 'every' });
  });

  it('may say in a second line that the embedded stack, too, runs it in the long tests alone', () => {
    const path = givenFile('// hosted: never – no stack\n// embedded: long – it takes minutes\n');
    expect(readStackTags(path)).toEqual({ hosted: 'never', embedded: 'long' });
  });

  it.each(['import x from "y";\n', '// hosted: often – a reason\n', '// hosted: long\n', ''])(
    'must be there: %j',
    (text) => {
      expect(() => readStackTags(givenFile(text))).toThrow('must begin with a line such as');
    },
  );

  it('is in every one of them', () => {
    const counts = (['every', 'long', 'never'] as const).map((runs) => listTagged(root, 'hosted', runs).length);
    for (const count of [...counts, listTagged(root, 'embedded', 'long').length]) expect(count).toBeGreaterThan(0);
  });
});
