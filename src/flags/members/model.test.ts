// Usernames of invited members, and invalid addresses of invitations.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkEmails, usernameFrom } from './model.ts';

test('a username is made of what stands before the @', () => {
  for (const [email, expected] of [
    ['ada@example.com', 'ada'],
    ['Ada.Love-Lace+work@example.com', 'ada-love-lace-work'],
    ['..a..b..@x', 'a-b'],
    ['ünicode@x', 'nicode'],
    ['###@x', 'member'],
    ['me@x', 'member'],
    [`${'x'.repeat(60)}@x`, 'x'.repeat(39)],
    [`${'x'.repeat(38)}.y@x`, 'x'.repeat(38)],
  ] as const) {
    assert.equal(usernameFrom(email), expected, email);
    assert.match(usernameFrom(email), /^[a-z0-9](?:[a-z0-9]|-(?=[a-z0-9])){0,38}$/);
  }
});

test('addresses that are none, or stand there twice, are named', () => {
  checkEmails([{ email: 'a@b' }, { email: 'c@d' }]);
  assert.throws(() => checkEmails([{ email: 'a@b' }, { email: 'nonsense' }]), /nonsense/);
  assert.throws(
    () => checkEmails([{ email: 'a@b' }, { email: 'A@B' }]),
    (error: { details: { code: string; data: unknown } }) => {
      assert.deepEqual(
        [error.details.code, error.details.data],
        ['duplicate_emails', { invalid_emails: ['a@b'] }],
      );
      return true;
    },
  );
});
