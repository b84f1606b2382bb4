import { Fault } from '@attache/contracts';

/** Items of a page, unless the command says otherwise. */
export const DEFAULT_PAGE = 100;

/** The end of a page. */
export type Position = { createdAt: Date; id: string };

const CURSOR = /^(\d{1,16})\.([0-9a-f-]{36})$/;

export const formatPosition = (position: Position): string => `${position.createdAt.getTime()}.${position.id}`;

/** The position behind a cursor of ours; anything else is an `INVALID_REQUEST`. */
export function parsePosition(cursor: string | undefined): Position | undefined {
  if (cursor === undefined) return undefined;
  const [, time, id] = CURSOR.exec(cursor) ?? [];
  if (time === undefined || id === undefined)
    throw new Fault('INVALID_REQUEST', 'The cursor is not one that was given out. Start again without one.');
  return { createdAt: new Date(Number(time)), id };
}

/** Cuts the one item that is more than the page holds: it shows that there is a next page. */
export function cutPage<T>(found: readonly T[], limit: number): { items: T[]; last: T | undefined } {
  const items = found.slice(0, limit);
  return { items, last: found.length > limit ? items.at(-1) : undefined };
}
