import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';

const command = fileURLToPath(new URL('./check-ids.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'attache-check-ids-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const proof = { file: 'a.test.ts', name: 'a suite > signs a URL [AT-20]' };

/** Runs the command on a list of one requirement and on what runs are said to have shown. */
function check(shown: readonly object[]) {
  const [list, shownFile] = [join(folder, 'requirements.md'), join(folder, 'shown')];
  writeFileSync(
    list,
    '| id | what holds | proof |\n| AT-20 | URLs are signed. | `a.test.ts` a suite > signs a URL |\n',
  );
  writeFileSync(shownFile, shown.map((each) => `${JSON.stringify(each)}\n`).join(''));
  const { status, stdout } = spawnSync(process.execPath, [command, shownFile, list], { encoding: 'utf8' });
  return { status, stdout };
}

it('ends well where every proof was shown', () => {
  expect(check([proof])).toEqual({ status: 0, stdout: 'All 1 listed requirements were shown by their proofs.\n' });
});

it('fails where the proof of an id did not run, and names both', () => {
  const { status, stdout } = check([{ file: 'b.test.ts', name: 'signs a URL, too [AT-20]' }]);
  expect(status).toBe(1);
  expect(stdout).toContain(
    'AT-20: its proof did not run and pass, or cites nothing: a.test.ts: a suite > signs a URL\n',
  );
});

it('fails on a planted citation that says nothing of its id, and on one of no id that is listed', () => {
  const planted = { file: 'b.test.ts', name: 'the box is limited [AT-20 A9]' };
  const { status, stdout } = check([proof, planted]);
  expect(status).toBe(1);
  expect(stdout).toContain(
    'AT-20 has no word in common with what cites it, b.test.ts: the box is limited [AT-20 A9]\n',
  );
  expect(stdout).toContain('A9 is not listed, and cited by b.test.ts: the box is limited [AT-20 A9]\n');
});
