// Permissions on segments, on a running server: rules F31 and F35.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import type { Member } from '../../../../src/kernel/identity/store-members.ts';
import type { PolicyStatement } from '../../../../src/kernel/identity/policy.ts';
import { giveToken, join } from '../../../people.ts';
import { startServer, type Answer, type TestServer } from '../../../server.ts';
import { segmentCalls, SEMANTIC } from './calls.ts';

let server: TestServer;
let owner: Member;
const { call, at, makeProject, list, post, read, patch, remove, change } = segmentCalls(() => server);

before(async () => {
  server = await startServer({ limits: 'off' });
  owner = await join(server, 'somebody', { role: 'owner' });
  await makeProject();
});
after(() => server.stop());
beforeEach(async () => {
  await remove('guarded');
  await remove('big');
  await post({ key: 'guarded', name: 'Guarded', tags: ['secret'] });
  await post({ key: 'big', name: 'Big', unbounded: true });
});

const VIEW: PolicyStatement = { effect: 'allow', actions: ['viewProject'], resources: ['proj/*'] };

async function tokenFor(...inlinePolicy: PolicyStatement[]): Promise<string> {
  return (await giveToken(server, owner, { inlinePolicy })).value;
}

function assertDenied({ status, json }: Answer, action: string, key: string): void {
  assert.deepEqual([status, json['code'], json['access']?.action], [401, 'unauthorized', action]);
  assert.match(
    json['access'].resource as string,
    new RegExp(`^proj/shop:env/test:segment/${key}(;secret)?$`),
  );
}

/** Every write, with the action it requires. */
const WRITES: [action: string, key: string, write: (token: string) => Promise<Answer>][] = [
  ['createSegment', 'fresh', (token) => post({ key: 'fresh', name: 'Fresh' }, { token })],
  ['updateName', 'guarded', (token) => patch('guarded', { name: 'New' }, { token })],
  ['updateDescription', 'guarded', (token) => patch('guarded', { description: 'New' }, { token })],
  ['updateTags', 'guarded', (token) => patch('guarded', { tags: [] }, { token })],
  ['updateIncluded', 'guarded', (token) => patch('guarded', { included: ['a'] }, { token })],
  [
    'updateExcluded',
    'guarded',
    (token) => patch('guarded', { excludedContexts: [{ contextKind: 'org', values: ['a'] }] }, { token }),
  ],
  ['updateRules', 'guarded', (token) => patch('guarded', { rules: [{ clauses: [], weight: 1 }] }, { token })],
  ['updateRules', 'guarded', (token) => semantic(token, { kind: 'removeRule', ruleId: 'nowhere' })],
  ['updateTags', 'guarded', (token) => semantic(token, { kind: 'addTags', values: ['secret'] })],
  ['updateIncluded', 'big', (token) => change('big', { included: { add: ['a'] } }, { token })],
  ['updateExcluded', 'big', (token) => change('big', { excluded: { remove: ['a'] } }, { token })],
  ['updateExpiringTargets', 'guarded', (token) => expire(token)],
  ['deleteSegment', 'guarded', (token) => remove('guarded', { token })],
];

const semantic = (token: string, instruction: object) =>
  patch('guarded', { instructions: [instruction] }, { token, headers: SEMANTIC });
const expire = (token: string) =>
  call('segments/shop/guarded/expiring-targets/test', {
    method: 'PATCH',
    token,
    headers: SEMANTIC,
    body: { instructions: [{ kind: 'removeExpiringTarget', targetType: 'included', contextKey: 'a' }] },
  });

test('F31 a reader sees segments and changes none', async () => {
  const { value: token } = await giveToken(server, owner, { role: 'reader' });
  assert.equal((await list('', { token })).status, 200);
  assert.equal((await read('guarded', { token })).status, 200);
  assert.equal((await call(`${at('big')}/contexts/a`, { token })).status, 200);
  const { json } = await read('guarded');
  for (const [action, key, write] of WRITES) assertDenied(await write(token), action, key);
  assert.deepEqual((await read('guarded')).json, json);
  assert.equal((await read('fresh')).status, 404);
});

