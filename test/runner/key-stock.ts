// RSA keys for tests come from a small stock that the files of a run share. Must be imported first.
import crypto, { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A new pair takes a quarter of a second of CPU time, and tests ask for hundreds. Each one gets another than the seven before it. */
const STOCK = 8;

interface Options {
  modulusLength: number;
  publicKeyEncoding?: crypto.KeyExportOptions<'pem'>;
  privateKeyEncoding?: crypto.KeyExportOptions<'pem'>;
}

interface Pair {
  publicKey: KeyObject | string | Buffer;
  privateKey: KeyObject | string | Buffer;
}

const folder = tmpdir();
const { generateKeyPair, generateKeyPairSync } = crypto;
const generate = promisify(generateKeyPair);
let asked = 0;

function nextFile({ modulusLength }: Options): string {
  asked += 1;
  return join(folder, `rsa-${modulusLength}-${asked % STOCK}.pem`);
}

function readKey(file: string): KeyObject | undefined {
  try {
    return createPrivateKey(readFileSync(file));
  } catch {
    return undefined;
  }
}

/** Another process sees the whole file or none. */
function keepKey(file: string, privateKey: KeyObject): KeyObject {
  writeFileSync(`${file}-${process.pid}`, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  renameSync(`${file}-${process.pid}`, file);
  return privateKey;
}

function pairOf(key: KeyObject, { publicKeyEncoding, privateKeyEncoding }: Options): Pair {
  const publicKey = createPublicKey(key);
  return {
    publicKey: publicKeyEncoding === undefined ? publicKey : publicKey.export(publicKeyEncoding),
    privateKey: privateKeyEncoding === undefined ? key : key.export(privateKeyEncoding),
  };
}

async function takePair(type: string, options: Options): Promise<Pair> {
  if (type !== 'rsa') return generate(type as 'rsa', options);
  const file = nextFile(options);
  const { modulusLength } = options;
  const key = readKey(file) ?? keepKey(file, (await generate('rsa', { modulusLength })).privateKey);
  return pairOf(key, options);
}

function takePairSync(type: string, options: Options): Pair {
  if (type !== 'rsa') return generateKeyPairSync(type as 'rsa', options);
  const file = nextFile(options);
  const { modulusLength } = options;
  const key = readKey(file) ?? keepKey(file, generateKeyPairSync('rsa', { modulusLength }).privateKey);
  return pairOf(key, options);
}

Object.assign(crypto, {
  generateKeyPairSync: takePairSync,
  generateKeyPair: Object.assign(
    (type: string, options: Options, done: (error: unknown, ...keys: unknown[]) => void) =>
      void takePair(type, options).then(
        ({ publicKey, privateKey }) => done(null, publicKey, privateKey),
        done,
      ),
    { [promisify.custom]: takePair },
  ),
});
syncBuiltinESMExports();
