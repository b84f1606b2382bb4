import type { RefusalCode } from '../relay-types.ts';

type State = 'start' | 'first-key' | 'key' | 'colon' | 'value' | 'scalar' | 'after' | 'done';

export type ObjectScan = {
  /** Keys whose values are wanted, with what a value may hold in bytes. */
  readonly wanted: ReadonlyMap<string, number>;
  /** Takes a wanted value. What it returns ends the scan. */
  readonly onValue: (key: string, json: string) => RefusalCode | undefined;
  state: State;
  /** The closing brackets that are still to come. */
  readonly closers: number[];
  readonly keys: Set<string>;
  isInString: boolean;
  /** Whether the last byte was a backslash that escapes the next. */
  isEscaped: boolean;
  /** The key whose value is wanted. */
  key: string | undefined;
  /** Where in the current chunk the bytes begin that are kept. */
  keptFrom: number | undefined;
  kept: Buffer[];
  keptBytes: number;
};

export function createObjectScan({ wanted, onValue }: Pick<ObjectScan, 'wanted' | 'onValue'>): ObjectScan {
  return {
    ...{ wanted, onValue, state: 'start', closers: [], keys: new Set(), isInString: false, isEscaped: false },
    ...{ key: undefined, keptFrom: undefined, kept: [], keptBytes: 0 },
  };
}

/** Whether what was read is one whole object. */
export const isWholeObject = (scan: ObjectScan): boolean => scan.state === 'done';
