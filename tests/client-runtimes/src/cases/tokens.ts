import { createClient } from '@attache/client';
import type { Case } from '../context.ts';
import { expectEqual } from '../expect.ts';
import { makeFile } from '../files.ts';

export const tokenCases: readonly Case[] = [
  {
    name: 'a token that ends amid uploads is replaced once for all requests',
    async run({ baseUrl, call, openSession }) {
      const { id } = await openSession();
      const asked: boolean[] = [];
      const rights = ['attachments:write', 'attachments:read', 'events:read'];
      const client = createClient({
        baseUrl,
        async getToken({ isRefresh }) {
          asked.push(isRefresh);
          const body = { externalUserId: 'user-7', rights, ttlSeconds: 3600 };
          const { token } = await call<{ token: string }>('POST', `/sessions/${id}/tokens`, body);
          return token;
        },
      });
      const session = client.session(id);
      await session.read();
      await call('DELETE', `/sessions/${id}/tokens`, { externalUserId: 'user-7' });
      const uploads = Array.from({ length: 4 }, () => session.upload(makeFile(100_000)));
      await Promise.all([...uploads, session.read(), session.policy()]);
      expectEqual(asked, [false, true], 'calls of getToken');
      expectEqual((await session.attachments()).items.length, 4, 'attachments');
    },
  },
];
