// A route that answers a request itself, with Node's own objects: for proxies, whose replies are none of this server's.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { KnownCaller } from './identity/caller.ts';
import type { Kernel } from './kernel.ts';
import type { Call, RouteAccess } from './route.ts';

export interface RawRoute {
  /** For log lines and metrics. */
  id: string;
  /** Everything below this path, which is outside of the prefixes of all APIs, and all methods. */
  prefix: string;
  /** The action that `open` must check, and those that it may check instead. */
  access: Exclude<RouteAccess, string>;
  /** Checks what the caller may do; the result answers. Errors of both are rendered by the dialect. */
  open(call: RawRouteCall, kernel: Kernel): Promise<(exchange: RawExchange) => Promise<void>>;
}

export type RawRouteCall = Pick<Call, 'id' | 'now' | 'method' | 'headers' | 'address' | 'url' | 'can'> & {
  caller: KnownCaller;
  /** Fires when the client goes away. */
  signal: AbortSignal;
};

export interface RawExchange {
  request: IncomingMessage;
  /** For an upgrade too: where it fails, this is how the client hears of it. */
  response: ServerResponse;
  upgrade?: ClientSocket;
}

/** The connection of a client that asks for a WebSocket. */
export interface ClientSocket {
  socket: Duplex;
  /** What came after the head of the request. */
  head: Buffer;
}
