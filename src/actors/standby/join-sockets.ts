// A WebSocket through the proxy: the two connections become one, until either side ends it.
import type { Duplex } from 'node:stream';
import type { ClientSocket } from '../../kernel/http/raw-route.ts';
import type { UpgradedReply } from './forward.ts';

/** Connections that are WebSockets now: the HTTP server knows nothing of them, and would wait for them when it stops. */
export class OpenSockets {
  readonly #open = new Set<Duplex>();

  add(socket: Duplex): void {
    this.#open.add(socket);
    socket.on('close', () => this.#open.delete(socket));
  }

  end(): void {
    for (const socket of this.#open) socket.destroy();
  }
}

export async function joinSockets(
  { socket: client, head }: ClientSocket,
  { socket: program, head: first }: Pick<UpgradedReply, 'socket' | 'head'>,
  lines: readonly string[],
): Promise<void> {
  let text = 'HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: websocket\r\n';
  for (let index = 0; index < lines.length; index += 2) text += `${lines[index]}: ${lines[index + 1]}\r\n`;
  client.write(`${text}\r\n`, 'latin1');
  if (first.length > 0) client.write(first);
  if (head.length > 0) program.write(head);
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = () => {
    client.destroy();
    program.destroy();
    resolve();
  };
  for (const socket of [client, program]) socket.on('error', end).on('close', end);
  client.pipe(program).pipe(client);
  // Either may have gone before it had the listeners.
  if (client.destroyed || program.destroyed) end();
  await promise;
}
