import 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** Which stack the end-to-end suites start, by project. */
    stack: 'embedded' | 'hosted';
  }
}
