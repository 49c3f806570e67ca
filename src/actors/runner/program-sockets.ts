// Unix sockets between this server and programs with a network of their own, or none: for what they reach outside, and for a port of theirs that the server reaches.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, readdirSync, rmSync, renameSync } from 'node:fs';
import type { Socket, Server } from 'node:net';
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

interface InboundSocket {
  /** For the program's descriptors. */
  fd: number;
  /** Once the program has its copy. */
  release(): void;
}

/**
 * The program gets the listening socket itself and never sees the file: a program that could replace the file by a link would
 * make the server connect to any socket of this machine.
 */
export async function openInboundSocket(path: string): Promise<InboundSocket> {
  const temporary = `${path}.new`;
  rmSync(temporary, { force: true });
  const listener = createSocketServer((socket) => socket.destroy());
  listener.listen(temporary);
  await once(listener, 'listening');
  chmodSync(temporary, 0o600);
  // Closing the listener here deletes the file of the name that it was given.
  renameSync(temporary, path);
  // Node has no public name for it, and takes only its number for the descriptors of a child.
  const { fd } = (listener as Server & { _handle: { fd: number } })._handle;
  return { fd, release: () => void listener.close() };
}
