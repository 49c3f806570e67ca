// A small process that starts programs for the server: see `launcher.ts`. It ends with the server.
import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import { connect, guarded, spawn } from '../../../kernel/network/streams.ts';
import type { LauncherOrder, LauncherReply, LaunchOrder, ProgramStart } from './launcher.ts';
import { killGroup, setNiceness } from './process-group.ts';

const STANDARD_STREAMS = 3;
/** How long what a program has written before its end may take to come. What it has started may keep its pipes open. */
const LAST_WORDS_MS = 1000;

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
  const own = streams.slice(0, STANDARD_STREAMS);
  const [input, output] = streams.slice(STANDARD_STREAMS);
  const pipes = input && output ? (['pipe', 'pipe'] as const) : [];
  const child = spawn(file, args, { cwd: '/', env, stdio: [...own, ...pipes], detached: true });
  for (const stream of own) stream.destroy();
  const { pid } = child;
  const said = input && output && pid !== undefined ? relay(child, input, output) : undefined;
  if (pid === undefined) {
    child.once('error', (error) => reply({ id, error: error.message }));
    return;
  }
  setNiceness(pid, niceness);
  running.set(id, pid);
  reply({ id, pid });
  child.once('exit', (exitCode, signal) => {
    running.delete(id);
    const end = () => reply({ id, exitCode, signal });
    if (said === undefined) end();
    else void said.then(end);
  });
}

/**
 * Programs read and write further descriptors as they are, and those that Node connects do not block: so the program gets pipes
 * that do, and what goes through them is passed on. Resolves when the program has closed its side, or a moment after it has ended.
 */
function relay(child: ChildProcess, input: Socket, output: Socket): Promise<void> {
  const [from, to] = [child.stdio[3] as Socket, child.stdio[4] as Socket];
  for (const stream of [from, to, input, output]) stream.on('error', () => {});
  from.pipe(input);
  output.pipe(to);
  const { promise, resolve } = Promise.withResolvers<void>();
  input.once('finish', resolve);
  input.once('close', resolve);
  child.once('exit', () => setTimeout(resolve, LAST_WORDS_MS).unref());
  return promise.then(() => {
    for (const stream of [from, to, output]) stream.destroy();
  });
}

function kill(id: number): void {
  const pid = running.get(id);
  if (pid !== undefined) killGroup(pid);
}
