import { Fault } from '@attache/contracts';
import { recordRequest, withSpan } from '@attache/telemetry';
import { type Context, Hono } from 'hono';
import { createKeyUse } from '../caller/key-use.ts';
import { createDenialRecorder } from '../caller/record-denial.ts';
import { createRequestLimiter } from '../caller/request-limiter.ts';
import type { IngestDeps } from '../ingest-deps.ts';
import { createSessionFeeds } from '../log/session-feeds.ts';
import { answerRefusal } from './answer-refusal.ts';
import type { HttpApp, HttpDeps, HttpEnv } from './context.ts';

import { createApiDocument } from './document/api-document.ts';
import { createOriginGate } from './origins/origin-gate.ts';
import { createOutageLog } from './outage-log.ts';
import { addDocsPage } from './pages/docs-page.ts';
import { prefersHtml } from './pages/html.ts';
import { addIcon, addRootPage, notFoundPage } from './pages/own-pages.ts';
import { asFault } from './problem-response.ts';
import { addAuditRoutes } from './routes/access/audit-routes.ts';
import { addCapabilityRoutes } from './routes/access/capability-routes.ts';
import { addGrantRoutes } from './routes/access/grant-routes.ts';
import { addKeyRoutes } from './routes/access/key-routes.ts';
import { addOriginRoutes } from './routes/access/origin-routes.ts';
import { addSecretRoutes } from './routes/access/secret-routes.ts';
import { addUseRoutes } from './routes/access/use-routes.ts';
import { addDeliveryRoutes } from './routes/delivery-routes.ts';
import { addEventRoutes } from './routes/event-routes.ts';
import { addAttachmentRoutes } from './routes/files/attachment-routes.ts';
import { addQuarantineRoute } from './routes/files/quarantine-route.ts';
import { addRawRoute } from './routes/files/raw-route.ts';
import { addUploadRoutes } from './routes/files/upload-routes.ts';
import { addUrlRoutes } from './routes/files/url-routes.ts';
import { addMessageRoutes } from './routes/message-routes.ts';
import { addAgentRoutes, addReadingRoutes, addSessionRoutes } from './routes/session-routes.ts';
import { createLinger, lingerLimits } from './server/linger.ts';
import { createForwardedHostWarner } from './server/warn-of-forwarded-host.ts';
import { createBodyBudget } from './shares/body-budget.ts';
import { createCallerLanes } from './shares/caller-lanes.ts';
import { createOpenCounters } from './shares/open-counters.ts';

/** As many as keep a database busy that answers over a network. */
const READS_TOGETHER = 4;

/** The public HTTP surface. Only routes that work are in it and in its OpenAPI document. */
export function createApp(ingestDeps: IngestDeps, baseUrl: () => string): HttpApp {
  const limiter = createRequestLimiter(ingestDeps.settings.rateLimits, ingestDeps.sharedCounts);
  const recordDenial = createDenialRecorder(ingestDeps);
  const { limits = {} } = ingestDeps.settings;
  const shared = {
    linger: createLinger({ ...lingerLimits, maxMs: limits.refusedBodyMs ?? lingerLimits.maxMs }),
    bodyBudget: createBodyBudget(),
    open: createOpenCounters(ingestDeps.settings),
    lanes: createCallerLanes(ingestDeps.settings.readsTogether ?? READS_TOGETHER),
    keyUse: createKeyUse(ingestDeps),
    noteOutage: createOutageLog(ingestDeps.log),
    feeds: createSessionFeeds(ingestDeps),
    origins: createOriginGate({ ...ingestDeps, limiter }),
    document: createApiDocument(ingestDeps.settings),
  };
  const deps: HttpDeps = { ...ingestDeps, limiter, recordDenial, ...shared };
  const app = new Hono<HttpEnv>();
  const warnOfForwardedHost = createForwardedHostWarner({ publicUrl: deps.settings.publicUrl, log: deps.log });
  app.use('*', async (c, next) => {
    warnOfForwardedHost(c.req);
    c.set('limits', limits);
    return (await deps.origins.receive(c)) ?? next();
  });
  addRoutes(app, deps, baseUrl);
  addDocsPage(app, deps.document);
  addRootPage(app, deps.settings.basePath);
  addIcon(app);
  app.notFound((c) =>
    refuse(deps, c, new Fault('ROUTE_NOT_FOUND', 'There is no such route. See /docs for those that exist.')),
  );
  // A failure behind a gate is answered by the gate.
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
  addOriginRoutes(app, deps);
  addAuditRoutes(app, deps);
  addUseRoutes(app, deps);
}

function refuse(deps: HttpDeps, c: Context<HttpEnv>, fault: Fault): Promise<Response> {
  return withSpan({ name: 'refuse request', kind: 'server', parent: 'root' }, async () => {
    const { method } = c.req;
    const mayBePage = fault.code === 'ROUTE_NOT_FOUND' && ['GET', 'HEAD'].includes(method);
    if (mayBePage) c.env.outgoing.setHeader('vary', 'Accept, Origin');
    const response = mayBePage && prefersHtml(c) ? notFoundPage() : answerRefusal(deps, c, fault);
    recordRequest({ route: 'none', method, status: response.status, durationMs: 0, code: fault.code });
    return response;
  });
}
