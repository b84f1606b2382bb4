/**
 * Whether a request comes from a page of this origin. The proxy knows people by their cookies, which a browser also sends with requests of other sites' pages.
 * `publicOrigin` is the one that browsers see; without it, it is compared by the header Host.
 */
export function isOwnPage(request: Request, publicOrigin: string | undefined): boolean {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  const site = request.headers.get('sec-fetch-site');
  if (site === 'same-origin') return true;
  // A person who opens an address sends no Origin.
  if (site !== null) return site === 'none' && isRead;
  const origin = request.headers.get('origin');
  if (origin === null) return isRead;
  if (publicOrigin !== undefined) return origin === publicOrigin;
  return URL.canParse(origin) && new URL(origin).host === request.headers.get('host');
}
