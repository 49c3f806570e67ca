// Starts programs from a small process beside the server, because `fork` copies the page tables of the process that calls it. ADR 0148.
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Server, Socket } from 'node:net';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createSocketServer, guarded, spawn } from '../../../kernel/network/streams.ts';
import { killGroup } from './process-group.ts';

/** Beside this file and with its extension, which is .ts in the sources and .js in a bundle. */
const SCRIPT = fileURLToPath(new URL(`./launcher-process${extname(import.meta.url)}`, import.meta.url));
/** It keeps next to nothing. */
const FLAGS = ['--max-semi-space-size=1', '--max-old-space-size=64'];
/** Standard input, output and errors; a dialogue has two more. */
const STREAMS = 3;
const DIALOGUE_STREAMS = 5;
const SECRET_LENGTH = 24;
/** A connection that has not sent a secret by then comes from another program. */
const SECRET_WAIT_MS = 10_000;

export interface ProgramStart {
  file: string;
  args: readonly string[];
  /** All of its environment. */
  env: Record<string, string>;
  niceness: number;
  /** Two more pipes, which what it starts inherits: descriptor 3 is read here, and 4 written. */
  hasDialogue?: boolean;
}

/** To the launcher: a program to start on streams that it opens to the address, or one to kill with what it has started. */
export type LauncherOrder = LaunchOrder | { kill: number };
export type LaunchOrder = ProgramStart & { id: number; address: string; secrets: readonly string[] };

export interface LaunchExit {
  exitCode: number | null;
  signal: NodeJS.Signals | null;
}

/** From the launcher: that it is ready, that a program runs or could not be started, or how one has ended. */
export type LauncherReply = 'ready' | ({ id: number } & ({ pid: number } | { error: string } | LaunchExit));

export interface LaunchedProgram {
  pid: number;
  stdin: Socket;
  stdout: Socket;
  stderr: Socket;
  exit: Promise<LaunchExit>;
  /** Ends the program and what it has started. */
  kill(): void;
  dialogue?: { input: Socket; output: Socket };
}

interface Launch {
  secrets: readonly string[];
  streams: (Socket | undefined)[];
  pid?: number;
  launched: PromiseWithResolvers<LaunchedProgram>;
  exit: PromiseWithResolvers<LaunchExit>;
}

/** Is thrown where a program has certainly not been started. */
export class NotLaunched extends Error {}

export class Launcher {
  readonly #child: ChildProcess;
  readonly #server: Server;
  readonly #address = `\0signalbox-${randomBytes(12).toString('hex')}`;
  /** Streams that are to come, by the secrets that they begin with. */
  readonly #expected = new Map<string, (stream: Socket) => void>();
  /** Programs that have not ended. */
  readonly #launches = new Map<number, Launch>();
  readonly #ready = Promise.withResolvers<void>();
  #lastId = 0;
  /** Whether it has ended, so that another one is needed. */
  isGone = false;

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get address(): string {
    return this.#address;
  }

  /** It lives until this process ends, and does not keep it alive. The address is no file, so nothing is left behind. */
  static async open(): Promise<Launcher> {
    const launcher = new Launcher();
    await launcher.#ready.promise;
    return launcher;
  }

