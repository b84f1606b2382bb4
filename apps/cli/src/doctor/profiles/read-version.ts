import { mkdir } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import type { Readable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { type AgentSpec, agentFolders, type SpawnContext, spawnAgent } from '@attache/agent-process';

// As long as a start may take: on a busy machine some programs need more than ten seconds to say it.
const VERSION_MS = 30_000;
const MAX_OUTPUT_CHARACTERS = 4096;
const MAX_VERSION_CHARACTERS = 80;

/** The first line that the program says to `--version`, in a folder of its own; undefined if it says none in time. */
export async function readVersion(
  spec: AgentSpec,
  context: SpawnContext,
  timeoutMs = VERSION_MS,
): Promise<string | undefined> {
  const { folder } = spec;
  await mkdir(agentFolders(folder).work, { recursive: true, mode: 0o700 });
  const asked = { ...spec, command: programOf(spec.command), args: ['--version'] };
  const settings = { defaults: {}, env: {}, args: [], files: [], homeFolder: folder };
  const spawned = await spawnAgent(asked, settings, context);
  if (spawned.status === 'failed') return undefined;
  const { child } = spawned;
  const timer = setTimeout(() => child.signalGroup('SIGKILL'), timeoutMs);
  try {
    child.stdin.end();
    return await readFirstLine(child.stdout);
  } finally {
    clearTimeout(timer);
    child.signalGroup('SIGKILL');
    await child.exited;
  }
}

/** The program, with the script that it runs if it is an interpreter. */
function programOf([program = '', ...words]: readonly string[]): string[] {
  const end = words.findIndex((word) => !isAbsolute(word));
  return [program, ...(end === -1 ? words : words.slice(0, end))];
}

async function readFirstLine(stdout: Readable): Promise<string | undefined> {
  let text = '';
  for await (const chunk of stdout.setEncoding('utf8')) {
    text += chunk;
    if (text.length > MAX_OUTPUT_CHARACTERS) break;
  }
  const [line = ''] = stripVTControlCharacters(text).trim().split('\n');
  const shown = line.replaceAll(/\p{Cc}/gu, '').slice(0, MAX_VERSION_CHARACTERS);
  return shown === '' ? undefined : shown;
}
