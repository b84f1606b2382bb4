import type { Part } from '@attache/contracts';

/** Whether a delivery brings more than text. */
export const hasFiles = (parts: readonly Part[]): boolean => parts.some((part) => part.type !== 'text');
