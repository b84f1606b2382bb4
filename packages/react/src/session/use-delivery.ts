import type { Client } from '@attache/client';
import type { Delivery } from '@attache/contracts';
import { useCallback, useEffect, useState } from 'react';
import { useWords } from '../provider/context.ts';
import { useClient } from '../provider/use-client.ts';
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

type State = { delivery?: Delivery; error?: Error };

const ENDED: ReadonlySet<string> = new Set(['responded', 'failed', 'cancelled']);
const PAUSE_MS = 2000;

/** One delivery: how far it came, and the ways to cancel it or try it again. */
export function useDelivery(deliveryId: string, options: DeliveryOptions = {}): DeliveryView {
  const { agent = '', revision } = options;
  const words = useWords();
  const client = useClient(options);
  const [state, setState] = useState<State>({});
  const delivery = state.delivery?.id === deliveryId ? state.delivery : undefined;
  const hasEnded = delivery !== undefined && ENDED.has(delivery.status);
  const take = useCallback(
    (reading: Promise<Delivery>) =>
      reading.then(
        (read) => setState({ delivery: read }),
        (failed: Error) => setState((before) => ({ ...before, error: failed })),
      ),
    [],
  );
  useEffect(() => {
    const read = () => void take(client.delivery(deliveryId).read());
    read();
    if (revision !== undefined || hasEnded) return;
    const timer = setInterval(read, PAUSE_MS);
    return () => clearInterval(timer);
  }, [client, deliveryId, revision, hasEnded, take]);
  return {
    ...{ delivery, hasEnded, error: state.error },
    words: delivery ? describeDelivery(delivery, agent, words) : '',
    reason: delivery?.failure && describeReason(delivery.failure, words),
    cancel: () => take(client.delivery(deliveryId).cancel()),
    retry: () => take(client.delivery(deliveryId).retry()),
  };
}
