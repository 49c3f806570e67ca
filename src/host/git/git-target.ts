// Runs git on one repository, with the object folders of others that it may read, and splits its output into records.
import { join } from 'node:path';
import { Failure } from '../../kernel/failure.ts';
import type { GitCall, GitProgram } from './process/git-process.ts';
import { GitLimitExceeded } from './process/process-limits.ts';
import type { RefWriters } from './refs/ref-writers.ts';

export interface GitTarget {
  program: Pick<GitProgram, 'run' | 'read' | 'stream'>;
  /** The folder of the bare repository, absolute. */
  folder: string;
  /** Folders of further repositories whose objects can be named too, as a comparison across forks needs them. */
  alternates?: readonly string[];
  /** Where new objects go, instead of among those of the repository. */
  quarantine?: string;
  /** Processes that change references of repositories in use; without them each change starts one. */
  refWriters?: RefWriters;
  /** Fires when the caller that reads is gone. Commands that change the repository finish without it. */
  signal?: AbortSignal;
}

type RunOptions = Omit<GitCall, 'folder' | 'env'> & { maxOutput: number };
type StreamOptions = Omit<GitCall, 'folder' | 'env'>;

export async function runGit(
  target: GitTarget,
  args: readonly string[],
  options: RunOptions,
): Promise<Buffer> {
  const { stdout } = await target.program.run(args, { ...startOf(target), ...options });
  return stdout;
}

/** For a command that changes the repository: it ends by itself, whether the caller waits for it or not. */
export async function runChange(
  target: GitTarget,
  args: readonly string[],
  options: RunOptions,
): Promise<Buffer> {
  const { folder, env } = startOf(target);
  const { stdout } = await target.program.run(args, { folder, ...(env && { env }), ...options });
  return stdout;
}

/**
 * For output that the server reads at once, of at most `maxOutput` bytes.
 * @throws {GitLimitExceeded}
 */
export async function* readGit(
  target: GitTarget,
  args: readonly string[],
  { maxOutput, ...options }: RunOptions,
): AsyncGenerator<Buffer, void, void> {
  let left = maxOutput;
  for await (const chunk of target.program.read(args, { ...startOf(target), ...options })) {
    left -= chunk.length;
    if (left < 0) throw new GitLimitExceeded(args[0] ?? '');
    yield chunk;
  }
}

export function streamGit(
  target: GitTarget,
  args: readonly string[],
  options: StreamOptions,
): AsyncGenerator<Buffer, void, void> {
  return target.program.stream(args, { ...startOf(target), ...options });
}

export function startOf({
  folder,
  alternates = [],
  quarantine,
  signal,
}: GitTarget): Pick<GitCall, 'folder' | 'env' | 'signal'> {
  const start = { folder, ...(signal && { signal }) };
  if (alternates.length === 0 && quarantine === undefined) return start;
  const others = quarantine === undefined ? alternates : [folder, ...alternates];
  const env = {
    GIT_ALTERNATE_OBJECT_DIRECTORIES: others.map((other) => quoted(join(other, 'objects'))).join(':'),
    ...(quarantine === undefined ? {} : { GIT_OBJECT_DIRECTORY: quarantine }),
  };
  return { ...start, env };
}

/** A colon separates the folders of the list, unless it is inside quotes. */
function quoted(path: string): string {
  return `"${path.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

const MAX_RECORD_BYTES = 1024 * 1024;

/** The records of output that was asked for with `-z`: NUL ends each of them. */
export async function* splitRecords(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, void> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end = bytes.indexOf(0); end >= 0; end = bytes.indexOf(0, start)) {
      yield bytes.subarray(start, end);
      start = end + 1;
    }
    rest = bytes.subarray(start);
    if (rest.length > MAX_RECORD_BYTES)
      throw new Failure('too-large', 'The repository has a file name that is too long.');
  }
}
