import { createClient } from '@attache/client';
import { AttacheProvider, Composer, Transcript, useSession } from '@attache/react';
import { useEffect, useState } from 'react';
import '@attache/react/style.css';

type Chat = { url: string; sessionId: string; token: string };

async function openChat(): Promise<Chat> {
  const response = await fetch('/api/chat', { method: 'POST' });
  if (!response.ok) throw new Error('The chat could not be opened. Is the backend running, with its API key?');
  return response.json();
}

async function connect() {
  const { url, sessionId, token } = await openChat();
  // The client asks once, and again when the server no longer takes the token.
  const getToken = async ({ isRefresh }: { isRefresh: boolean }) => (isRefresh ? (await openChat()).token : token);
  return { sessionId, client: createClient({ baseUrl: url, getToken }) };
}

type Connected = Awaited<ReturnType<typeof connect>>;

export default function App() {
  const [connected, setConnected] = useState<Connected>();
  const [error, setError] = useState<Error>();
  useEffect(() => {
    let isMounted = true;
    connect().then(
      (made) => isMounted && setConnected(made),
      (cause) => isMounted && setError(cause),
    );
    return () => {
      isMounted = false;
    };
  }, []);
  if (error) return <p role="alert">{error.message}</p>;
  if (!connected) return <p>Opening the chat …</p>;
  return (
    <AttacheProvider client={connected.client}>
      <Conversation sessionId={connected.sessionId} />
    </AttacheProvider>
  );
}

function Conversation({ sessionId }: { sessionId: string }) {
  const session = useSession({ sessionId });
  return (
    <main>
      <h1>A chat with attachments</h1>
      <Transcript session={session} />
      <Composer sessionId={sessionId} />
    </main>
  );
}
