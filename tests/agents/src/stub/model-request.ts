import type { IncomingHttpHeaders } from 'node:http';
import type { Conversation, SeenAttachment, SeenToolResult, Turn } from './conversation.ts';
import type { ModelApi } from './dialects/dialect.ts';

/** One request that a model API got, without its bytes. */
export type ModelRequest = {
  api: ModelApi;
  model: string;
  /** The attachments of the whole request. */
  attachments: SeenAttachment[];
  /** Those after the last assistant turn. */
  newAttachments: SeenAttachment[];
  /** Every text of user messages, attached text documents too. */
  texts: string[];
  /** The user's last text: the last one that is neither an attached document nor the CLI's own addition. */
  lastUserText: string;
  toolNames: string[];
  /** Those after the last assistant turn. */
  toolResults: SeenToolResult[];
  /** A CLI's own errand: a title, a token count, a classifier. It gets a harmless answer and is not put to the script. */
  isSide: boolean;
  headers: Record<string, string>;
  bodyBytes: number;
};

// The name that each CLI gives itself. In a turn of a conversation they offer tools and leave the form of the answer open, in their errands not both.
const CLI = /claude-cli|codex|opencode|GeminiCLI/i;
// Errands that do offer tools: what the user may type next, a summary and, by codex-acp, a title of the conversation.
const ERRAND = /^(\[SUGGESTION MODE:|CRITICAL: Respond with TEXT ONLY|This is an app-generated request)/;
// Texts that the CLIs write around a user's words, each as a text of its own.
const WRAPPING = /^\s*(<system-reminder>|<environment_context>|<session_context>|\[Image: |<image |<\/image>)/;
// OpenCode sends what a tool returned as a message of the user's, to APIs whose tool results carry no media.
const TOOL_MEDIA = /^Attached media from tool result:$/;
const GEMINI_FILES = '--- Content from referenced files ---';

/** Sums a conversation up. */
export function summariseRequest(options: {
  api: ModelApi;
  conversation: Conversation;
  headers: IncomingHttpHeaders;
  bodyBytes: number;
}): ModelRequest {
  const { api, conversation, bodyBytes } = options;
  const { tools, isTokenCount } = conversation;
  const turns = conversation.turns.map(placeToolMedia);
  const headers = flattenHeaders(options.headers);
  const newTurns = turns.slice(turns.findLastIndex(({ role }) => role === 'assistant') + 1);
  const userTurns = turns.filter(({ role }) => role === 'user');
  return {
    api,
    model: conversation.model,
    attachments: turns.flatMap(({ attachments }) => attachments),
    newAttachments: newTurns.flatMap(({ attachments }) => attachments),
    texts: userTurns.flatMap(({ texts, documentTexts }) => [...texts, ...documentTexts]),
    lastUserText: userTurns.flatMap(listOwnTexts).at(-1) ?? '',
    toolNames: tools.map(({ name }) => name),
    toolResults: newTurns.flatMap(({ toolResults }) => toolResults),
    isSide: isTokenCount || (CLI.test(headers['user-agent'] ?? '') && isErrand(conversation)),
    headers,
    bodyBytes,
  };
}

function isErrand({ tools, answerSchema, turns }: Conversation): boolean {
  return (
    tools.length === 0 || answerSchema !== undefined || (turns.at(-1)?.texts ?? []).some((text) => ERRAND.test(text))
  );
}

function placeToolMedia(turn: Turn): Turn {
  if (!turn.texts.some((text) => TOOL_MEDIA.test(text))) return turn;
  return {
    ...turn,
    texts: turn.texts.filter((text) => !TOOL_MEDIA.test(text)),
    attachments: turn.attachments.map((attachment) => ({ ...attachment, where: 'tool-result' })),
  };
}

function listOwnTexts({ texts }: Turn): string[] {
  const filesAt = texts.findIndex((text) => text.includes(GEMINI_FILES));
  const written = filesAt < 0 ? texts : texts.slice(0, filesAt);
  return written.filter((text) => text.trim() !== '' && !WRAPPING.test(text));
}

function flattenHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}
