import { mkdir, realpath, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { agentFolders } from '../../agent-folders.ts';
import { resolveProgram } from '../../resolve-program.ts';
import { findShown } from '../request/find-shown.ts';
import type { SandboxRequest } from '../request/sandbox-request.ts';
import { composeWrapper, findUnknownPlaceholder, type WrapperDescription } from './compose-wrapper.ts';

/** A command that runs in the operator's wrapper; `descriptionFile` is to be removed when it has ended. */
export type PreparedWrapper =
  | { status: 'wrapped'; argv: string[]; descriptionFile: string }
  | { status: 'unavailable' | 'refused'; diagnostic: string };

/** Puts the operator's command before the program's, and says to it in a file what it may want to know. */
export async function prepareWrapper(request: SandboxRequest, command: readonly string[]): Promise<PreparedWrapper> {
  const { spec, program, fixedArgs, args, environment } = request;
  const [name = '', ...rest] = command;
  const wrapper = await resolveProgram(name, request.hostSearchPath);
  if (wrapper === undefined)
    return { status: 'unavailable', diagnostic: `sandbox.command: ${name}: no such executable file on PATH` };
  const unknown = findUnknownPlaceholder(rest);
  if (unknown !== undefined)
    return { status: 'refused', diagnostic: `sandbox.command has {${unknown}}, which is no placeholder` };
  const shown = await findShown(request);
  if (shown.status === 'refused') return { status: 'refused', diagnostic: shown.reason };
  const sources = [...shown.trees, ...shown.files.flatMap(({ source, place }) => [source, place])];
  const description: WrapperDescription = {
    ...{ folder: await realpath(spec.folder), workFolder: agentFolders(spec.folder).work },
    readOnly: [...new Set(sources)].toSorted(),
    hidden: shown.covered,
    socket: spec.socketPath === '' ? undefined : spec.socketPath,
    relayPort: portOf(spec.endpoint?.baseUrl),
    ...{ memoryBytes: spec.limits?.memoryBytes, pids: spec.limits?.processes, environment },
  };
  const descriptionFile = await writeDescription(request, description);
  const argv = [wrapper, ...composeWrapper(rest, description, descriptionFile), program, ...fixedArgs, ...args];
  return { status: 'wrapped', argv, descriptionFile };
}

/** The relay listens at the loopback; a model API elsewhere is reached as the wrapper lets it. */
function portOf(baseUrl: string | undefined): number | undefined {
  const url = baseUrl === undefined ? undefined : URL.parse(baseUrl);
  return url?.hostname === '127.0.0.1' ? Number(url.port) : undefined;
}

/** Next to the agent's socket, where the agent itself cannot write. */
async function writeDescription({ spec }: SandboxRequest, description: WrapperDescription): Promise<string> {
  const folder = spec.socketPath === '' ? tmpdir() : path.dirname(spec.socketPath);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = path.join(folder, `${spec.agentId.slice(4, 24)}.${crypto.randomUUID().slice(0, 8)}.json`);
  await writeFile(file, JSON.stringify(description), { mode: 0o600, flag: 'wx' });
  return file;
}
