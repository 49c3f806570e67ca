// A git server for tests, elsewhere than the server under test: git's own `http-backend` behind a plain HTTP server.
import { spawn, spawnSync } from 'node:child_process';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHttpServer } from '../src/kernel/network/http-client.ts';

export const hasGitServer = spawnSync('git', ['http-backend', '--version']).error === undefined;

export interface GitServer {
  url: string;
  /** The header of every request, as it came. */
  authorizations: (string | undefined)[];
  close(): void;
}

/** Serves the repositories below a folder. `answer` may handle a request itself, and returns true then. */
export async function startGitServer(
  root: string,
  handle: (incoming: IncomingMessage, answer: ServerResponse) => boolean = () => false,
): Promise<GitServer> {
  const authorizations: (string | undefined)[] = [];
  const server = createHttpServer((incoming, answer) => {
    authorizations.push(incoming.headers.authorization);
    if (!handle(incoming, answer)) serveGit(root, incoming, answer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    authorizations,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function serveGit(root: string, incoming: IncomingMessage, answer: ServerResponse): void {
  const { pathname, search } = new URL(incoming.url!, 'http://x');
  const env = {
    PATH: process.env['PATH'],
    GIT_PROJECT_ROOT: root,
    GIT_HTTP_EXPORT_ALL: '1',
    PATH_INFO: pathname,
    QUERY_STRING: search.slice(1),
    REQUEST_METHOD: incoming.method,
    CONTENT_TYPE: incoming.headers['content-type'] ?? '',
    HTTP_CONTENT_ENCODING: incoming.headers['content-encoding'] ?? '',
    GIT_PROTOCOL: incoming.headers['git-protocol']?.toString() ?? '',
    GIT_CONFIG_COUNT: '2',
    GIT_CONFIG_KEY_0: 'safe.directory',
    GIT_CONFIG_VALUE_0: '*',
    GIT_CONFIG_KEY_1: 'uploadpack.allowAnySHA1InWant',
    GIT_CONFIG_VALUE_1: 'true',
  };
  const backend = spawn('git', ['http-backend'], { env });
  incoming.pipe(backend.stdin);
  const output: Buffer[] = [];
  backend.stdout.on('data', (chunk: Buffer) => output.push(chunk));
  backend.on('close', () => {
    const all = Buffer.concat(output);
    const end = all.indexOf('\r\n\r\n');
    const headers = all
      .toString('latin1', 0, end)
      .split('\r\n')
      .map((line) => line.split(': ') as [string, string]);
    const status = Number(headers.find(([name]) => name === 'Status')?.[1]?.slice(0, 3) ?? 200);
    answer.writeHead(status, Object.fromEntries(headers.filter(([name]) => name !== 'Status')));
    answer.end(all.subarray(end + 4));
  });
}
