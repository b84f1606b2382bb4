import type { RefusalCode, RelayAccess, RequestKind } from '../relay-types.ts';

/** The purpose of a request to a model, and whether a turn ran when the request began. */
export type ModelQuestion = { readonly kind: RequestKind; readonly isInTurn: boolean };

type AskedAccess = Pick<RelayAccess, 'model' | 'errands'> & {
  readonly endpoint: Pick<RelayAccess['endpoint'], 'models'>;
};

/** Why an agent may not ask this model. */
export function judgeModel(
  { model, endpoint, errands }: AskedAccess,
  { kind, isInTurn }: ModelQuestion,
  asked: string,
): RefusalCode | undefined {
  const ofKind = errands.filter((errand) => errand.kind === kind);
  if (ofKind.some((errand) => errand.model === asked)) return undefined;
  if (!mayBeAsked({ model, endpoint }, asked)) return 'relay_model_refused';
  return isInTurn || ofKind.some((errand) => errand.model === undefined) ? undefined : 'relay_outside_turn';
}

function mayBeAsked({ model, endpoint: { models } }: Omit<AskedAccess, 'errands'>, asked: string): boolean {
  if (model === undefined && models === undefined) return true;
  return asked === model || models?.includes(asked) === true;
}
