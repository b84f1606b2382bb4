import type { Draft, DraftOptions, Rejection } from '@attache/client';
import type { AttachmentSource } from '@attache/contracts';
import { useCallback, useEffect, useMemo } from 'react';
import { useAnnouncer } from '../announce/use-announcer.ts';
import { createInputProps } from '../gather/input-props.ts';
import { useGathering } from '../gather/use-gathering.ts';
import { useWords } from '../provider/context.ts';
import { type ClientSource, useClient } from '../provider/use-client.ts';
import { useOwnStore, useStore } from '../store.ts';
import { describeRejections } from '../words/describe-file.ts';
import type { Words } from '../words/words.ts';
import { listAccepted } from './accept.ts';
import { usePreviewUrls } from './use-preview-urls.ts';

export type AttachmentsOptions = ClientSource & DraftOptions & { sessionId: string };

/**
 * The files of a message that is not sent yet: they are uploaded as they are added. `supported`: media types and patterns; without it what the agents of `to` take, and
 * images while that is not known.
 */
export function useAttachments(options: AttachmentsOptions) {
  const { supported, to } = options;
  const words = useWords();
  const draft = useDraft(options);
  const snapshot = useStore(draft);
  const { announcement, interrupt } = useAnnouncer(draft, snapshot, words);
  const refused = useOwnStore(draft, NONE);
  const { rejected } = useStore(refused);
  const add = useCallback(
    async (files: Iterable<Blob>, { source = 'composer', unreadable = [] }: AddOptions = {}) => {
      const answer = await draft.add(files, { source });
      const all = [...unreadable.map((name) => describeUnreadable(name, words)), ...answer.rejected];
      refused.set({ rejected: all });
      if (all.length > 0) interrupt(announceRejections(all, words));
      return { rejected: all };
    },
    [draft, words, interrupt, refused],
  );
  const gathering = useGathering(({ files, unreadable }, source) => void add(files, { source, unreadable }));
  const accept = listAccepted({ supported, to, policy: snapshot.policy });
  return {
    ...snapshot,
    ...(draft as Pick<Draft, 'remove' | 'cancel' | 'retry' | 'clear' | 'restore' | 'toImageContents'>),
    ...gathering,
    ...createInputProps({ accept, take: (files) => void add(files) }),
    ...{ draft, add, rejected, announcement, accept },
    /** Says something at once through the live region of refusals. */
    interrupt,
    dismissRejections: () => refused.set(NONE),
    items: usePreviewUrls(snapshot.items),
  };
}

export type Attachments = ReturnType<typeof useAttachments>;

const NONE: { rejected: readonly Rejection[] } = { rejected: [] };

type AddOptions = { source?: AttachmentSource; unreadable?: readonly string[] };

function useDraft({ client, baseUrl, getToken, sessionId, ...options }: AttachmentsOptions): Draft {
  const root = useClient({ client, baseUrl, getToken });
  // biome-ignore lint/correctness/useExhaustiveDependencies: a draft keeps its files although its rules change.
  const draft = useMemo(() => root.session(sessionId).createDraft(options), [root, sessionId]);
  const { supported, to, maxFiles } = options;
  const rules = JSON.stringify({ supported, to, maxFiles });
  useEffect(() => {
    draft.changeRules(JSON.parse(rules));
    // It reads the policy, which says what a picker offers and how the agents are called.
    void draft.add([]);
  }, [draft, rules]);
  return draft;
}

function describeUnreadable(name: string, words: Words): Rejection {
  return { name, code: 'unreadable', reason: words.say(words.strings.rejections.unreadable, { name }) };
}

function announceRejections(rejected: readonly Rejection[], words: Words): string {
  return [words.count(words.strings.notAccepted, rejected.length), ...describeRejections(rejected, words)].join('. ');
}
