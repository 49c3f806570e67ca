// The baseline for writes: node:http alone, which reads a JSON body and sends it back.
import { createServer } from 'node:http';

createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const text = Buffer.concat(chunks).toString();
    const body = text === '' ? '{}' : JSON.stringify(JSON.parse(text));
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    });
    response.end(body);
  });
}).listen(Number(process.env['PORT']), '127.0.0.1');
