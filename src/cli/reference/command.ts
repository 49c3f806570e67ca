// The command `completion`.
import { Argument, type Command } from 'commander';
import { explain, type End } from '../command-help.ts';
import { EXIT } from '../command-errors.ts';
import type { Io } from '../io.ts';
import type { Shell } from './completion.ts';

export function addCompletion(program: Command, io: Io, end: End): void {
  const completion = program
    .command('completion')
    .summary('Print a script for the completion of a shell')
    .description('Print a script by which a shell completes commands')
    .addArgument(new Argument('<shell>', 'The shell').choices(['bash', 'zsh', 'fish']))
    .action(async (shell: Shell) => {
      const { completionScript } = await import('./completion.ts');
      io.out(completionScript(shell));
      end(EXIT.good);
    });
  explain(completion, [
    'completion bash > /etc/bash_completion.d/signalbox',
    'completion fish > ~/.config/fish/completions/signalbox.fish',
  ]);
}
