/**
 * Whether a request comes from a page of this origin. The proxy knows people by their cookies, which a browser also sends with requests of other sites' pages.
 * `ownOrigin` is the scheme, host and port that browsers see.
 */
export function isOwnPage(request: Request, ownOrigin: string): boolean {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  const site = request.headers.get('sec-fetch-site');
  if (site === 'same-origin') return true;
  // A person who opens an address sends no Origin.
  if (site !== null) return site === 'none' && isRead;
  const origin = request.headers.get('origin');
  return origin === null ? isRead : origin === ownOrigin;
}
