import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { sweepOrphans } from '@attache/agent-process';
import type { ReplicaIdentity } from '@attache/database';
import type { DeliverDeps } from '../deliver/deliver.ts';
import { removeLeftFiles } from '../files/remove-left-files.ts';
import type { GatewayDeps } from '../gateway-deps.ts';
import { takeName } from '../ownership/take-name.ts';

/** No child of this replica is wanted before it starts or after it stopped its agents: whoever left its process group is found too. */
export async function sweepChildren(deps: DeliverDeps, startedBefore: number): Promise<void> {
  const marker = { replica: deps.ownership.identity.replicaId, incarnation: randomUUID() };
  const swept = await sweepOrphans({ marker, startedBefore });
  if (swept.killedCount + swept.remainingCount > 0) deps.log.warn(swept, 'orphans.swept');
}

/** Makes its folders as they are at a start, and ends what an earlier life left. */
export async function prepareGateway(deps: DeliverDeps, startedAt: number): Promise<void> {
  await rm(deps.settings.runtimeFolder, { recursive: true, force: true });
  await mkdir(deps.settings.runtimeFolder, { recursive: true, mode: 0o700 });
  await mkdir(deps.settings.agentsFolder, { recursive: true, mode: 0o700 });
  await sweepChildren(deps, startedAt);
  await removeLeftFiles(deps.leftFolders, deps.settings.agentsFolder);
}

/** No folder is removed and no child ended before the name is this one's: another living gateway may have both. */
export async function takeReplicaName(deps: GatewayDeps, identity: ReplicaIdentity): Promise<void> {
  const { file, isFormerDead } = deps.settings.incarnation;
  await takeName({ ...deps, identity }, isFormerDead ? await readFormerIncarnation(file) : undefined);
  await writeIncarnation(file, identity.incarnation);
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The incarnation that wrote this file last. Undefined: none did, or not to the end. */
async function readFormerIncarnation(path: string): Promise<string | undefined> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return UUID.test(text) ? text : undefined;
}

/** Notes which incarnation works in this folder, for the next one that does. */
async function writeIncarnation(path: string, incarnation: string): Promise<void> {
  const draft = `${path}.${randomUUID()}`;
  await writeFile(draft, incarnation, { mode: 0o600, flag: 'wx' });
  await rename(draft, path);
}
