// The head of a reply, as it goes over the wire: as Node itself would write it.
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { createHttpServer } from '../../network/http-client.ts';
import { HeaderBlock, HeaderList } from './reply-headers.ts';
import { writeHead } from './write-head.ts';

const BODY = '{"a":1}';
const block = new HeaderBlock({ 'content-type': 'application/json', 'cache-control': 'no-cache' });

function headersWith(own: Record<string, string>): HeaderList {
  const headers = new HeaderList(block);
  headers.setAll({ 'content-length': String(BODY.length), ...own });
  return headers;
}

type WriteHead = (response: ServerResponse, headers: HeaderList) => void;

const ours: WriteHead = (response, headers) => writeHead(response, 200, headers);
const ofNode: WriteHead = (response, headers) => response.writeHead(200, headers.pairs);

interface Asked {
  /** What the client sends; it always asks twice, and the second time for the end of the connection. */
  request: string;
  own?: Record<string, string>;
  before?: (response: ServerResponse) => void;
}

/** All bytes that the client gets for its requests. */
async function bytesBy(write: WriteHead, { request, own = {}, before }: Asked): Promise<string> {
  const server = createHttpServer({ keepAliveTimeout: 72_000 }, (_request, response) => {
    before?.(response);
    try {
      write(response, headersWith(own));
      response.end(BODY, 'latin1');
    } catch (error) {
      response.destroy();
      response.socket?.end(String((error as { code?: string }).code));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.end(`${request}GET /end HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
  const bytes = await text(socket);
  server.close();
  return bytes.replaceAll(/Date: [^\r]* GMT/g, 'Date: …');
}

const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

for (const [what, asked] of Object.entries<Asked>({
  'a connection that is kept open': { request: GET },
  'requests that are pipelined': { request: GET + GET + GET },
  'a header that replaces one of the block': { request: GET, own: { 'cache-control': 'no-store' } },
  'several cookies': { request: GET, own: { 'set-cookie': 'a=1\nb=2' } },
  'a connection that ends': { request: 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n' },
  HEAD: { request: 'HEAD / HTTP/1.1\r\nHost: a\r\n\r\n' },
  'HTTP/1.0': { request: 'GET / HTTP/1.0\r\n\r\n' },
  'HTTP/1.0 that asks to keep the connection': {
    request: 'GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n',
  },
  'a header that the response has already': {
    request: GET,
    before: (response) => response.setHeader('x-before', '1'),
  },
  'a server that is closing': {
    request: GET,
    before: (response) => response.setHeader('connection', 'close'),
  },
  'a response whose heads are looked at': {
    request: GET,
    before: (response) => {
      const { writeHead: write } = response;
      response.writeHead = (status: number, ...given: unknown[]) =>
        write.call(response, status, ['x-sealed', '1', ...(given.at(-1) as string[])]);
    },
  },
  'a header about the connection': { request: GET, own: { connection: 'close' } },
  'a line break in a value': { request: GET, own: { 'x-name': 'a\r\nx-smuggled: b' } },
})) {
  test(`the head is that of Node: ${what}`, async () => {
    const expected = await bytesBy(ofNode, asked);
    assert.equal(await bytesBy(ours, asked), expected);
    assert.doesNotMatch(expected, /^x-smuggled/m);
    assert.equal(/^x-sealed/m.test(expected), what.includes('looked at'));
  });
}
