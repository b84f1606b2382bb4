import { type Delivered, messageIdOf } from '../envelope.ts';

/** The emissions that this process has in work. */
export type InWork = {
  /** False: it is in work already. */
  add(delivered: Delivered): boolean;
  remove(delivered: Delivered): void;
  /** Whether any emission of a message is in work. */
  hasMessage(id: string): boolean;
};

export function createInWork(): InWork {
  const emissions = new Map<string, Set<string>>();
  return {
    add(delivered) {
      const present = emissions.get(delivered.id) ?? new Set();
      const name = nameOf(delivered);
      if (present.has(name)) return false;
      emissions.set(delivered.id, present.add(name));
      return true;
    },
    remove(delivered) {
      const present = emissions.get(delivered.id);
      present?.delete(nameOf(delivered));
      if (present?.size === 0) emissions.delete(delivered.id);
    },
    hasMessage: (id) => emissions.has(id),
  };
}

// The next emission of a message that was put back may come before the last one is acknowledged.
const nameOf = ({ id, emission }: Delivered): string => (emission === undefined ? id : messageIdOf({ id, emission }));
