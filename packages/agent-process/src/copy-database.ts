import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { finished } from 'node:stream/promises';
import { agentFolders } from './agent-folders.ts';
import type { AgentSpec } from './driver.ts';
import { folderInside } from './sandbox/spec-inside.ts';
import type { SpawnedAgent } from './start-child.ts';
import { within } from './within.ts';

const WITHIN_MS = 30_000;

// Opens it for reading alone, and waits for a process that writes to it. It runs without a file of its own.
const BACKUP = `const { backup, DatabaseSync } = require('node:sqlite');
const [source, target] = process.argv.slice(1);
const database = new DatabaseSync(source, { readOnly: true, timeout: 5000 });
backup(database, target, { rate: 1000 }).then(() => process.exit(0), () => process.exit(1));`;

type Copying = { spec: AgentSpec; child: Pick<SpawnedAgent, 'startBeside'> };

/** A database is not in its file alone, and what an agent wrote is opened by nobody but the agent's own user in the agent's own sandbox. */
export async function copyDatabase({ spec, child }: Copying, place: string): Promise<string | undefined> {
  const inside = folderInside(spec);
  const copy = path.join(path.relative(inside, agentFolders(inside).temporary), `copy-${randomUUID()}.db`);
  const command = [process.execPath, '--no-warnings', '-e', BACKUP];
  const started = await child.startBeside?.(command, [path.join(inside, place), path.join(inside, copy)]);
  if (started === undefined) return undefined;
  started.stdin.end();
  started.stdout.resume();
  void finished(started.stdout).catch(() => undefined);
  const exit = await within(started.exited, WITHIN_MS);
  if (exit !== 'timeout' && exit.exitCode === 0) return copy;
  started.signalGroup('SIGKILL');
  await started.exited;
  await rm(path.join(spec.folder, copy), { force: true });
  return undefined;
}
