const problems = {
  FORBIDDEN: [403, 'Forbidden'],
  ROUTE_NOT_FOUND: [404, 'Not Found'],
  INTERNAL: [502, 'Bad Gateway'],
  SERVICE_UNREACHABLE: [503, 'Service Unavailable'],
  TOKEN_RENEWED: [503, 'Service Unavailable'],
} as const;

/** A refusal by the proxy itself, in the form of the service's. It names no page about its code, as pages of the service do not pass the proxy. */
export function refuse(code: keyof typeof problems, detail: string): Response {
  const [status, title] = problems[code];
  const problem = { type: 'about:blank', title, status, code, detail, retryable: status === 503 };
  const headers = { 'content-type': 'application/problem+json', 'cache-control': 'no-store' };
  return Response.json(problem, { status, headers });
}
