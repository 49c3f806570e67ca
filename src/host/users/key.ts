// Public keys in the format of OpenSSH: what is accepted, and how replies show them.
import { createHash } from 'node:crypto';
import { Nullable, PlainText, problem, Type, type Static } from '../../kernel/schema/schema.ts';
import { isoSeconds } from '../times.ts';

export interface UserKey {
  number: number;
  title: string;
  publicKey: string;
  createdAt: number;
}

export const PublicKey = Type.Object(
  {
    id: Type.Integer(),
    key: Type.String(),
    url: Type.String(),
    title: Type.String(),
    created_at: Type.String({ format: 'date-time' }),
    verified: Type.Boolean(),
    read_only: Type.Boolean(),
  },
  { $id: 'key' },
);

export const PublicKeySimple = Type.Object({ id: Type.Integer(), key: Type.String() }, { $id: 'key-simple' });

export const NewPublicKey = Type.Object({
  title: Type.Optional(Nullable(PlainText({ maxLength: 255 }))),
  key: Type.String({ maxLength: 20_000 }),
});

export function toPublicKey(key: UserKey, base: string): Static<typeof PublicKey> {
  return {
    id: key.number,
    key: key.publicKey,
    url: `${base}/user/keys/${key.number}`,
    title: key.title,
    created_at: isoSeconds(key.createdAt),
    verified: true,
    read_only: false,
  };
}

export interface ParsedKey {
  /** The type and the key, without a comment. */
  publicKey: string;
  fingerprint: string;
  comment: string;
}

/** Throws unless the text is one public key of a type and length that OpenSSH still accepts. */
export function parsePublicKey(text: string): ParsedKey {
  const [, type, encoded, comment = ''] = LINE.exec(text.trim()) ?? [];
  if (type === undefined || encoded === undefined) throw badKey('You must supply a key in OpenSSH format');
  const check = CHECKS.get(type);
  if (check === undefined) throw badKey(`Its type must be one of ${[...CHECKS.keys()].join(', ')}`);
  const blob = Buffer.from(encoded, 'base64');
  const fields = readFields(blob);
  if (fields?.[0]?.toString('latin1') !== type) throw badKey('Its content is not a key of its type');
  const reason = check(fields.slice(1), type);
  if (reason !== undefined) throw badKey(reason);
  return {
    publicKey: `${type} ${blob.toString('base64')}`,
    fingerprint: `SHA256:${createHash('sha256').update(blob).digest('base64')}`,
    comment: comment.replaceAll('\0', ''),
  };
}

const LINE = /^([a-z0-9@.-]+)[ \t]+([A-Za-z0-9+/]+={0,2})(?:[ \t]+([^\r\n]*))?$/;

/** The fields of a key are strings, each after its length in four bytes. Undefined where they do not fill the blob. */
function readFields(blob: Buffer): Buffer[] | undefined {
  const fields: Buffer[] = [];
  let at = 0;
  while (at < blob.length) {
    if (at + 4 > blob.length) return undefined;
    const end = at + 4 + blob.readUInt32BE(at);
    if (end > blob.length) return undefined;
    fields.push(blob.subarray(at + 4, end));
    at = end;
  }
  return fields;
}

/** Returns what is wrong with the fields after the type. */
type KeyCheck = (fields: readonly Buffer[], type: string) => string | undefined;

const MALFORMED = 'Its content is not a key of its type';
const MIN_RSA_BITS = 2048;
const MAX_RSA_BITS = 16_384;

function checkRsa([exponent, modulus, ...rest]: readonly Buffer[]): string | undefined {
  if (exponent === undefined || modulus === undefined || rest.length > 0) return MALFORMED;
  // Numbers are signed: a leading zero byte makes a large one positive.
  const bits = bitsOf(modulus);
  if (bitsOf(exponent) < 2 || bits < 0) return MALFORMED;
  if (bits < MIN_RSA_BITS || bits > MAX_RSA_BITS)
    return `An RSA key must have between ${MIN_RSA_BITS} and ${MAX_RSA_BITS} bits`;
  return undefined;
}

/** Negative for a negative number. */
function bitsOf(number: Buffer): number {
  if ((number[0] ?? 0) >= 0x80) return -1;
  const start = number.findIndex((byte) => byte !== 0);
  return start < 0 ? 0 : (number.length - start) * 8 - Math.clz32(number[start]!) + 24;
}

/** Bytes of a coordinate by curve. */
const CURVES = new Map([
  ['nistp256', 32],
  ['nistp384', 48],
  ['nistp521', 66],
]);

/** A point is the byte 4 and two coordinates. */
function checkEcdsa([curve, point, ...rest]: readonly Buffer[], type: string): string | undefined {
  const name = curve?.toString('latin1') ?? '';
  const size = CURVES.get(name);
  const isPoint = size !== undefined && point?.length === 2 * size + 1 && point[0] === 4;
  return isPoint && type.includes(name) && rest.length === 0 ? undefined : MALFORMED;
}

function checkEd25519([point, ...rest]: readonly Buffer[]): string | undefined {
  return point?.length === 32 && rest.length === 0 ? undefined : MALFORMED;
}

/** A key in a hardware device names the application that it is for, after the fields of its algorithm. */
function inDevice(check: KeyCheck): KeyCheck {
  return (fields, type) => ((fields.at(-1)?.length ?? 0) > 0 ? check(fields.slice(0, -1), type) : MALFORMED);
}

const CHECKS = new Map<string, KeyCheck>([
  ['ssh-ed25519', checkEd25519],
  ['ssh-rsa', checkRsa],
  ['ecdsa-sha2-nistp256', checkEcdsa],
  ['ecdsa-sha2-nistp384', checkEcdsa],
  ['ecdsa-sha2-nistp521', checkEcdsa],
  ['sk-ssh-ed25519@openssh.com', inDevice(checkEd25519)],
  ['sk-ecdsa-sha2-nistp256@openssh.com', inDevice(checkEcdsa)],
]);

function badKey(reason: string) {
  return problem('key', `is invalid. ${reason}`);
}
