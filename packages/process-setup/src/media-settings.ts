import { integer } from './setting.ts';

/** Settings of processes that inspect files and make variants. */
export const mediaSettings = {
  ATTACHE_MEDIA_WORKERS: integer({
    min: 1,
    max: 64,
    meaning:
      'Processes that read files and make variants, one core each; as many as there are cores, at most 4, without it.',
  }),
  ATTACHE_MEDIA_MEMORY_BYTES: integer({
    default: String(512 * 1024 * 1024),
    min: 64 * 1024 * 1024,
    max: 64 * 1024 ** 3,
    meaning: 'Memory of one such process, beyond which it is ended and its file refused.',
  }),
} as const;

export type MediaSettings = { workers?: number; memoryBytes?: number };

/** Converts the settings for the pool of workers. */
export function readMediaSettings(
  values: { [Name in keyof typeof mediaSettings]?: number | undefined },
): MediaSettings {
  const { ATTACHE_MEDIA_WORKERS: workers, ATTACHE_MEDIA_MEMORY_BYTES: memoryBytes } = values;
  return { ...(workers === undefined ? {} : { workers }), ...(memoryBytes === undefined ? {} : { memoryBytes }) };
}
