// Writes the head of a reply whose body is known: as one text where the connection is an ordinary one. ADR 0194.
import type { ServerResponse as Response } from 'node:http';
import { ServerResponse, STATUS_CODES } from '../../network/http-client.ts';
import type { HeaderList } from './reply-headers.ts';

/** Where Node has the head from `writeHead` until it sends it with the first bytes of the body. */
interface WithHead {
  _header: string;
}

const SECOND = 1000;

/** The lines of Node itself, which change once a second. */
const ofNode = { second: 0, keepAliveMs: 0, text: '' };

/**
 * Where the head is as Node would write it, Node need not take it apart and check each header again, which for twenty headers is a quarter of what
 * a bare server does for a call. Everything special is left to Node: clients of HTTP/1.0, a connection that ends after this reply, headers that
 * others have set on the response, and code that has replaced `writeHead`.
 */
export function writeHead(response: Response, status: number, headers: HeaderList): void {
  const keepAliveMs = keepAliveOf(response);
  if (keepAliveMs === undefined || !headers.isPlain || response.headersSent) {
    response.writeHead(status, headers.pairs);
    return;
  }
  response.statusCode = status;
  (response as unknown as WithHead)._header =
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}\r\n${headers.text()}${linesOfNode(keepAliveMs)}`;
}

/** Undefined where the connection is not simply kept open. */
function keepAliveOf(response: Response): number | undefined {
  const { shouldKeepAlive, req, socket } = response;
  if (!shouldKeepAlive || req.httpVersion !== '1.1' || req.method === 'HEAD') return undefined;
  // The origin of content looks at each head that is written (content-origin.ts).
  if (response.getHeaderNames().length > 0 || response.writeHead !== ServerResponse.prototype.writeHead)
    return undefined;
  const { server } = (socket ?? {}) as { server?: { keepAliveTimeout?: number } };
  return server?.keepAliveTimeout || undefined;
}

function linesOfNode(keepAliveMs: number): string {
  const now = Date.now();
  const second = now - (now % SECOND);
  if (second !== ofNode.second || keepAliveMs !== ofNode.keepAliveMs) {
    const seconds = Math.floor(keepAliveMs / SECOND);
    ofNode.text = `Date: ${new Date(now).toUTCString()}\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${seconds}\r\n\r\n`;
    ofNode.second = second;
    ofNode.keepAliveMs = keepAliveMs;
  }
  return ofNode.text;
}
