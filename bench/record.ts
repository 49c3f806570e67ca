// One reply of a server with all its headers, for a baseline that sends the same bytes.
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Work } from './load.ts';

export interface RecordedReply {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** Headers that node:http writes by itself. */
const WRITTEN_BY_NODE = ['date', 'connection', 'keep-alive'];

export function record(url: string, { method, path, headers, body }: Work): Promise<RecordedReply> {
  const { promise, resolve, reject } = Promise.withResolvers<RecordedReply>();
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  const to = url + (typeof path === 'string' ? path : path());
  const call = request(to, { method, headers: { ...headers, ...type } }, (response) => {
    const own = Object.entries(response.headers).filter(([name]) => !WRITTEN_BY_NODE.includes(name));
    text(response).then(
      (reply) =>
        resolve({
          status: response.statusCode!,
          headers: Object.fromEntries(own.map(([name, value]) => [name, String(value)])),
          body: reply,
        }),
      reject,
    );
  });
  call.on('error', reject);
  call.end(body?.());
  return promise;
}
