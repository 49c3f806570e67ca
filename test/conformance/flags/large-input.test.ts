// Long lists in queries and bodies: they are processed or refused, without server errors.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { insertRole } from '../../../src/kernel/identity/store-roles.ts';
import { join } from '../../people.ts';
import { startServer, type TestServer } from '../../server.ts';
import { SEMANTIC } from './control-calls.ts';

let server: TestServer;
const call: TestServer['call'] = (path, init) => server.call(`/api/v2/${path}`, init);
const many = <Item>(length: number, make: (index: number) => Item) =>
  Array.from({ length }, (_, index) => make(index));
const idOf = (index: number) => index.toString(16).padStart(24, '0');

before(async () => {
  server = await startServer();
  await call('teams', { method: 'POST', body: { key: 'all', name: 'All' } });
  await call('projects', { method: 'POST', body: { key: 'shop', name: 'Shop' } });
});
after(() => server.stop());

describe('lists', () => {
  test('of a thousand roles are told with who holds them', async () => {
    const { db, clock } = server.app.kernel;
    await db.transaction().execute(async (tx) => {
      for (const index of many(600, (number) => number))
        await insertRole(tx, { key: `role-${index}`, name: 'Role', policy: [] }, clock.now());
    });
    await join(server, 'holder', { customRoles: ['role-599'] });
    const { status, json } = await call('roles?limit=1000');
    assert.deepEqual([status, json['items'].length], [200, 600]);
    assert.equal(json['items'].at(-1).assignedTo.membersCount, 1);
  });

  test('asked for by very many words are refused', async () => {
    const words = many(1500, (index) => `w${index}`);
    for (const path of [
      `members?filter=role:${words.join('%7C')}`,
      `flags/shop?filter=tags:${words.join('%2B')}`,
      `segments/shop/test?filter=${many(900, () => 'tags+anyOf+[]').join(',')}`,
      `approval-requests?filter=${many(700, () => 'status+anyOf+[]').join('%7C')}`,
    ]) {
      const { status, json } = await call(path);
      assert.deepEqual([status, json['code']], [400, 'invalid_request'], path.slice(0, 40));
    }
    assert.equal((await call(`members?filter=role:${many(3000, () => 'a').join('%7C')}`)).status, 200);
    assert.equal((await call(`flags/shop?filter=tags:${many(3000, () => 'a').join('%2B')}`)).status, 200);
  });
});

describe('members for a team', () => {
  test('are looked up however many an instruction names', async () => {
    const instructions = many(4, (bite) => ({
      kind: 'addMembers',
      values: many(10_000, (index) => idOf(bite * 10_000 + index)),
    }));
    const { status, json } = await call('teams/all', {
      method: 'PATCH',
      headers: SEMANTIC,
      body: { instructions },
    });
    assert.deepEqual([status, json['code']], [400, 'invalid_request']);
    assert.match(json['message'], /unknown member/);
  });

  test('come by a file of many lines, and not of too many', async () => {
    const send = async (lines: number) => {
      const form = new FormData();
      form.set('file', new Blob([many(lines, (index) => `a${index}@example.com`).join('\n')]), 'a.csv');
      const whole = new Response(form);
      const headers = { 'content-type': whole.headers.get('content-type')! };
      const body = Buffer.from(await whole.arrayBuffer());
      return await call('teams/all/members', { method: 'POST', headers, body });
    };
    const taken = await send(40_000);
    assert.equal(taken.status, 400, 'nobody of them is a member');
    assert.match(taken.json['message'], /No emails belong to members/);
    const refused = await send(50_001);
    assert.equal(refused.status, 400);
    assert.match(refused.json['message'], /50000 rows/);
  });
});

describe('instructions', () => {
  test('are no more than a thousand in one patch', async () => {
    for (const [path, instruction] of [
      ['teams/all', { kind: 'removeMembers', values: [] }],
      ['teams', { kind: 'addAllMembersToTeams', teamKeys: ['all'] }],
      ['members', { kind: 'replaceAllMembersCustomRoles', values: [] }],
    ] as const) {
      const body = { instructions: many(1001, () => instruction) };
      const { status, json } = await call(path, { method: 'PATCH', headers: SEMANTIC, body });
      assert.deepEqual([status, json['code']], [400, 'invalid_request'], path);
      assert.match(json['message'], /at most 1000 instructions/);
    }
  });
});

describe('changes to many members', () => {
  test('F36: each is told in its own entry, which does not repeat all the others', async () => {
    const members = await Promise.all(many(20, (index) => join(server, `one-of-many-${index}`)));
    const memberIDs = members.map((member) => member.id);
    const id = memberIDs[7]!;
    const instructions = [{ kind: 'replaceMembersRoles', value: 'writer', memberIDs }];
    const changed = await call('members', { method: 'PATCH', headers: SEMANTIC, body: { instructions } });
    assert.deepEqual(changed.json['members'].toSorted(), memberIDs.toSorted());
    const { json } = await call(`auditlog?limit=1&spec=member/${id}`);
    const entry = await call(`auditlog/${json['items'][0]._id}`);
    assert.deepEqual(entry.json['delta'] ?? entry.json['instructions'], [
      { ...instructions[0], memberIDs: [id] },
    ]);
  });
});

describe('what waits for a flag', () => {
  test('is refused when it is very long: all of it is read whenever the flag changes', async () => {
    const { json } = await call('flags/shop', { method: 'POST', body: { key: 'banner', name: 'Banner' } });
    const values = many(50, () => 'x'.repeat(100));
    const variationId = json['variations'][0]._id as string;
    const removal = { kind: 'removeTargets', contextKind: 'user', values, variationId };
    const place = 'projects/shop/flags/banner/environments/test';
    const executionDate = Date.now() + 1_000_000;
    for (const [path, body] of [
      [`${place}/approval-requests`, { description: 'long' }],
      [`${place}/scheduled-changes`, { executionDate }],
      ['flags/shop/banner/triggers/test', { integrationKey: 'generic-trigger' }],
    ] as const) {
      const post = (length: number) =>
        call(path, { method: 'POST', body: { ...body, instructions: many(length, () => removal) } });
      assert.equal((await post(10)).status, 201, path);
      const { status, json: refusal } = await post(30);
      assert.deepEqual([status, refusal['code']], [400, 'invalid_request'], path);
      assert.match(refusal['message'], /100000 characters/);
    }
  });
});

describe('webhooks', () => {
  test('are no more than a change can tell all of', async () => {
    const body = { url: 'https://example.com/hook', on: false, sign: false };
    const post = () => call('webhooks', { method: 'POST', body });
    for (const _ of many(100, () => 0)) assert.equal((await post()).status, 200);
    const { status, json } = await post();
    assert.deepEqual([status, json['code']], [400, 'invalid_request']);
  });
});
