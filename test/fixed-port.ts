// A port for a server that stops and starts again at the same address.
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that systems give to connections and to servers on any free port: nobody gets it while the server is away. */
const PORTS = { first: 20_000, count: 10_000 };
const MAX_TRIES = 100;

/** Free now, and chosen at random, so that test files that run at the same time hardly choose the same. */
export async function fixedPort(): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    const port = PORTS.first + Math.floor(Math.random() * PORTS.count);
    const server = createServer().listen(port, '127.0.0.1');
    try {
      await once(server, 'listening');
    } catch (error) {
      if (tries === MAX_TRIES) throw error;
      continue;
    }
    server.close();
    await once(server, 'close');
    return port;
  }
}
