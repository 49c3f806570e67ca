// Permissions and approvals of imports and exports, and the locks during an import.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join as joinPath } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import type { Member } from '../../../../src/kernel/identity/store-members.ts';
import type { PolicyStatement } from '../../../../src/kernel/identity/policy.ts';
import { eventually } from '../../../eventually.ts';
import { giveToken, join } from '../../../people.ts';
import { startServer, type Answer, type TestServer } from '../../../server.ts';
import { SEMANTIC } from './calls.ts';
import { fileCalls, outcomeOf } from './file-calls.ts';

const DAY = 24 * 60 * 60 * 1000;
const RESOURCES = ['proj/*:env/*:segment/*'];
const VIEW: PolicyStatement = { effect: 'allow', actions: ['viewProject'], resources: ['proj/*'] };

let server: TestServer;
let owner: Member;
const {
  call,
  at,
  makeProject,
  post,
  read,
  patch,
  remove,
  change,
  events,
  send,
  startExport,
  members,
  leftovers,
} = fileCalls(() => server);

before(async () => {
  server = await startServer({ limits: 'off', logLevel: 'warn' });
  owner = await join(server, 'somebody', { role: 'owner' });
  await makeProject();
});
after(() => server.stop());

let count = 0;
let key = '';
beforeEach(async () => {
  key = `big-${(count += 1)}`;
  await post({ key, name: 'Big', unbounded: true });
});

async function tokenFor(...inlinePolicy: PolicyStatement[]): Promise<string> {
  return (await giveToken(server, owner, { inlinePolicy })).value;
}

const statusOf = async (started: Answer) =>
  (await server.call(started.headers.get('location')!)).json['status'] as string;

test('F35 an import takes the permission to change both sides, of this segment', async () => {
  const both = ['updateIncluded', 'updateExcluded'];
  for (const lacking of both) {
    const actions = both.filter((action) => action !== lacking);
    const token = await tokenFor(VIEW, { effect: 'allow', actions, resources: RESOURCES });
    const { status, json } = await send(key, 'a', {}, { token });
    assert.deepEqual([status, json['access']?.action], [401, lacking]);
  }
  const resources = [`proj/shop:env/test:segment/${key}`];
  const token = await tokenFor(VIEW, { effect: 'allow', actions: both, resources });
  assert.equal((await outcomeOf(server, await send(key, 'a', {}, { token })))['status'], 'complete');
  await post({ key: `${key}-other`, name: 'Other', unbounded: true });
  assert.equal((await send(`${key}-other`, 'a', {}, { token })).status, 401);
  const entry = (await events(key)).at(-1)!;
  assert.equal(entry.member_id, owner.id);
  await eventually(async () => (await leftovers()).length === 0);
});

test('F31 a reader exports and looks, and imports nothing', async () => {
  const { value: token } = await giveToken(server, owner, { role: 'reader' });
  const imported = await send(key, 'a');
  await outcomeOf(server, imported);
  assert.equal((await send(key, 'b', {}, { token })).status, 401);
  assert.equal((await server.call(imported.headers.get('location')!, { token })).status, 200);
  const { _links } = await outcomeOf(server, await startExport(key, { token }));
  assert.equal((await server.call(_links.file.href, { token })).text, 'a\n');
});

test('F31 whoever may not see the project is 403, and nobody at all is 401', async () => {
  const imported = (await send(key, 'a')).headers.get('location')!;
  const { _links } = await outcomeOf(server, await startExport(key));
  const blind = await tokenFor({ effect: 'allow', actions: ['*'], resources: RESOURCES });
  for (const [token, status] of [
    [blind, 403],
    [null, 401],
    ['api-wrong', 401],
  ] as const) {
    const answers = [
      await send(key, 'b', {}, { token }),
      await startExport(key, { token }),
      await server.call(imported, { token }),
      await server.call(_links.self.href, { token }),
      await server.call(_links.file.href, { token }),
    ];
    assert.deepEqual(
      answers.map((answer) => answer.status),
      answers.map(() => status),
    );
  }
});

