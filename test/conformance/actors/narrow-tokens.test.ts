// What a narrowed token starts has its own things and no more than the token: runs, their children, schedules, standby.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apis } from '../../../src/app/apis.ts';
import { newSecret } from '../../../src/kernel/secrets/secret.ts';
import { deleteUnusedBoundaries } from '../../../src/kernel/identity/store-boundaries.ts';
import type { Member } from '../../../src/kernel/identity/store-members.ts';
import type { PolicyStatement } from '../../../src/kernel/identity/policy.ts';
import { onEachEngine } from '../../engines.ts';
import { eventually } from '../../eventually.ts';
import { giveToken, join, openBrowser } from '../../people.ts';
import type { Answer, Json, TestServer } from '../../server.ts';
import { onServer } from '../../suites.ts';
import { giveBuiltActor, scheduleCalls } from './schedules/schedule-calls.ts';

/** Everything about Actors, and nothing about storages. */
const ACTORS_ONLY: PolicyStatement[] = [
  {
    effect: 'allow',
    actions: ['*'],
    resources: ['actor/*', 'actor-run/*', 'actor-build/*', 'actor-task/*', 'schedule/*'],
  },
];

const USERS = apis.flatMap(({ boundaryUsers = [] }) => boundaryUsers);

let names = 0;

