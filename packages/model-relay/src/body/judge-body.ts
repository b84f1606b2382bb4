import { findServerTools, isListedTool, listToolKeys } from '../api/server-tools.ts';
import type { RefusalCode, RelayAccess } from '../relay-types.ts';
import { judgeModel, type ModelQuestion } from './judge-model.ts';
import { createObjectScan, isWholeObject } from './object-scan.ts';
import { scanChunk } from './scan-object.ts';

const MAX_MODEL_BYTES = 1_024;
const MAX_TOOL_BYTES = 1_000_000;

export type BodyJudge = {
  /** Each returns why the body is refused, as soon as that is known. */
  write(chunk: Buffer): RefusalCode | undefined;
  end(): RefusalCode | undefined;
};

/**
 * Judges a body while it streams through: its model, where the path names none, and the tools that it asks the provider for. Holds one of
 * these values at a time.
 */
export function judgeBody(access: RelayAccess, question: ModelQuestion, onModel: (model: string) => void): BodyJudge {
  const { api, serverTools = [] } = access.endpoint;
  const isModelInBody = api !== 'google';
  let hasModel = !isModelInBody;
  const wanted = new Map(listToolKeys(api).map((key) => [key, MAX_TOOL_BYTES]));
  if (isModelInBody) wanted.set('model', MAX_MODEL_BYTES);

  function onValue(key: string, json: string): RefusalCode | undefined {
    const value = parseJson(json);
    if (value === undefined) return 'relay_body_malformed';
    if (key !== 'model') {
      const isAllowed = findServerTools(api, key, value).every((tool) => isListedTool(tool, serverTools));
      return isAllowed ? undefined : 'relay_server_tool_refused';
    }
    if (typeof value !== 'string') return 'relay_body_malformed';
    hasModel = true;
    onModel(value);
    return judgeModel(access, question, value);
  }

  const scan = createObjectScan({ wanted, onValue });
  return {
    write: (chunk) => scanChunk(scan, chunk),
    end: () => (isWholeObject(scan) && hasModel ? undefined : 'relay_body_malformed'),
  };
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
