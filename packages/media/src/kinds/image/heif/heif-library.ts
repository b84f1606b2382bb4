import { keepLibrary } from '../../../library/keep-library.ts';

type Factory = typeof import('libheif-js/libheif-wasm/libheif-bundle.js')['default'];
export type HeifLibrary = ReturnType<Factory>;

/** The decoder of HEIC. */
export const heifLibrary = keepLibrary<HeifLibrary>(async () => {
  const { default: createLibrary } = await import('libheif-js/libheif-wasm/libheif-bundle.js');
  return createLibrary();
});
