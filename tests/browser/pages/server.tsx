// The markup of a composer as a server sends it, before any script runs in a page.
import { createClient } from '@attache/client';
import { AttacheProvider, Composer, Transcript, useAttachments, useSession } from '@attache/react';
import { ar } from '@attache/react/ar';
import { version } from 'react';
import { renderToString } from 'react-dom/server';

const client = createClient({ baseUrl: 'https://files.example.com' });

function Conversation() {
  const session = useSession({ sessionId: 'ses_1' });
  return (
    <>
      <Transcript session={session} />
      <Composer sessionId="ses_1" />
    </>
  );
}

/** A hook that is called without a provider. */
function Files() {
  const { items, referenceIds, getInputProps } = useAttachments({
    ...{ supported: ['.pdf'], baseUrl: '/attache', sessionId: 'ses_1' },
  });
  return (
    <label>
      {items.length + referenceIds.length} <input {...getInputProps()} />
    </label>
  );
}

/** The markup in Arabic, and the version of React that made it. */
export const rendered = {
  version,
  markup: renderToString(
    <AttacheProvider client={client} strings={ar}>
      <Conversation />
    </AttacheProvider>,
  ),
  files: renderToString(<Files />),
};
