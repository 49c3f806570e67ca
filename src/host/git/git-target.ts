// The repository that a git command works on, with the object folders of others that it may read.
import { join } from 'node:path';
import type { GitCall, GitProgram } from './git-process.ts';

export interface GitTarget {
  program: Pick<GitProgram, 'run' | 'stream'>;
  /** The folder of the bare repository, absolute. */
  folder: string;
  /** Folders of further repositories whose objects can be named too, as a comparison across forks needs them. */
  alternates?: readonly string[];
  /** Where new objects go, instead of among those of the repository. */
  quarantine?: string;
}

type RunOptions = Omit<GitCall, 'folder' | 'env'> & { maxOutput: number };
type StreamOptions = Omit<GitCall, 'folder' | 'env'>;

export async function runGit(
  target: GitTarget,
  args: readonly string[],
  options: RunOptions,
): Promise<Buffer> {
  const { stdout } = await target.program.run(args, { ...options, ...startOf(target) });
  return stdout;
}

export function streamGit(
  target: GitTarget,
  args: readonly string[],
  options: StreamOptions,
): AsyncGenerator<Buffer, void, void> {
  return target.program.stream(args, { ...options, ...startOf(target) });
}

function startOf({ folder, alternates = [], quarantine }: GitTarget): Pick<GitCall, 'folder' | 'env'> {
  if (alternates.length === 0 && quarantine === undefined) return { folder };
  const others = quarantine === undefined ? alternates : [folder, ...alternates];
  const env = {
    GIT_ALTERNATE_OBJECT_DIRECTORIES: others.map((other) => quoted(join(other, 'objects'))).join(':'),
    ...(quarantine === undefined ? {} : { GIT_OBJECT_DIRECTORY: quarantine }),
  };
  return { folder, env };
}

/** A colon separates the folders of the list, unless it is inside quotes. */
function quoted(path: string): string {
  return `"${path.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
