const statuses: Record<number, string> = {
  400: 'the request does not fit its schema, or its body is malformed',
  401: 'no valid credential, or an invalid signature',
  403: 'the caller may see the thing but lacks the right, or the origin of the page is not allowed',
  404: 'unknown, deleted, of another tenant, or not visible to this caller',
  409: 'the present state does not allow it',
  413: 'larger than the limit',
  422: 'understood and refused; `failures` say why',
  429: 'too many requests, or the quota is used up; `Retry-After` says when waiting helps',
  503: 'a dependency does not answer; `Retry-After` says when to try again',
};

const meanings = Object.entries(statuses).map(([status, meaning]) => `- ${status}: ${meaning}.`);

/** How every route refuses: one answer for all statuses, since each has the same form and any route may have any of them. */
export const refusalAnswers = { default: { $ref: '#/components/responses/Refusal' } };

/** The refusal itself, by name. */
export const refusalComponents = {
  Refusal: {
    description: `The request is refused. The status says in what way, \`code\` exactly why.\n\n${meanings.join('\n')}`,
    headers: { 'Retry-After': { description: 'Seconds until waiting helps.', schema: { type: 'integer' } } },
    content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
  },
};
