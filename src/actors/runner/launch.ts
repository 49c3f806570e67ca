// Starts a process that waits until it is recorded and limited before it becomes the program.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, readdirSync } from 'node:fs';
import { setPriority } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { identify, type ProcessIdentity } from './process-table.ts';
import { openInlet } from './inlet.ts';
import type { ProgramTraits } from './program-processes.ts';
import type { ProgramInlet } from './runner.ts';

/** How one kind of isolation starts a program. */
export interface Launch {
  words: readonly string[];
  /** Handed over by descriptor 4 instead of by the command line, which everybody can see. */
  input?: string;
  /** Whether it is bubblewrap, which writes its state to descriptor 5. */
  writesState?: boolean;
  /** The program gets descriptor 6 for it. */
  inlet?: ProgramInlet;
  env: Readonly<Record<string, string>>;
  folder: string;
  /** What identifies its processes, beside the first one. */
  traits: Omit<ProgramTraits, 'roots'>;
  /** Kills all processes of the program's user at once. */
  killUser?: () => Promise<void>;
  /** A folder for temporary files, which counts as the program's. */
  temporary?: string;
  /** Called when all is dead. */
  release(): void;
}

export interface LaunchedProcess {
  child: ChildProcess;
  root: ProcessIdentity;
  /** The first process of the sandbox's own process namespace, as this machine sees it. */
  init: Promise<ProcessIdentity | undefined>;
  /** Lets it become the program. */
  go(): void;
  /** Instead of `go`: it ends without having done anything. */
  abandon(): void;
}

export const NICENESS = 10;
/** Waits for a line; at the end of the server there is none. Then becomes the program. */
const GATE = 'read -r _ <&3 || exit 125; exec 3<&-; exec "$@"';
/** Only Bash can close a descriptor above 9. */
function bashGate(strays: readonly number[]): string {
  return `${strays.map((fd) => `exec ${fd}>&-;`).join(' ')} ${GATE}`;
}

export async function launch(
  { words, input, writesState, inlet, env, folder }: Launch,
  output: string,
  { bash, strays }: { bash?: string; strays: readonly number[] },
): Promise<LaunchedProcess> {
  const [shell, gate] =
    strays.length > 0 && bash !== undefined ? [bash, bashGate(strays)] : ['/bin/sh', GATE];
  const opened = inlet && (await openInlet(inlet.socket));
  const out = openSync(output, 'a', 0o600);
  try {
    const child = spawn(shell, ['-c', gate, 'gate', ...words], {
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
    for (const pipe of [gatePipe, inputPipe, statePipe]) pipe?.on('error', () => {});
    const root = identify(child.pid!);
    try {
      setPriority(root.pid, NICENESS);
    } catch {
      // It is dead already.
    }
    return {
      child,
      root,
      init: statePipe ? readInit(statePipe) : Promise.resolve(undefined),
      go() {
        inputPipe?.end(input);
        gatePipe.end('\n');
      },
      abandon() {
        child.kill('SIGKILL');
        for (const pipe of [gatePipe, inputPipe, statePipe]) pipe?.destroy();
      },
    };
  } finally {
    opened?.release();
    closeSync(out);
  }
}

/** Bubblewrap writes it before the program starts. */
async function readInit(state: Readable): Promise<ProcessIdentity | undefined> {
  let text = '';
  return new Promise((resolve) => {
    state.setEncoding('utf8');
    state.on('data', (chunk: string) => {
      text += chunk;
      const pid = /"child-pid": (\d+)/.exec(text)?.[1];
      if (pid !== undefined) resolve(identify(Number(pid)));
    });
    state.on('close', () => resolve(undefined));
  });
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
