import { timingSafeEqual } from 'node:crypto';
import { Fault } from '@attache/contracts';
import { computeMac, type SigningKeys } from '@attache/intake';

/** The position at which a page of attachments ended. */
export type PagePosition = { createdAt: Date; id: string };

const CURSOR = /^([0-9a-z]{1,12})\.([0-9a-f-]{36})\.([A-Za-z0-9_-]{11})$/;

function macOf(keys: SigningKeys, text: string): Buffer {
  return computeMac(keys[0], 'cursor', text).subarray(0, 8);
}

export function formatCursor(keys: SigningKeys, position: PagePosition): string {
  const text = `${position.createdAt.getTime().toString(36)}.${position.id}`;
  return `${text}.${macOf(keys, text).toString('base64url')}`;
}

/** The position behind a cursor that we made; a forged one is an `INVALID_REQUEST`. */
export function parseCursor(keys: SigningKeys, cursor: string): PagePosition {
  const [, time = '', id = '', mac = ''] = CURSOR.exec(cursor) ?? [];
  const isOurs = id !== '' && timingSafeEqual(macOf(keys, `${time}.${id}`), Buffer.from(mac, 'base64url'));
  if (!isOurs) throw new Fault('INVALID_REQUEST', 'The cursor is not one that was given out. Start again without one.');
  return { createdAt: new Date(Number.parseInt(time, 36)), id };
}
