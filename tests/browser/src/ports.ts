/** So many pages can be served at once in each worker from an origin that the stack allows. */
export const PORTS_PER_WORKER = 4;
