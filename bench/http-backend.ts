// The baseline of git's transfers, as a process of its own: git's CGI program behind bare node:http. Prints its port.
import { spawn } from 'node:child_process';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const [, , root = '.'] = process.argv;
const HEAD_END = '\r\n\r\n';

const server = createServer((request, response) => {
  const { pathname, search } = new URL(request.url ?? '/', 'http://bench');
  const child = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env['PATH'],
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      REMOTE_USER: 'bench',
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      ...(request.headers['content-length'] && { CONTENT_LENGTH: request.headers['content-length'] }),
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.on('error', () => {});
  request.pipe(child.stdin);
  void answer(child.stdout, request, response);
});

/** The head of the CGI program, and then its body. */
async function answer(output: NodeJS.ReadableStream, _request: IncomingMessage, response: ServerResponse) {
  let head = Buffer.alloc(0);
  for await (const chunk of output as AsyncIterable<Buffer>) {
    if (response.headersSent) {
      if (!response.write(chunk)) await new Promise((resolve) => response.once('drain', resolve));
      continue;
    }
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf(HEAD_END);
    if (end < 0) continue;
    const lines = head.subarray(0, end).toString().split('\r\n');
    const headers = Object.fromEntries(lines.map((line) => line.split(/: */, 2) as [string, string]));
    const { Status: status = '200', ...others } = headers;
    response.writeHead(Number.parseInt(status, 10), others);
    response.write(head.subarray(end + HEAD_END.length));
  }
  response.end();
}

server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
