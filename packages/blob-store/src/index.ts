export * from './blob-key.ts';
export * from './blob-store.ts';
export * from './resolve-range.ts';
