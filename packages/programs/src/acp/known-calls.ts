import { type JsonRecord, recordOf, stringOf } from '@attache/agent-process/messages/json-values';

const MAX_CALLS = 256;
const MAX_FORMS_PER_CALL = 64;
const MAX_CHARACTERS = 32 * 1024 * 1024;

/** A program's words about a call: what it asks about may be told in any of them, and shortened in another. */
export type CallForm = { rawInput?: unknown; title?: unknown; content?: unknown; locations?: unknown };

/** Everything that a program told of a call before it asked about it. */
export type KnownCall = {
  forms: readonly CallForm[];
  /** The latest arguments. */
  rawInput: unknown;
  /** Whether it told more than is remembered. */
  isIncomplete: boolean;
};

type Entry = { forms: CallForm[]; rawInput: unknown; isIncomplete: boolean; length: number };

export type KnownCalls = {
  note(update: JsonRecord): void;
  find(callId: string): KnownCall;
};

/** Remembers what a program tells of its calls, until they end, within a limit of memory: a program says as much as it likes. */
export function createKnownCalls(): KnownCalls {
  const calls = new Map<string, Entry>();
  /** Calls of which something was forgotten to make room. */
  const forgotten = new Set<string>();
  let totalLength = 0;

  function forget(callId: string): void {
    totalLength -= calls.get(callId)?.length ?? 0;
    calls.delete(callId);
  }

  function makeRoom(): void {
    const [oldest] = calls.keys();
    if (oldest === undefined || (calls.size <= MAX_CALLS && totalLength <= MAX_CHARACTERS)) return;
    forget(oldest);
    forgotten.add(oldest);
    const [first] = forgotten;
    if (first !== undefined && forgotten.size > MAX_CALLS) forgotten.delete(first);
    makeRoom();
  }

  return {
    note(update) {
      const callId = stringOf(update.toolCallId);
      if (callId === undefined) return;
      if (update.status === 'completed' || update.status === 'failed') {
        forget(callId);
        forgotten.delete(callId);
        return;
      }
      const form = formOf(update);
      if (Object.keys(form).length === 0) return;
      const entry = calls.get(callId) ?? { forms: [], rawInput: undefined, isIncomplete: false, length: 0 };
      calls.set(callId, entry);
      if (form.rawInput !== undefined) entry.rawInput = form.rawInput;
      if (entry.forms.length >= MAX_FORMS_PER_CALL) {
        entry.isIncomplete = true;
        return;
      }
      const length = JSON.stringify(form).length;
      entry.forms.push(form);
      entry.length += length;
      totalLength += length;
      makeRoom();
    },
    find(callId) {
      const { forms = [], rawInput, isIncomplete = false } = calls.get(callId) ?? {};
      return { forms, rawInput, isIncomplete: isIncomplete || forgotten.has(callId) };
    },
  };
}

/** The fields of an update or a request that may hold arguments. */
export function formOf({ rawInput, title, content, locations }: JsonRecord): CallForm {
  const told = Object.entries({ rawInput, title, content, locations });
  return Object.fromEntries(told.filter(([, value]) => value !== undefined && value !== null));
}

/**
 * Whether a program has told a call's arguments. Some programs tell them in a title only: one that is shortened leaves out what nobody has seen, and a mere
 * label has none. A label next to arguments that are empty is a tool without arguments.
 */
export function tellsArguments(forms: readonly CallForm[]): boolean {
  if (forms.some(holdsArguments)) return true;
  const titles = forms.flatMap(({ title }) => (typeof title === 'string' && title !== '' ? [title] : []));
  const told = titles.filter((title) => !LABEL.test(title.trim()));
  if (told.length > 0) return !titles.some(isShortened);
  return forms.some(({ rawInput }) => rawInput !== undefined);
}

function holdsArguments({ rawInput, content, locations }: CallForm): boolean {
  const holds = (value: unknown) => (Array.isArray(value) ? value.length > 0 : Object.keys(recordOf(value)).length > 0);
  return holds(rawInput) || (typeof rawInput === 'string' && rawInput !== '') || holds(content) || holds(locations);
}

/** A few words without a path, a quote, a number or an option, such as `Read file`. */
const LABEL = /^[\p{L}_][\p{L}\p{N}_-]*(?:\s[\p{L}_][\p{L}\p{N}_-]*){0,3}\s?(?:\u2026|\.\.\.)?$/u;

/** Programs cut at a width. Dots behind a shorter text belong to it. */
const MIN_CUT_CHARACTERS = 40;
/** Dots at the end, quotes and the notes in brackets that a program adds aside. Those behind a slash are all packages of a folder: `./...`. */
const CUT = /[^/.](?=\.\.\.["'`)\]}]*(?:\s*$| [([]))/g;

function isShortened(title: string): boolean {
  return title.includes('\u2026') || [...title.matchAll(CUT)].some(({ index }) => index + 1 >= MIN_CUT_CHARACTERS);
}
