// Upgrades to WebSockets, by path: a request elsewhere that asks for an upgrade is answered as an ordinary one.
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { guarded, withErrorListener } from '../../network/streams.ts';
import { routedPath } from '../prefixes.ts';

export type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

export class Upgrades {
  readonly #handlers: { prefix: string; handle: UpgradeHandler }[] = [];
  #server: Server | undefined;

  attach(server: Server): void {
    this.#server = server;
  }

  /**
   * The prefix '' stands for all paths. Node before 24.9 cannot choose by request: there every client that offers HTTP/2 by an
   * upgrade would lose its call, so that upgrades work only on servers where all paths have them.
   */
  add(prefix: string, handle: UpgradeHandler): void {
    const server = this.#server!;
    this.#handlers.push({ prefix, handle });
    if (server.listenerCount('upgrade') > 0 || (prefix !== '' && !('shouldUpgradeCallback' in server)))
      return;
    const answer: UpgradeHandler = (request, socket, head) => {
      withErrorListener(socket);
      const handler = this.#handlerOf(request);
      if (handler === undefined) socket.destroy();
      else handler(request, socket, head);
    };
    server.on(
      'upgrade',
      guarded(answer, (_error, _request, socket) => socket.destroy()),
    );
  }

  accepts(request: IncomingMessage): boolean {
    return request.headers.upgrade?.toLowerCase() === 'websocket' && this.#handlerOf(request) !== undefined;
  }

  #handlerOf({ url = '/' }: IncomingMessage): UpgradeHandler | undefined {
    const path = `${routedPath(url)}/`;
    return this.#handlers.find(({ prefix }) => path.startsWith(`${prefix}/`))?.handle;
  }
}
