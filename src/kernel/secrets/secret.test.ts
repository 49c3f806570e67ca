// Secrets and passwords: creation, storage and comparison.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashPassword, hashSecret, isPassword, isSameSecret, newSecret, secretOf } from './secret.ts';

test('a secret has its prefix and 43 letters and digits, and is never made twice', () => {
  const values = Array.from({ length: 1000 }, () => newSecret('api-').value);
  for (const value of values) assert.match(value, /^api-[0-9A-Za-z]{43}$/);
  assert.equal(new Set(values).size, 1000);
});

test('every letter and digit is as likely as the others', () => {
  const counts = new Map<string, number>();
  for (let made = 0; made < 4000; made += 1) {
    for (const letter of newSecret('').value) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  }
  const expected = (4000 * 43) / 62;
  assert.equal(counts.size, 62);
  // Eight standard deviations: chance does not reach that, a biased letter does.
  for (const [letter, count] of counts)
    assert.ok(Math.abs(count - expected) < 8 * Math.sqrt(expected), letter);
});

test('a secret is stored as a hash and its ending', () => {
  const { value, hash, ending } = secretOf('api-something-long');
  assert.deepEqual([value, ending], ['api-something-long', 'long']);
  assert.equal(hash, hashSecret(value));
  assert.match(hash, /^[\w-]{43}$/);
  assert.notEqual(hashSecret('api-something-lonG'), hash);
});

test('secrets are compared whole, whatever their lengths and their letters', () => {
  const texts = ['', 'a', 'ab', 'b', 'A', 'ä', 'a\u0308', 'a\0', 'a'.repeat(5000)];
  for (const one of texts)
    for (const other of texts) {
      assert.equal(isSameSecret(one, other), one === other);
      assert.equal(isSameSecret(Buffer.from(one), other), one === other);
    }
});

test('a password is verified against any stored form', async () => {
  const stored = await hashPassword('correct horse');
  assert.match(stored, /^scrypt\$32768\$8\$1\$[\w-]{22}\$[\w-]{43}$/);
  assert.equal(await isPassword('correct horse', stored), true);
  assert.equal(await isPassword('correct horsf', stored), false);
  assert.equal(await isPassword('', stored), false);
  assert.notEqual(await hashPassword('correct horse'), stored, 'a new salt each time');
});

test('without a stored password none is accepted', async () => {
  for (const password of ['', 'x', 'null']) assert.equal(await isPassword(password, null), false);
  for (const broken of ['', 'plain', 'scrypt$', 'md5$1$1$1$a$b', 'scrypt$2$1$1$$']) {
    assert.equal(await isPassword('', broken), false, broken);
  }
});

test('a password typed in another way of writing accents is the same', async () => {
  assert.equal(await isPassword('cafe\u0301', await hashPassword('caf\u00e9')), true);
});
