import type { ContentScan } from '../content/content-scan.ts';
import { shapes } from '../content/content-shapes.ts';
import { createStringPlace, type StringPlace } from '../json/find-string-end.ts';
import type { RefusalCode } from '../relay-types.ts';

type State = 'start' | 'first-key' | 'key' | 'colon' | 'value' | 'scalar' | 'after' | 'done';

export type ObjectScan = {
  /** Keys whose values are wanted, with what a value may hold in bytes. */
  readonly wanted: ReadonlyMap<string, number>;
  /** Takes a wanted value. What it returns ends the scan. */
  readonly onValue: (key: string, json: string) => RefusalCode | undefined;
  /** Reads the messages on the way, if they are wanted, and the key under which they are. */
  readonly content: ContentScan | undefined;
  readonly contentKey: string | undefined;
  state: State;
  /** The closing brackets that are still to come. */
  readonly closers: number[];
  readonly keys: Set<string>;
  /** Whether the key that was read last is that of the messages. */
  isAtContent: boolean;
  isInString: boolean;
  readonly place: StringPlace;
  /** The key whose value is wanted. */
  key: string | undefined;
  /** The start of the kept bytes in the current chunk. */
  keptFrom: number | undefined;
  kept: Buffer[];
  keptBytes: number;
};

export function createObjectScan({
  wanted,
  onValue,
  content,
}: Pick<ObjectScan, 'wanted' | 'onValue' | 'content'>): ObjectScan {
  return {
    ...{ content, contentKey: content && shapes[content.api].top },
    ...{
      wanted,
      onValue,
      state: 'start',
      closers: [],
      keys: new Set(),
      isAtContent: false,
      isInString: false,
      place: createStringPlace(),
    },
    ...{ key: undefined, keptFrom: undefined, kept: [], keptBytes: 0 },
  };
}

/** Whether what was read is one whole object. */
export const isWholeObject = (scan: ObjectScan): boolean => scan.state === 'done';
