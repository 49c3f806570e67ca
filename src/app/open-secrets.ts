// Opens the box that encrypts secrets at rest, with the key of the settings or the one in the data folder.
import { join } from 'node:path';
import type { Config } from './config.ts';
import { Failure } from '../kernel/failure.ts';
import type { Logger } from '../kernel/observability/log.ts';
import { openSecretBox, type SecretBox } from '../kernel/secrets/secret-box.ts';
import type { Engine } from '../kernel/storage/engine.ts';
import { ensureSecretKeyFile, SECRET_KEY_FILE } from '../kernel/secrets/secret-key-file.ts';

export async function openSecrets(
  { secretKey, data, role }: Config,
  engine: Engine,
  log: Logger,
): Promise<SecretBox> {
  if (secretKey !== undefined)
    return await openSecretBox({ engine, log, key: secretKey, source: 'the one in SIGNALBOX_SECRET_KEY' });
  if (engine.isShared && role !== 'all') {
    throw new Failure(
      'invalid',
      'A node with a role of its own shares secrets with others: set SIGNALBOX_SECRET_KEY, at least 32 characters, to the same on all of them.',
    );
  }
  const key = ensureSecretKeyFile(data);
  const file = join(data, SECRET_KEY_FILE);
  if (engine.isShared) {
    log.info({ file }, 'SIGNALBOX_SECRET_KEY is not set: further nodes need the key in this file');
  }
  return await openSecretBox({ engine, log, key, source: `the one in ${file}` });
}
