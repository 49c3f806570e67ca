// Starts a process that waits until it is recorded and limited before it becomes the program.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, readdirSync } from 'node:fs';
import { setPriority } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { guarded, spawn } from '../../kernel/network/streams.ts';
import { identify, type ProcessIdentity } from './process-table.ts';
import { openInboundSocket } from './program-sockets.ts';
import {
  NetworkUnavailable,
  type NetworkConnection,
  type PrivateNetwork,
} from './isolation/private-network.ts';
import type { ProgramTraits } from './program-processes.ts';
import type { ProgramInboundSocket } from './runner.ts';

/** How one kind of isolation starts a program. */
export interface Launch {
  words: readonly string[];
  /** Handed over by descriptor 4 instead of by the command line, which everybody can see. */
  input?: string;
  /** Whether it is bubblewrap, which writes its state to descriptor 5. */
  writesState?: boolean;
  /** The program gets descriptor 6 for it. */
  inboundSocket?: ProgramInboundSocket;
  /** The process waits in the namespace of it, so that it is connected before the program starts. */
  network?: PrivateNetwork;
  env: Readonly<Record<string, string>>;
  folder: string;
  /** What identifies its processes, beside the first one. */
  traits: Omit<ProgramTraits, 'roots'>;
  /** Kills all processes of the program's user at once. */
  killUser?: () => Promise<void>;
  /** A folder for temporary files, which counts as the program's. */
  temporary?: string;
  /** Folders of the machine in which files of the program's user count as the program's. */
  sharedFolders?: readonly string[];
  /** Called when all is dead. */
  release(): void;
}

export interface LaunchedProcess {
  child: ChildProcess;
  root: ProcessIdentity;
  /** The first process of the sandbox's own process namespace, as this machine sees it. */
  init: Promise<ProcessIdentity | undefined>;
  connection?: NetworkConnection;
  /** Lets it become the program. */
  go(): void;
  /** Instead of `go`: it ends without having done anything. */
  abandon(): void;
}

export const NICENESS = 10;
/** Waits for a line; at the end of the server there is none. Then becomes the program. */
const GATE = 'read -r _ <&3 || exit 125; exec 3<&-; exec "$@"';
/** Says that the namespace is there before it waits. */
const NETWORK_GATE = `echo >&5; ${GATE}`;
/** Only Bash can close a descriptor above 9. */
function closing(strays: readonly number[], gate: string): string {
  return `${strays.map((fd) => `exec ${fd}>&-;`).join(' ')} ${gate}`;
}

export async function launch(
  { words, input, writesState, inboundSocket, network, env, folder }: Launch,
  output: string,
  { bash, strays }: { bash?: string; strays: readonly number[] },
): Promise<LaunchedProcess> {
  const gate = network === undefined ? GATE : NETWORK_GATE;
  const waiting =
    strays.length > 0 && bash !== undefined ? [bash, '-c', closing(strays, gate)] : ['/bin/sh', '-c', gate];
  const [first = '', ...rest] = [...(network?.words ?? []), ...waiting, 'gate', ...words];
  const opened = inboundSocket && (await openInboundSocket(inboundSocket.socket));
  const out = openSync(output, 'a', 0o600);
  try {
    const child = spawn(first, rest, {
      cwd: folder,
      env: { ...env },
      detached: true,
      stdio: [
        'ignore',
        out,
        out,
        'pipe',
        input === undefined ? 'ignore' : 'pipe',
        writesState ? 'pipe' : 'ignore',
        ...(opened ? [opened.fd] : []),
      ],
    });
    await once(child, 'spawn');
    const [gatePipe, inputPipe, statePipe] = child.stdio.slice(3) as [Writable, Writable?, Readable?];
    // A process that dies early breaks its pipes; its exit says so.
    const root = identify(child.pid!);
    try {
      setPriority(root.pid, NICENESS);
    } catch {
      // It is dead already.
    }
    const state = statePipe && readState(statePipe);
    const launched: LaunchedProcess = {
      child,
      root,
      init: state?.init ?? Promise.resolve(undefined),
      go() {
        inputPipe?.end(input);
        gatePipe.end('\n');
      },
      abandon() {
        child.kill('SIGKILL');
        launched.connection?.end();
        for (const pipe of [gatePipe, inputPipe, statePipe]) pipe?.destroy();
      },
    };
    if (network === undefined) return launched;
    try {
      if ((await state?.begun) !== true) throw new NetworkUnavailable('it gets no namespace of the kernel');
      launched.connection = await network.connect(root.pid);
      return launched;
    } catch (error) {
      launched.abandon();
      throw error;
    }
  } finally {
    opened?.release();
    closeSync(out);
  }
}

interface LaunchState {
  /** Whether it wrote anything before its end. */
  begun: Promise<boolean>;
  /** Bubblewrap writes it before the program starts. */
  init: Promise<ProcessIdentity | undefined>;
}

function readState(state: Readable): LaunchState {
  let text = '';
  const begun = Promise.withResolvers<boolean>();
  const init = Promise.withResolvers<ProcessIdentity | undefined>();
  state.setEncoding('utf8');
  const read = (chunk: string): void => {
    text += chunk;
    begun.resolve(true);
    const pid = /"child-pid": (\d+)/.exec(text)?.[1];
    if (pid !== undefined) init.resolve(identify(Number(pid)));
  };
  state.on(
    'data',
    guarded(read, () => init.resolve(undefined)),
  );
  state.on('close', () => {
    begun.resolve(false);
    init.resolve(undefined);
  });
  return { begun: begun.promise, init: init.promise };
}

/** Descriptors that this process got from its own parent and that its children would get too. Node's own are not passed on. */
export function findStrayDescriptors(): number[] {
  try {
    return readdirSync('/proc/self/fd')
      .map(Number)
      .filter((fd) => fd > 2 && isInherited(fd));
  } catch {
    return [];
  }
}

const CLOSE_ON_EXEC = 0o2000000;

function isInherited(fd: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    return false;
  }
}
