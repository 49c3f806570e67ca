// An import needs the same memory for a dataset of any size: both servers are made up here, so that only the import counts.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { pipeline } from 'node:stream/promises';
import { usedBytes } from '../../../../test/memory.ts';
import { createHttpServer } from '../../../kernel/network/http-client.ts';
import { makeFolder } from '../../fixture.ts';
import { importActors } from './fixture.ts';

const ITEMS = 150_000;
const LINE = `{"text":"${'x'.repeat(1000)}"}\n`;
const MOST_BYTES = 32 * 1024 * 1024;
const MODIFIED = { modifiedAt: '2026-01-01T00:00:00.000Z' };

type Answer = (request: IncomingMessage, response: ServerResponse, url: URL) => Promise<void>;

async function openServer(answer: Answer) {
  const server = createHttpServer((request, response) => {
    void answer(request, response, new URL(request.url!, 'http://127.0.0.1'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function reply(response: ServerResponse, data: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ data }));
}

function* lines(count: number): Generator<string> {
  const block = LINE.repeat(64);
  for (let sent = 0; sent < count; sent += 64) yield count - sent >= 64 ? block : LINE.repeat(count - sent);
}

const source: Answer = async (_request, response, { pathname, searchParams }) => {
  const dataset = { id: 'source', name: 'big', itemCount: ITEMS, ...MODIFIED };
  if (pathname === '/v2/users/me') return reply(response, { id: 'there', username: 'there' });
  if (pathname === '/v2/datasets') return reply(response, { total: 1, items: [dataset] });
  if (pathname === '/v2/datasets/source') return reply(response, dataset);
  const [offset, limit] = [Number(searchParams.get('offset')), Number(searchParams.get('limit'))];
  response.writeHead(200, { 'content-type': 'application/jsonl' });
  await pipeline(lines(Math.max(0, Math.min(limit, ITEMS - offset))), response);
};

let itemCount = 0;
let most = 0;
const target: Answer = async (request, response, { pathname }) => {
  const dataset = { id: 'copy', name: 'big', itemCount, ...MODIFIED };
  if (pathname === '/v2/users/me') return reply(response, { id: 'here', username: 'here' });
  if (pathname === '/v2/datasets/~big') return reply(response, undefined, 404);
  if (pathname !== '/v2/datasets/copy/items') return reply(response, dataset);
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) bytes += chunk.length;
  itemCount += Math.round(bytes / LINE.length);
  if (itemCount % 10_000 < 2000) most = Math.max(most, usedBytes());
  reply(response, {}, 201);
};

let ends: { url: string; close(): void }[];
before(async () => {
  ends = [await openServer(source), await openServer(target)];
});
after(() => {
  for (const end of ends) end.close();
});

test(`${(ITEMS * LINE.length) / 1e6} MB of items take no more than ${MOST_BYTES / 1e6} MB of memory`, async () => {
  const [from, to] = ends;
  const start = usedBytes();
  const { code, summary } = await importActors(from!, to!, makeFolder(), '--only', 'datasets');
  assert.deepEqual([code, summary.content.items, itemCount], [0, ITEMS, ITEMS]);
  assert.ok(most - start < MOST_BYTES, `${most - start} bytes`);
});
