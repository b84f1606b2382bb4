/** Whether an origin is one of a tenant's, or without a tenant, of any tenant's. */
export type AskOrigin = (origin: string, tenantId?: string) => Promise<boolean>;

/** The last answers about origins, kept for some seconds so that a page that sends many requests costs few look-ups. */
export type KeptOrigins = {
  /** Whether the answer is at hand and needs no look-up. */
  isKept(origin: string, tenantId?: string): boolean;
  isAllowed: AskOrigin;
  /** For a change in this process: from here on nothing older is answered. Other processes follow when their answers are old. */
  forget(): void;
};

/** For how long other processes may still answer as before a change. */
export const KEPT_ORIGIN_MS = 5_000;
const MAX_KEPT = 10_000;

type Kept = { answer: boolean; askedAt: number };

/** Keeps both answers, yes and no. A look-up that fails leaves the answer before it, if there is one. */
export function createKeptOrigins(ask: AskOrigin, { now = () => performance.now(), max = MAX_KEPT } = {}): KeptOrigins {
  let kept = new Map<string, Kept>();
  let asking = new Map<string, Promise<boolean>>();
  const placeOf = (origin: string, tenantId = '') => `${tenantId} ${origin}`;
  const findFresh = (place: string) => {
    const found = kept.get(place);
    return found && now() - found.askedAt < KEPT_ORIGIN_MS ? found : undefined;
  };

  async function lookUp(place: string, origin: string, tenantId: string | undefined): Promise<boolean> {
    const [before, into] = [kept.get(place), kept];
    const askedAt = now();
    try {
      const answer = await ask(origin, tenantId);
      into.delete(place);
      if (into.size >= max) into.delete(into.keys().next().value ?? '');
      into.set(place, { answer, askedAt });
      return answer;
    } catch (error) {
      if (before === undefined) throw error;
      return before.answer;
    }
  }

  return {
    isKept: (origin, tenantId) => findFresh(placeOf(origin, tenantId)) !== undefined,
    async isAllowed(origin, tenantId) {
      const place = placeOf(origin, tenantId);
      const fresh = findFresh(place);
      if (fresh) return fresh.answer;
      const [all, underWay] = [asking, asking.get(place)];
      if (underWay) return underWay;
      const looking = lookUp(place, origin, tenantId).finally(() => all.delete(place));
      all.set(place, looking);
      return looking;
    },
    forget() {
      // A look-up that is under way may have read what was there before.
      kept = new Map();
      asking = new Map();
    },
  };
}
