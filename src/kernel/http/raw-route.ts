// A route that answers a request itself, with Node's own objects: for proxies, whose replies are none of this server's, and for
// the protocol of git.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { KnownCaller } from '../identity/caller.ts';
import type { Kernel } from '../kernel.ts';
import type { RoutePlace } from './path-template.ts';
import type { Call, RouteAccess } from './route.ts';

export interface RawRoute {
  /** For log lines and metrics. */
  id: string;
  /**
   * Where it answers: everything below a path that is outside of the prefixes of all APIs, with all methods; or one method
   * and path below the API's own prefixes, with parameters as in other routes.
   */
  at: { prefix: string } | RoutePlace;
  /** The action that `open` must check, and those that it may check instead. */
  access: Exclude<RouteAccess, string>;
  /** It answers with what users have stored or run, which is served from an origin of its own where there is one. */
  isContent?: true;
  /** The category of the rate limit, where it is not the API's default. */
  limit?: string;
  /** The header `WWW-Authenticate` of errors for callers without a good credential. */
  challenge?: string;
  /** Checks what the caller may do; the result answers. Errors of both are rendered by the protocol. */
  open(call: RawRouteCall, kernel: Kernel): Promise<RawAnswer>;
  /** What answers an error of `open`, where that is not in the form of the protocol. */
  refuse?(error: unknown, call: RawRouteCall, kernel: Kernel): RawAnswer | undefined;
}

export type RawAnswer = (exchange: RawExchange) => Promise<void>;

export type RawRouteCall = Pick<
  Call,
  'id' | 'now' | 'method' | 'headers' | 'address' | 'url' | 'base' | 'can' | 'signal'
> & {
  /** Anonymous only where `access` is open. */
  caller: KnownCaller;
  /** Those of the path, as text. */
  params: Record<string, string>;
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
