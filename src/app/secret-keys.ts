// Where the keys of stored secrets come from: the environment, a file, a command, or the file that the first start makes.
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Failure } from '../kernel/failure.ts';
import { spawn } from '../kernel/network/streams.ts';
import {
  ensureSecretKeyFile,
  parseSecretKeys,
  readSecretKeyFile,
  SECRET_KEY_FILE,
} from '../kernel/secrets/secret-key-file.ts';
import type { Config } from './config.ts';

type KeyConfig = Pick<Config, 'data' | 'secretKey' | 'secretKeyOld' | 'secretKeyFile' | 'secretKeyCommand'>;

interface SecretKeySource {
  kind: 'environment' | 'file' | 'command' | 'data folder';
  /** For messages: `the one in …`. */
  description: string;
  /** The file, where it is one. */
  file?: string;
  /** The newest first. A command runs again from time to time, or when somebody asks for it. */
  read(isAsked?: boolean): Promise<readonly string[]>;
}

/** A command that hangs must not hang the start. */
const COMMAND_MS = 30_000;
const COMMAND_EVERY_MS = 5 * 60_000;

export function secretKeySource(config: KeyConfig): SecretKeySource {
  const { data, secretKey, secretKeyOld, secretKeyFile, secretKeyCommand } = config;
  const given = [secretKey, secretKeyFile, secretKeyCommand].filter((one) => one !== undefined);
  if (given.length > 1)
    throw new Failure(
      'invalid',
      'Set one of SIGNALBOX_SECRET_KEY, SIGNALBOX_SECRET_KEY_FILE and SIGNALBOX_SECRET_KEY_COMMAND.',
    );
  if (secretKeyOld !== undefined && secretKey === undefined)
    throw new Failure(
      'invalid',
      'SIGNALBOX_SECRET_KEY_OLD is for what SIGNALBOX_SECRET_KEY was before: set both.',
    );
  if (secretKey !== undefined)
    return {
      kind: 'environment',
      description: 'the one in SIGNALBOX_SECRET_KEY',
      read: async () => [secretKey, ...(secretKeyOld === undefined ? [] : [secretKeyOld])],
    };
  if (secretKeyCommand !== undefined) {
    let last: { keys: readonly string[]; until: number } | undefined;
    return {
      kind: 'command',
      description: 'the one that SIGNALBOX_SECRET_KEY_COMMAND prints',
      async read(isAsked = false) {
        if (!isAsked && last !== undefined && performance.now() < last.until) return last.keys;
        const printed = await runKeyCommand(secretKeyCommand);
        const keys = parseSecretKeys(printed, 'what SIGNALBOX_SECRET_KEY_COMMAND prints');
        last = { keys, until: performance.now() + COMMAND_EVERY_MS };
        return keys;
      },
    };
  }
  const file = secretKeyFile ?? join(data, SECRET_KEY_FILE);
  const isOwn = secretKeyFile === undefined;
  return {
    kind: isOwn ? 'data folder' : 'file',
    description: `the one in ${file}`,
    file,
    read: async () => (isOwn ? ensureSecretKeyFile(data) : readGivenFile(file)),
  };
}

function readGivenFile(file: string): string[] {
  const keys = readSecretKeyFile(file);
  if (keys === undefined)
    throw new Failure('invalid', `There is no file ${file}, which SIGNALBOX_SECRET_KEY_FILE names.`);
  return keys;
}

async function runKeyCommand(command: string): Promise<string> {
  const child = spawn(command, {
    shell: true,
    stdio: ['ignore', 'pipe', 'inherit'],
    signal: AbortSignal.timeout(COMMAND_MS),
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('close', resolve);
    child.once('error', reject);
  });
  const [printed, code] = await Promise.all([text(child.stdout), ended]);
  if (code === 0) return printed;
  throw new Failure(
    'invalid',
    `SIGNALBOX_SECRET_KEY_COMMAND fails with exit code ${code}: it must print the key.`,
  );
}

/** For a command: those that are there, without making one. */
export async function readExistingKeys(config: KeyConfig): Promise<readonly string[] | undefined> {
  const source = secretKeySource(config);
  return source.kind === 'data folder' ? readSecretKeyFile(source.file!) : await source.read();
}