test('F35 each write takes its own action, and no other', async () => {
  for (const [action, key, write] of WRITES) {
    const resources = [`proj/shop:env/test:segment/${key}`];
    const others = await tokenFor(VIEW, { effect: 'allow', notActions: [action, 'viewProject'], resources });
    assertDenied(await write(others), action, key);
    const elsewhere = await tokenFor(VIEW, {
      effect: 'allow',
      actions: [action],
      resources: ['proj/shop:env/production:segment/*'],
    });
    assertDenied(await write(elsewhere), action, key);
    const one = await tokenFor(VIEW, { effect: 'allow', actions: [action], resources });
    const { status, text } = await write(one);
    assert.ok(status === 200 || status === 201 || status === 204, `${action}: ${text}`);
    await remove('fresh');
    if (action === 'deleteSegment') await post({ key: 'guarded', name: 'Guarded', tags: ['secret'] });
  }
});

test('F35 a patch that takes several permissions takes all of them', async () => {
  const token = await tokenFor(VIEW, {
    effect: 'allow',
    actions: ['updateName'],
    resources: ['proj/*:env/*:segment/*'],
  });
  assertDenied(
    await patch('guarded', { name: 'New', included: ['a'] }, { token }),
    'updateIncluded',
    'guarded',
  );
  assert.equal((await read('guarded')).json['name'], 'Guarded');
  const dry = await call(`${at('guarded')}?dryRun=true`, {
    method: 'PATCH',
    token,
    body: { included: ['a'] },
  });
  assertDenied(dry, 'updateIncluded', 'guarded');
});

test('F35 statements can speak of tags', async () => {
  const deny: PolicyStatement = {
    effect: 'deny',
    actions: ['*'],
    resources: ['proj/*:env/*:segment/*;secret'],
  };
  const token = await tokenFor(
    VIEW,
    { effect: 'allow', actions: ['*'], resources: ['proj/*:env/*:segment/*'] },
    deny,
  );
  assertDenied(await patch('guarded', { name: 'New' }, { token }), 'updateName', 'guarded');
  assert.equal((await patch('big', { name: 'New' }, { token })).status, 200);
});

test('F31 whoever may not see the project is 403 everywhere', async () => {
  const token = await tokenFor({ effect: 'allow', actions: ['*'], resources: ['proj/*:env/*:segment/*'] });
  const answers = [
    await list('', { token }),
    await read('guarded', { token }),
    await call(`${at('big')}/contexts/a`, { token }),
    await call('segments/shop/guarded/expiring-targets/test', { token }),
    await Promise.all(WRITES.map(([, , write]) => write(token))),
  ].flat();
  for (const { status, json } of answers)
    assert.deepEqual([status, json['code'], json['access'].action], [403, 'forbidden', 'viewProject']);
});

test('F31 nobody at all is 401', async () => {
  for (const token of [null, 'api-wrong']) {
    assert.equal((await list('', { token })).status, 401);
    assert.equal((await patch('guarded', { name: 'New' }, { token })).status, 401);
    assert.equal((await change('big', '{', { token })).status, 401);
  }
});

test('where comments are required, a change without one is refused', async () => {
  const settings = [{ op: 'replace', path: '/requireComments', value: true }];
  assert.equal(
    (await call('projects/shop/environments/production', { method: 'PATCH', body: settings })).status,
    200,
  );
  await call('segments/shop/production', { method: 'POST', body: { key: 'told', name: 'Told' } });
  const path = at('told', 'production');
  assert.equal((await call(path, { method: 'PATCH', body: { name: 'New' } })).status, 400);
  assert.equal(
    (await call(path, { method: 'PATCH', body: { comment: 'why', merge: { name: 'New' } } })).status,
    200,
  );
  assert.equal((await call(path, { method: 'PATCH', body: { name: 'New' } })).status, 200, 'nothing changes');
});

