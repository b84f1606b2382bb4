import type { SessionClient } from '@attache/client';
import type { DeliveryPlan, Failure } from '@attache/contracts';
import { useEffect, useMemo, useState } from 'react';
import { useWords } from '../provider/context.ts';
import { describePlans, type PlanNote } from '../words/describe-plan.ts';

export type PlanOptions = {
  session: SessionClient;
  /** Files that the server has. Without any there is nothing to plan, and no request. */
  referenceIds: readonly string[];
  /** Ids of agents; all of the session without it. */
  to?: readonly string[] | undefined;
  text?: string;
  nameOfAgent?: (agentId: string) => string;
  nameOfFile?: (attachmentId: string) => string;
};

export type PlanView = {
  plans: readonly DeliveryPlan[];
  /** The form in which each agent gets each file, in the language of the catalogue. */
  notes: readonly PlanNote[];
  isBlocked: boolean;
  failures: readonly Failure[];
  /** Whether the plan of these files is still on its way. */
  isPlanning: boolean;
  error: Error | undefined;
  /** Shows other plans until the files change: those of a message that the server refused. */
  show(plans: readonly DeliveryPlan[]): void;
  /** Asks again, for agents may have other models by now. */
  refresh(): void;
};

type State = { asked: string; plans: readonly DeliveryPlan[]; error?: Error };

const NOTHING: State = { asked: '', plans: [] };
const TEXT_STEP = 10_000;
const asIs = (id: string) => id;

/** The dry run of a message: what each agent would get of its files. Asks again when files or agents change, or the text grew much. */
export function usePlan(options: PlanOptions): PlanView {
  const { session, referenceIds, to, text = '', nameOfAgent = asIs, nameOfFile = asIs } = options;
  const words = useWords();
  const [state, setState] = useState(NOTHING);
  const [round, setRound] = useState(0);
  // The length of a text matters to a plan, and its words do not.
  const size = Math.floor(text.length / TEXT_STEP);
  const wanted = referenceIds.length === 0 ? '' : JSON.stringify([session.id, referenceIds, to, size]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `wanted` holds all that a plan depends on.
  useEffect(() => {
    if (wanted === '') return setState(NOTHING);
    const stop = new AbortController();
    const take = (change: Omit<State, 'asked'>) => stop.signal.aborted || setState({ asked: wanted, ...change });
    session.plan({ to, text, attachmentIds: referenceIds }, { signal: stop.signal }).then(
      ({ plans }) => take({ plans }),
      (error: Error) => take({ plans: [], error }),
    );
    return () => stop.abort();
  }, [session, wanted, round]);
  const isPlanning = wanted !== state.asked;
  const { plans, error } = isPlanning ? NOTHING : state;
  return {
    ...{ plans, isPlanning, error },
    notes: useMemo(
      () => describePlans(plans, words, { nameOfAgent, nameOfFile }),
      [plans, words, nameOfAgent, nameOfFile],
    ),
    isBlocked: plans.some(({ decision }) => decision === 'blocked'),
    failures: plans.flatMap((plan) => plan.failures),
    refresh: () => setRound((before) => before + 1),
    show: (shown) => setState({ asked: wanted, plans: shown }),
  };
}
