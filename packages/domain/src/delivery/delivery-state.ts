import type { Failure } from '@attache/contracts';
import type { AttemptTrace } from './next-attempt.ts';

/** The identity of a delivery. All ids are stored uuids. `attempt` counts from 1. */
export type DeliveryIdentity = {
  readonly tenantId: string;
  readonly sessionId: string;
  readonly deliveryId: string;
  readonly messageId: string;
  readonly agentId: string;
  readonly attempt: number;
};

/** A delivery with what its status says of it. */
export type DeliveryState = DeliveryIdentity &
  (
    | { readonly status: 'queued' | 'prepared' | 'written' | 'responded' | 'cancelled' }
    /** `isBegun`: its first byte may be out. */
    | { readonly status: 'claimed'; readonly isBegun: boolean }
    | FailedState
  );

type FailedState = { readonly status: 'failed'; readonly failure: Failure | null; readonly left: AttemptTrace };
