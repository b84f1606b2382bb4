// A page with nothing but the hook: what it returns is at `attachments`, for a test to call.
import { useAttachments } from '@attache/react';
import { createRoot } from 'react-dom/client';

const { url, sessionId, token } = JSON.parse(decodeURIComponent(location.hash.slice(1)));

function Attachments() {
  const attachments = useAttachments({
    ...{ supported: ['image/png'], baseUrl: url, sessionId },
    getToken: () => token,
  });
  Object.assign(globalThis, { attachments });
  return <output>{attachments.items.map(({ name, status }) => `${name} ${status}`).join(', ')}</output>;
}

const root = document.getElementById('root');
if (root) createRoot(root).render(<Attachments />);
