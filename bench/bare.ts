// The baseline: node:http alone, which sends the recorded bytes of one of our replies.
// It reads and parses request bodies, as any JSON server must.
import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { RecordedReply } from './record.ts';

const file = process.env['REPLY_FILE'] ?? '';
const { status, headers, body } = JSON.parse(readFileSync(file, 'utf8')) as RecordedReply;

function answer(response: ServerResponse): void {
  response.writeHead(status, headers);
  response.end(body);
}

createServer((request, response) => {
  if (request.method === 'GET') return answer(response);
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    JSON.parse(Buffer.concat(chunks).toString());
    answer(response);
  });
}).listen(Number(process.env['PORT']), '127.0.0.1');
