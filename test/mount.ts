// Serves test routes on a real protocol, beside a running test server and on its kernel.
import type { Server } from 'node:http';
import type { Api } from '../src/kernel/http/protocol.ts';
import { serve } from '../src/kernel/http/serve.ts';
import { listenOn } from '../src/kernel/http/server/listen.ts';
import { createServer } from '../src/kernel/http/server/server.ts';
import type { TestServer } from './server.ts';

export async function mount(
  { app: { kernel } }: TestServer,
  ...apis: Api[]
): Promise<{ url: string; http: Server; close(): Promise<void> }> {
  const app = createServer({});
  for (const api of apis) serve(app, api, kernel);
  const url = await listenOn(app, { port: 0, host: '127.0.0.1' });
  return { url, http: app.server, close: () => app.close() };
}
