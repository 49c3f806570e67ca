// The secrets of an app, which are made outside of transactions: a key pair takes a while, and sealing may write.
import { generateKeyPair, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { hashSecret } from '../../kernel/identity/secret.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { AppKeyHashes } from './store.ts';

/** What the server keeps, and what is shown once. */
export interface NewAppKeys {
  kept: AppKeyHashes;
  shown: { pem: string; clientSecret: string; webhookSecret: string | null };
}

const generate = promisify(generateKeyPair);
const KEY_BITS = 2048;

/** `signsHooks` says whether the app's webhooks are signed. */
export async function generateAppKeys({ secrets }: Kernel, signsHooks: boolean): Promise<NewAppKeys> {
  const { publicKey, privateKey: pem } = await generate('rsa', {
    modulusLength: KEY_BITS,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
  const clientSecret = randomBytes(20).toString('hex');
  const webhookSecret = signsHooks ? randomBytes(20).toString('hex') : null;
  const hookSecret = webhookSecret === null ? null : await secrets.seal(webhookSecret);
  return {
    kept: { publicKey, clientSecretHash: hashSecret(clientSecret), hookSecret },
    shown: { pem, clientSecret, webhookSecret },
  };
}
