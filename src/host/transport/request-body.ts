// The body of a request of git: inflated while it is read, and bounded.
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Failure } from '../../kernel/failure.ts';
import { createGunzip } from '../../kernel/network/streams.ts';

/** @throws {Failure} for another encoding than gzip, and for a body that is none of this service. */
export function openBody(request: IncomingMessage, contentType: string): Readable {
  if (request.headers['content-type'] !== contentType)
    throw new Failure('not-acceptable', `The content type must be ${contentType}.`);
  const encoding = request.headers['content-encoding']?.toLowerCase() ?? 'identity';
  if (encoding === 'identity') return request;
  if (encoding !== 'gzip' && encoding !== 'x-gzip')
    throw new Failure('unsupported-encoding', 'The body of a request of git may be encoded with gzip only.');
  const inflated = createGunzip();
  request.on('error', (error) => inflated.destroy(error));
  request.on('aborted', () => inflated.destroy(new Error('The client went away.')));
  return request.pipe(inflated);
}
