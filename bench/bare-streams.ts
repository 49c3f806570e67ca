// The baseline of streams: node:http alone, which sends the recorded bytes to each reader, and then to all when it gets a POST.
import { createServer, type ServerResponse } from 'node:http';
import type { RecordedStream } from './stream-readers.ts';

const { headers, first, change } = JSON.parse(process.env['STREAM'] ?? '') as RecordedStream;
const readers = new Set<ServerResponse>();
const bytes = Buffer.from(change);

createServer((request, response) => {
  if (request.url !== '/stream') {
    for (const reader of request.method === 'POST' ? readers : []) reader.write(bytes);
    response.end();
    return;
  }
  response.writeHead(200, headers);
  response.write(first);
  readers.add(response);
  response.on('close', () => readers.delete(response));
}).listen(Number(process.env['PORT']), '127.0.0.1');
