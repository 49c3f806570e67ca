// Starts a program: by the launcher, or where that cannot be from this process. ADR 0148.
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { spawn } from '../../../kernel/network/streams.ts';
import { Launcher, NotLaunched, type LaunchExit, type ProgramStart } from './launcher.ts';
import { killGroup, setNiceness } from './process-group.ts';

export interface StartedProgram {
  pid: number;
  stdin: Writable;
  stdout: Readable;
  stderr: Readable;
  exit: Promise<LaunchExit>;
  /** Ends the program and what it has started. */
  kill(): void;
  dialogue?: { input: Readable; output: Writable };
}

interface StartOptions {
  /** Two more pipes. */
  hasDialogue: boolean;
}

let shared: Promise<Launcher> | undefined;

/** In a process group of its own, so that a kill also reaches the helpers that it starts. Rejects where it cannot be started. */
export async function startProgram(
  program: ProgramStart,
  { hasDialogue }: StartOptions,
): Promise<StartedProgram> {
  // Elsewhere Node does not fork.
  if (process.platform !== 'linux') return spawnHere(program, hasDialogue);
  try {
    return await (await openShared()).start({ ...program, hasDialogue });
  } catch (error) {
    if (error instanceof NotLaunched) return spawnHere(program, hasDialogue);
    throw error;
  }
}

/** One for all of this process. */
async function openShared(): Promise<Launcher> {
  const opening = (shared ??= Launcher.open());
  const launcher = await opening.catch((error: unknown) => {
    if (shared === opening) shared = undefined;
    throw error;
  });
  if (!launcher.isGone) return launcher;
  if (shared === opening) shared = undefined;
  return openShared();
}

/** Resolves when the launcher has ended. It is opened again where it is needed. */
export async function closeLauncher(): Promise<void> {
  const opened = shared;
  shared = undefined;
  const launcher = await opened?.catch(() => undefined);
  await launcher?.close();
}

async function spawnHere(
  { file, args, env, niceness }: ProgramStart,
  hasDialogue: boolean,
): Promise<StartedProgram> {
  const child = spawn(file, args, {
    cwd: '/',
    env,
    stdio: Array<'pipe'>(hasDialogue ? 5 : 3).fill('pipe'),
    detached: true,
  });
  if (child.pid === undefined) {
    const [cause] = (await once(child, 'error')) as [Error];
    throw cause;
  }
  const { pid, stdin, stdout, stderr } = child;
  setNiceness(pid, niceness);
  let isAlive = true;
  const exit = new Promise<LaunchExit>((resolve) => {
    child.once('exit', (exitCode, signal) => {
      isAlive = false;
      resolve({ exitCode, signal });
    });
  });
  const input = child.stdio[3] as Readable | undefined;
  const output = child.stdio[4] as Writable | undefined;
  return {
    pid,
    stdin,
    stdout,
    stderr,
    exit,
    kill: () => void (isAlive && killGroup(pid)),
    ...(input && output && { dialogue: { input, output } }),
  };
}
