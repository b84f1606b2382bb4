import type { HttpBindings } from '@hono/node-server';
import type { Hono } from 'hono';
import type { Caller } from '../caller/caller.ts';
import type { KeyUse } from '../caller/key-use.ts';
import type { DenialRecorder } from '../caller/record-denial.ts';
import type { RequestLimiter } from '../caller/request-limiter.ts';
import type { IngestDeps } from '../ingest-deps.ts';
import type { SessionFeeds } from '../log/session-feeds.ts';
import type { ApiDocumentBuilder } from './document/api-document.ts';
import type { Linger } from './server/linger.ts';
import type { BodyBudget } from './shares/body-budget.ts';
import type { StreamCounter } from './shares/stream-limits.ts';

/** What the HTTP surface is made of: ingest's own parts, what counts requests, what reads refused bodies, and what describes routes. */
export type HttpDeps = IngestDeps & {
  limiter: RequestLimiter;
  recordDenial: DenialRecorder;
  keyUse: KeyUse;
  linger: Linger;
  bodyBudget: BodyBudget;
  streams: StreamCounter;
  feeds: SessionFeeds;
  document: ApiDocumentBuilder;
};

/** What the gate puts beside a request. */
export type HttpEnv = {
  Bindings: HttpBindings;
  Variables: {
    /** Whether it came to the gate of a route, which answers what fails behind it. */
    isGated: boolean;
    caller: Caller;
    /** Uuid of the session in the path, where the route has one. */
    sessionId: string;
  };
};

export type HttpApp = Hono<HttpEnv>;
