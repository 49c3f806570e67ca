// A network of its own for a program: a namespace that slirp4netns connects to the outside, as this machine's own programs connect.
import { once } from 'node:events';
import { setPriority } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { Failure } from '../../../kernel/failure.ts';
import { guarded, spawn } from '../../../kernel/network/streams.ts';
import { type MachineTools, openAttempts } from './machine-tools.ts';
import { identify, type ProcessIdentity } from '../process-table.ts';

/** Inside, slirp4netns answers here and asks the resolver of this machine. */
export const NAMESERVER = '10.0.2.3';
const READY_MS = 20_000;
const NICENESS = 10;

export interface PrivateNetwork {
  /** The words that make the command after them one with a network namespace, whose user may configure it. */
  words: readonly string[];
  /** Connects the namespace of a process to the outside. Rejects with a sentence where that cannot be had. */
  connect(pid: number): Promise<NetworkConnection>;
}

export interface NetworkConnection {
  process: ProcessIdentity;
  /** It also ends with this server. */
  end(): void;
}

/**
 * The program that reads the packets of hostile programs belongs to the same user as these, and locks itself in. It connects as
 * any program of this machine does, except to loopback addresses.
 */
const OPTIONS = [
  '--configure',
  '--mtu=65520',
  '--disable-host-loopback',
  '--enable-sandbox',
  '--enable-seccomp',
  '--ready-fd=3',
  '--exit-fd=4',
];

export function privateNetworkOf(tools: MachineTools, asUser: readonly string[]): PrivateNetwork {
  const { unshare, slirp4netns } = tools;
  const missing = missingTools(tools);
  if (missing !== undefined) throw new NetworkUnavailable(missing);
  return {
    words: [...asUser, unshare!, '--user', '--map-root-user', '--net', '--'],
    async connect(pid) {
      let connection: NetworkConnection | undefined;
      const reason = await openAttempts()(async () => {
        connection = await startSlirp([...asUser, slirp4netns!, ...OPTIONS, String(pid), 'tap0']);
      });
      if (connection === undefined) throw new NetworkUnavailable(`slirp4netns does not work (${reason})`);
      return connection;
    },
  };
}

/** A program never gets the network of the machine instead. */
export class NetworkUnavailable extends Failure {
  readonly reason: string;

  constructor(reason: string) {
    super('forbidden', `The program cannot have a network of its own: ${reason}.`);
    this.reason = reason;
  }
}

export function missingTools({ unshare, slirp4netns }: MachineTools): string | undefined {
  if (slirp4netns === undefined) return 'slirp4netns is not installed';
  return unshare === undefined ? 'the program unshare of util-linux is not installed' : undefined;
}

/** Its last line is about a child that has failed, and the one before says why. */
function reasonIn(said: string): string {
  const lines = said.split('\n').filter((line) => line !== '' && !line.startsWith('WARNING'));
  return lines.slice(-2).join(': ');
}

async function startSlirp(words: readonly string[]): Promise<NetworkConnection> {
  const [tool = '', ...rest] = words;
  const child = spawn(tool, rest, {
    cwd: '/',
    env: {},
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  exited.catch(() => {});
  await once(child, 'spawn');
  const [errors, ready, exit] = child.stdio.slice(2) as [Readable, Readable, Writable];
  // What it says last may be read after its end is known.
  const ended = Promise.all([exited, once(errors, 'close')]);
  ended.catch(() => {});
  let said = '';
  const end = (): void => {
    child.kill('SIGKILL');
    for (const pipe of [errors, ready, exit]) pipe.destroy();
  };
  const read = (text: string): void => void (said = (said + text).slice(-1000));
  errors.setEncoding('utf8').on('data', guarded(read, end));
  const timer = setTimeout(end, READY_MS);
  const isReady = await Promise.race([once(ready, 'data').then(() => true), ended.then(() => false)]).catch(
    () => false,
  );
  clearTimeout(timer);
  if (!isReady) {
    end();
    throw new Error(reasonIn(said) || 'it ended before it was ready');
  }
  ready.destroy();
  const process = identify(child.pid!);
  try {
    setPriority(process.pid, NICENESS);
  } catch {
    // It is dead already, or another user's.
  }
  // They must not keep this server alive.
  child.unref();
  return { process, end };
}