onEachEngine((engine) => {
  let server: TestServer;
  let ann: Member;
  let wide: string;
  let narrow: string;
  let actor: string;
  /** A key-value store of the account. */
  let store: string;
  // The runs wait for ever, so that no program is needed.
  onServer(engine, { limits: 'off', nodeRuns: 0 }, async (started) => {
    server = started;
    ann = await join(server, `ann${(names += 1)}`, { role: 'writer' });
    wide = (await giveToken(server, ann, { role: 'owner' })).value;
    narrow = (await giveToken(server, ann, { inlinePolicy: ACTORS_ONLY })).value;
    actor = await giveBuiltActor(server, { token: wide });
    store = (await call(wide, '/key-value-stores', 'POST')).json['data'].id as string;
  });

  const call = (token: string, path: string, method = 'GET', body?: unknown): Promise<Answer> =>
    server.call(`/v2${path}`, { token, method, ...(body !== undefined && { body }) });

  async function start(token: string, actorId = actor, query = ''): Promise<Json> {
    const answer = await call(token, `/actors/${actorId}/runs${query}`, 'POST');
    assert.equal(answer.status, 201, answer.text);
    return answer.json['data'] as Json;
  }

  /** A token as the process of the run would have it. */
  async function tokenOf(run: Json): Promise<string> {
    const { value, hash } = newSecret('run-');
    const { db } = server.app.kernel;
    await db
      .updateTable('runs')
      .set({ token_hash: hash, status: 'RUNNING' })
      .where('id', '=', run['id'] as string)
      .execute();
    return value;
  }

  /** The status by which the run reads a key-value store of its account. */
  async function reads(run: Json): Promise<number> {
    return (await call(await tokenOf(run), `/key-value-stores/${store}`)).status;
  }

  async function finish(run: Json): Promise<void> {
    const { db } = server.app.kernel;
    const id = run['id'] as string;
    await db
      .updateTable('runs')
      .set({ status: 'SUCCEEDED', finished_at: server.clock.now() })
      .where('id', '=', id)
      .execute();
    await db.deleteFrom('jobs').where('id', '=', id).execute();
  }

  test('a run has its own things, and beyond them no more than the token that started it', async () => {
    const run = await start(narrow);
    const own = await tokenOf(run);
    assert.equal((await call(own, `/key-value-stores/${store}`)).status, 403);
    assert.equal((await call(own, `/key-value-stores/${store}/records/A`, 'PUT', '1')).status, 403);
    assert.equal((await call(own, `/key-value-stores/${run['defaultKeyValueStoreId']}`)).status, 200);
    const items = `/datasets/${run['defaultDatasetId']}/items`;
    assert.equal((await call(own, items, 'POST', [{ a: 1 }])).status, 201);
    assert.equal((await call(own, `/actor-runs/${run['id']}`)).status, 200);
    const made = await call(own, '/key-value-stores?name=own-of-the-run', 'POST');
    assert.equal(made.status, 201, made.text);
    assert.equal((await call(own, `/key-value-stores/${made.json['data'].id}`)).status, 200);
    assert.equal((await call(own, `/actors/${actor}/runs`, 'POST')).status, 201);
  });

  test('a token that is not narrowed, a session and a service token start runs as before', async () => {
    assert.equal(await reads(await start(wide)), 200);
    const headers = { ...(await openBrowser(server, ann)), origin: server.url };
    const begun = await server.call(`/v2/actors/${actor}/runs`, { method: 'POST', token: null, headers });
    assert.equal(begun.status, 201, begun.text);
    assert.equal(await reads(begun.json['data'] as Json), 200);
    const service = (await giveToken(server, ann, { role: 'writer', isService: true })).value;
    const theirs = await giveBuiltActor(server, { token: service });
    const shelf = (await call(service, '/key-value-stores', 'POST')).json['data'].id as string;
    const token = await tokenOf(await start(service, theirs));
    assert.equal((await call(token, `/key-value-stores/${shelf}`)).status, 200);
  });

  test('a base role and a custom role narrow a run as they are now', async () => {
    const { db, clock, identity } = server.app.kernel;
    const [id, key] = [`id-of-role-${names}`, `role-${names}`];
    const allowed = (statements: PolicyStatement[]) => JSON.stringify([...ACTORS_ONLY, ...statements]);
    const common = { name: key, description: '', base_role: 'no_access', created_at: clock.now() };
    const role = { ...common, id, key, policy: allowed([]) };
    await db.insertInto('roles').values(role).execute();
    const custom = (await giveToken(server, ann, { customRoles: [key] })).value;
    const token = await tokenOf(await start(custom));
    assert.equal((await call(token, `/key-value-stores/${store}`)).status, 403);
    const view: PolicyStatement = {
      effect: 'allow',
      actions: ['viewStorage'],
      resources: ['key-value-store/*'],
    };
    await db
      .updateTable('roles')
      .set({ policy: allowed([view]) })
      .where('id', '=', id)
      .execute();
    await identity.invalidate();
    assert.equal((await call(token, `/key-value-stores/${store}`)).status, 200);
    assert.equal((await call(token, `/key-value-stores/${store}/records/A`, 'PUT', '1')).status, 403);
    await db.deleteFrom('roles').where('id', '=', id).execute();
    await db
      .insertInto('roles')
      .values({ ...role, id: `${id}-again`, policy: allowed([view]) })
      .execute();
    await identity.invalidate();
    assert.equal((await call(token, `/key-value-stores/${store}`)).status, 403, 'another role with its key');
  });

  test('the owner of a wide token who may no longer do something caps the run', async () => {
    const token = await tokenOf(await start(wide));
    const { db, identity } = server.app.kernel;
    await db.updateTable('members').set({ role: 'no_access' }).where('id', '=', ann.id).execute();
    await identity.invalidate();
    assert.equal((await call(token, `/key-value-stores/${store}`)).status, 403);
  });

  test('the run stays narrow when its token is deleted or gets more permissions', async () => {
    const given = await giveToken(server, ann, { inlinePolicy: ACTORS_ONLY });
    const [first, second] = [await start(given.value), await start(given.value)];
    const { db, identity } = server.app.kernel;
    await db
      .updateTable('tokens')
      .set({ inline_policy: null, role: 'owner' })
      .where('id', '=', given.id)
      .execute();
    await identity.invalidate();
    assert.equal(await reads(first), 403);
    await db.deleteFrom('tokens').where('id', '=', given.id).execute();
    assert.equal(await reads(second), 403);
  });

  test('the runs that a run starts are as narrow, and so are those of its task', async () => {
    const run = await start(narrow);
    const token = await tokenOf(run);
    assert.equal(await reads(await start(token)), 403);
    const task = await call(wide, '/actor-tasks', 'POST', { actId: actor });
    assert.equal(task.status, 201, task.text);
    const path = `/actor-tasks/${task.json['data'].id}/runs`;
    for (const starter of [token, narrow]) {
      const begun = await call(starter, path, 'POST');
      assert.equal(begun.status, 201, begun.text);
      assert.equal(await reads(begun.json['data'] as Json), 403);
    }
    assert.equal(await reads((await call(wide, path, 'POST')).json['data'] as Json), 200);
  });

  test("a run of another's Actor is cut by the policy of its own starter, and has nothing of the other", async () => {
    const bob = await join(server, `bob${names}`, { role: 'writer' });
    const open = await giveBuiltActor(server, { token: wide, isPublic: true });
    const bobs = (await giveToken(server, bob, { role: 'owner' })).value;
    const narrowBobs = (await giveToken(server, bob, { inlinePolicy: ACTORS_ONLY })).value;
    const shelf = (await call(bobs, '/key-value-stores', 'POST')).json['data'].id as string;
    const full = '?forcePermissionLevel=FULL_PERMISSIONS';
    for (const [starter, query, status] of [
      [bobs, full, 200],
      [narrowBobs, full, 403],
      [bobs, '', 403],
    ] as const) {
      const run = await start(starter, open, query);
      const token = await tokenOf(run);
      assert.equal((await call(token, `/key-value-stores/${shelf}`)).status, status);
      assert.equal((await call(token, `/key-value-stores/${store}`)).status, 404);
      assert.equal((await call(token, `/key-value-stores/${run['defaultKeyValueStoreId']}`)).status, 200);
    }
  });

  test('a metamorph by a narrowed token narrows the run, and one by a wide token does not widen it', async () => {
    const of = (run: Json) => `/actor-runs/${run['id']}/metamorph?targetActorId=${actor}`;
    const [wideRun, narrowRun, own] = [await start(wide), await start(narrow), await start(narrow)];
    for (const [run, token] of [
      [wideRun, narrow],
      [narrowRun, wide],
      [own, await tokenOf(own)],
    ] as const) {
      const answer = await call(token, of(run), 'POST');
      assert.equal(answer.status, 200, answer.text);
      assert.equal(await reads(run), 403);
    }
    const both = await start(wide);
    assert.equal((await call(wide, of(both), 'POST')).status, 200);
    assert.equal(await reads(both), 200);
  });

  test('a resurrected run may do what both its starter and the caller may', async () => {
    for (const [starter, caller, status] of [
      [wide, wide, 200],
      [wide, narrow, 403],
      [narrow, wide, 403],
    ] as const) {
      const run = await start(starter);
      await finish(run);
      const answer = await call(caller, `/actor-runs/${run['id']}/resurrect`, 'POST');
      assert.equal(answer.status, 200, answer.text);
      assert.equal(await reads(run), status);
    }
  });

  test('a schedule keeps the policy of the token that saved it last', async () => {
    const { goTo } = scheduleCalls(() => server);
    const body = { name: `often-${names}`, isEnabled: true, isExclusive: false, cronExpression: '0 * * * *' };
    const sent = { ...body, actions: [{ type: 'RUN_ACTOR', actorId: actor }] };
    const created = await call(narrow, '/schedules', 'POST', sent);
    assert.equal(created.status, 201, created.text);
    const { id } = created.json['data'] as Json;
    const last = async () => {
      const { items } = (await call(wide, `/actors/${actor}/runs?desc=1`)).json['data'] as Json;
      return items[0] as Json;
    };
    const next = async () =>
      Date.parse((await call(wide, `/schedules/${id}`)).json['data'].nextRunAt as string);
    const infos = async () => {
      const lines = (await call(wide, `/schedules/${id}/log`)).json['data'] as Json[];
      return lines.filter(({ level }) => level === 'INFO').length;
    };
    await goTo(await next());
    await eventually(async () => (await infos()) === 1, 'the first firing');
    assert.equal(await reads(await last()), 403);
    assert.equal((await call(wide, `/schedules/${id}`, 'PUT', { title: 'mine' })).status, 200);
    await goTo(await next());
    await eventually(async () => (await infos()) === 2, 'the second firing');
    assert.equal(await reads(await last()), 200);
    assert.equal((await call(narrow, `/schedules/${id}/invoke`, 'POST')).status < 300, true);
    assert.equal(await reads(await last()), 403);
  });

  test('runs in standby mode keep the policy of the token that saved the mode', async () => {
    for (const [saver, caller, status] of [
      [narrow, wide, 403],
      [wide, narrow, 200],
    ] as const) {
      const own = await giveBuiltActor(server, { token: wide });
      const changed = await call(saver, `/actors/${own}`, 'PUT', {
        actorStandby: { isEnabled: true, memoryMbytes: 256 },
      });
      assert.equal(changed.status, 200, changed.text);
      const name = changed.json['data'].name as string;
      const gone = new AbortController();
      const asked = fetch(`${server.url}/standby/${ann.username}~${name}`, {
        headers: { authorization: `Bearer ${caller}` },
        signal: gone.signal,
      }).catch(() => undefined);
      let run: Json | undefined;
      await eventually(async () => {
        const { items } = (await call(wide, `/actors/${own}/runs?desc=1`)).json['data'] as Json;
        run = items.find((one: Json) => one['meta'].origin === 'STANDBY' && one['status'] === 'READY');
        return run !== undefined;
      }, 'a run in standby mode');
      gone.abort();
      await asked;
      assert.equal(await reads(run!), status);
      await finish(run!);
    }
  });

  test('a token without rights on accounts learns name and id of its own, and no address or secret', async () => {
    const storages = {
      effect: 'allow' as const,
      actions: ['*'],
      resources: ['key-value-store/*', 'dataset/*'],
    };
    const account = { effect: 'allow' as const, actions: ['viewAccount'], resources: ['user/*'] };
    const without = (await giveToken(server, ann, { inlinePolicy: [...ACTORS_ONLY, storages] })).value;
    const withIt = (await giveToken(server, ann, { inlinePolicy: [...ACTORS_ONLY, storages, account] }))
      .value;
    const reader = (await giveToken(server, ann, { role: 'reader' })).value;
    const me = async (token: string) => (await call(token, '/users/me')).json['data'] as Json;
    const { proxy, ...cut } = await me(without);
    assert.deepEqual([cut['id'], cut['username'], proxy], [ann.id, ann.username, { groups: [] }]);
    for (const name of ['email', 'profile', 'plan', 'createdAt']) assert.equal(cut[name], undefined);
    for (const token of [wide, withIt, reader]) {
      const whole = await me(token);
      assert.deepEqual([whole['email'], typeof whole['proxy'].password], [ann.email, 'string']);
    }
    for (const path of ['/key-value-stores', '/datasets']) {
      const { id } = (await call(without, path, 'POST')).json['data'] as Json;
      const keyOf = async (token: string) =>
        (await call(token, `${path}/${id}`)).json['data'].urlSigningSecretKey as string | undefined;
      assert.deepEqual([await keyOf(without), await keyOf(reader)], [undefined, undefined]);
      assert.deepEqual([typeof (await keyOf(wide)), typeof (await keyOf(withIt))], ['string', 'string']);
    }
    assert.equal((await call(without, '/tools/encode-and-sign', 'POST', {})).status, 403);
    assert.equal((await call(withIt, '/tools/encode-and-sign', 'POST', {})).status, 200);
    for (const [token, email] of [
      [without, ''],
      [wide, ann.email],
    ] as const) {
      const onHost = await server.call('/user', { token });
      assert.deepEqual([onHost.json['login'], onHost.json['email'] ?? ''], [ann.username, email]);
      const onFlags = await server.call('/api/v2/members/me', { token });
      assert.deepEqual([onFlags.json['_id'], onFlags.json['email']], [ann.id, email]);
    }
    for (const [token, type] of [
      [without, 'undefined'],
      [wide, 'string'],
    ] as const) {
      const run = await start(token);
      const program = await tokenOf(run);
      assert.equal(typeof (await me(program))['proxy'].password, type);
      const own = await call(program, `/datasets/${run['defaultDatasetId']}`);
      assert.equal(typeof own.json['data'].urlSigningSecretKey, type);
    }
  });

  test('a token that may create storages and view none gets none by its name', async () => {
    const resources = ['key-value-store/*'];
    const inlinePolicy = [{ effect: 'allow' as const, actions: ['createStorage'], resources }];
    const { value } = await giveToken(server, ann, { inlinePolicy });
    const path = '/key-value-stores?name=known';
    assert.equal((await call(wide, path, 'POST')).status, 201);
    assert.equal((await call(value, path, 'POST')).status, 403);
    assert.equal((await call(value, '/key-value-stores?name=new', 'POST')).status, 201);
    assert.equal((await call(wide, path, 'POST')).status, 200);
  });

  test('equal policies are stored once, and those that nothing refers to any longer are swept', async () => {
    const { db } = server.app.kernel;
    const stored = async () => {
      const rows = await db.selectFrom('permission_boundaries').select('id').execute();
      return rows.map(({ id }) => id);
    };
    const sweep = () => deleteUnusedBoundaries(db, USERS, server.clock.now());
    const inlinePolicy = [...ACTORS_ONLY, { effect: 'deny' as const, actions: ['x'], resources: ['acct'] }];
    const before = await stored();
    const used = await start((await giveToken(server, ann, { inlinePolicy })).value);
    const [added] = (await stored()).filter((id) => !before.includes(id));
    const schedule = { name: `kept-${names}`, cronExpression: '@daily', actions: [] };
    const again = (await giveToken(server, ann, { inlinePolicy })).value;
    const policy = JSON.parse(JSON.stringify(inlinePolicy)) as PolicyStatement[];
    policy[0]!.resources!.push('actor-webhook/*');
    const other = (await giveToken(server, ann, { inlinePolicy: policy })).value;
    assert.equal((await call(again, '/schedules', 'POST', schedule)).status, 201);
    await start(other);
    assert.equal((await stored()).length, before.length + 2);
    const remove = async (run: Json) => {
      await finish(run);
      assert.equal((await call(wide, `/actor-runs/${run['id']}`, 'DELETE')).status, 204);
    };
    await remove(used);
    for (const run of (await call(wide, '/actor-runs')).json['data'].items as Json[]) await remove(run);
    await sweep();
    assert.equal((await stored()).length, before.length + 2, 'what was used lately may be referred to soon');
    server.clock.ahead += 2 * 24 * 3_600_000;
    await sweep();
    const left = await stored();
    assert.equal(left.includes(added!), true, 'the schedule refers to it');
    assert.equal(left.filter((id) => !before.includes(id)).length, 1);
  });
});
