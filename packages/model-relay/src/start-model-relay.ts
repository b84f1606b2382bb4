import type { ModelRelay, RelayOptions } from './relay-types.ts';

/** Starts the HTTP server on 127.0.0.1, at a port that is free. */
export declare function startModelRelay(options: RelayOptions): Promise<ModelRelay>;
