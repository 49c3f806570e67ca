// The key pairs of secret input fields: one for each account and Actor, so that no Actor can read what was meant for another.
import { generateKeyPair, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import type { Kernel } from '../../kernel/kernel.ts';
import { findInputKey, insertInputKey, type InputKeyOwner, type StoredInputKey } from './store.ts';
import type { InputKeys } from './thread-task.ts';

type KeyKernel = Pick<Kernel, 'db' | 'clock' | 'secrets'>;

const BITS = 2048;

const generate = promisify(generateKeyPair);

/** Creates the pair where there is none. Of two nodes that do so at once, both use the one that was stored first. */
export async function ensureInputKeys(kernel: KeyKernel, owner: InputKeyOwner): Promise<InputKeys> {
  const { db, clock } = kernel;
  const known = await findInputKey(db, owner);
  if (known !== undefined) return openKeys(kernel, known);
  await insertInputKey(db, owner, await newKeys(kernel), clock.now());
  const stored = await findInputKey(db, owner);
  if (stored === undefined) throw new Error('The Actor was deleted while a key for its input was made');
  return openKeys(kernel, stored);
}

/** What the process of a run needs to read its secret fields; empty where nothing was ever encrypted for the Actor. */
export async function inputSecretEnv(
  kernel: Omit<KeyKernel, 'clock'>,
  owner: InputKeyOwner,
): Promise<Record<string, string>> {
  const stored = await findInputKey(kernel.db, owner);
  if (stored === undefined) return {};
  const { privateKey, passphrase } = openKeys(kernel, stored);
  return {
    APIFY_INPUT_SECRETS_PRIVATE_KEY_FILE: Buffer.from(privateKey).toString('base64'),
    APIFY_INPUT_SECRETS_PRIVATE_KEY_PASSPHRASE: passphrase,
  };
}

/** In the thread pool of Node, because it takes a tenth of a second. */
async function newKeys({ secrets }: KeyKernel): Promise<StoredInputKey> {
  const passphrase = randomBytes(24).toString('base64url');
  const { publicKey, privateKey } = await generate('rsa', {
    modulusLength: BITS,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase },
  });
  return { publicKey, sealedKey: await secrets.seal(JSON.stringify({ privateKey, passphrase })) };
}

function openKeys(
  { secrets }: Pick<KeyKernel, 'secrets'>,
  { publicKey, sealedKey }: StoredInputKey,
): InputKeys {
  return { publicKey, ...(JSON.parse(secrets.open(sealedKey)) as Omit<InputKeys, 'publicKey'>) };
}
