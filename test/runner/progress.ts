// What a run prints about its files: their reports, a line of progress where people watch, and the slowest of all at the end.
import { relative } from 'node:path';
import type { FileReport } from './messages.ts';
import type { TimeSpent } from './pool.ts';

/** A stream of output, such as that of the process. */
interface Output {
  isTTY?: boolean;
  write(text: string): unknown;
}

interface DoneFile extends TimeSpent {
  path: string;
}

const SHOWN_SLOWEST = 10;
/** Back to the start of the line, and clears it. */
const CLEAR_LINE = '\r\x1b[K';

export class RunProgress {
  passed = 0;
  failed = 0;
  readonly #output: Output;
  readonly #total: number;
  readonly #done: DoneFile[] = [];
  #failures = '';
  readonly #now: () => number;
  readonly #begun: number;

  constructor(output: Output, total: number, now: () => number) {
    this.#output = output;
    this.#total = total;
    this.#now = now;
    this.#begun = now();
  }

  /** Prints the report of a file, above the line. */
  add(file: string, report: FileReport, spent: TimeSpent): void {
    const path = relative('.', file);
    this.#done.push({ path, ...spent });
    this.passed += report.passed;
    this.failed += report.failed;
    if (report.failed > 0) this.#failures += report.failures;
    this.#clear();
    this.#output.write(`${path} (${describeTime(spent)})\n${report.text}\n`);
    this.show();
  }

  /** Prints the line of progress, in a terminal only. */
  show(): void {
    if (!this.#output.isTTY) return;
    const seconds = Math.round((this.#now() - this.#begun) / 1000);
    const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
    const files = `${this.#done.length} of ${this.#total} files`;
    this.#output.write(`${CLEAR_LINE}${files}, ${this.passed} passed, ${this.failed} failed, ${time}`);
  }

  /** Prints the slowest files, failures and, as the last line, the counts. */
  end(wasInterrupted: boolean): void {
    this.#clear();
    const slowest = this.#done.toSorted((a, b) => costOf(b) - costOf(a)).slice(0, SHOWN_SLOWEST);
    const lines = slowest.map((file) => `  ${file.path} (${describeTime(file)})\n`);
    if (lines.length > 0) this.#output.write(`slowest files:\n${lines.join('')}\n`);
    if (this.#failures !== '') this.#output.write(`failed:\n${this.#failures}\n`);
    if (wasInterrupted) this.#output.write('The run was interrupted.\n');
    this.#output.write(`${this.passed} passed, ${this.failed} failed\n`);
  }

  #clear(): void {
    if (this.#output.isTTY) this.#output.write(CLEAR_LINE);
  }
}

/** A file that waits costs the run little, because others use the cores meanwhile. */
function costOf({ seconds, cpuSeconds }: DoneFile): number {
  return cpuSeconds ?? seconds;
}

function describeTime({ seconds, cpuSeconds }: TimeSpent): string {
  const cpu = cpuSeconds === undefined ? '' : `, ${cpuSeconds.toFixed(1)} s of CPU`;
  return `${seconds.toFixed(1)} s${cpu}`;
}
