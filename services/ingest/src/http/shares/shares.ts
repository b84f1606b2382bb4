/** How much may be held at a time: by one holder, and by all together. */
export type ShareLimits = { own: number; all: number };

/** Who held too much already: the holder itself, or all together. */
export type ShareRefusal = 'own' | 'all';

/** Counts how much of a scarce resource of the process is held at a time. */
export type Shares = {
  /** Holds an amount until the given function is called; a second call does nothing. */
  take(holder: string, amount: number): (() => void) | ShareRefusal;
};

export function createShares({ own, all }: ShareLimits): Shares {
  const held = new Map<string, number>();
  let heldByAll = 0;
  const add = (holder: string, amount: number) => {
    heldByAll += amount;
    const left = (held.get(holder) ?? 0) + amount;
    if (left === 0) held.delete(holder);
    else held.set(holder, left);
  };
  return {
    take(holder, amount) {
      if ((held.get(holder) ?? 0) + amount > own) return 'own';
      if (heldByAll + amount > all) return 'all';
      let isHeld = true;
      add(holder, amount);
      return () => {
        if (isHeld) add(holder, -amount);
        isHeld = false;
      };
    },
  };
}
