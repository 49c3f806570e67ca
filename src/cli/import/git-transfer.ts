// Runs git for an import: its progress goes to the progress of the command, its complaints into the error.
import { Failure } from '../../kernel/failure.ts';
import { GitError, type GitProgram } from '../../host/git/git-process.ts';
import type { ImportProgress } from './import-progress.ts';

/** Git itself gives up on connections that are too slow. */
const TIMEOUT_MS = 7 * 24 * 3600 * 1000;
const MAX_OUTPUT = 64 * 1024 ** 2;
/** The end of what git says, where the reason of an error is. */
const MAX_LINES = 10;
const MAX_LINE = 500;
const PROGRESS = /: +\d+% \(\d+\/\d+\)|: \d+(?:, done\.)?$/;

export interface GitTransfer {
  program: GitProgram;
  /** The folder of the copy. */
  folder: string;
  progress: ImportProgress;
  signal: AbortSignal;
}

export interface TransferCall {
  args: readonly string[];
  env: Record<string, string>;
  /** What failed, as the beginning of a sentence. */
  failure: string;
  /** The reason, where it is known better than git knows it. */
  reason?(): string | undefined;
  /** What must not be shown. */
  secrets?: readonly string[];
}

export async function transferGit(
  { program, folder, progress, signal }: GitTransfer,
  { args, env, failure, reason, secrets = [] }: TransferCall,
): Promise<string> {
  const said: string[] = [];
  let rest = '';
  const onStderr = (chunk: Buffer) => {
    const lines = (rest + chunk.toString()).split(/[\r\n]/);
    rest = lines.pop()!.slice(-MAX_LINE);
    for (const line of lines) {
      const text = shownLine(line);
      if (PROGRESS.test(text)) progress.update(text);
      else if (text !== '') said.push(text);
    }
    said.splice(0, said.length - MAX_LINES);
  };
  try {
    const options = { folder, env, signal, onStderr, timeoutMs: TIMEOUT_MS, maxOutput: MAX_OUTPUT };
    const { stdout } = await program.run(args, { work: 'transfer', ...options });
    return stdout.toString();
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    const words = reason?.() ?? [...said, shownLine(rest)].filter(Boolean).join(' ');
    const safe = secrets.reduce((text, secret) => text.replaceAll(secret, '…'), words);
    throw new Failure('unavailable', `${failure}: ${safe === '' ? 'git failed' : safe}`, { cause: error });
  }
}

/** The other side may send anything, such as codes that a terminal would obey. */
function shownLine(line: string): string {
  // oxlint-disable-next-line no-control-regex
  const plain = line.replaceAll(/[\0-\x1f\x7f-\x9f]/g, '');
  return plain.trim().slice(0, MAX_LINE);
}
