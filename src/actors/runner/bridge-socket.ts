// Unix sockets by which programs with a network of their own, or none, reach this server or one port of this machine.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, readdirSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { connect, createSocketServer } from '../../kernel/network/streams.ts';

const PREFIX = 'bridge-';

/** Programs may be users of their own, so everybody may connect; others of this machine cannot guess the name, nor list the folder. */
export function newBridgeSocket(work: string): string {
  return join(work, `${PREFIX}${randomBytes(12).toString('base64url')}`);
}

export function openToPrograms(socket: string): void {
  chmodSync(socket, 0o666);
}

/** What a crashed server left; the lock on the folder makes sure that no other one uses them. */
export function removeBridgeSockets(work: string): void {
  for (const name of readdirSync(work))
    if (name.startsWith(PREFIX)) rmSync(join(work, name), { force: true });
}

export interface Forwarder {
  socket: string;
  close(): void;
}

/** Leads to a port of this machine. */
export async function openForwarder(
  work: string,
  target: { host: string; port: number },
): Promise<Forwarder> {
  const open = new Set<Socket>();
  const track = (socket: Socket, other: Socket): void => {
    open.add(socket);
    // When one side breaks, the other one must not wait for ever.
    socket.on('error', () => other.destroy());
    socket.on('close', () => open.delete(socket));
  };
  const server = createSocketServer(
    (inside) => {
      const outside = connect({ ...target, allowHalfOpen: true });
      track(inside, outside);
      track(outside, inside);
      inside.pipe(outside).pipe(inside);
    },
    { allowHalfOpen: true },
  );
  const socket = newBridgeSocket(work);
  await once(server.listen(socket), 'listening');
  openToPrograms(socket);
  return {
    socket,
    close() {
      server.close();
      for (const one of open) one.destroy();
    },
  };
}
