import { type AttacheError, createIdempotencyKey } from '@attache/client';
import type { DeliveryPlan } from '@attache/contracts';
import { type ChangeEvent, type KeyboardEvent, useCallback, useEffect, useMemo } from 'react';
import { type AttachmentsOptions, useAttachments } from '../files/use-attachments.ts';
import { hasError } from '../has-error.ts';
import { useWords } from '../provider/context.ts';
import { useClient } from '../provider/use-client.ts';
import { usePlan } from '../session/use-plan.ts';
import { useOwnStore, useStore } from '../store.ts';
import { describeError } from '../words/describe-file.ts';
import { createSender, type SendOutcome } from './create-sender.ts';
import { findObstacle } from './find-obstacle.ts';
import { isEmptyBackspace, isSendKey } from './keys.ts';

export type ComposerOptions = AttachmentsOptions & {
  onSent?: (answer: Extract<SendOutcome, { status: 'sent' }>['answer']) => void;
};

type Written = { text: string; isSending: boolean; error: AttacheError | undefined };

const EMPTY: Written = { text: '', isSending: false, error: undefined };

/** A message that is being written: its text, its files, what agents get of them, and the way to send it. */
export function useComposer({ onSent, ...options }: ComposerOptions) {
  const words = useWords();
  const client = useClient(options);
  const session = useMemo(() => client.session(options.sessionId), [client, options.sessionId]);
  const attachments = useAttachments({ ...options, client });
  const { draft, items, referenceIds, isBusy, policy } = attachments;
  const written = useOwnStore(draft, EMPTY);
  const { text, isSending, error } = useStore(written);
  const setText = useCallback((changed: string) => written.set({ text: changed }), [written]);
  const nameOfFile = useCallback((id: string) => items.find((item) => item.id === id)?.name ?? id, [items]);
  const nameOfAgent = useCallback(
    (id: string) => policy?.agents.find((agent) => agent.agentId === id)?.name ?? id,
    [policy],
  );
  const plan = usePlan({ ...{ session, referenceIds, text, nameOfAgent, nameOfFile }, to: options.to });
  const sender = useMemo(() => createSender({ session, draft, makeKey: createIdempotencyKey }), [session, draft]);
  const hasEnded =
    policy?.status === 'ended' || [{ error }, plan, ...items].some((each) => hasError(each, 'SESSION_ENDED'));
  const obstacle = findObstacle({ text, items, isBusy, isSending, hasEnded, notes: plan.notes }, words.strings);
  const { interrupt } = attachments;
  const blocked = plan.notes.find(({ becomes }) => becomes === 'blocked');
  const warning = blocked && `${words.strings.blockedTitle}. ${blocked.text}. ${blocked.reason ?? ''}`;
  useEffect(() => {
    if (warning !== undefined) interrupt(warning);
  }, [warning, interrupt]);
  const send = async () => {
    // An agent that was blocked may have another model now.
    if (obstacle !== undefined) return plan.refresh();
    const sending = sender.send({ text, to: options.to });
    if (!sending) return;
    written.set({ isSending: true, error: undefined });
    const outcome = await sending.finally(() => written.set({ isSending: false }));
    if (outcome.status === 'failed') {
      const { plans } = outcome.error;
      if (plans) return plan.show(plans as DeliveryPlan[]);
      written.set({ error: outcome.error });
      return interrupt(describeError(outcome.error, words));
    }
    // More may have been written since.
    const { text: now } = written.getSnapshot();
    if (now.startsWith(text)) setText(now.slice(text.length));
    attachments.dismissRejections();
    onSent?.(outcome.answer);
  };
  const getTextProps = () => ({
    value: text,
    onChange: (event: ChangeEvent<HTMLTextAreaElement>) => setText(event.currentTarget.value),
    onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>) {
      const last = items.at(-1);
      if (isSendKey(event)) {
        event.preventDefault();
        void send();
      } else if (last && isEmptyBackspace(event, text)) draft.remove(last.key);
    },
  });
  return { attachments, session, plan, text, setText, send, isSending, error, obstacle, getTextProps };
}

export type ComposerState = ReturnType<typeof useComposer>;
