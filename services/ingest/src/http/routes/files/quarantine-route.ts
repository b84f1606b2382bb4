import { attachmentNotFound } from '../../../not-found.ts';
import { endQuarantine } from '../../../session/end-quarantine.ts';
import { addRoute } from '../../add-route.ts';
import type { HttpApp, HttpDeps } from '../../context.ts';
import { parseId } from '../../gate.ts';

export function addQuarantineRoute(app: HttpApp, deps: HttpDeps): void {
  addRoute(app, deps, 'endQuarantine', {
    summary: 'Let a file that models refused be sent to them again',
    answers: { 204: { description: 'It may be sent again to every agent of the session, or was in no quarantine.' } },
    async handle(c) {
      const attachmentId = parseId('attachment', c.req.param('attachmentId'), attachmentNotFound);
      await endQuarantine(deps, c.get('caller'), { sessionId: c.get('sessionId'), attachmentId });
      return c.body(null, 204);
    },
  });
}
