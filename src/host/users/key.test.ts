// Tests of which public keys are accepted.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ed25519Key, rsaKey, sshKey } from '../../../test/ssh-keys.ts';
import { Failure } from '../../kernel/failure.ts';
import { parsePublicKey } from './key.ts';

const point = (size: number) => Buffer.concat([Buffer.from([4]), Buffer.alloc(2 * size, 7)]);
const curve = (name: string, size: number) => sshKey(`ecdsa-sha2-${name}`, [name, point(size)]);

/** Made by ssh-keygen. */
const ED25519 = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIF9KSUwVDfK3UVTjUvYhtGCvQrc8Y+RMUGGO+leAEqci';

test('keys that OpenSSH accepts are accepted, and lose their comment', () => {
  const good = [
    ED25519,
    rsaKey(2048),
    rsaKey(16_384),
    curve('nistp256', 32),
    curve('nistp384', 48),
    curve('nistp521', 66),
    sshKey('sk-ssh-ed25519@openssh.com', [Buffer.alloc(32, 1), 'ssh:']),
    sshKey('sk-ecdsa-sha2-nistp256@openssh.com', ['nistp256', point(32), 'ssh:']),
  ];
  for (const key of good) {
    const parsed = parsePublicKey(`  ${key} ada@home pc\n`);
    assert.equal(parsed.publicKey, key);
    assert.equal(parsed.comment, 'ada@home pc');
    assert.equal(parsePublicKey(key).comment, '');
  }
  assert.equal(new Set(good.map((key) => parsePublicKey(key).fingerprint)).size, good.length);
});

test('what is no key, or a weak one, is refused', () => {
  const ed25519 = ed25519Key('a');
  const bad = [
    '',
    'ssh-ed25519',
    ed25519.split(' ')[1]!,
    `ssh-rsa ${ed25519.split(' ')[1]!}`,
    ed25519.slice(0, -8),
    `${ed25519}\n${ed25519}`,
    'ssh-ed25519 !!!!',
    '-----BEGIN OPENSSH PRIVATE KEY-----',
    rsaKey(1024),
    rsaKey(16_392),
    sshKey('ssh-rsa', [Buffer.from([1, 0, 1]), Buffer.alloc(256, 0xff)]),
    sshKey('ssh-rsa', [Buffer.from([1, 0, 1])]),
    sshKey('ssh-dss', [Buffer.alloc(128, 1)]),
    sshKey('ssh-ed25519', [Buffer.alloc(31, 1)]),
    sshKey('ssh-ed25519', [Buffer.alloc(32, 1), 'more']),
    sshKey('ecdsa-sha2-nistp256', ['nistp384', point(48)]),
    sshKey('ecdsa-sha2-nistp256', ['nistp256', point(48)]),
    sshKey('ecdsa-sha2-nistp256', ['nistp256', Buffer.alloc(65, 2)]),
    sshKey('sk-ssh-ed25519@openssh.com', [Buffer.alloc(32, 1)]),
  ];
  for (const key of bad) {
    assert.throws(
      () => parsePublicKey(key),
      (error) =>
        error instanceof Failure && error.kind === 'invalid' && error.message.startsWith('key is invalid'),
      key,
    );
  }
});
