// A server in a process of its own, to be killed.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';

export const TOKEN = 'api-crash-administrator-token';

export interface ChildServer {
  url: string;
  /** Ends it as a power cut would: no handler runs, nothing is flushed. */
  kill(): Promise<void>;
}

export async function startChild(settings: Record<string, string>): Promise<ChildServer> {
  const port = await freePort();
  const child = spawn(process.execPath, [new URL('../../src/bin.ts', import.meta.url).pathname, 'serve'], {
    env: {
      PATH: process.env['PATH'],
      // Without it every start would strip and compile all sources anew.
      NODE_COMPILE_CACHE: new URL('../../.runtime/compile-cache', import.meta.url).pathname,
      PORT: String(port),
      SIGNALBOX_ADMIN_TOKEN: TOKEN,
      SIGNALBOX_LIMITS: 'off',
      SIGNALBOX_LOG_LEVEL: 'warn',
      ...settings,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const url = `http://127.0.0.1:${port}`;
  await untilReady(`${url}/readyz`, child);
  return {
    url,
    async kill() {
      if (child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

async function untilReady(url: string, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (Date.now() < deadline) {
    if (child.exitCode !== null)
      throw new Error(`The server ended with ${child.exitCode} instead of starting`);
    const isReady = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error('The server did not become ready within a minute');
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as { port: number };
  probe.close();
  await once(probe, 'close');
  return port;
}