test('an import or export of one segment is not to be had from another', async () => {
  const imported = await send(key, 'a');
  const id = (await outcomeOf(server, imported))['id'] as string;
  const shown = await outcomeOf(server, await startExport(key));
  await post({ key: `${key}-other`, name: 'Other', unbounded: true });
  const other = at(`${key}-other`);
  for (const path of [`imports/${id}`, `exports/${shown['id']}`, `exports/${shown['id']}/file`])
    assert.equal((await call(`${other}/${path}`)).status, 404);
});

test('where approval is required, an import is refused, or waits until somebody lets it through', async () => {
  const settings = (required: boolean) =>
    call('projects/shop/environments/test', {
      method: 'PATCH',
      body: [{ op: 'add', path: '/resourceApprovalSettings', value: { segment: { required } } }],
    });
  const EDIT: PolicyStatement = { effect: 'allow', actions: ['update*'], resources: RESOURCES };
  const inlinePolicy = [VIEW, EDIT, { ...EDIT, actions: ['bypassRequiredApproval'] }];
  const { value: bypassing } = await giveToken(server, owner, { isService: true, inlinePolicy });
  const process = (importId: unknown, init: object = {}, more: object = {}) =>
    patch(
      key,
      { comment: 'looks good', instructions: [{ kind: 'processBigSegmentImport', importId }], ...more },
      { headers: SEMANTIC, ...init },
    );
  const wait = { waitOnApprovals: 'true' };
  await post({ key: `${key}-full`, name: 'Full', unbounded: true });
  assert.equal((await settings(true)).status, 200);
  try {
    const refused = await send(key, 'a');
    assert.deepEqual([refused.status, refused.json['code']], [403, 'forbidden']);
    assert.match(refused.json['message'] as string, /approval is required/);
    const direct = await send(key, 'direct', wait, { token: bypassing });
    assert.equal((await outcomeOf(server, direct))['status'], 'complete');

    const bad = await outcomeOf(server, await send(key, '"', wait));
    const first = await send(key, 'a\nb', wait);
    const second = await send(key, 'c', { ...wait, mode: 'replace' });
    for (const waiting of [first, second])
      await eventually(async () => (await statusOf(waiting)) === 'pending_approval');
    const { json } = await read(key);
    assert.deepEqual([json['version'], json['_importInProgress']], [2, false]);
    const [idOfFirst, idOfSecond] = [first, second].map((each) => each.headers.get('location')!.slice(-24));
    assert.deepEqual(
      [bad['status'], (await process(bad['id'], { token: bypassing })).status],
      ['stopped', 400],
    );
    for (const id of ['0'.repeat(24), 'none'])
      assert.equal((await process(id, { token: bypassing })).status, 400);
    assert.equal((await process(5, { token: bypassing })).status, 422);
    const notAllowed = await process(idOfFirst);
    assert.equal(notAllowed.status, 403);
    assert.match(notAllowed.json['message'] as string, /approval is required/);
    const reader = await tokenFor(VIEW);
    assert.equal((await process(idOfFirst, { token: reader })).status, 401);
    assert.equal(await statusOf(first), 'pending_approval');

    const instructions = [
      { kind: 'updateName', value: 'Renamed' },
      { kind: 'processBigSegmentImport', importId: idOfFirst },
    ];
    const through = await process(idOfFirst, { token: bypassing }, { instructions });
    assert.equal(through.status, 200, through.text);
    assert.deepEqual([through.json['name'], through.json['_importInProgress']], ['Renamed', true]);
    assert.equal((await outcomeOf(server, first))['status'], 'complete');
    assert.deepEqual(Object.keys(await members(key)), ['a', 'b', 'direct']);
    assert.equal((await events(key)).at(-1)!.comment, 'looks good');
    const again = await process(idOfFirst, { token: bypassing });
    assert.deepEqual([again.status, (await read(key)).json['version']], [200, 4]);

    assert.equal((await process(idOfSecond, { token: bypassing })).status, 200);
    assert.equal((await outcomeOf(server, second))['status'], 'complete');
    assert.deepEqual(Object.keys(await members(key)), ['c']);

    const more = await Promise.all(Array.from({ length: 12 }, () => send(`${key}-full`, 'd', wait)));
    const taken = more.filter(({ status }) => status === 204);
    const tooMany = more.filter(({ status }) => status === 409);
    assert.deepEqual([taken.length, tooMany.length], [10, 2]);

    const forgotten = await send(key, 'd', wait);
    await eventually(async () => (await statusOf(forgotten)) === 'pending_approval');
    const nudge = async () => outcomeOf(server, await send(key, 'nudge', {}, { token: bypassing }));
    server.clock.ahead += 2 * DAY;
    await nudge();
    server.clock.ahead += 29 * DAY;
    await nudge();
    const { status, message } = await outcomeOf(server, forgotten);
    assert.deepEqual([status, message], ['stopped', 'Nobody has let it through within 30 days']);
    await eventually(async () => (await leftovers()).length === 0);
  } finally {
    await settings(false);
    server.clock.ahead = 0;
  }
  const nothingToWaitFor = await send(key, 'e', wait);
  assert.equal((await outcomeOf(server, nothingToWaitFor))['status'], 'complete');
});

