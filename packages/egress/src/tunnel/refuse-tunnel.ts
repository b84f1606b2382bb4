import type { Socket } from 'node:net';

/** Why a request for a tunnel was not met. */
export type TunnelRefusal = 'not-a-name' | 'not-allowed' | 'address-refused' | 'unknown-name' | 'unreachable';

const answers: Readonly<Record<TunnelRefusal, { status: string; text: string }>> = {
  'not-a-name': { status: '400 Bad Request', text: 'Name a host and a port. Addresses are not taken.' },
  'not-allowed': { status: '403 Forbidden', text: 'The profile of this agent does not allow this host and port.' },
  'address-refused': { status: '403 Forbidden', text: 'This name has an address that no agent may reach.' },
  'unknown-name': { status: '502 Bad Gateway', text: 'This name could not be resolved.' },
  unreachable: { status: '504 Gateway Timeout', text: 'This host did not take a connection in time.' },
};

/** Responds that there is no tunnel, and why, and ends the connection. */
export function refuseTunnel(socket: Socket, why: TunnelRefusal): void {
  const { status, text } = answers[why];
  const body = `${text}\n`;
  const head = [
    `HTTP/1.1 ${status}`,
    'Content-Type: text/plain',
    `Content-Length: ${body.length}`,
    'Connection: close',
  ];
  // It may have sent on, which nobody reads any more.
  socket.resume().end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
