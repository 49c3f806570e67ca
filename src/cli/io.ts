// The input and output of a command, passed in so that tests can replace them, and tables for a terminal.
import { createInterface } from 'node:readline/promises';
import { buffer } from 'node:stream/consumers';
import { styleText } from 'node:util';

/** Set by the launcher: how the program was started. Not a setting. */
export const STARTED_AS = 'SIGNALBOX_STARTED_AS';

export interface Io {
  /** Each text is a block of lines without a line end of its own. */
  out(text: string): void;
  err(text: string): void;
  env: NodeJS.ProcessEnv;
  /** How this program was started, for hints that name its commands. */
  program: string;
  /** Whether a person reads the output. */
  isTerminal: boolean;
  /** Replaces the last line of a terminal, which the next text replaces again; empty text removes it. */
  status?(text: string): void;
  /** Asks for confirmation; undefined without a terminal. */
  confirm?(question: string): Promise<boolean>;
  /** Bytes as they are, for standard output. */
  write?(bytes: Uint8Array): Promise<void>;
  /** All of standard input. */
  readInput?(): Promise<Buffer>;
}

export function processIo(): Io {
  const { stdin, stdout, stderr } = process;
  // `signalbox token ls | head -1` closes the pipe early, which is not an error.
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
  return {
    out: (text) => void stdout.write(`${text}\n`),
    err: (text) => void stderr.write(`${text}\n`),
    env: process.env,
    program: process.env[STARTED_AS] ?? 'signalbox',
    isTerminal: stdout.isTTY,
    ...(stderr.isTTY && {
      status: (text) => void stderr.write(`\r\u{1B}[K${fitLine(text, stderr.columns)}`),
    }),
    ...(stdin.isTTY && stderr.isTTY && { confirm }),
    write: (bytes) =>
      new Promise((resolve, reject) => {
        stdout.write(bytes, (error) => (error ? reject(error) : resolve()));
      }),
    readInput: () => buffer(stdin),
  };
}

/** Bytes of a reply; a test has texts alone. */
export async function writeBytes(io: Io, bytes: Uint8Array): Promise<void> {
  if (io.write !== undefined) await io.write(bytes);
  else if (bytes.length > 0) io.out(Buffer.from(bytes).toString());
}

export async function readInput({ readInput: read }: Io): Promise<Buffer> {
  return read === undefined ? Buffer.alloc(0) : await read();
}

/** A line that the terminal wraps could not be replaced. Some terminals say that they have no columns. */
export function fitLine(text: string, columns: number | undefined): string {
  const width = columns || 80;
  return text.length < width ? text : `${text.slice(0, width - 2)}…`;
}

async function confirm(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await lines.question(`${question} [y/N] `)).trim());
  } finally {
    lines.close();
  }
}

type Style = Parameters<typeof styleText>[0];

/** Styles text for a terminal, unless NO_COLOR is set. */
export function painter({ isTerminal, env }: Io): (style: Style, text: string) => string {
  return isTerminal && !env['NO_COLOR'] && env['TERM'] !== 'dumb'
    ? (style, text) => styleText(style, text, { validateStream: false })
    : (_style, text) => text;
}

/** JSON is the default when the output is not a terminal. */
export function wantsJson({ json }: { json?: boolean }, { isTerminal }: Io): boolean {
  return json ?? !isTerminal;
}

export function printJson({ out }: Io, value: unknown): void {
  out(JSON.stringify(value, undefined, 2));
}

export function alignTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
