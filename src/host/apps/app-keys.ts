// The secrets of an app, which are made outside of transactions: a key pair takes a while, and sealing may write.
import { createHash, createPublicKey, generateKeyPair, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { hashSecret } from '../../kernel/secrets/secret.ts';
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
export async function generateAppKeys(kernel: Kernel, signsHooks: boolean): Promise<NewAppKeys> {
  const { publicKey, pem } = await generateAppKeyPair();
  const client = generateClientSecret();
  const hook = signsHooks ? await generateHookSecret(kernel) : { value: null, sealed: null };
  return {
    kept: { publicKey, clientSecretHash: client.hash, hookSecret: hook.sealed },
    shown: { pem, clientSecret: client.value, webhookSecret: hook.value },
  };
}

/** Both as PEM. */
export async function generateAppKeyPair(): Promise<{ publicKey: string; pem: string }> {
  const { publicKey, privateKey: pem } = await generate('rsa', {
    modulusLength: KEY_BITS,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
  return { publicKey, pem };
}

export function generateClientSecret(): { value: string; hash: string } {
  const value = randomBytes(20).toString('hex');
  return { value, hash: hashSecret(value) };
}

export async function generateHookSecret({ secrets }: Kernel): Promise<{ value: string; sealed: string }> {
  const value = randomBytes(20).toString('hex');
  return { value, sealed: await secrets.seal(value) };
}

/** As `openssl rsa -in KEY.pem -pubout -outform DER | openssl sha256 -binary | openssl base64` prints it. */
export function fingerprintOf(publicKey: string): string {
  const der = createPublicKey(publicKey).export({ type: 'spki', format: 'der' });
  return `SHA256:${createHash('sha256').update(der).digest('base64')}`;
}
