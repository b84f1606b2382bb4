import { chmod, cp, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Failure } from '@attache/contracts';
import { agentFailure } from '../agent-failure.ts';
import { agentFolders } from '../agent-folders.ts';
import type { AgentSpec } from '../driver.ts';
import { recordOf } from '../messages/json-values.ts';
import { cleanDiagnostic } from '../stderr-tail.ts';
import type { ProgramSettings, SettingsFile } from './program-settings.ts';

export type Prepared = { status: 'ready' } | { status: 'failed'; failure: Failure };

/** Makes an agent's folders and puts its settings into them. A profile's `home` is copied once, when they are new. */
export async function prepareSettings(
  spec: AgentSpec,
  { files, homeFolder, refusal }: ProgramSettings,
  redact: (text: string) => string,
): Promise<Prepared> {
  if (refusal !== undefined) return failed(spec, refusal.code, refusal.diagnostic, redact);
  try {
    const isNew = !(await stat(spec.folder).catch(() => undefined));
    for (const folder of Object.values(agentFolders(spec.folder))) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
    }
    await chmod(spec.folder, 0o700);
    if (isNew && spec.home !== undefined) await cp(spec.home, homeFolder, { recursive: true });
    for (const file of files) await writeSettings(file);
    return { status: 'ready' };
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return failed(spec, 'delivery_agent_start_failed', text, redact);
  }
}

/** Over what stands there: a copied home may hold settings of its own. */
async function writeSettings({ path: file, json }: SettingsFile): Promise<void> {
  const present = await readFile(file, 'utf8').catch(() => '{}');
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(file, JSON.stringify(mergeJson(recordOf(JSON.parse(present)), json)), { mode: 0o600 });
}

function mergeJson(
  base: Readonly<Record<string, unknown>>,
  over: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(over)) {
    const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value);
    merged[key] = isRecord ? mergeJson(recordOf(base[key]), recordOf(value)) : value;
  }
  return merged;
}

function failed(
  spec: AgentSpec,
  code: Parameters<typeof agentFailure>[0]['code'],
  diagnostic: string,
  redact: (text: string) => string,
): Prepared {
  const failure = agentFailure({ code, agentId: spec.agentId, diagnostic: cleanDiagnostic(diagnostic, redact) });
  return { status: 'failed', failure };
}
