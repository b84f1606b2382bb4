import type { Client } from '@attache/client';
import type { Delivery } from '@attache/contracts';
import { useCallback, useContext, useEffect, useState } from 'react';
import { AttacheContext, useWords } from '../provider/context.ts';
import { describeDelivery } from '../words/describe-delivery.ts';
import { describeReason } from '../words/describe-plan.ts';

export type DeliveryOptions = {
  /** That of `AttacheProvider` without it. */
  client?: Client;
  /** Names the agent in `words`. */
  agent?: string;
  /** The delivery is read again whenever this changes, such as with each of its entries in the transcript. Without it, it is read until it has ended. */
  revision?: string | number;
};

export type DeliveryView = {
  delivery: Delivery | undefined;
  /** How far it came, in the language of the catalogue. */
  words: string;
  /** Why it failed and what to do. */
  reason: string | undefined;
  error: Error | undefined;
  hasEnded: boolean;
  cancel(): Promise<void>;
  retry(): Promise<void>;
};

const ENDED: ReadonlySet<string> = new Set(['responded', 'failed', 'cancelled']);
const PAUSE_MS = 2000;

/** One delivery: how far it came, and the ways to cancel it or try it again. */
export function useDelivery(deliveryId: string, options: DeliveryOptions = {}): DeliveryView {
  const { agent = '', revision } = options;
  const provided = useContext(AttacheContext).client;
  const words = useWords();
  const client = options.client ?? provided;
  if (!client) throw new Error('Give the hook a client, or put AttacheProvider around it.');
  const [state, setState] = useState<{ delivery?: Delivery; error?: Error }>({});
  const [round, setRound] = useState(0);
  const take = useCallback(async (reading: Promise<Delivery>) => {
    await reading.then(
      (delivery) => setState({ delivery }),
      (error: Error) => setState((before) => ({ ...before, error })),
    );
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new revision or round is a reason to read again.
  useEffect(() => {
    const stop = new AbortController();
    const { signal } = stop;
    client
      .delivery(deliveryId)
      .read({ signal })
      .then(
        (delivery) => signal.aborted || setState({ delivery }),
        (error: Error) => signal.aborted || setState((before) => ({ ...before, error })),
      );
    return () => stop.abort();
  }, [client, deliveryId, revision, round]);
  const { delivery, error } = state;
  const hasEnded = delivery !== undefined && ENDED.has(delivery.status);
  const isPolled = revision === undefined && !hasEnded;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each answer begins another pause.
  useEffect(() => {
    if (!isPolled) return;
    const timer = setTimeout(() => setRound((before) => before + 1), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [isPolled, state]);
  return {
    ...{ delivery, error, hasEnded },
    words: delivery ? describeDelivery(delivery, agent, words) : '',
    reason: delivery?.failure && describeReason(delivery.failure, words),
    cancel: () => take(client.delivery(deliveryId).cancel()),
    retry: () => take(client.delivery(deliveryId).retry()),
  };
}
