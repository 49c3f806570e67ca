// A small process that starts programs for the server: see `launcher.ts`. It ends with the server.
import type { Socket } from 'node:net';
import { connect, guarded, spawn } from '../../../kernel/network/streams.ts';
import type { LauncherOrder, LauncherReply, LaunchOrder, ProgramStart } from './launcher.ts';
import { killGroup, setNiceness } from './process-group.ts';

/** The process ids of programs that have not ended. */
const running = new Map<number, number>();

// A service manager may signal all processes of the server, which then finishes its calls and needs git for them.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
process.on('disconnect', () => process.exit());
process.on('message', (order: LauncherOrder) => {
  if ('kill' in order) kill(order.kill);
  else launch(order);
});
reply('ready');

function reply(message: LauncherReply): void {
  if (process.connected) process.send!(message, () => {});
}

/** Connects each stream to the server, sends the secret by which the server knows it, and starts the program on them. */
function launch({ id, address, secrets, ...program }: LaunchOrder): void {
  let isDone = false;
  let missing = secrets.length;
  const fail = (error: Error): void => {
    for (const stream of streams) stream.destroy();
    if (!isDone) reply({ id, error: error.message });
    isDone = true;
  };
  const ready = guarded(() => {
    missing -= 1;
    if (missing > 0 || isDone) return;
    isDone = true;
    run(id, program, streams);
  }, fail);
  const streams = secrets.map((secret) => {
    const stream = connect({ path: address });
    // What comes is for the program.
    stream.pause();
    stream.once('error', fail);
    stream.once(
      'connect',
      guarded(() => void stream.write(secret, (error) => error ?? ready()), fail),
    );
    return stream;
  });
}

function run(id: number, { file, args, env, niceness }: ProgramStart, streams: Socket[]): void {
  const child = spawn(file, args, { cwd: '/', env, stdio: streams, detached: true });
  for (const stream of streams) stream.destroy();
  const { pid } = child;
  if (pid === undefined) {
    child.once('error', (error) => reply({ id, error: error.message }));
    return;
  }
  setNiceness(pid, niceness);
  running.set(id, pid);
  reply({ id, pid });
  child.once('exit', (exitCode, signal) => {
    running.delete(id);
    reply({ id, exitCode, signal });
  });
}

function kill(id: number): void {
  const pid = running.get(id);
  if (pid !== undefined) killGroup(pid);
}
