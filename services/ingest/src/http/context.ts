import type { HttpBindings } from '@hono/node-server';
import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Caller } from '../caller.ts';

/** What the gate puts beside a request. */
export type HttpEnv = {
  Bindings: HttpBindings;
  Variables: {
    caller: Caller;
    /** Uuid of the session in the path, where the route has one. */
    sessionId: string;
  };
};

export type HttpApp = OpenAPIHono<HttpEnv>;
