/** Whether an origin is one of a tenant's, or without a tenant, of any tenant's. */
export type AskOrigin = (origin: string, tenantId?: string) => Promise<boolean>;

/** The last answers about origins, kept for some seconds so that a page that sends many requests costs few look-ups. */
export type KeptOrigins = {
  /** Whether the answer is at hand and needs no look-up. */
  isKept(origin: string, tenantId?: string): boolean;
  /** Whether the last answer was a yes, however old it is. */
  wasAllowed(origin: string): boolean;
  isAllowed: AskOrigin;
  /** For a tenant's change of these origins in this process: from here on nothing older is answered of them. Other processes follow when their answers are old. */
  forget(tenantId: string, origins: readonly string[]): void;
};

/** For how long other processes may still answer as before a change. */
export const KEPT_ORIGIN_MS = 5_000;
const MAX_KEPT = 10_000;

type Kept = { answer: boolean; askedAt: number };
type Look = { answer?: Promise<boolean> };

/** Keeps both answers, yes and no. A look-up that fails leaves the answer before it, if there is one. */
export function createKeptOrigins(ask: AskOrigin, { now = () => performance.now(), max = MAX_KEPT } = {}): KeptOrigins {
  const kept = new Map<string, Kept>();
  const asking = new Map<string, Look>();
  const placeOf = (origin: string, tenantId = '') => `${tenantId} ${origin}`;
  const findFresh = (place: string) => {
    const found = kept.get(place);
    return found && now() - found.askedAt < KEPT_ORIGIN_MS ? found : undefined;
  };

  const keep = (place: string, answer: Kept) => {
    kept.delete(place);
    if (kept.size >= max) kept.delete(kept.keys().next().value ?? '');
    kept.set(place, answer);
  };

  async function lookUp(place: string, find: () => Promise<boolean>, isLatest: () => boolean): Promise<boolean> {
    const before = kept.get(place);
    const askedAt = now();
    try {
      const answer = await find();
      if (isLatest()) keep(place, { answer, askedAt });
      return answer;
    } catch (error) {
      if (before === undefined) throw error;
      return before.answer;
    }
  }

  return {
    isKept: (origin, tenantId) => findFresh(placeOf(origin, tenantId)) !== undefined,
    wasAllowed: (origin) => kept.get(placeOf(origin))?.answer === true,
    async isAllowed(origin, tenantId) {
      const place = placeOf(origin, tenantId);
      const fresh = findFresh(place);
      if (fresh) return fresh.answer;
      const underWay = asking.get(place)?.answer;
      if (underWay) return underWay;
      const look: Look = {};
      asking.set(place, look);
      const isLatest = () => asking.get(place) === look;
      look.answer = lookUp(place, () => ask(origin, tenantId), isLatest).finally(() => {
        if (isLatest()) asking.delete(place);
      });
      return look.answer;
    },
    forget(tenantId, origins) {
      for (const place of origins.flatMap((origin) => [placeOf(origin), placeOf(origin, tenantId)])) {
        kept.delete(place);
        // A look-up that is under way may have read what was there before.
        asking.delete(place);
      }
    },
  };
}
