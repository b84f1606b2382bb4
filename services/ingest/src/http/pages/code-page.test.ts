import { errorCodes, Fault, failureCodes, failureExplanations, idFromUuid, type PlanTarget } from '@attache/contracts';
import { type PlannableAttachment, planDelivery, resolveCapability } from '@attache/domain';
import { catalog } from '@attache/programs/catalog';
import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import type { HttpEnv } from '../context.ts';
import { createApiDocument } from '../document/api-document.ts';
import { describeProblem, problemResponse } from '../problem-response.ts';
import { addDocsPage } from './docs-page.ts';

const app = new Hono<HttpEnv>();
addDocsPage(app, createApiDocument({ basePath: '/v1' }));
app.notFound(() => problemResponse(new Fault('ROUTE_NOT_FOUND', 'There is no such route.'), 'a'.repeat(32)));

describe('the page of a code', () => {
  it.each([...failureCodes, ...errorCodes])('%s is served without credentials [DL-37 DL-12]', async (code) => {
    const answer = await app.request(`/docs/errors/${code.toLowerCase()}`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'unsafe-inline'/);
    const page = await answer.text();
    expect(page).toContain(`<h1><code>${code}</code></h1>`);
    expect(page).toContain('<dt>What to do</dt>');
    expect(page).not.toMatch(/<script|\ssrc=|\son\w+=/);
  });

  it('is where the type of a problem leads [DL-38]', async () => {
    for (const code of errorCodes) {
      const { type } = describeProblem(new Fault(code, 'What to do.'), 'a'.repeat(32));
      expect((await app.request(type)).status).toBe(200);
    }
  });

  it('holds its texts escaped', async () => {
    const page = await (await app.request('/docs/errors/tenant_name_taken')).text();
    expect(page).toContain('A new tenant&#39;s name');
  });

  it.each(['/docs/errors/nothing', '/docs/errors/DELIVERY_BLOCKED', '/docs/errors/a/b', '/docs/errors/constructor'])(
    'is the usual 404 for what is no code: %s',
    async (path) => {
      const answer = await app.request(path);
      expect(answer.status).toBe(404);
      expect(answer.headers.get('content-type')).toBe('application/problem+json');
    },
  );
});

describe('what a page says of retrying', () => {
  const id = idFromUuid('attachment', '00000000-0000-4000-8000-000000000001');
  const agentId = idFromUuid('agent', '00000000-0000-4000-8000-000000000002');
  const sound: PlannableAttachment = {
    ...{ id, name: 'file', mimeType: 'image/png', kind: 'image', sizeBytes: 100_000, status: 'ready' },
    facts: { width: 800, height: 600, hasAlpha: false },
  };
  const planFor = (
    attachment: PlannableAttachment,
    model: string,
    lineBytes: number,
    conversions: 'allow' | 'deny',
  ) => {
    const target: PlanTarget = { profile: 'example', runtime: 'acp', provider: 'example', model };
    const declared = { image: true, audio: false, embeddedContext: true };
    const capability = resolveCapability({ target, declared, profileCapability: undefined, lineBytes }, catalog);
    const request = { agentId, target, capability, text: 'look', attachments: [attachment], conversions };
    return planDelivery({ ...request, resident: {}, isUnknownOverridden: false });
  };
  const line = 32 * 1024 * 1024;

  it.each([
    ['attachment_pending', { status: 'pending' }, 'example-vision', line, 'allow'],
    ['attachment_rejected', { status: 'rejected' }, 'example-vision', line, 'allow'],
    ['attachment_model_vision_unsupported', {}, 'example-text', line, 'allow'],
    ['attachment_model_vision_unknown', {}, 'a-new-model', line, 'allow'],
    [
      'attachment_type_unsupported',
      { mimeType: 'application/zip', kind: 'unsupported' },
      'example-vision',
      line,
      'allow',
    ],
    ['attachment_serialized_payload_too_large', {}, 'example-vision', 8 * 1024, 'allow'],
    ['attachment_conversion_denied', { facts: { width: 9000, height: 600 } }, 'example-vision', line, 'deny'],
  ] as const)('%s is what the plan says [DL-42]', (code, facts, model, lineBytes, conversions) => {
    const { failures } = planFor({ ...sound, ...facts }, model, lineBytes, conversions);
    expect(failures.map((failure) => failure.code)).toEqual([code]);
    const { retryable } = failureExplanations[code];
    const said = typeof retryable === 'string' ? retryable : retryable.dependsOn;
    // If it depends on who raises the code, the page says both.
    expect(said).toMatch(failures[0]?.retryable ? /\byes\b/ : /\bno\b/);
  });
});