test('where approval is required, only those may change segments whose own statements say so', async () => {
  const settings = (value: object) =>
    call('projects/shop/environments/test', {
      method: 'PATCH',
      body: [{ op: 'add', path: '/resourceApprovalSettings', value: { segment: value } }],
    });
  const EDIT: PolicyStatement = {
    effect: 'allow',
    actions: ['update*'],
    resources: ['proj/*:env/*:segment/*'],
  };
  const plain = await tokenFor(VIEW, EDIT);
  const statements = [VIEW, EDIT, { ...EDIT, actions: ['bypassRequiredApproval'] }];
  const own = await tokenFor(...statements);
  const { value: bypassing } = await giveToken(server, owner, { isService: true, inlinePolicy: statements });
  for (const wanted of [{ required: true }, { required: false, requiredApprovalTags: ['secret'] }]) {
    assert.equal((await settings(wanted)).status, 200);
    for (const token of [undefined, plain, own]) {
      const refused = await patch('guarded', { name: 'New' }, token === undefined ? {} : { token });
      assert.deepEqual([refused.status, refused.json['code']], [403, 'forbidden']);
      assert.match(refused.json['message'] as string, /approval is required/);
    }
    assert.equal((await read('guarded')).json['name'], 'Guarded');
    const tagless = await change('big', { included: { add: [wanted.required ? 'a' : 'b'] } });
    assert.equal(tagless.status, wanted.required ? 403 : 204);
  }
  assert.equal((await patch('guarded', { name: 'New' }, { token: bypassing })).status, 200);
  const { value: ofSegments } = await giveToken(server, owner, {
    isService: true,
    inlinePolicy: [VIEW, EDIT, { ...EDIT, actions: ['bypassRequiredSegmentApproval'] }],
  });
  assert.equal((await patch('guarded', { name: 'New' }, { token: ofSegments })).status, 200);
  const { value: ofFlags } = await giveToken(server, owner, {
    isService: true,
    inlinePolicy: [
      VIEW,
      EDIT,
      { ...EDIT, actions: ['bypassRequiredSegmentApproval'], resources: ['proj/*:env/*:flag/*'] },
    ],
  });
  assert.equal((await patch('guarded', { name: 'No' }, { token: ofFlags })).status, 403);
  assert.equal((await settings({ required: false, requiredApprovalTags: [] })).status, 200);
  assert.equal((await patch('guarded', { name: 'Newer' }, { token: plain })).status, 200);
});

test('where approval is required, segments are neither deleted nor their targets changed by another way', async () => {
  const settings = (value: object) =>
    call('projects/shop/environments/test', {
      method: 'PATCH',
      body: [{ op: 'add', path: '/resourceApprovalSettings', value: { segment: value } }],
    });
  await patch('guarded', { included: ['a'] });
  const value = server.clock.now() + 60_000;
  const expireBy = (way: string, instruction: object) =>
    call(`segments/shop/guarded/${way}/test`, {
      method: 'PATCH',
      headers: SEMANTIC,
      body: { instructions: [{ targetType: 'included', value, ...instruction }] },
    });
  const ways: Record<string, () => Promise<Answer>> = {
    delete: () => remove('guarded'),
    contexts: () => change('big', { included: { add: ['x'] } }),
    users: () => call(`${at('big')}/users`, { method: 'POST', body: { excluded: { add: ['y'] } } }),
    'expiring targets': () =>
      expireBy('expiring-targets', { kind: 'addExpiringTarget', contextKind: 'user', contextKey: 'a' }),
    'expiring users': () =>
      expireBy('expiring-user-targets', { kind: 'addExpireUserTargetDate', userKey: 'a' }),
  };
  assert.equal((await settings({ required: true })).status, 200);
  const seen = [(await read('guarded')).json, (await read('big')).json];
  for (const [way, go] of Object.entries(ways)) {
    const refused = await go();
    assert.equal(refused.status, 403, way);
    assert.equal(refused.json['access'].action, 'bypassRequiredSegmentApproval');
    assert.match(refused.json['message'] as string, /approval is required/);
  }
  assert.deepEqual([(await read('guarded')).json, (await read('big')).json], seen);
  const { value: token } = await giveToken(server, owner, {
    isService: true,
    inlinePolicy: [
      VIEW,
      {
        effect: 'allow',
        actions: ['deleteSegment', 'bypassRequiredApproval'],
        resources: ['proj/*:env/*:segment/*'],
      },
    ],
  });
  assert.equal((await remove('big', { token })).status, 204);
  assert.equal((await settings({ required: false, requiredApprovalTags: ['secret'] })).status, 200);
  assert.equal((await remove('guarded')).status, 403);
  assert.equal((await settings({ required: false, requiredApprovalTags: [] })).status, 200);
  assert.equal((await remove('guarded')).status, 204);
});
