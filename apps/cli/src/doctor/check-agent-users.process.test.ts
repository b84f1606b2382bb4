import { randomInt } from 'node:crypto';
import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { checksOfAgentUsers } from './check-agent-users.ts';

it.runIf(process.getuid?.() === 0)('looks at the data folder as the user of an agent would [BX-22 S19]', async () => {
  const first = 1_700_000_000 + randomInt(1_000_000);
  const data = await mkdtemp(join(tmpdir(), 'attache-doctor-folder-'));
  const database = join(data, 'database');
  const own = join(data, 'agents', 'own');
  await mkdir(own, { recursive: true });
  await mkdir(database);
  await writeFile(join(database, 'a file\nof two lines'), '');
  await writeFile(join(own, 'mine'), '');
  for (const each of [own, join(own, 'mine')]) await chown(each, first, first);
  for (const each of [data, join(data, 'agents')]) {
    await chown(each, 0, first);
    await chmod(each, 0o710);
  }
  const look = async () => {
    const [, check] = checksOfAgentUsers({ first, last: first + 9 }, true, data);
    return await check?.run();
  };
  for (const [folder, file, reached] of [
    [0o755, 0o600, [database]],
    [0o711, 0o666, [join(database, 'a file\nof two lines')]],
    [0o755, 0o666, [database, join(database, 'a file\nof two lines')]],
  ] as const) {
    await chmod(database, folder);
    await chmod(join(database, 'a file\nof two lines'), file);
    expect(await look()).toMatchObject({
      ...{ state: 'failed', detail: expect.stringContaining(reached.join(', ')), fix: expect.any(String) },
    });
  }
  await chmod(database, 0o700);
  expect(await look()).toMatchObject({ state: 'ok' });
  await rm(data, { recursive: true });
  expect(await look()).toMatchObject({ state: 'ok' });
});
