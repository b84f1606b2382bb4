import { judgeBody } from '../body/judge-body.ts';
import type { RelayedContent } from '../content/content-types.ts';
import type { Admitted } from './admit-request.ts';
import type { Exchange } from './exchange.ts';

/** Counts and judges the body of a request. Where it is refused, the exchange is. */
export type BodyIntake = {
  /** Each says whether it may pass so far. */
  take(chunk: Buffer): boolean;
  end(): boolean;
  readContent(): RelayedContent | undefined;
};

/** `isSpooled`: its messages are read whatever it is. */
export function takeBody(exchange: Exchange, { route, isInTurn }: Admitted, isSpooled: boolean): BodyIntake {
  const { access } = exchange.relay;
  const maxBytes = access.maxRequestBytes ?? Number.POSITIVE_INFINITY;
  const judge = judgeBody(
    access,
    { kind: route.kind, isInTurn, ...(isSpooled ? { readsContent: true } : {}) },
    (model) => {
      exchange.model = model;
    },
  );
  return {
    take(chunk) {
      exchange.touch();
      exchange.requestBytes += chunk.length;
      const refused = exchange.requestBytes > maxBytes ? 'relay_body_too_large' : judge.write(chunk);
      if (refused !== undefined) exchange.refuse(refused);
      return refused === undefined;
    },
    end() {
      if (exchange.isAnswered || exchange.outgoing.destroyed) return false;
      const refused = judge.end();
      if (refused !== undefined) exchange.refuse(refused);
      return refused === undefined;
    },
    readContent: () => judge.readContent(),
  };
}
