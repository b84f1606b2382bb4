import type { Dialect } from './dialect.ts';
import { anthropicDialect } from './write-anthropic.ts';
import { chatDialect } from './write-chat.ts';
import { googleDialect } from './write-google.ts';
import { responsesDialect } from './write-responses.ts';

const ROUTES: readonly { path: RegExp; dialect: Dialect }[] = [
  { path: /\/messages(\/count_tokens)?$/, dialect: anthropicDialect },
  { path: /\/responses$/, dialect: responsesDialect },
  { path: /\/chat\/completions$/, dialect: chatDialect },
  { path: /\/models\/[^/:]+:(streamGenerateContent|generateContent|countTokens)$/, dialect: googleDialect },
];

/** The model API that a path belongs to. */
export function findDialect(path: string): Dialect | undefined {
  return ROUTES.find((route) => route.path.test(path))?.dialect;
}
