/** The way by which a message came. */
export type Way = 'broker' | 'ring';

/** The places of one consumer for messages in work. */
export type Places = {
  /** Resolves with a place. */
  take(way: Way): Promise<void>;
  giveBack(): void;
};

/** Both ways take turns at free places, so that neither holds up the other. */
export function createPlaces(size: number): Places {
  const waiting: Record<Way, (() => void)[]> = { broker: [], ring: [] };
  let taken = 0;
  let last: Way = 'ring';
  return {
    async take(way) {
      if (taken < size) {
        taken += 1;
        return;
      }
      await new Promise<void>((resolve) => waiting[way].push(resolve));
    },
    giveBack() {
      const other = last === 'ring' ? 'broker' : 'ring';
      const way = waiting[other].length > 0 ? other : last;
      const give = waiting[way].shift();
      if (!give) {
        taken -= 1;
        return;
      }
      last = way;
      give();
    },
  };
}
