import { recordOf } from './json-values.ts';

/** Whether a text is a provider's own JSON about a request that it refuses. */
export function isRefusedRequest(text: string): boolean {
  try {
    return recordOf(recordOf(JSON.parse(text)).error).type === 'invalid_request_error';
  } catch {
    return false;
  }
}
