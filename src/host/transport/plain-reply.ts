// Errors of requests of git, as a person reads them in a terminal.
import type { ServerResponse } from 'node:http';
import { Failure } from '../../kernel/failure.ts';
import type { RawRouteCall } from '../../kernel/http/raw-route.ts';
import { RETRY_SECONDS } from '../../kernel/http/reply/send.ts';
import { hostStatusOf } from '../failures.ts';
import { errorInBand, errorPacket } from './git-packets.ts';
import type { ServiceName } from './git-service.ts';

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
    ...(failure.kind === 'unavailable' && { 'retry-after': RETRY_SECONDS }),
    ...failure.details.headers,
  });
  response.end(call.method === 'HEAD' ? undefined : body);
}

/**
 * The git program shows the body of an error only where it asks what there is. Where it fetches or pushes on a busy server, it
 * gets the words as part of its protocol; other clients get the status.
 */
export function sendRefusal(
  response: ServerResponse,
  call: RawRouteCall,
  service: ServiceName | undefined,
  failure: Failure,
): void {
  const isGit = String(call.headers['user-agent']).startsWith('git/');
  if (failure.kind !== 'unavailable' || call.method !== 'POST' || service === undefined || !isGit)
    return sendPlain(response, call, failure);
  const packet = service === 'git-receive-pack' ? errorInBand : errorPacket;
  const headers = { 'content-type': `application/x-${service}-result`, ...NOT_CACHED };
  response.writeHead(200, { ...headers, ...failure.details.headers }).end(packet(failure.message));
}
