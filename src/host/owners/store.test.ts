// Tests of finding the accounts behind the addresses in commits.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine } from '../../../test/engines.ts';
import { ensureServiceAccount } from '../../kernel/identity/store-accounts.ts';
import { insertMember } from '../../kernel/identity/store-members.ts';
import { newSecret } from '../../kernel/secrets/secret.ts';
import { insertToken } from '../../kernel/identity/store-tokens.ts';
import { insertEmails } from '../users/store.ts';
import { noreplyAddressOf } from './model.ts';
import { listAuthors } from './store.ts';

onEachEngine((engine) => {
  test('authors are found by primary and noreply addresses in whatever case, but not by those that users have added', async () => {
    const { db } = await engine.openMigrated();
    const join = (username: string) =>
      insertMember(db, { username, email: `${username}@Example.com`, role: 'reader' }, null, 1);
    const [ada, bob] = [await join('ada'), await join('bob')];
    await insertEmails(db, bob.id, ['bob@home.example', 'ada@example.com'], 1);
    const token = { memberId: ada.id, isService: true, name: 'ci', description: '', customRoles: [] };
    const inserted = await insertToken(db, token, newSecret('x'), 1);
    const bot = await ensureServiceAccount(db, inserted);
    const noreply = noreplyAddressOf({ number: ada.number, username: 'a-former-name' });
    const emails = [
      'ADA@example.com',
      'Bob@Home.example',
      noreply,
      noreplyAddressOf(bot),
      'nobody@example.com',
      '7777777777+nobody@users.noreply.signalbox.example',
      `${ada.number}+x@users-noreply.signalbox.example`,
      'a\0@example.com',
      '',
      `${'x'.repeat(300)}@example.com`,
    ];
    const found = [...(await listAuthors(db, emails))].map(([email, { login }]) => [email, login]);
    assert.deepEqual(Object.fromEntries(found), {
      'ADA@example.com': 'ada',
      [noreply]: 'ada',
      [noreplyAddressOf(bot)]: 'ci.bot',
    });
    assert.deepEqual(await listAuthors(db, []), new Map());
  });
});
