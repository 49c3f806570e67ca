// Errors of requests of git, as a person reads them in a terminal.
import type { ServerResponse } from 'node:http';
import { Failure } from '../../kernel/failure.ts';
import type { RawRouteCall } from '../../kernel/raw-route.ts';
import { hostStatusOf } from '../failures.ts';

export const NOT_CACHED = { 'cache-control': 'no-cache, max-age=0, must-revalidate', pragma: 'no-cache' };

/** What a person reads in a terminal: git shows the body only where it is plain text, and has own words for 401 and 404. */
export function plainReplyOf(error: unknown): Failure | undefined {
  if (!(error instanceof Failure)) return undefined;
  return ['unauthenticated', 'not-found', 'moved', 'internal'].includes(error.kind) ? undefined : error;
}

export function sendPlain(response: ServerResponse, call: RawRouteCall, failure: Failure): void {
  const body = Buffer.from(`${failure.message}\n`);
  response.writeHead(hostStatusOf(failure, call as never), {
    'content-type': 'text/plain; charset=utf-8',
    'content-length': String(body.length),
    ...NOT_CACHED,
    ...failure.details.headers,
  });
  response.end(call.method === 'HEAD' ? undefined : body);
}
