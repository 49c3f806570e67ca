// The commands `secrets status|rotate|prune`: the keys that encrypt stored secrets.
import type { Command } from 'commander';
import { addJson, explain, type End } from '../command-help.ts';
import type { Io } from '../io.ts';
import { globalSettingsOf } from '../settings.ts';

export function addSecrets(secrets: Command, io: Io, end: End): void {
  explain(secrets, ['secrets status', 'secrets rotate']);
  const status = secrets
    .command('status')
    .description('Tell which key is written, which nodes have it, and how much older keys still encrypt')
    .action(async (_options, command: Command) => {
      const settings = globalSettingsOf(command, io);
      const { runSecretsStatus } = await import('./secrets.ts');
      end(await runSecretsStatus(settings, command.opts(), io));
    });
  addJson(status);
  explain(status, ['secrets status', 'secrets status --json']);
  const rotate = secrets
    .command('rotate')
    .description('Begin to use a new key, while servers run')
    .action(async (_options, command: Command) => {
      const settings = globalSettingsOf(command, io);
      const { runSecretsRotate } = await import('./secrets.ts');
      end(await runSecretsRotate(settings, io));
    });
  explain(
    rotate,
    ['secrets rotate'],
    [
      'The new key is made in the key file. Where the key comes from elsewhere, a new one is printed with what to do.',
      'It is written once every node reads it. What older keys encrypt is encrypted anew in the background.',
    ],
  );
  const prune = secrets
    .command('prune')
    .description('Remove older keys from the key file, when nothing needs them any more')
    .action(async (_options, command: Command) => {
      const settings = globalSettingsOf(command, io);
      const { runSecretsPrune } = await import('./secrets.ts');
      end(await runSecretsPrune(settings, io));
    });
  explain(prune, ['secrets prune'], ['A backup from before needs the key of its time: keep a copy.']);
}
