import { mkdir, realpath } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AgentSandbox, AgentSpec } from '../driver.ts';
import { composeBubblewrap } from './compose-bubblewrap.ts';
import { findBox } from './find-box.ts';
import { findBubblewrap } from './find-bubblewrap.ts';
import { findOverlap, findProgramPlaces, type ProgramPlaces } from './find-program-places.ts';
import { sandboxDescriptors } from './follow-sandbox.ts';
import { readHostRoot } from './host-root.ts';
import { readMachineFacts } from './machine-facts.ts';
import { insidePlaces } from './places.ts';
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

export type SandboxRequest = {
  spec: AgentSpec & { sandbox: AgentSandbox };
  /** An executable's absolute path, and its arguments: first those of the profile's command, which may name scripts. */
  program: string;
  fixedArgs: readonly string[];
  /** Those that its settings give it, which may name files of ours. */
  settingsArgs: readonly string[];
  args: readonly string[];
  /** Where programs are looked for, of the agent and of the gateway. */
  searchPath: string;
  hostSearchPath: string;
};

/** Looks for all that an agent's sandbox is made of, and composes its command. */
export async function prepareSandbox(request: SandboxRequest): Promise<PreparedSandbox> {
  const { spec, fixedArgs, args } = request;
  const bubblewrap = await findBubblewrap(request.hostSearchPath, readMachineFacts);
  if (bubblewrap.status === 'unavailable') {
    const { cause, remedy, said } = bubblewrap;
    return { status: 'unavailable', diagnostic: `${cause}: ${remedy} ${said}`.trim() };
  }
  const box = findBox();
  const architecture = process.arch;
  if (box === undefined || (architecture !== 'x64' && architecture !== 'arm64'))
    return { status: 'unavailable', diagnostic: `there is no attache-box for ${process.platform} on ${architecture}` };
  const shown = await findShown(request);
  if (shown.status === 'refused') return { status: 'refused', diagnostic: shown.reason };
  for (const part of GATEWAY_PARTS) await mkdir(path.join(spec.folder, part), { recursive: true, mode: 0o700 });
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

type Shown = ({ status: 'found' } & ProgramPlaces) | { status: 'refused'; reason: string };

/** The program's own files, those of the bridge to its attachments, and what its profile names. */
async function findShown({ spec, program, fixedArgs, settingsArgs, searchPath }: SandboxRequest): Promise<Shown> {
  const { readOnly } = spec.sandbox;
  const privateFolders = await Promise.all(spec.sandbox.privateFolders.map((folder) => realpath(folder)));
  const ours = settingsArgs.filter((each) => !each.startsWith(`${insidePlaces.folder}/`));
  const own = await findProgramPlaces([program, ...fixedArgs, ...ours], searchPath, privateFolders);
  if (own.status === 'refused') return own;
  const bridge =
    spec.mcpCommand === undefined ? undefined : await findProgramPlaces(spec.mcpCommand, searchPath, privateFolders);
  if (bridge?.status === 'refused') return bridge;
  const wished = await Promise.all(readOnly.map((place) => findReadOnly(place, privateFolders)));
  const refused = wished.find((each) => 'reason' in each);
  if (refused) return { status: 'refused', reason: refused.reason };
  return {
    ...own,
    trees: [...new Set([...own.trees, ...(bridge?.trees ?? [])])],
    covered: [...new Set([...own.covered, ...(bridge?.covered ?? [])])],
    files: [...own.files, ...(bridge?.files ?? []), ...wished.flatMap((each) => ('source' in each ? [each] : []))],
  };
}

/** A path that the profile shows, unless it leads into the platform's own folders, or all of the machine. */
async function findReadOnly(
  place: string,
  privateFolders: readonly string[],
): Promise<{ source: string; place: string } | { reason: string }> {
  const source = await realpath(place).catch(() => undefined);
  if (source === undefined) return { reason: `readOnly names ${place}, which is not there` };
  const overlapped = findOverlap(source, privateFolders);
  if (overlapped !== undefined) return { reason: `readOnly names ${place}, and ${overlapped} must not be shown` };
  if (/^\/(proc|sys|dev|agent|run\/attache)?(\/|$)/.test(place) || /^\/(proc|sys|dev)?(\/|$)/.test(source))
    return { reason: `readOnly names ${place}, which a sandbox has of its own` };
  return { source, place };
}
