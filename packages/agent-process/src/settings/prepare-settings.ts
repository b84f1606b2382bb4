import { chmod, cp, lstat, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Failure } from '@attache/contracts';
import { parse as parseToml, stringify as stringifyToml } from 'smol-toml';
import { agentFailure } from '../agent-failure.ts';
import { agentFolders } from '../agent-folders.ts';
import type { AgentSpec } from '../driver.ts';
import { recordOf } from '../messages/json-values.ts';
import { placeOutside } from '../sandbox/spec-inside.ts';
import { cleanDiagnostic } from '../stderr-tail.ts';
import type { ProgramSettings, SettingsFile } from './program-settings.ts';

export type Prepared = { status: 'ready'; settings: ProgramSettings } | { status: 'failed'; failure: Failure };

/** Makes an agent's folders and puts its settings into them. A profile's `home` is copied once, when they are new. */
export async function prepareSettings(
  spec: AgentSpec,
  settingsOf: () => ProgramSettings | Promise<ProgramSettings>,
  redact: (text: string) => string,
): Promise<Prepared> {
  try {
    const isNew = !(await stat(spec.folder).catch(() => undefined));
    // No process of a sandboxed agent runs now: a link that it put in the place of a folder is found, and nothing can change meanwhile.
    const isTrusted = spec.sandbox === undefined;
    if (!isTrusted) await refuseLinks(spec.folder, Object.values(agentFolders(spec.folder)));
    for (const folder of Object.values(agentFolders(spec.folder))) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
    }
    await chmod(spec.folder, 0o700);
    const settings = await settingsOf();
    const { files, homeFolder, refusal = refuseFlags(spec) } = settings;
    if (refusal !== undefined) return failed(spec, refusal, redact);
    if (isNew && spec.home !== undefined) await cp(spec.home, outside(spec, homeFolder), { recursive: true });
    if (spec.restored !== undefined) await moveRestored(spec, spec.restored, isTrusted);
    for (const file of files) {
      const place = outside(spec, file.path);
      if (!isTrusted) await refuseLinks(spec.folder, [place]);
      await writeSettings({ ...file, path: place });
    }
    return { status: 'ready', settings };
  } catch (error) {
    return failed(spec, error instanceof Error ? error.message : String(error), redact);
  }
}

/** A value that begins as a flag would be read as one, whatever is before it. Callers' names were refused long before. */
function refuseFlags({ model, resumeReference }: AgentSpec): string | undefined {
  const isFlag = [model, resumeReference].some((value) => value?.startsWith('-'));
  return isFlag ? 'its model or its conversation has a name that begins with a dash' : undefined;
}

/** Throws if a link is on the way from `folder` to one of the places in it: a file written there would go elsewhere. */
async function refuseLinks(folder: string, places: readonly string[]): Promise<void> {
  for (const place of places) {
    let step = folder;
    for (const name of path.relative(folder, place).split('/')) {
      step = path.join(step, name);
      const found = await lstat(step).catch(() => undefined);
      if (found === undefined) break;
      if (found.isSymbolicLink()) throw new Error(`${step} is a link, which a program has put there`);
      if (found.isFile() && found.nlink > 1) throw new Error(`${step} has another name, which a program has given it`);
    }
  }
}

/** Replaces whatever the folder has in their places. */
async function moveRestored(
  { folder }: AgentSpec,
  restored: NonNullable<AgentSpec['restored']>,
  isTrusted: boolean,
): Promise<void> {
  for (const file of restored.files) {
    const place = path.join(folder, file);
    if (!isTrusted) await refuseLinks(folder, [place]);
    await mkdir(path.dirname(place), { recursive: true, mode: 0o700 });
    await rename(path.join(restored.folder, file), place);
  }
  await rm(restored.folder, { recursive: true, force: true });
}

function outside(spec: AgentSpec, place: string): string {
  if (spec.sandbox === undefined) return place;
  const found = placeOutside(spec, place);
  if (found === undefined) throw new Error(`${place} does not lie in the agent's folder`);
  return found;
}

/** Over what is there: a copied home may hold settings of its own. */
async function writeSettings(file: SettingsFile): Promise<void> {
  await mkdir(path.dirname(file.path), { recursive: true, mode: 0o700 });
  await writeFile(file.path, await composeFile(file), { mode: 0o600 });
}

async function composeFile(file: SettingsFile): Promise<string> {
  if ('text' in file) return file.text;
  const present = await readFile(file.path, 'utf8').catch(() => undefined);
  if ('toml' in file) return stringifyToml(mergeSettings(parseToml(present ?? ''), file.toml));
  return JSON.stringify(mergeSettings(recordOf(JSON.parse(present ?? '{}')), file.json));
}

function mergeSettings(
  base: Readonly<Record<string, unknown>>,
  over: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(over)) {
    const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value);
    merged[key] = isRecord ? mergeSettings(recordOf(base[key]), recordOf(value)) : value;
  }
  return merged;
}

function failed(spec: AgentSpec, text: string, redact: (text: string) => string): Prepared {
  const diagnostic = cleanDiagnostic(text, redact);
  const failure = agentFailure({ code: 'delivery_agent_start_failed', agentId: spec.agentId, diagnostic });
  return { status: 'failed', failure };
}
