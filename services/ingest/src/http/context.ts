import type { Fault } from '@attache/contracts';
import type { HttpBindings } from '@hono/node-server';
import type { Hono } from 'hono';
import type { Caller } from '../caller/caller.ts';
import type { KeyUse } from '../caller/key-use.ts';
import type { Presented } from '../caller/presented.ts';
import type { DenialRecorder } from '../caller/record-denial.ts';
import type { RequestLimiter } from '../caller/request-limiter.ts';
import type { IngestDeps } from '../ingest-deps.ts';
import type { IngestLimits } from '../ingest-limits.ts';
import type { SessionFeeds } from '../log/session-feeds.ts';
import type { ApiDocumentBuilder } from './document/api-document.ts';
import type { OriginGate } from './origins/origin-gate.ts';
import type { Linger } from './server/linger.ts';
import type { BodyBudget } from './shares/body-budget.ts';
import type { CallerLanes } from './shares/caller-lanes.ts';
import type { OpenCounters } from './shares/open-counters.ts';

/** The parts of the HTTP surface: ingest's own, the counters of requests, the reader of refused bodies, and the descriptions of routes. */
export type HttpDeps = IngestDeps & {
  limiter: RequestLimiter;
  recordDenial: DenialRecorder;
  keyUse: KeyUse;
  linger: Linger;
  bodyBudget: BodyBudget;
  open: OpenCounters;
  lanes: CallerLanes;
  origins: OriginGate;
  /** Logs that a part of the service cannot be used, each code once a minute. */
  noteOutage(fault: Fault): void;
  feeds: SessionFeeds;
  document: ApiDocumentBuilder;
};

/** The variables that the gate sets on a request. */
export type HttpEnv = {
  Bindings: HttpBindings;
  Variables: {
    /** Whether it came to the gate of a route, which answers failures behind it. */
    isGated: boolean;
    caller: Caller;
    /** The credential behind the caller. */
    presented: Presented;
    limits: IngestLimits;
    /** Uuid of the session in the path, if the route has one. */
    sessionId: string;
  };
};

export type HttpApp = Hono<HttpEnv>;
