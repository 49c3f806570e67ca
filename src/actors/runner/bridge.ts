// Runs inside a sandbox without a network: serves a Unix socket of the server on a loopback port, and starts the program.
import { spawn } from 'node:child_process';
import { connect, createServer } from 'node:net';
import { constants } from 'node:os';

const [port, socket, command, ...args] = process.argv.slice(2);

const bridge = createServer({ allowHalfOpen: true }, (inside) => {
  const outside = connect({ path: socket!, allowHalfOpen: true });
  // When one side breaks, the other one must not wait for ever.
  inside.on('error', () => outside.destroy());
  outside.on('error', () => inside.destroy());
  inside.pipe(outside).pipe(inside);
});

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
