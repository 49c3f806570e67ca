// The end of a reply of git. What it reports to the client is in its output; what it prints as errors is for the log.
import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { Failure } from '../../kernel/failure.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { RawRouteCall } from '../../kernel/http/raw-route.ts';
import type { GitExit } from '../git/git-process.ts';

/** @throws {Failure} where git failed without a word to the client, or got only a part of the body. */
export function finishReply(
  { log }: Kernel,
  call: RawRouteCall,
  { body, response }: { body: Readable; response: ServerResponse },
  { exitCode, signal, stderr }: GitExit,
  headers: Record<string, string>,
): void {
  if (exitCode !== 0)
    log.info({ call: call.id, exitCode, signal, stderr: stderr.trim() }, 'git ended with an error');
  if (response.destroyed || response.writableEnded) return;
  if (!response.headersSent) {
    if (body.errored) throw new Failure('malformed', 'The body of the request is not valid gzip.');
    if (exitCode !== 0) throw new Failure('malformed', 'Git could not read the request.');
    response.writeHead(200, headers);
  }
  response.end();
}
