// Events of the platform for the processes of runs, over WebSockets: system information, migration, abort, persisting state.
import type { WebSocket } from 'ws';

export type RunEventName = 'systemInfo' | 'migrating' | 'aborting' | 'persistState';

/** A process needs one connection; a hostile one might open thousands. */
const MAX_SOCKETS = 8;
/** A process that does not read its events gets no more of them. */
const MAX_BUFFERED = 64 * 1024;

export class RunEvents {
  readonly #sockets = new Map<string, Set<WebSocket>>();

  /** From now on the run may connect. */
  open(runId: string): void {
    this.#sockets.set(runId, new Set());
  }

  connect(runId: string, socket: WebSocket): void {
    // It may have closed while its token was looked up.
    if (socket.readyState !== socket.OPEN) return;
    const sockets = this.#sockets.get(runId);
    if (sockets === undefined || sockets.size >= MAX_SOCKETS)
      return socket.close(1008, 'There is no such run');
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  }

  /** False where nobody listens. */
  send(runId: string, name: RunEventName, data: unknown, now: number): boolean {
    const sockets = this.#sockets.get(runId);
    if (sockets === undefined || sockets.size === 0) return false;
    const message = JSON.stringify({ name, createdAt: new Date(now).toISOString(), data });
    for (const socket of sockets) {
      if (socket.bufferedAmount < MAX_BUFFERED) socket.send(message);
    }
    return true;
  }

  /** The process has ended. */
  close(runId: string): void {
    for (const socket of this.#sockets.get(runId) ?? []) socket.close(1000);
    this.#sockets.delete(runId);
  }
}
