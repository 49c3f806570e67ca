// Runs the build command of an Actor, such as a compiler, in a copy of its sources.
import { symlink } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { Failure } from '../../kernel/failure.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { removeTree } from '../runner/remove-tree.ts';
import type { BuildCommand } from './build-command.ts';
import { runStep, type StepContext } from './build-step.ts';
import { copyFolder, isFolder, sealFolder } from './work-folders.ts';

export interface Compilation extends StepContext {
  command: BuildCommand;
  /** The folder with packages that the command needs, which stays as it is. */
  dependencies?: string;
  /** What the command must be able to read beside Node and npm. */
  readable: readonly string[];
  /** Absent where the box contains a copy of the sources already, with its packages. */
  sources?: string;
  /** The folder for the result, which does not exist yet. */
  target: string;
}

/** Fills the target with what the command leaves of the sources, without packages and without links. */
export async function compileSources(kernel: Kernel, compilation: Compilation): Promise<void> {
  const { box, sources, dependencies, toolchain, command, log, target } = compilation;
  const app = join(box, 'app');
  if (sources !== undefined) await copyFolder(sources, app, PACKAGES);
  for (const name of PACKAGES) {
    if (dependencies !== undefined && (await isFolder(join(dependencies, name))))
      await symlink(join(dependencies, name), join(app, name));
  }
  log.write(`ACTOR: Running the build command ${describe(command)}.`);
  await runStep(kernel, compilation, {
    name: `The build command ${describe(command)}`,
    command: ['/bin/sh', '-c', 'cd "$1" && shift && exec "$@"', 'sh', app, ...wordsOf(command, compilation)],
    network: kernel.settings.execution.network,
    env: {
      PATH: [join(app, 'node_modules', '.bin'), join(app, 'venv', 'bin'), toolchain.path].join(delimiter),
      npm_config_update_notifier: 'false',
    },
    readable: compilation.readable,
  });
  // First: the command may have put a link in place of the folder, and what it leads to is not ours to delete.
  if (!(await isFolder(app)))
    throw new Failure('invalid', 'The build command has replaced its folder by something else.');
  for (const name of PACKAGES) await removeTree(join(app, name));
  await sealFolder(app);
  // The server reads files of the result, so there must be no link to anywhere.
  await copyFolder(app, target);
}

const PACKAGES = ['node_modules', 'venv'];

function wordsOf(command: BuildCommand, { toolchain: { npm } }: Compilation): readonly string[] {
  switch (command.by) {
    case 'npm':
      if (npm === undefined) throw new Failure('invalid', 'This server has no npm, which the build needs.');
      return [process.execPath, npm, 'run', command.script];
    case 'shell':
      return ['/bin/sh', '-c', command.script];
    default:
      return command.command;
  }
}

function describe(command: BuildCommand): string {
  switch (command.by) {
    case 'npm':
      return `"npm run ${command.script}"`;
    case 'shell':
      return JSON.stringify(command.script);
    default:
      return JSON.stringify(command.command.join(' '));
  }
}