  private constructor() {
    this.#server = createSocketServer((stream) => this.#identify(stream));
    this.#server.once('error', () => this.#end());
    this.#server.listen({ path: this.#address }).unref();
    const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
    this.#child = spawn(process.execPath, [...FLAGS, SCRIPT], {
      cwd: '/',
      env: { PATH, ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }) },
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      // A session of its own, so that Ctrl+C in a terminal does not reach it.
      detached: true,
    });
    this.#child.on('message', (reply: LauncherReply) => this.#receive(reply));
    for (const end of ['error', 'exit', 'disconnect']) this.#child.once(end, () => this.#end());
    this.#child.unref();
  }

  /** @throws {NotLaunched} where the program does not run, so that it can be started in another way. */
  async start(program: ProgramStart): Promise<LaunchedProgram> {
    if (this.isGone) throw new NotLaunched('The launcher has ended.');
    const id = (this.#lastId += 1);
    const length = program.hasDialogue === true ? DIALOGUE_STREAMS : STREAMS;
    const secrets = Array.from({ length }, () => randomBytes(SECRET_LENGTH / 2).toString('hex'));
    const launch: Launch = {
      secrets,
      streams: [],
      launched: Promise.withResolvers(),
      exit: Promise.withResolvers(),
    };
    secrets.forEach((secret, index) =>
      this.#expected.set(secret, (stream) => {
        launch.streams[index] = stream;
        this.#complete(id, launch);
      }),
    );
    // The process waits for the programs that it has started.
    this.#child.channel?.ref();
    this.#launches.set(id, launch);
    this.#send({ id, address: this.#address, secrets, ...program });
    return launch.launched.promise;
  }

  /** Resolves when it has ended, with the programs that it has started. */
  async close(): Promise<void> {
    if (this.isGone) return;
    const ended = once(this.#child, 'exit');
    this.#child.ref();
    this.#child.disconnect();
    await ended;
  }

  #send(order: LauncherOrder): void {
    this.#child.send(order, (error) => error && this.#end());
  }

  #receive(reply: LauncherReply): void {
    if (reply === 'ready') {
      if (this.#launches.size === 0) this.#child.channel?.unref();
      this.#ready.resolve();
      return;
    }
    const launch = this.#launches.get(reply.id);
    if (launch === undefined) return;
    if ('error' in reply) {
      this.#fail(reply.id, launch, new NotLaunched(reply.error));
    } else if ('pid' in reply) {
      launch.pid = reply.pid;
      this.#complete(reply.id, launch);
    } else {
      this.#forget(reply.id);
      launch.exit.resolve({ exitCode: reply.exitCode, signal: reply.signal });
    }
  }

  /** The program runs, and all its streams have come. */
  #complete(id: number, { pid, secrets, streams, launched, exit }: Launch): void {
    const [stdin, stdout, stderr, input, output] = streams;
    if (pid === undefined || !stdin || !stdout || !stderr) return;
    if (secrets.length === DIALOGUE_STREAMS && (!input || !output)) return;
    const kill = () => this.#launches.has(id) && this.#send({ kill: id });
    // As those of a child of this process.
    void exit.promise.then(() => stdin.destroy());
    const dialogue = input && output && { dialogue: { input, output } };
    launched.resolve({ pid, stdin, stdout, stderr, exit: exit.promise, kill, ...dialogue });
  }

  #fail(id: number, { secrets, streams, launched }: Launch, error: Error): void {
    this.#forget(id);
    for (const secret of secrets) this.#expected.delete(secret);
    launched.reject(error);
    for (const stream of streams) stream?.destroy();
  }

  #forget(id: number): void {
    this.#launches.delete(id);
    if (this.#launches.size === 0) this.#child.channel?.unref();
  }

  /** How its programs end is not known any more: they are killed. Those that it has not confirmed may have run. */
  #end(): void {
    if (this.isGone) return;
    this.isGone = true;
    this.#server.close();
    this.#ready.reject(new NotLaunched('The launcher has not started.'));
    for (const [id, launch] of this.#launches) {
      if (launch.pid !== undefined) killGroup(launch.pid);
      this.#fail(id, launch, new Error('The process that starts git has ended.'));
      launch.exit.resolve({ exitCode: null, signal: 'SIGKILL' });
    }
  }

  /** Other programs of this machine may connect, too. */
  #identify(stream: Socket): void {
    stream.setTimeout(SECRET_WAIT_MS, () => stream.destroy());
    stream.on(
      'readable',
      guarded(
        () => {
          const bytes = stream.read(SECRET_LENGTH) as Buffer | null;
          if (bytes === null) return;
          stream.removeAllListeners('readable').setTimeout(0);
          const secret = bytes.toString('latin1');
          const accept = this.#expected.get(secret);
          this.#expected.delete(secret);
          if (accept === undefined) stream.destroy();
          else accept(stream);
        },
        () => stream.destroy(),
      ),
    );
  }
}
