// Runs inside a sandbox without a network: serves a Unix socket of the server on a loopback port, and starts the program.
import { spawn } from 'node:child_process';
import { connect, createServer, type Socket } from 'node:net';
import { constants } from 'node:os';

const [port, socket, inletPort, command, ...args] = process.argv.slice(2);
/** The descriptor of the socket by which the server reaches the program. */
const INLET = 6;

function join(inside: Socket, outside: Socket): void {
  // When one side breaks, the other one must not wait for ever.
  inside.on('error', () => outside.destroy());
  outside.on('error', () => inside.destroy());
  inside.pipe(outside).pipe(inside);
}

const bridge = createServer({ allowHalfOpen: true }, (inside) =>
  join(inside, connect({ path: socket!, allowHalfOpen: true })),
);

if (inletPort !== '0') {
  createServer({ allowHalfOpen: true }, (outside) =>
    join(connect({ host: '127.0.0.1', port: Number(inletPort), allowHalfOpen: true }), outside),
  ).listen({ fd: INLET });
}

// Signals go to the whole process group, so the program gets them itself.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});

bridge.listen(Number(port), '127.0.0.1', () => {
  const child = spawn(command!, args, { stdio: 'inherit' });
  child.on('error', (error: NodeJS.ErrnoException) => {
    process.stderr.write(`${command} does not start: ${error.message}\n`);
    process.exit(error.code === 'ENOENT' ? 127 : 126);
  });
  child.on('exit', (code, signal) => process.exit(signal === null ? code : 128 + constants.signals[signal]));
});
