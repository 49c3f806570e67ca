// Runs small programs in tests of the runner.
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inTime } from '../../../test/eventually.ts';
import { createLog } from '../../kernel/observability/log.ts';
import { openRunner, type RunnerOptions, type RunnerSettings } from './open-runner.ts';
import type { Program, ProgramExit, Runner, RunningProgram } from './runner.ts';

export interface TestRunner {
  runner: Runner;
  /** A folder like that of a server, with a secret in it. */
  data: string;
  /** With which the ids of its programs begin. */
  prefix: string;
  /** A program that runs the lines in a shell; its working folder is new. */
  program(lines: string, changes?: Partial<Program>): Program;
  start(lines: string, changes?: Partial<Program>): Promise<TestProgram>;
  /** Starts it and waits for its end. */
  run(lines: string, changes?: Partial<Program>): Promise<ProgramExit & { output: string }>;
}

export interface TestProgram extends RunningProgram {
  program: Program;
  output(): string;
}

/** A server that is root gives each sandbox a user of its own where users can get to the work folder. */
export const FOLDER_MODES = { 'in a private folder': 0o700, 'in a folder that others can enter': 0o711 };

/** Empty for a process that has ended. */
export function commandLineOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

const SILENT_LOG = createLog('silent', false);

export async function openTestRunner({
  settings = {},
  options = {},
  data = mkdtempSync(join(realpathSync(tmpdir()), 'runner-')),
}: {
  settings?: Partial<RunnerSettings>;
  options?: RunnerOptions;
  data?: string;
} = {}): Promise<TestRunner> {
  const work = settings.work ?? join(data, 'work');
  const runner = await openRunner(
    { work, allowsUnsandboxed: true, isLoopbackOnly: true, network: 'host', ...settings },
    SILENT_LOG,
    options,
  );
  const prefix = `program-${randomBytes(4).toString('hex')}`;
  let count = 0;
  function program(lines: string, changes: Partial<Program> = {}): Program {
    const id = `${prefix}-${(count += 1)}`;
    const folder = join(work, 'runs', id);
    mkdirSync(folder, { recursive: true });
    return {
      id,
      command: ['/bin/sh', '-c', lines],
      env: { PATH: `${join(process.execPath, '..')}:/usr/bin:/bin` },
      folder,
      readable: [],
      output: join(data, `${id}.out`),
      memoryMbytes: 512,
      diskMbytes: 64,
      network: 'host',
      ...changes,
    };
  }
  async function start(lines: string, changes: Partial<Program> = {}): Promise<TestProgram> {
    const made = program(lines, changes);
    const running = await runner.start(made);
    return { ...running, program: made, output: () => readFileSync(made.output, 'utf8') };
  }
  return {
    runner,
    data,
    prefix,
    program,
    start,
    async run(lines, changes) {
      const running = await start(lines, changes);
      const exit = await inTime(running.exited, 'the end of the program');
      return { ...exit, output: running.output() };
    },
  };
}
