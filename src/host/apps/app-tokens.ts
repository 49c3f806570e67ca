// The tokens that apps sign themselves: JSON web tokens, checked by the app's public keys.
import { createPublicKey, type KeyObject } from 'node:crypto';
import { compactVerify, decodeProtectedHeader } from 'jose';
import { BoundedCache } from '../../kernel/collections/bounded-cache.ts';
import { Failure } from '../../kernel/failure.ts';
import type { ProgramTokens } from '../../kernel/identity/identity.ts';
import { findBotAccount } from '../../kernel/identity/store-bots.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { HostApp } from './app.ts';
import { programCaller } from './program.ts';
import { findApp, findAppByClientId, listAppKeys } from './store.ts';

/** Three parts of base64url. The first is JSON in braces, so that it begins with `ey`. */
const FORM = /^ey[\w-]*\.[\w-]*\.[\w-]*$/;
/** Those of real clients have about 500 characters. */
const MAX_LENGTH = 4096;
/** The only algorithm: the key of an app must never be taken for the secret of another one. */
const ALGORITHM = 'RS256';
const SKEW_SECONDS = 60;
const MAX_SECONDS = 600;

/** By their texts: reading a key takes longer than checking a signature. */
type PublicKeys = BoundedCache<string, KeyObject>;

export function openAppTokens(): ProgramTokens {
  const keys: PublicKeys = new BoundedCache({ max: 1000 });
  return {
    hasForm: (secret) => FORM.test(secret),
    async find(db, secret, now) {
      const { app, claims } = await verify(db, secret, keys);
      const expiresAt = checkTimes(claims, now / 1000) * 1000;
      const bot = await findBotAccount(db, { id: app.botId });
      return bot && { caller: programCaller(bot, { kind: 'app', app: app.number }), expiresAt };
    },
  };
}

interface Claims {
  iss?: unknown;
  iat?: unknown;
  exp?: unknown;
  nbf?: unknown;
}

/** The issuer is read before the signature is checked, to find the key; nothing else is. */
async function verify(db: Db, secret: string, keys: PublicKeys): Promise<{ app: HostApp; claims: Claims }> {
  if (secret.length > MAX_LENGTH) throw undecodable();
  const { iss } = readUnverified(secret);
  const app = await findIssuer(db, iss);
  if (app === undefined) throw undecodable();
  for (const { publicKey } of await listAppKeys(db, app.number)) {
    const claims = await claimsIn(secret, publicKey, keys);
    if (claims !== undefined) return { app, claims };
  }
  throw undecodable();
}

/** Undefined where another key has signed it. */
async function claimsIn(secret: string, publicKey: string, keys: PublicKeys): Promise<Claims | undefined> {
  try {
    const { payload } = await compactVerify(secret, keyOf(publicKey, keys), { algorithms: [ALGORITHM] });
    return JSON.parse(new TextDecoder().decode(payload)) as Claims;
  } catch {
    return undefined;
  }
}

function readUnverified(secret: string): Claims {
  try {
    if (decodeProtectedHeader(secret).alg !== ALGORITHM) throw undecodable();
    const claims: unknown = JSON.parse(Buffer.from(secret.split('.')[1]!, 'base64url').toString('utf8'));
    if (typeof claims !== 'object' || claims === null || Array.isArray(claims)) throw undecodable();
    return claims;
  } catch {
    throw undecodable();
  }
}

/** By the number of the app, as a number or text, or by its client id. */
async function findIssuer(db: Db, iss: unknown): Promise<HostApp | undefined> {
  if (typeof iss === 'number') return await findApp(db, iss);
  if (typeof iss !== 'string') return undefined;
  return /^\d{1,10}$/.test(iss) ? await findApp(db, Number(iss)) : await findAppByClientId(db, iss);
}

function keyOf(pem: string, keys: PublicKeys): KeyObject {
  const known = keys.get(pem);
  if (known !== undefined) return known;
  const key = createPublicKey(pem);
  keys.set(pem, key);
  return key;
}

/** When it expires, in seconds. Clients whose clock is wrong know the messages, and try again with the server's time. */
function checkTimes({ iat, exp, nbf }: Claims, now: number): number {
  if (typeof exp !== 'number' || !Number.isFinite(exp) || exp <= now)
    throw wrongClaim(
      "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires",
    );
  if (typeof iat !== 'number' || !Number.isFinite(iat) || iat > now + SKEW_SECONDS)
    throw wrongClaim(
      "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued",
    );
  const longest = MAX_SECONDS + SKEW_SECONDS;
  if (exp > now + longest || exp - iat > longest)
    throw wrongClaim("'Expiration time' claim ('exp') is too far in the future");
  if (nbf !== undefined && (typeof nbf !== 'number' || nbf > now + SKEW_SECONDS)) throw undecodable();
  return exp;
}

/** One message for everything that a forger could learn from. */
export function undecodable(): Failure {
  return wrongClaim('A JSON web token could not be decoded');
}

function wrongClaim(message: string): Failure {
  return new Failure('unauthenticated', message, { code: 'jwt' });
}
