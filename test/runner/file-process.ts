// A process that runs test files one after another. It is the leader of a process group, which is killed at its end.
import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { FileReport, Message, Order, Progress, TestFile } from './messages.ts';

const SCRIPT = fileURLToPath(new URL('run-files.ts', import.meta.url));
const REPORTER = new URL('reporter.ts', import.meta.url).href;
/** Imported before everything else, because they change modules of Node. */
const FIRST = ['light-test.ts', 'key-stock.ts'].map(
  (name) => `--import=${new URL(name, import.meta.url).href}`,
);

/** With a server's smaller space for what is new (launch.mjs), a twelfth of the time would go to collecting it. */
const FLAGS = ['--max-semi-space-size=32', '--v8-pool-size=1'];
/** Threads of glibc share one arena: of its own each would keep what servers of earlier files have freed. */
const ONE_ARENA = { MALLOC_ARENA_MAX: '1' };

/**
 * The shell starts a guard that waits for the end of its input, and then becomes the process. The input ends when the
 * runner exits for any reason, and the guard then kills the whole group.
 */
const GUARD = 'exec 5<&0; { cat <&5; kill -KILL 0; } >/dev/null 2>&1 3>&- & exec "$@" </dev/null 5<&-';

/** The time for a process to exit by itself, so that it can save its compile cache for the next run. */
const END_MS = 10_000;

/** The unit of /proc is the same on all usual machines. */
const TICKS_PER_SECOND = 100;

export class FileProcess {
  /** Whether it can run no more files. */
  isSpent = false;
  readonly #child: ChildProcess;
  readonly #exit: Promise<string>;
  #output = '';

  constructor(flags: readonly string[]) {
    const reporter = [`--test-reporter=${REPORTER}`, '--test-reporter-destination=stdout'];
    const node = [process.execPath, ...FLAGS, ...flags, ...FIRST, ...reporter, SCRIPT];
    this.#child = spawn('sh', ['-c', GUARD, 'sh', ...node], {
      detached: true,
      env: { ...ONE_ARENA, ...process.env },
      stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
    });
    this.#exit = new Promise((resolve) => {
      this.#child.on('error', (error) => resolve(error.message));
      this.#child.on('exit', (code, signal) => resolve(`its process ended with ${signal ?? code}`));
    });
    for (const stream of [this.#child.stdout!, this.#child.stderr!]) {
      stream.setEncoding('utf8').on('data', (text: string) => (this.#output += text));
    }
  }

  /** The CPU time of the process and of all that it has started; undefined on systems other than Linux. */
  cpuSeconds(): number | undefined {
    return this.#child.pid === undefined ? undefined : cpuSecondsOf(this.#child.pid);
  }

  /** Always resolves with a report, even if the process crashes. */
  async run({ path: file, engine }: TestFile, limitMs: number, signal: AbortSignal): Promise<FileReport> {
    this.#output = '';
    let progress: Progress = { text: '', running: '', passed: 0, failed: 0 };
    const { promise, resolve } = Promise.withResolvers<FileReport>();
    const cutOff = (reason: string): void => {
      this.isSpent = true;
      const { text, running, passed, failed } = progress;
      const failures = `✖ ${file}\n  ${reason}${running && `, in: ${running}`}\n`;
      resolve({ text, failures, passed, failed: failed + 1, isTidy: false });
    };
    const listen = (message: Message): void => {
      if ('progress' in message)
        progress = { ...message.progress, text: progress.text + message.progress.text };
      else resolve(message.report);
    };
    const interrupt = () => cutOff('was interrupted');
    const limit = setTimeout(() => cutOff(`took longer than ${limitMs / 1000} s`), limitMs);
    signal.addEventListener('abort', interrupt);
    this.#child.on('message', listen);
    void this.#exit.then(cutOff);
    this.#send({ file, engine });
    const report = await promise;
    clearTimeout(limit);
    signal.removeEventListener('abort', interrupt);
    this.#child.off('message', listen);
    this.isSpent ||= !report.isTidy;
    return { ...report, text: report.text + this.#output };
  }

  /** Ends the process and everything that its files have started. */
  async end(): Promise<void> {
    if (!this.isSpent) {
      this.#send({});
      const kill = setTimeout(() => this.#kill(), END_MS);
      await this.#exit;
      clearTimeout(kill);
    }
    this.#kill();
    await this.#exit;
    this.#child.stdin!.destroy();
  }

  #send(order: Order): void {
    // The exit of a process is handled by its event.
    if (this.#child.connected) this.#child.send(order, () => {});
  }

  /** The guard keeps the group alive, so that its number cannot be reused. */
  #kill(): void {
    try {
      process.kill(-this.#child.pid!, 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

/** With children that run, such as the launcher of git, and those that have ended. */
function cpuSecondsOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program, in parentheses, may contain spaces. The fields are utime, stime, cutime and cstime.
    const ticks = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 15);
    const own = ticks.reduce((sum, part) => sum + Number(part), 0) / TICKS_PER_SECOND;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
    return children.reduce(
      (sum, child) => sum + (child === '' ? 0 : (cpuSecondsOf(Number(child)) ?? 0)),
      own,
    );
  } catch {
    return undefined;
  }
}
