import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AgentUser } from '../users/agent-users.ts';
import { describeBarrier, findBarrier, letPass } from '../users/find-barrier.ts';
import { giveFolder, giveSocket } from '../users/give-folder.ts';
import { composeBubblewrap } from './compose-bubblewrap.ts';
import { findBox } from './find-box.ts';
import type { ProgramPlaces } from './find-program-places.ts';
import { sandboxDescriptors } from './follow-sandbox.ts';
import { readHostRoot } from './host-root.ts';
import { findTriedBubblewrap } from './kept-trials.ts';
import { findShown } from './request/find-shown.ts';
import type { SandboxRequest } from './request/sandbox-request.ts';
import { seccompFilter } from './seccomp/seccomp-filter.ts';

/** Which of an agent's folders the gateway alone fills: an agent cannot put a link in their place. */
const GATEWAY_PARTS = ['files', 'inbox'];
const GRACE_MS = 3_000;
const etcFolder = fileURLToPath(new URL('../../native/etc', import.meta.url));

/** A command that runs in a sandbox: where `argv` is started, `filter` is what it reads as its seccomp filter. */
export type PreparedSandbox =
  | { status: 'ready'; argv: string[]; filter: Buffer }
  /** `unavailable`: no sandbox works here. `refused`: not for this profile. */
  | { status: 'unavailable' | 'refused'; diagnostic: string };

/** Looks for all that an agent's sandbox is made of, and composes its command. */
export async function prepareSandbox(request: SandboxRequest): Promise<PreparedSandbox> {
  const { spec, fixedArgs, args } = request;
  const bubblewrap = await findTriedBubblewrap(request.hostSearchPath, request.user);
  if (bubblewrap.status === 'unavailable') return bubblewrap;
  const box = findBox();
  const architecture = process.arch;
  if (box === undefined || (architecture !== 'x64' && architecture !== 'arm64'))
    return { status: 'unavailable', diagnostic: `there is no attache-box for ${process.platform} on ${architecture}` };
  const shown = await findShown(request);
  if (shown.status === 'refused') return { status: 'refused', diagnostic: shown.reason };
  for (const part of GATEWAY_PARTS) await mkdir(path.join(spec.folder, part), { recursive: true, mode: 0o700 });
  const barrier = request.user && (await handOver(spec, request.user, [...listSources(shown), box, etcFolder]));
  if (barrier !== undefined) return { status: 'refused', diagnostic: barrier };
  const argv = composeBubblewrap({
    ...{ host: await readHostRoot(), etcFolder, box, graceMs: GRACE_MS, readOnlyParts: GATEWAY_PARTS },
    ...{
      trees: shown.trees,
      files: shown.files,
      covered: shown.covered,
      program: shown.program,
      args: [...fixedArgs, ...args],
    },
    folder: spec.folder,
    agentSocket: spec.socketPath === '' ? undefined : spec.socketPath,
    relaySocket: spec.relaySocketPath,
    egressSocket: spec.egressSocketPath,
    limits: { processes: spec.limits?.processes },
    descriptors: sandboxDescriptors,
  });
  return { status: 'ready', argv: [bubblewrap.program, ...argv], filter: seccompFilter(architecture) };
}

const listSources = ({ trees, files }: ProgramPlaces): string[] => [...trees, ...files.map(({ source }) => source)];

/** Gives the agent's user what is its own; answers what of the rest it cannot reach. */
async function handOver(
  spec: SandboxRequest['spec'],
  user: AgentUser,
  places: readonly string[],
): Promise<string | undefined> {
  const ways = [spec.socketPath, spec.relaySocketPath, spec.egressSocketPath].filter((each) => each);
  const sockets = ways as string[];
  await giveFolder(spec.folder, user);
  for (const socket of sockets) await giveSocket(socket, user);
  await letPass([spec.folder, ...sockets], spec.sandbox.privateFolders, user);
  const barrier = await findBarrier([...places, spec.folder, ...sockets], user);
  return barrier === undefined ? undefined : describeBarrier(barrier, user);
}