test('while an import is in progress, the segment says so, and a restart goes on with it', async () => {
  const data = mkdtempSync(joinPath(tmpdir(), 'signalbox-test-'));
  const whole = server;
  try {
    // A server without workers.
    server = await startServer({ data, limits: 'off', role: 'api' });
    await makeProject();
    for (const name of ['merge', 'replace', 'gone', 'lost']) {
      await post({ key: name, name, unbounded: true });
      await change(name, { included: { add: ['there'] } });
    }
    const [merge, replace, gone, lost] = [
      await send('merge', 'a'),
      await send('replace', 'a', { mode: 'replace' }),
      await send('gone', 'a'),
      await send('lost', 'a'),
    ];
    assert.equal(await statusOf(merge), 'preparing');
    const { json } = await call('segments/shop/test');
    assert.deepEqual(
      (json['items'] as { _importInProgress: boolean }[]).map((item) => item._importInProgress),
      [true, true, true, true],
    );
    assert.equal((await send('merge', 'b')).status, 409);
    assert.equal((await patch('merge', { name: 'New' })).status, 200);
    assert.equal((await read('merge')).json['_importInProgress'], true);
    assert.equal((await change('merge', { included: { add: ['c'] } })).status, 204);
    const locked = await change('replace', { included: { remove: ['there'] } });
    assert.equal(locked.status, 409);
    assert.match(locked.json['message'] as string, /An import replaces the members/);
    assert.equal((await change('replace', { included: { add: ['there'] } })).status, 204, 'nothing changes');
    const copy = { key: 'copy', name: 'Copy', color: 'abcdef', source: { key: 'test' } };
    assert.equal((await call('projects/shop/environments', { method: 'POST', body: copy })).status, 201);
    assert.equal((await call(at('replace', 'copy'))).json['_importInProgress'], false);
    assert.equal((await remove('gone')).status, 204);
    const { blobs } = server.app.kernel;
    await blobs.delete(`segment-imports/${lost.headers.get('location')!.slice(-24)}`);
    await server.stop();

    server = await startServer({ data, limits: 'off' });
    assert.equal((await outcomeOf(server, merge))['status'], 'complete');
    assert.equal((await outcomeOf(server, replace))['status'], 'complete');
    assert.equal((await server.call(gone.headers.get('location')!)).status, 404);
    const { status, message } = await outcomeOf(server, lost);
    assert.deepEqual([status, message], ['stopped', 'The file is no longer there']);
    assert.equal((await read('lost')).json['_importInProgress'], false);
    assert.deepEqual(Object.keys(await members('merge')), ['a', 'c', 'there']);
    assert.deepEqual(Object.keys(await members('replace')), ['a']);
    await eventually(async () => (await leftovers()).length === 0);
  } finally {
    await server.stop();
    server = whole;
    rmSync(data, { recursive: true, force: true });
  }
});

test('the date on which a target expires goes with it when an import removes it', async () => {
  await change(key, { included: { add: ['short'] } });
  const value = server.clock.now() + 3_600_000;
  const instruction = {
    kind: 'addExpiringTarget',
    contextKey: 'short',
    contextKind: 'user',
    targetType: 'included',
  };
  const expiring = `segments/shop/${key}/expiring-targets/test`;
  const body = { instructions: [{ ...instruction, value }] };
  assert.equal((await call(expiring, { method: 'PATCH', headers: SEMANTIC, body })).status, 200);
  assert.equal((await outcomeOf(server, await send(key, 'long', { mode: 'replace' })))['status'], 'complete');
  assert.deepEqual((await call(expiring)).json['items'], []);
});
