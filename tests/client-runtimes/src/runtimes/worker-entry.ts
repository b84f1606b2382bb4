import type { RunOptions } from '../context.ts';
import { runSuite } from '../suite.ts';

/** The suite as a worker at the edge: a request brings the options, its answer the results. */
export default {
  async fetch(request: Request): Promise<Response> {
    return Response.json(await runSuite((await request.json()) as RunOptions));
  },
};
