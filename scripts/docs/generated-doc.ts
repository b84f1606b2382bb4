/** A document made from the code. `path` is relative to the repository. */
export type GeneratedDoc = { path: string; text: string };

/** The note that each of them has. */
export const NOTE = '<!-- Written by `npm run docs` from the code. Change the code, not this file. -->';
