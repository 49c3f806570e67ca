// Encodes and signs an object: anybody can read it, and this server can verify which account made it.
import { createHmac } from 'node:crypto';
import { Failure } from '../../kernel/failure.ts';
import { isObject } from '../../kernel/json/json-value.ts';
import { isSameSecret } from '../../kernel/secrets/secret.ts';

/** Signing more would block other calls. */
const MAX_CHARACTERS = 200_000;
/** The length of its base64 text, with the fields around it. */
export const MAX_ENCODED = 6 * MAX_CHARACTERS;

export interface Signed {
  /** The object as JSON. */
  payload: string;
  userId: string;
  signature: string;
}

export function encodeSigned(value: unknown, userId: string, secret: string): string {
  const payload = JSON.stringify(value);
  if (payload.length > MAX_CHARACTERS) {
    throw new Failure('too-large', `The object must not be longer than ${MAX_CHARACTERS} characters`);
  }
  const signed: Signed = { payload, userId, signature: signatureOf(payload, userId, secret) };
  return Buffer.from(JSON.stringify(signed)).toString('base64');
}

/** Decodes without verifying: only `isSigned` verifies the signature. */
export function decodeSigned(encoded: string): Signed {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(encoded, 'base64').toString('utf8'));
  } catch {
    throw notEncoded();
  }
  if (!isObject(value)) throw notEncoded();
  const { payload, userId, signature } = value;
  if (typeof payload !== 'string' || typeof userId !== 'string' || typeof signature !== 'string') {
    throw notEncoded();
  }
  return { payload, userId, signature };
}

export function isSigned({ payload, userId, signature }: Signed, secret: string): boolean {
  return isSameSecret(signature, signatureOf(payload, userId, secret));
}

function signatureOf(payload: string, userId: string, secret: string): string {
  return createHmac('sha256', secret).update(`${userId}\n${payload}`).digest('base64url');
}

export function notEncoded(): Failure {
  return new Failure('invalid', 'encoded must be a text that encode-and-sign of this server has made');
}
