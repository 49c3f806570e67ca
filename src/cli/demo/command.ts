// The command `demo reset`.
import type { Command } from 'commander';
import { explain, type End } from '../command-help.ts';
import type { Io } from '../io.ts';
import { globalSettingsOf } from '../settings.ts';

export function addDemo(demo: Command, io: Io, end: End): void {
  explain(demo, ['demo reset']);
  const reset = demo
    .command('reset')
    .description('Delete the examples of --demo with all that was changed in them, and make them anew')
    .option('-y, --yes', 'Do not ask')
    .action(async (options, command: Command) => {
      const settings = globalSettingsOf(command, io);
      const { runDemoReset } = await import('./reset-demo.ts');
      end(await runDemoReset(settings, options, io));
    });
  explain(
    reset,
    ['demo reset', 'demo reset --yes'],
    ['A server that is down does it when it starts. What others have made beside the examples stays.'],
  );
}
