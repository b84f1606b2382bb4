import type { Evidence } from '@attache/contracts';
import type { CarriedWay } from '@attache/domain';

/** Evidence from a trial with the program. */
export const seenOn = (date: string, note: string): Evidence => ({ source: 'static', date, note });

/** 4.5 MiB of base64. */
export const IMAGE_BYTES = 3_538_944;

export const anyPdf: CarriedWay = { carried: 'yes', mimeTypes: ['application/pdf'] };
export const anySpeech: CarriedWay = { carried: 'yes', mimeTypes: ['audio/wav', 'audio/mpeg'] };

/** Facts shared by rows whose transport does not declare what it carries. */
export const silent = { embeddedContext: 'no', forwardsNative: true, tools: 'no' } as const;

/** Facts shared by programs of the Agent Client Protocol. */
export const overAcp = { transport: 'acp', embeddedContext: 'yes', forwardsNative: true, tools: 'no' } as const;
