import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { type AgentSpec, agentFolders } from '@attache/agent-process';
import { type JsonRecord, recordOf, recordsOf } from '@attache/agent-process/messages/json-values';
import type { SettingsFile } from '@attache/agent-process/settings/program-settings';

const LIST_MS = 20_000;
const LIST_BYTES = 16 * 1024 * 1024;
// Used for a model that Codex does not list.
const ORDINARY_MODEL = 'gpt-5.5';

/**
 * Codex sends sound only to a model that its catalog lists with sound, and lists none like that. If the model is known to accept sound, its entry is
 * returned with sound added. Undefined if Codex's own catalog will do.
 */
export async function describeHearingModel(
  spec: AgentSpec,
  program: string,
  env: Readonly<Record<string, string>>,
): Promise<SettingsFile | undefined> {
  if (spec.modelTakes.audio !== 'yes') return undefined;
  const options = { env, timeout: LIST_MS, maxBuffer: LIST_BYTES };
  const { stdout } = await promisify(execFile)(program, ['debug', 'models'], options);
  const models = recordsOf(recordOf(JSON.parse(stdout)).models);
  const hearing = hearingEntry(models, spec.model);
  const file = path.join(agentFolders(spec.folder).config, 'models.json');
  return { path: file, json: { models: [...models.filter(({ slug }) => slug !== spec.model), hearing] } };
}

function hearingEntry(models: readonly JsonRecord[], model: string): JsonRecord {
  const known = models.find(({ slug }) => slug === model) ?? models.find(({ slug }) => slug === ORDINARY_MODEL) ?? {};
  return { ...known, slug: model, input_modalities: ['text', 'image', 'audio'] };
}
