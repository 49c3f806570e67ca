// What tests of merges look at: the processes of git that were started, and the files of objects that are there.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { GitTarget } from '../git-target.ts';
import type { GitRepository } from '../repository.ts';

/**
 * The commands other than those that read objects for many calls, in the order in which they were started. A change of
 * references counts as one, whether a process is started for it or a kept one makes it.
 */
export async function countProcesses(
  { program, refWriters }: GitRepository,
  work: () => Promise<unknown>,
): Promise<string[]> {
  const commands: string[] = [];
  const start = program.start.bind(program);
  program.start = async (args, options) => {
    if (options.work !== 'reader') commands.push(args[0]!);
    return await start(args, options);
  };
  const run = refWriters.run.bind(refWriters);
  refWriters.run = async (folder, transaction) => {
    commands.push('update-ref');
    return await run(folder, transaction);
  };
  try {
    await work();
  } finally {
    program.start = start;
    refWriters.run = run;
  }
  return commands;
}

/** All paths below the folder of objects, so that a file or folder that was left behind is seen. */
export function listObjectFiles({ folder }: Pick<GitTarget, 'folder'>): string[] {
  return readdirSync(join(folder, 'objects'), { recursive: true, encoding: 'utf8' }).toSorted();
}
