// A small reverse proxy that serves one program below a path of its origin, as nginx would: with the path taken off, or as it came.
import { createServer, request } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

export interface PathProxy {
  /** Where clients reach the program. */
  url: string;
  /** Whether the program gets paths without that of the proxy. */
  strips: boolean;
  /** Where the program listens; requests come after it is known. */
  target: string;
  /** Paths that belong to other programs of the origin, as they were asked for. */
  readonly elsewhere: string[];
  close(): Promise<void>;
}

export async function startPathProxy(path: string): Promise<PathProxy> {
  const elsewhere: string[] = [];
  const targetOf = (url: string) => {
    const rest = url.slice(path.length);
    const isBelow = url.startsWith(path) && /^(?:[/?]|$)/.test(rest);
    if (!isBelow) elsewhere.push(url);
    if (!isBelow || !proxy.strips) return isBelow ? url : undefined;
    return rest.startsWith('/') ? rest : `/${rest}`;
  };
  const server = createServer((incoming, outgoing) => {
    const target = targetOf(incoming.url!);
    if (target === undefined) {
      outgoing.writeHead(404, { 'content-type': 'text/plain' }).end('another program');
      return;
    }
    const { method, headers } = incoming;
    const forwarded = request(proxy.target + target, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(outgoing);
    });
    forwarded.on('error', () => outgoing.destroy());
    outgoing.on('close', () => forwarded.destroy());
    incoming.pipe(forwarded);
  });
  server.on('upgrade', (incoming, socket) => {
    const target = targetOf(incoming.url!);
    if (target === undefined) return socket.destroy();
    const forwarded = request(proxy.target + target, { headers: incoming.headers });
    forwarded.on('upgrade', (answer, inner) => {
      const heads = Object.entries(answer.headers).map(([name, value]) => `${name}: ${String(value)}\r\n`);
      socket.write(`HTTP/1.1 101 Switching Protocols\r\n${heads.join('')}\r\n`);
      inner.pipe(socket).pipe(inner);
      for (const end of [inner, socket]) end.on('error', () => [inner, socket].map((one) => one.destroy()));
    });
    forwarded.on('response', () => socket.destroy());
    forwarded.on('error', () => socket.destroy());
    forwarded.end();
    return undefined;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const proxy: PathProxy = {
    url: `http://127.0.0.1:${port}${path}`,
    strips: false,
    target: '',
    elsewhere,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return proxy;
}
