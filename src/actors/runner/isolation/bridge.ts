// Runs inside a sandbox with a network of its own or none: serves Unix sockets of the server on loopback ports, and starts the program.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { constants } from 'node:os';

const [bridges, inboundPort, command, ...args] = process.argv.slice(2);
/** The descriptor of the socket by which the server reaches the program. */
const INLET = 6;

function join(inside: Socket, outside: Socket): void {
  // When one side breaks, the other one must not wait for ever.
  inside.on('error', () => outside.destroy());
  outside.on('error', () => inside.destroy());
  inside.pipe(outside).pipe(inside);
}

/** Lines of a port and the path of its socket. */
async function serveBridge(line: string): Promise<void> {
  const [port, path = ''] = line.split(' ');
  const bridge = createServer({ allowHalfOpen: true }, (inside) =>
    join(inside, connect({ path, allowHalfOpen: true })),
  );
  // On every address: some names of this machine lead to another one than 127.0.0.1.
  await once(bridge.listen(Number(port)), 'listening');
}

if (inboundPort !== '0') {
  createServer({ allowHalfOpen: true }, (outside) =>
    join(connect({ host: '127.0.0.1', port: Number(inboundPort), allowHalfOpen: true }), outside),
  ).listen({ fd: INLET });
}

// Signals go to the whole process group, so the program gets them itself.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});

for (const line of bridges!.split('\n')) if (line !== '') await serveBridge(line);

const child = spawn(command!, args, { stdio: 'inherit' });
child.on('error', (error: NodeJS.ErrnoException) => {
  process.stderr.write(`${command} does not start: ${error.message}\n`);
  process.exit(error.code === 'ENOENT' ? 127 : 126);
});
child.on('exit', (code, signal) => process.exit(signal === null ? code : 128 + constants.signals[signal]));
