// Public keys in the format of OpenSSH, for tests.
import { createHash } from 'node:crypto';

/** Each field is preceded by its length in four bytes. */
export function sshKey(type: string, fields: readonly (Buffer | string)[], comment = ''): string {
  const parts = [type, ...fields].flatMap((field) => {
    const bytes = Buffer.from(field as string);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    return [length, bytes];
  });
  return `${type} ${Buffer.concat(parts).toString('base64')}${comment === '' ? '' : ` ${comment}`}`;
}

/** A different key for each name. */
export function ed25519Key(name: string, comment = ''): string {
  return sshKey('ssh-ed25519', [createHash('sha256').update(name).digest()], comment);
}

/** With a modulus of so many bits. */
export function rsaKey(bits: number): string {
  const modulus = Buffer.alloc(bits / 8 + 1, 0xab);
  modulus[0] = 0;
  return sshKey('ssh-rsa', [Buffer.from([1, 0, 1]), modulus]);
}
