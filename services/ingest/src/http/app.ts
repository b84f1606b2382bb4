import { Fault } from '@attache/contracts';
import { recordRequest, withSpan } from '@attache/telemetry';
import { type Context, Hono } from 'hono';
import { cors } from 'hono/cors';
import { createKeyUse } from '../caller/key-use.ts';
import { createDenialRecorder } from '../caller/record-denial.ts';
import { createRequestLimiter } from '../caller/request-limiter.ts';
import type { IngestDeps } from '../ingest-deps.ts';
import { createSessionFeeds } from '../log/session-feeds.ts';
import { answerRefusal } from './answer-refusal.ts';
import type { HttpApp, HttpDeps, HttpEnv } from './context.ts';
import { addDocsPage } from './docs-page.ts';
import { createApiDocument } from './document/api-document.ts';
import { asFault } from './problem-response.ts';
import { addRootPage } from './root-page.ts';
import { addAttachmentRoutes } from './routes/attachment-routes.ts';
import { addAuditRoutes } from './routes/audit-routes.ts';
import { addCapabilityRoutes } from './routes/capability-routes.ts';
import { addDeliveryRoutes } from './routes/delivery-routes.ts';
import { addEventRoutes } from './routes/event-routes.ts';
import { addGrantRoutes } from './routes/grant-routes.ts';
import { addKeyRoutes } from './routes/key-routes.ts';
import { addMessageRoutes } from './routes/message-routes.ts';
import { addQuarantineRoute } from './routes/quarantine-route.ts';
import { addRawRoute } from './routes/raw-route.ts';
import { addSecretRoutes } from './routes/secret-routes.ts';
import { addAgentRoutes, addReadingRoutes, addSessionRoutes } from './routes/session-routes.ts';
import { addUploadRoutes } from './routes/upload-routes.ts';
import { addUrlRoutes } from './routes/url-routes.ts';
import { addUseRoutes } from './routes/use-routes.ts';
import { createLinger } from './server/linger.ts';
import { createForwardedHostWarner } from './server/warn-of-forwarded-host.ts';
import { createBodyBudget } from './shares/body-budget.ts';
import { createStreamCounter } from './shares/stream-limits.ts';

const exposedHeaders = ['Location', 'Idempotency-Replayed', 'ETag', 'Content-Range', 'Retry-After', 'traceresponse'];

/** The public HTTP surface. Only routes that work are in it and in its OpenAPI document. */
export function createApp(ingestDeps: IngestDeps, baseUrl: () => string): HttpApp {
  const limiter = createRequestLimiter(ingestDeps.settings.rateLimits, ingestDeps.sharedCounts);
  const recordDenial = createDenialRecorder(ingestDeps);
  const streams = createStreamCounter(ingestDeps.settings.streamLimits);
  const shared = {
    linger: createLinger(),
    bodyBudget: createBodyBudget(),
    streams,
    keyUse: createKeyUse(ingestDeps),
    feeds: createSessionFeeds(ingestDeps),
    document: createApiDocument(ingestDeps.settings),
  };
  const deps: HttpDeps = { ...ingestDeps, limiter, recordDenial, ...shared };
  const app = new Hono<HttpEnv>();
  const warnOfForwardedHost = createForwardedHostWarner({ publicUrl: deps.settings.publicUrl, log: deps.log });
  app.use('*', async (c, next) => {
    warnOfForwardedHost(c.req);
    await next();
  });
  const origins = [...deps.settings.corsOrigins];
  if (origins.length > 0) app.use('*', cors({ origin: origins, exposeHeaders: exposedHeaders, maxAge: 600 }));
  addRoutes(app, deps, baseUrl);
  addDocsPage(app, deps.document);
  addRootPage(app, deps.settings.basePath);
  app.notFound((c) =>
    refuse(deps, c, new Fault('ROUTE_NOT_FOUND', 'There is no such route. See /docs for those that exist.')),
  );
  // What fails behind a gate is answered there.
  app.onError((error, c) => (c.get('isGated') ? c.body(null, 500) : refuse(deps, c, asFault(error))));
  return app;
}

/** Every route of the API, with its description. Nothing but the settings of `deps` is touched before the first request. */
export function addRoutes(app: HttpApp, deps: HttpDeps, baseUrl: () => string): void {
  addSessionRoutes(app, deps);
  addReadingRoutes(app, deps);
  addAgentRoutes(app, deps);
  addEventRoutes(app, deps);
  addUploadRoutes(app, deps, baseUrl);
  addAttachmentRoutes(app, deps);
  addUrlRoutes(app, deps, baseUrl);
  addRawRoute(app, deps);
  addGrantRoutes(app, deps);
  addMessageRoutes(app, deps, baseUrl);
  addCapabilityRoutes(app, deps);
  addDeliveryRoutes(app, deps);
  addKeyRoutes(app, deps);
  addQuarantineRoute(app, deps);
  addSecretRoutes(app, deps);
  addAuditRoutes(app, deps);
  addUseRoutes(app, deps);
}

function refuse(deps: HttpDeps, c: Context<HttpEnv>, fault: Fault): Promise<Response> {
  return withSpan({ name: 'refuse request', kind: 'server', parent: 'root' }, async () => {
    const response = answerRefusal(deps, c, fault);
    const { method } = c.req;
    recordRequest({ route: 'none', method, status: response.status, durationMs: 0, code: fault.code });
    return response;
  });
}
