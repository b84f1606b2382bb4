import type { WireRequest } from '../receipt/wire-facts.ts';
import { listAbove } from './picture-limit.ts';
import { type ApiError, readError } from './read-error.ts';
import { type NamedPath, readPath } from './read-path.ts';
import { readTrouble } from './read-trouble.ts';
import type { Refusal, RefusalApi, RefusalMeaning } from './refusal-meaning.ts';
import { type RefusalRow, refusalRows } from './refusal-rows.ts';
import { findSentFile } from './wire-files.ts';

/** Statuses about the content of a request: not about its key, its rate or the provider's trouble. */
const OF_CONTENT = [400, 413, 415, 422];
/** The status of a response that began as accepted and then continued with an error before the model began. */
const OF_STREAM = 200;
const CODE = /^[a-z0-9_]{1,64}$/;

type Named = ApiError & { readonly place: NamedPath | undefined };

/** The meaning of a refusal for the request that held these blocks. */
export function readRefusal(api: RefusalApi, refusal: Refusal, blocks?: WireRequest['blocks']): RefusalMeaning {
  const isKnown = OF_CONTENT.includes(refusal.status);
  if (!isKnown && refusal.status !== OF_STREAM) return { kind: 'none' };
  if (readTrouble(api, readError(api, refusal)) !== undefined) return { kind: 'none' };
  const row = findRow(api, refusal, blocks);
  if (row === undefined) return { kind: isKnown ? 'unknown' : 'none' };
  return explain(row, readNamed(api, refusal));
}

/** The row that reads it. */
export function findRow(api: RefusalApi, refusal: Refusal, blocks: WireRequest['blocks']): RefusalRow | undefined {
  const named = readNamed(api, refusal);
  return refusalRows[api].find((each) => fits(each, named, blocks));
}

function readNamed(api: RefusalApi, refusal: Refusal): Named {
  const error = readError(api, refusal);
  return { ...error, place: readPath(api, error.named) };
}

function fits(row: RefusalRow, error: Named, blocks: WireRequest['blocks']): boolean {
  if (!row.status.includes(error.status)) return false;
  if (row.type !== undefined && row.type !== error.type) return false;
  if (row.codes !== undefined && !row.codes.includes(error.code)) return false;
  return namesIt(row, error) && (row.above === undefined || isAbove(row.above, error, blocks));
}

function namesIt({ names }: RefusalRow, { named, place }: Named): boolean {
  if (names instanceof RegExp) return names.test(named);
  switch (names) {
    case undefined:
      return true;
    case 'file':
      return place?.isFile === true;
    case 'message':
      return place !== undefined;
    case 'nothing':
      return named === '';
    default:
      return names satisfies never;
  }
}

function isAbove(limit: NonNullable<RefusalRow['above']>, { place }: Named, blocks: WireRequest['blocks']): boolean {
  const above = listAbove(limit, blocks);
  if (place === undefined) return above.length > 0;
  const file = findSentFile(blocks, place.path);
  return file !== undefined && above.includes(file.sha256);
}

function explain(row: RefusalRow, error: Named): RefusalMeaning {
  const code = CODE.test(error.code) ? error.code : (row.code ?? 'unspecified');
  const { means: kind, above, code: own = code } = row;
  switch (kind) {
    case 'part':
      return error.place === undefined ? { kind: 'unknown' } : { kind, code, path: error.place.path };
    case 'limit':
      return above === undefined
        ? { kind: 'unknown' }
        : { kind, code: own, limit: above, isCertain: error.place !== undefined };
    case 'media':
    case 'too-large':
      return { kind, code };
    case 'unknown':
      return { kind };
    default:
      return kind satisfies never;
  }
}
