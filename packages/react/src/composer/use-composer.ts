import { type AttacheError, createIdempotencyKey } from '@attache/client';
import type { DeliveryPlan } from '@attache/contracts';
import { type ChangeEvent, type KeyboardEvent, useCallback, useEffect, useMemo, useState } from 'react';
import { type AttachmentsOptions, useAttachments } from '../files/use-attachments.ts';
import { useWords } from '../provider/context.ts';
import { useClient } from '../provider/use-client.ts';
import { usePlan } from '../session/use-plan.ts';
import { describeError } from '../words/describe-file.ts';
import { createSender, type SendOutcome } from './create-sender.ts';
import { findObstacle } from './find-obstacle.ts';
import { isEmptyBackspace, isSendKey } from './keys.ts';

export type ComposerOptions = AttachmentsOptions & {
  onSent?: (answer: Extract<SendOutcome, { status: 'sent' }>['answer']) => void;
};

/** A message that is being written: its text, its files, what agents get of them, and the way to send it. */
export function useComposer({ onSent, ...options }: ComposerOptions) {
  const words = useWords();
  const client = useClient(options);
  const session = useMemo(() => client.session(options.sessionId), [client, options.sessionId]);
  const attachments = useAttachments({ ...options, client });
  const { draft, items, referenceIds, isBusy, policy } = attachments;
  const [text, setText] = useState('');
  const [isSending, setSending] = useState(false);
  const [error, setError] = useState<AttacheError>();
  const nameOfFile = useCallback((id: string) => items.find((item) => item.id === id)?.name ?? id, [items]);
  const nameOfAgent = useCallback(
    (id: string) => policy?.agents.find((agent) => agent.agentId === id)?.name ?? id,
    [policy],
  );
  const plan = usePlan({ ...{ session, referenceIds, text, nameOfAgent, nameOfFile }, to: options.to });
  const sender = useMemo(() => createSender({ session, draft, makeKey: createIdempotencyKey }), [session, draft]);
  const obstacle = findObstacle({ text, items, isBusy, isSending, notes: plan.notes }, words.strings);
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
    setSending(true);
    setError(undefined);
    const outcome = await sending.finally(() => setSending(false));
    if (outcome.status === 'failed') {
      const { plans } = outcome.error;
      if (plans) return plan.show(plans as DeliveryPlan[]);
      setError(outcome.error);
      return interrupt(describeError(outcome.error, words));
    }
    setText((now) => (now === text ? '' : now));
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
