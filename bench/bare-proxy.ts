// The baseline of a proxy: node:http alone, which passes every request on and checks nothing.
import { Agent, createServer, request as send } from 'node:http';

const target = JSON.parse(process.env['TARGET'] ?? '') as { port: number; headers: Record<string, string> };
const agent = new Agent({ keepAlive: true });

createServer((request, response) => {
  const upstream = send(
    {
      host: '127.0.0.1',
      port: target.port,
      agent,
      method: request.method,
      path: request.url,
      headers: { ...request.headers, ...target.headers },
    },
    (reply) => {
      response.writeHead(reply.statusCode!, reply.headers);
      reply.pipe(response);
    },
  );
  upstream.on('error', () => response.destroy());
  request.pipe(upstream);
}).listen(Number(process.env['PORT']), '127.0.0.1');
