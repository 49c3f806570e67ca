// Tokens that each role may see and change, on a running server: rule F31.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Member } from '../../../../src/kernel/identity/store-members.ts';
import type { PolicyStatement } from '../../../../src/kernel/identity/policy.ts';
import type { NewToken } from '../../../../src/kernel/identity/store-tokens.ts';
import { giveToken, join } from '../../../people.ts';
import { startServer, type TestServer } from '../../../server.ts';
import { tokenCalls } from './token-calls.ts';

const ROLES = ['reader', 'writer', 'admin', 'owner'] as const;
const OWN_TOKENS: PolicyStatement[] = [{ effect: 'allow', actions: ['*'], resources: ['member/me:token/*'] }];

let server: TestServer;
const people = {} as Record<(typeof ROLES)[number], Member>;
before(async () => {
  server = await startServer({ limits: 'off' });
  for (const role of ROLES) people[role] = await join(server, `a-${role}`, { role });
});
after(() => server.stop());

const { list, read, post, rename, reset, remove, isGood } = tokenCalls(() => server);
const give = (member: Member, token: Partial<NewToken>) => giveToken(server, member, token);

test('F31 a role that lacks the permission is 401, and told which', async () => {
  const service = await give(people.owner, { isService: true, role: 'reader' });
  const writer = await give(people.writer, { role: 'writer' });
  for (const [answer, action] of [
    [await rename(writer.value, service.id), 'updateAccessTokenName'],
    [await reset(writer.value, service.id), 'resetAccessToken'],
    [await remove(writer.value, service.id), 'deleteAccessToken'],
  ] as const) {
    const { code, message, id, access, reason } = answer.json;
    assert.equal(answer.status, 401);
    assert.deepEqual(
      { code, access, reason },
      {
        code: 'unauthorized',
        access: { action, resource: `service-token/${service.id}` },
        reason: { effect: 'deny' },
      },
    );
    assert.match(message as string, new RegExp(action));
    assert.match(id as string, /^[0-9a-f-]{36}$/);
  }
  assert.ok(await isGood(service));
});

test("F31 another member's personal token is 403 to all but administrators", async () => {
  const token = await give(people.owner, { role: 'reader' });
  for (const role of ['reader', 'writer'] as const) {
    const { value } = await give(people[role], { role });
    const answers = [
      await read(value, token.id),
      await rename(value, token.id),
      await reset(value, token.id),
      await remove(value, token.id),
    ];
    for (const { status, json } of answers) assert.deepEqual([status, json['code']], [403, 'forbidden']);
  }
  const admin = await give(people.admin, { role: 'admin' });
  assert.equal((await read(admin.value, token.id)).status, 200);
  assert.equal(
    (await reset(admin.value, token.id)).status,
    403,
    'who resets a token holds it: its owner only',
  );
  assert.ok(await isGood(token));
  assert.equal((await remove(admin.value, token.id)).status, 204);
});

test('F31 a token that allows nothing is 401 everywhere it needs a permission', async () => {
  const { value } = await give(people.owner, { role: 'no_access' });
  assert.equal((await list(value)).status, 401);
  assert.equal((await post(value, {})).status, 401);
  assert.ok(await isGood({ value }), 'yet it may ask who it is');
});

test('F31 lists show what the caller may see, and count only that', async () => {
  const mine = await give(people.reader, { role: 'reader', name: 'mine' });
  const others = await give(people.writer, { role: 'reader', name: 'of another' });
  const service = await give(people.owner, { isService: true, role: 'reader' });
  const see = async (token: string, query = '') => {
    const { json } = await list(token, `limit=1000${query}`);
    const items = json['items'] as { _id: string }[];
    assert.equal(json['totalCount'], items.length);
    return [mine, others, service].map(({ id }) => items.some(({ _id }) => _id === id));
  };
  const admin = await give(people.admin, { role: 'admin' });
  const views: PolicyStatement[] = [{ effect: 'allow', actions: ['view*'], resources: ['*'] }];
  const hides: PolicyStatement[] = [
    ...views,
    { effect: 'deny', actions: ['*'], resources: [`service-token/${service.id}`] },
  ];
  const narrow = await give(people.reader, { inlinePolicy: OWN_TOKENS });
  const hiding = await give(people.reader, { inlinePolicy: hides });
  assert.deepEqual(await see(mine.value), [true, false, true]);
  assert.deepEqual(await see(mine.value, '&showAll=true'), [true, false, true]);
  assert.deepEqual(await see(admin.value), [false, false, true]);
  assert.deepEqual(await see(admin.value, '&showAll=true'), [true, true, true]);
  assert.deepEqual(await see(narrow.value), [true, false, false]);
  assert.deepEqual(await see(hiding.value), [true, false, false]);
});
