import { answerFormKeys, hasAnswerForm } from '../api/answer-form.ts';
import { hasTools } from '../api/server-tools.ts';
import { blocksOf, createContentScan } from '../content/content-scan.ts';
import type { RelayedContent } from '../content/content-types.ts';
import type { RefusalCode, RelayAccess } from '../relay-types.ts';
import { judgeModel, type ModelQuestion } from './judge-model.ts';
import { createObjectScan, isWholeObject } from './object-scan.ts';
import { scanChunk } from './scan-object.ts';

const MAX_MODEL_BYTES = 1_024;
const MAX_TOOL_BYTES = 1_000_000;
/** Ten times the calls of a long conversation, in less than 2 MB. */
const MAX_BLOCKS = 8_192;

/** `readsContent`: whether its messages are read; by default, those of a generating request are. */
export type BodyQuestion = ModelQuestion & { readonly readsContent?: boolean };

/** The part of an agent's access by which a body is judged. */
export type JudgedAccess = Pick<RelayAccess, 'model' | 'errands' | 'errandTexts'> & {
  readonly endpoint: Pick<RelayAccess['endpoint'], 'api' | 'models'>;
};

export type BodyJudge = {
  /** Each returns why the body is refused, as soon as that is known. */
  write(chunk: Buffer): RefusalCode | undefined;
  end(): RefusalCode | undefined;
  /** The content of the request, once it has ended; undefined if it was not read whole and without doubt. */
  readContent(): RelayedContent | undefined;
};

/**
 * Judges a body while it streams through: whether it is JSON and, where the path names none, its model. Holds one value at a time, and digests
 * of the rest.
 */
export function judgeBody(access: JudgedAccess, question: BodyQuestion, onModel: (model: string) => void): BodyJudge {
  const { api } = access.endpoint;
  const isModelInBody = api !== 'google';
  const seen = { model: !isModelInBody, tools: false, answerForm: false };
  const wanted = new Map(['tools', ...answerFormKeys[api]].map((key) => [key, MAX_TOOL_BYTES]));
  if (isModelInBody) wanted.set('model', MAX_MODEL_BYTES);

  function onValue(key: string, json: string): RefusalCode | undefined {
    const value = parseJson(json);
    if (value === undefined) return 'relay_body_malformed';
    if (key !== 'model') {
      if (key === 'tools') seen.tools = hasTools(api, value);
      else seen.answerForm ||= hasAnswerForm(value);
      return undefined;
    }
    if (typeof value !== 'string') return 'relay_body_malformed';
    seen.model = true;
    onModel(value);
    return judgeModel(access, question, value);
  }

  const errandTexts = (access.errandTexts ?? []).map((text) => JSON.stringify(text).slice(1, -1));
  const { readsContent = question.kind === 'generate' } = question;
  const content = readsContent ? createContentScan(api, { maxBlocks: MAX_BLOCKS, errandTexts }) : undefined;
  const scan = createObjectScan({ wanted, onValue, content });
  return {
    write: (chunk) => scanChunk(scan, chunk),
    end: () => (isWholeObject(scan) && seen.model ? undefined : 'relay_body_malformed'),
    readContent() {
      const blocks = content === undefined || !isWholeObject(scan) ? undefined : blocksOf(content);
      if (content === undefined || blocks === undefined) return undefined;
      const { walk } = content;
      const isTooled = seen.tools || walk.hasTools;
      return { blocks, hasTools: isTooled, hasAnswerForm: seen.answerForm, hasErrandText: walk.hasErrandText };
    },
  };
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
