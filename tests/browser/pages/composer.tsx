// A conversation with a composer, as the fragment of its address says.
import { createClient } from '@attache/client';
import { AttacheProvider, Composer, en, Transcript, useSession } from '@attache/react';
import { ar } from '@attache/react/ar';
import { createImageReducer } from '@attache/react/reduce-images';
import { zh } from '@attache/react/zh';
import { StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';
import type { ComposerPage } from './composer-page.ts';
import './page-tools.ts';

const catalogues = { en, zh, ar };
const reducer = createImageReducer({ maxEdgePixels: 64 });

const page: ComposerPage = JSON.parse(decodeURIComponent(location.hash.slice(1)));
const client = createClient({ baseUrl: page.url, getToken: () => page.token });

function Conversation() {
  const { otherSessionId, supported, maxFiles, reducesImages } = page;
  const [sessionId, setSessionId] = useState(page.sessionId);
  const session = useSession({ sessionId });
  const options = {
    ...(supported && { supported }),
    ...(maxFiles && { maxFiles }),
    ...(reducesImages && { reduceImages: reducer }),
  };
  return (
    <div style={{ maxWidth: '44rem', margin: '1rem auto', display: 'grid', gap: '1rem', padding: '0 1rem' }}>
      <h1 style={{ margin: 0, font: '600 1.125rem system-ui' }}>Attaché</h1>
      {otherSessionId && (
        <button type="button" onClick={() => setSessionId(otherSessionId)}>
          Other session
        </button>
      )}
      <Transcript session={session} />
      <Composer sessionId={sessionId} {...options} />
    </div>
  );
}

const strings = catalogues[page.language ?? 'en'];
document.documentElement.lang = strings.locale;
document.documentElement.dir = strings.dir;
Object.assign(document.documentElement.style, {
  colorScheme: 'light dark',
  background: 'light-dark(#fff, #15171b)',
  color: 'light-dark(#000, #fff)',
});
const root = document.getElementById('root');
if (!root) throw new Error('the page has no root');
createRoot(root).render(
  <StrictMode>
    <AttacheProvider client={client} strings={strings}>
      <Conversation />
    </AttacheProvider>
  </StrictMode>,
);
