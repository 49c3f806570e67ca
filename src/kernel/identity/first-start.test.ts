// The first administrator, on both engines: created once, with a token that is shown once or set by the operator.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine } from '../../../test/engines.ts';
import { Changes } from '../change/changes.ts';
import { eventMigrations } from '../change/store.ts';
import type { Engine } from '../storage/engine.ts';
import { createFirstSecret, ensureAdmin, ensurePassword, requireAdmin } from './first-start.ts';
import { compileBaseRoles } from './role-policies.ts';
import { Identity } from './identity.ts';
import { insertMember } from './store-members.ts';
import { identityMigrations } from './tables.ts';
import { listTokens } from './store-tokens.ts';

const NOW = 1_800_000_000_000;
const GIVEN = 'a-token-of-the-operator';
const begin = (engine: Engine, token?: string) =>
  ensureAdmin(new Changes(engine, []), { token, email: 'root@example.com' }, NOW);
const start = async (engine: Engine, token?: string) => {
  await begin(engine, token);
  return createFirstSecret(engine, NOW);
};

async function count({ db }: Engine): Promise<{ members: number; tokens: number; events: number }> {
  return {
    members: (await db.selectFrom('members').select('id').execute()).length,
    tokens: (await listTokens(db, {}, { offset: 0, limit: 100 })).total,
    events: (await db.selectFrom('events').select('id').execute()).length,
  };
}

async function isAdministrator(engine: Engine, secret: string): Promise<boolean> {
  const { member, token } = await new Identity(engine, compileBaseRoles([])).identify(
    { kind: 'token', secret },
    NOW,
  );
  return member.username === 'admin' && member.role === 'owner' && token?.role === 'owner';
}

onEachEngine((testEngine) => {
  const open = () => testEngine.open([...identityMigrations, ...eventMigrations]);

  test('the first start creates an administrator and a token, and returns its secret', async () => {
    const engine = await open();
    const made = await start(engine);
    assert.match(made!, /^api-/);
    assert.ok(await isAdministrator(engine, made!));
    const { username, email } = await requireAdmin(engine);
    assert.deepEqual([username, email], ['admin', 'root@example.com']);
    assert.deepEqual(await count(engine), { members: 1, tokens: 1, events: 1 });
  });

  test('later starts create nothing', async () => {
    const engine = await open();
    await start(engine);
    assert.equal(await start(engine), undefined);
    assert.deepEqual(await count(engine), { members: 1, tokens: 1, events: 1 });
    await engine.db.deleteFrom('tokens').execute();
    assert.equal(await start(engine), undefined, 'a token that was revoked does not come back');
  });

  test('a start that fails before it shows the token leaves that to the next one', async () => {
    const engine = await open();
    await begin(engine);
    const made = await start(engine);
    assert.ok(await isAdministrator(engine, made!));
    assert.deepEqual(await count(engine), { members: 1, tokens: 1, events: 1 });
  });

  test("after a start that failed, the operator's own token takes the place of the one never seen", async () => {
    const engine = await open();
    await begin(engine);
    assert.equal(await start(engine, GIVEN), undefined);
    assert.ok(await isAdministrator(engine, GIVEN));
    assert.deepEqual(await count(engine), { members: 1, tokens: 1, events: 1 });
  });

  test("the operator's own token is used and not returned; once is enough", async () => {
    const engine = await open();
    assert.equal(await start(engine, GIVEN), undefined);
    assert.equal(await start(engine, GIVEN), undefined);
    assert.ok(await isAdministrator(engine, GIVEN));
    assert.deepEqual(await count(engine), { members: 1, tokens: 1, events: 1 });
  });

  test('a lost token is replaced by giving another', async () => {
    const engine = await open();
    await start(engine);
    assert.equal(await start(engine, GIVEN), undefined);
    assert.ok(await isAdministrator(engine, GIVEN));
    assert.deepEqual(await count(engine), { members: 1, tokens: 2, events: 2 });
  });

  test('a password that the operator sets is recorded when it changes, and never shown', async () => {
    const engine = await open();
    const changes = new Changes(engine, []);
    await start(engine);
    const { events } = await count(engine);
    for (const password of ['first and long', 'first and long', 'second and long'])
      await ensurePassword(changes, engine, password, NOW);
    const rows = await engine.db.selectFrom('events').selectAll().orderBy('seq').execute();
    assert.equal(rows.length, events + 2);
    assert.deepEqual([rows.at(-1)!.action, rows.at(-1)!.name], ['updateMember', 'root@example.com']);
    assert.doesNotMatch(JSON.stringify(rows), /and long/);
  });

  test('an administrator with the old default address gets the current one, and no other does', async () => {
    const emailAfter = async (before: string, others: string[] = []) => {
      const engine = await open();
      await ensureAdmin(new Changes(engine, []), { token: GIVEN, email: before }, NOW);
      for (const [at, email] of others.entries()) {
        await insertMember(engine.db, { username: `other-${at}`, email, role: 'reader' }, null, NOW);
      }
      await Promise.all([begin(engine), begin(engine, GIVEN)]);
      const { events } = await count(engine);
      return [(await requireAdmin(engine)).email, events];
    };
    assert.deepEqual(await emailAfter('admin@localhost'), ['root@example.com', 2]);
    assert.deepEqual(await emailAfter('me@localhost'), ['me@localhost', 1]);
    assert.deepEqual(await emailAfter('admin@example.com'), ['admin@example.com', 1]);
    const taken = ['root@example.com'];
    assert.deepEqual(await emailAfter('admin@localhost', taken), ['admin@localhost', 1], 'taken by another');
  });

  test('nodes that start together create one administrator', async () => {
    const engine = await open();
    const starts = await Promise.all(Array.from({ length: 6 }, () => start(engine)));
    assert.equal(starts.filter((made) => made !== undefined).length, 1);
    assert.deepEqual(await count(engine), { members: 1, tokens: 1, events: 1 });
  });

  test('before the first start there is no administrator to act as', async () => {
    await assert.rejects(requireAdmin(await open()), { kind: 'not-found' });
  });
});
