// An Actor in standby mode for tests, and requests through the proxy whose bodies the test ends when it likes.
import { once } from 'node:events';
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { createActor } from '../../../actors.ts';
import { script } from '../../../actor-sources.ts';
import { ADMIN_TOKEN, type Json, type TestServer } from '../../../server.ts';

/**
 * Answers every request with what it has got: its head, the length of its body, the run, and how many requests the run has had
 * at once at most. The path says what else it does.
 */
const SERVER = script(`
const { createServer } = await import('node:http');
const { createHash } = await import('node:crypto');
let now = 0, most = 0, total = 0;
const server = createServer(async (request, response) => {
  if (request.headers['x-apify-container-server-readiness-probe']) return response.end('ready');
  const path = new URL(request.url, 'http://x').pathname;
  now += 1; total += 1; most = Math.max(most, now);
  let isOpen = true;
  const leave = () => { now -= isOpen ? 1 : 0; isOpen = false; };
  response.on('close', leave);
  if (path === '/die') process.exit(3);
  if (path === '/hang') return;
  if (path === '/break') { response.write('half'); return setTimeout(() => response.destroy(), 50); }
  if (path === '/headers') {
    response.setHeader('set-cookie', ['a=b', 'signalbox_session=x']);
    response.setHeader('connection', 'x-hop');
    response.setHeader('x-hop', '1');
    response.setHeader('clear-site-data', '"*"');
    response.setHeader('strict-transport-security', 'max-age=1');
    response.setHeader('x-kept', '1');
    response.setHeader('cache-control', 'public, max-age=60');
    response.setHeader('content-type', 'text/html');
    return response.end('<p>page</p>');
  }
  if (path === '/redirect') return response.writeHead(302, { location: new URL(request.url, 'http://x').searchParams.get('to') }).end();
  if (path === '/stream') {
    response.write('first\\n');
    const timer = setInterval(() => response.write('tick\\n'), 20);
    response.on('close', () => clearInterval(timer));
    return;
  }
  if (path === '/bytes') {
    const size = Number(new URL(request.url, 'http://x').searchParams.get('size'));
    const piece = Buffer.alloc(65536, 'x');
    for (let sent = 0; sent < size; sent += piece.length)
      if (!response.write(piece)) await new Promise((resolve) => { response.once('drain', resolve); response.once('close', resolve); });
    return response.end();
  }
  let length = 0;
  const hash = createHash('sha256');
  for await (const part of request) { length += part.length; hash.update(part); }
  const input = await getInput();
  response.setHeader('content-type', 'application/json');
  // The server may send the next request before this program sees that the reply was read.
  leave();
  response.end(JSON.stringify({
    method: request.method, url: request.url, headers: request.headers, raw: request.rawHeaders, length, hash: hash.digest('hex'),
    run: env.ACTOR_RUN_ID, most, total, origin: env.APIFY_META_ORIGIN, ports: [env.ACTOR_STANDBY_PORT, env.ACTOR_WEB_SERVER_PORT, env.APIFY_CONTAINER_PORT],
    urls: [env.ACTOR_STANDBY_URL, env.ACTOR_WEB_SERVER_URL], timeout: env.ACTOR_TIMEOUT_AT, input,
  }));
});
server.on('upgrade', (request, socket) => {
  const key = createHash('sha1').update(request.headers['sec-websocket-key'] + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11').digest('base64');
  if (request.url.startsWith('/refuse')) return socket.end('HTTP/1.1 418 No\\r\\ncontent-length: 2\\r\\nset-cookie: a=b\\r\\n\\r\\nno');
  socket.write('HTTP/1.1 101 Switching Protocols\\r\\nupgrade: websocket\\r\\nconnection: Upgrade\\r\\nset-cookie: a=b\\r\\nsec-websocket-accept: ' + key + '\\r\\n\\r\\n');
  if (request.url.startsWith('/head')) { const text = JSON.stringify({ url: request.url, headers: request.headers }); const size = Buffer.byteLength(text); socket.write(Buffer.concat([Buffer.from([0x81, 126, size >> 8, size & 255]), Buffer.from(text)])); }
  socket.on('data', (bytes) => { const copy = Buffer.from(bytes); if ((copy[0] & 15) === 8) return socket.end(); const size = copy[1] & 127; const mask = copy.subarray(2, 6); const body = copy.subarray(6, 6 + size).map((byte, i) => byte ^ mask[i % 4]); socket.write(Buffer.concat([Buffer.from([copy[0], size]), body])); });
  socket.on('error', () => {});
});
process.on('SIGTERM', () => { console.log('terminated'); process.exit(0); });
server.listen(Number(env.ACTOR_STANDBY_PORT));
`);

/** Small, so that many runs fit. */
const STANDBY = { isEnabled: true, memoryMbytes: 256 };

export async function createStandby(
  server: TestServer,
  standby: Json = {},
  {
    name,
    files = SERVER,
    fields = {},
    token,
  }: { name?: string; files?: Record<string, string>; fields?: Json; token?: string } = {},
): Promise<Json> {
  return await createActor(server, files, {
    ...(name !== undefined && { name }),
    ...(token !== undefined && { token }),
    fields: { ...fields, actorStandby: { ...STANDBY, ...standby } },
  });
}

/** A request whose body is open until `end`. */
export interface OpenRequest {
  request: ClientRequest;
  end(): Promise<{ status: number; json: Json }>;
}

export function openHttpRequest(
  server: TestServer,
  path: string,
  { token = ADMIN_TOKEN, headers = {} }: { token?: string; headers?: Record<string, string> } = {},
): OpenRequest {
  const outgoing = request(server.url + path, {
    method: 'POST',
    agent: false,
    headers: { authorization: `Bearer ${token}`, 'transfer-encoding': 'chunked', ...headers },
  });
  outgoing.on('error', () => {});
  const answered = once(outgoing, 'response') as Promise<[IncomingMessage]>;
  answered.catch(() => {});
  outgoing.write('first');
  return {
    request: outgoing,
    async end() {
      outgoing.end('last');
      const [response] = await answered;
      const parts: Buffer[] = [];
      for await (const part of response) parts.push(part as Buffer);
      return { status: response.statusCode!, json: JSON.parse(Buffer.concat(parts).toString()) as Json };
    },
  };
}

/** The runs of an Actor, as the API lists them. */
export async function runsOf(server: TestServer, actorId: string): Promise<Json[]> {
  return (await server.call(`/v2/actors/${actorId}/runs`)).json.data.items as Json[];
}

export async function runOf(server: TestServer, id: string): Promise<Json> {
  return (await server.call(`/v2/actor-runs/${id}`)).json.data as Json;
}
