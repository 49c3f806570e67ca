// A peer that breaks the rules of HTTP: a server whose connections play one scripted behaviour each, and that counts them.
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { eventually } from '../eventually.ts';

/**
 * What the peer does with a connection once it has read the head of a request. Each function stands for itself, so that its
 * text also works in the program of an Actor.
 */
type Behaviour = (socket: Socket) => void;

export const BEHAVIOURS = {
  'closes before the head': (socket) => socket.end(),
  'resets before the head': (socket) => socket.resetAndDestroy(),
  'closes in the head': (socket) => socket.end('HTTP/1.1 200 O'),
  'resets in the head': (socket) => socket.write('HTTP/1.1 200 OK\r\nx: ', () => socket.resetAndDestroy()),
  'closes after the head': (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n'),
  'resets after the head': (socket) =>
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n', () => socket.resetAndDestroy()),
  'closes in the body': (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nhalf'),
  'resets in the body': (socket) =>
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nhalf', () => socket.resetAndDestroy()),
  'sends a chunk that is none': (socket) =>
    socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nnonsense\r\n'),
  'closes in a chunk': (socket) =>
    socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nff\r\nhalf'),
  'answers with status 000': (socket) => socket.end('HTTP/1.1 000 X\r\ncontent-length: 0\r\n\r\n'),
  'answers with status 099': (socket) => socket.end('HTTP/1.1 099 X\r\ncontent-length: 0\r\n\r\n'),
  'answers with status 999': (socket) => socket.end('HTTP/1.1 999 X\r\ncontent-length: 0\r\n\r\n'),
  'answers without HTTP': (socket) => socket.end('220 mail.example ESMTP\r\n'),
  'switches protocols': (socket) =>
    socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
  'switches protocols and resets': (socket) =>
    socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n', () =>
      socket.resetAndDestroy(),
    ),
  'sends interim replies without end': (socket) => {
    const more = () => {
      while (!socket.destroyed && socket.write('HTTP/1.1 102 Processing\r\n\r\n'));
    };
    socket.on('drain', more);
    more();
  },
  'sends headers without end': (socket) => {
    const more = () => {
      while (!socket.destroyed && socket.write(`x-${Math.random()}: ${'x'.repeat(200)}\r\n`));
    };
    socket.on('drain', more);
    socket.write('HTTP/1.1 200 OK\r\n');
    more();
  },
  'lies about gzip': (socket) =>
    socket.end(
      `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-encoding: gzip\r\ncontent-length: 50\r\n\r\n${'\0'.repeat(50)}`,
    ),
} satisfies Record<string, Behaviour>;

export type BehaviourName = keyof typeof BEHAVIOURS;
export const BEHAVIOUR_NAMES = Object.keys(BEHAVIOURS) as BehaviourName[];

export interface HostilePeer {
  url: string;
  /** What the next connections do. */
  behaviour: BehaviourName;
  /** How many requests there were. */
  requests: number;
  /** Resolves when no connection to it is open: the other side has left none behind. */
  isAlone(): Promise<void>;
  close(): Promise<void>;
}

export async function startHostilePeer(): Promise<HostilePeer> {
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    // The other side has closed, and so does this one, unless it plays a peer that does not.
    socket.on('end', () => socket.end());
    let head = '';
    const read = (chunk: Buffer): void => {
      head += chunk.toString('latin1');
      if (!head.includes('\r\n\r\n')) return;
      socket.off('data', read);
      socket.resume();
      peer.requests += 1;
      BEHAVIOURS[peer.behaviour](socket);
    };
    socket.on('data', read);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const peer: HostilePeer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    behaviour: 'closes before the head',
    requests: 0,
    isAlone: () => eventually(() => sockets.size === 0, 'the end of all connections to the peer'),
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
  return peer;
}

/** The source of a function by the name of a behaviour, for programs of Actors. */
export const BEHAVIOURS_SOURCE = `{ ${BEHAVIOUR_NAMES.map(
  (name) => `${JSON.stringify(name)}: ${String(BEHAVIOURS[name])}`,
).join(',\n')} }`;
