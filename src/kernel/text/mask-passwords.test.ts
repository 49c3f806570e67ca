// Passwords in any notation are masked in the output.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maskPasswords } from './mask-passwords.ts';

const WRITTEN = [
  'postgres://u:s3cret@h/db',
  'postgres:/u:s3cret@h',
  'postgress:u:s3cret@h/db',
  'postgres://u:s3cret word@h',
  'postgres://u:s3c/ret@s3cret@h',
  'host=db password=s3cret',
  'host=db password = s3cret',
  "host=db user=x password='s3cret s3cret word'",
  'host=db password="s3cret s3cret"',
  'postgres://h/db?sslpassword=s3cret',
];

for (const text of WRITTEN) {
  test(`the password of ${text} is not shown`, () => {
    const masked = maskPasswords(`The database ${text} is away`);
    assert.ok(!masked.includes('s3c'), masked);
    assert.ok(masked.includes('***'));
  });
}

test('other texts stay as they are', () => {
  for (const text of ['Mail: admin@example.com', 'http://127.0.0.1:8080/v2', 'a: b: c']) {
    assert.equal(maskPasswords(text), text);
  }
});
