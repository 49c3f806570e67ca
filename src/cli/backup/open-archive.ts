// The passphrase of a backup, as the commands are given it.
import { readFileSync } from 'node:fs';
import { Failure } from '../../kernel/failure.ts';
import type { Config } from '../../app/config.ts';

export interface PassphraseOptions {
  encrypt?: boolean;
  passphraseFile?: string;
}

export function passphraseOf(
  { passphraseFile }: PassphraseOptions,
  { backupPassphrase }: Config,
): string | undefined {
  if (passphraseFile === undefined) return backupPassphrase;
  try {
    return readFileSync(passphraseFile, 'utf8').trimEnd();
  } catch (error) {
    throw new Failure('invalid', `The passphrase cannot be read: ${(error as Error).message}.`);
  }
}

/** Undefined for a backup that is not encrypted. */
export function newPassphraseOf(options: PassphraseOptions, config: Config): string | undefined {
  if (options.encrypt !== true && options.passphraseFile === undefined) return undefined;
  const passphrase = passphraseOf(options, config);
  if (passphrase === undefined)
    throw new Failure('invalid', 'Set SIGNALBOX_BACKUP_PASSPHRASE, or name a file with --passphrase-file.');
  return passphrase;
}

export interface ArchiveOptions extends PassphraseOptions {
  backup?: string;
}
