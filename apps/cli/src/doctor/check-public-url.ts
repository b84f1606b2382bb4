import type { Check } from './finding.ts';

const isLoopback = (host: string): boolean => /^(localhost|127(\.\d{1,3}){3}|::1)$/.test(host);

/** Whether the URLs that are given out name an address that clients reach. */
export function checkOfPublicUrl(config: {
  publicUrl: string | undefined;
  host: string;
  trustedProxies: number;
}): Check {
  const { publicUrl, host, trustedProxies } = config;
  return {
    name: 'public URL',
    async run() {
      if (publicUrl !== undefined) return { state: 'ok', detail: publicUrl };
      if (trustedProxies === 0 && isLoopback(host))
        return { state: 'ok', detail: 'not set: for clients on this machine' };
      const why = trustedProxies > 0 ? `${trustedProxies} proxies stand before it` : `it listens on ${host}`;
      return {
        state: 'warning',
        detail: `not set, and ${why}`,
        fix: 'Set ATTACHE_PUBLIC_URL to the address that clients use: URLs name the address on which ingest listens without it.',
      };
    },
  };
}
