// Calls to the identity provider: within a time and a size, and past the guard for the provider's own host alone, which may be private.
import type { IncomingMessage, RequestOptions } from 'node:http';
import type { CustomFetch } from 'openid-client';
import { Failure } from '../../kernel/failure.ts';
import type { Guard } from '../../kernel/network/guard.ts';
import { openHttpRequest } from '../../kernel/network/open-request.ts';

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 1024 * 1024;

/** As the library calls it: it follows no redirects. */
export function providerFetch(issuer: URL, guard: Guard): CustomFetch {
  return async (url, { method, headers, body, signal }) => {
    const target = new URL(url);
    const isOwn = target.host === issuer.host;
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    const options: RequestOptions = {
      method,
      headers,
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
      ...(!isOwn && { lookup: guard.lookup }),
    };
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const outgoing = openHttpRequest(isOwn ? target : guard.checkUrl(target), options, {
      response: resolve,
      error: reject,
    });
    // Forms are all that the library sends.
    outgoing.end(body instanceof URLSearchParams ? body.toString() : undefined);
    const reply = await promise;
    const text = await readWithin(reply);
    const status = reply.statusCode!;
    const isEmpty = status === 204 || status === 205 || status === 304;
    return new Response(isEmpty ? null : text, {
      status,
      headers: Object.entries(reply.headersDistinct).flatMap(([name, values = []]) =>
        values.map((value): [string, string] => [name, value]),
      ),
    });
  };
}

async function readWithin(reply: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of reply as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > MAX_BYTES) {
      reply.destroy();
      throw new Failure('unavailable', `A reply of the provider has more than ${MAX_BYTES} bytes.`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
