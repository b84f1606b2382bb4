type Refusal = { name: string; description: string; hasRetryAfter?: boolean };

const refusals: Record<number, Refusal> = {
  400: { name: 'BadRequest', description: 'The request does not fit its schema, or its body is malformed.' },
  401: { name: 'Unauthorized', description: 'No valid credential, or an invalid signature.' },
  403: { name: 'Forbidden', description: 'The caller may see the thing but lacks the right.' },
  404: { name: 'NotFound', description: 'Unknown, deleted, of another tenant, or not visible to this caller.' },
  409: { name: 'Conflict', description: 'The present state does not allow it.' },
  413: { name: 'TooLarge', description: 'Larger than the limit.' },
  422: { name: 'Refused', description: 'Understood and refused; `failures` say why.' },
  429: {
    name: 'TooMany',
    description: 'Too many requests, or the quota is used up; `Retry-After` says when waiting helps.',
    hasRetryAfter: true,
  },
  503: { name: 'Unavailable', description: 'A dependency does not answer.', hasRetryAfter: true },
};

/** How every route refuses, by status. */
export const refusalAnswers = Object.fromEntries(
  Object.entries(refusals).map(([status, { name }]) => [status, { $ref: `#/components/responses/${name}` }]),
);

const retryAfter = { 'Retry-After': { description: 'Seconds until waiting helps.', schema: { type: 'integer' } } };

/** The refusals themselves, by name. */
export const refusalComponents = Object.fromEntries(
  Object.values(refusals).map(({ name, description, hasRetryAfter }) => [
    name,
    {
      description,
      ...(hasRetryAfter ? { headers: retryAfter } : {}),
      content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
    },
  ]),
);
