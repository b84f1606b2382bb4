/** A route that browsers may call. `:id` takes one id; `:sessionId` takes the id of the participant's own session alone. */
type Route = { methods: readonly string[]; path: string };

const routes: readonly Route[] = [
  { methods: ['GET'], path: '/v1/sessions/:sessionId' },
  { methods: ['GET'], path: '/v1/sessions/:sessionId/policy' },
  { methods: ['GET'], path: '/v1/sessions/:sessionId/events' },
  { methods: ['GET'], path: '/v1/sessions/:sessionId/transcript' },
  { methods: ['GET', 'PUT', 'POST'], path: '/v1/sessions/:sessionId/attachments' },
  { methods: ['POST'], path: '/v1/sessions/:sessionId/urls' },
  { methods: ['POST'], path: '/v1/sessions/:sessionId/plan' },
  { methods: ['POST'], path: '/v1/sessions/:sessionId/messages' },
  { methods: ['POST'], path: '/v1/sessions/:sessionId/interrupt' },
  { methods: ['GET', 'PATCH', 'DELETE'], path: '/v1/attachments/:id' },
  { methods: ['POST', 'DELETE'], path: '/v1/attachments/:id/urls' },
  { methods: ['GET'], path: '/v1/messages/:id' },
  { methods: ['GET'], path: '/v1/deliveries/:id' },
  { methods: ['POST'], path: '/v1/deliveries/:id/retry' },
  { methods: ['POST'], path: '/v1/deliveries/:id/cancel' },
];

/** The bytes of a file: its URL is signed, so that it needs no participant. */
const RAW = /^\/v1\/attachments\/[\w-]+\/raw$/;

const patterns = routes.map(({ methods, path }) => ({
  methods,
  pattern: new RegExp(`^${path.replace(':sessionId', '(?<sessionId>[\\w-]+)').replace(':id', '[\\w-]+')}$`),
}));

/** A participant's route, with the session that its path names, if it names one; the bytes of a file; or undefined for everything else. */
export type FoundRoute = { kind: 'signed' } | { kind: 'participant'; sessionId: string | undefined };

/** Finds the route of a request by the path as it was sent, without its prefix. HEAD fits where GET does; an encoded character fits no route. */
export function findRoute(sentMethod: string, path: string): FoundRoute | undefined {
  const method = sentMethod === 'HEAD' ? 'GET' : sentMethod;
  if (RAW.test(path)) return method === 'GET' ? { kind: 'signed' } : undefined;
  for (const { methods, pattern } of patterns) {
    const match = pattern.exec(path);
    if (match && methods.includes(method)) return { kind: 'participant', sessionId: match.groups?.sessionId };
  }
  return undefined;
}
