// The upgrade report of programs, of operations that end or answer otherwise, and for versions that are announced or ended.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { hostApi } from '../../../../src/host/api.ts';
import { removeApp, programUsageSweep } from '../../../../src/host/apps/remove-app.ts';
import { needsGit } from '../../../../src/host/git/fixture-repository.ts';
import { ServerMeta } from '../../../../src/host/meta/model.ts';
import { metaRoutes } from '../../../../src/host/meta/routes.ts';
import { upgradeReportRoutes } from '../../../../src/host/upgrade-report/routes.ts';
import { versions } from '../../../../src/host/versions/index.ts';
import { versionSelection } from '../../../../src/host/versions/select-version.ts';
import { systemActor } from '../../../../src/kernel/identity/actor.ts';
import type { Api } from '../../../../src/kernel/http/protocol.ts';
import { Type } from '../../../../src/kernel/schema/schema.ts';
import { change, type VersionTable } from '../../../../src/kernel/versions/version.ts';
import { impactPage } from '../../../../src/kernel/openapi/upgrade-report/page.ts';
import { makeApp, type TestApp } from '../../../app-people.ts';
import { onEachEngine } from '../../../engines.ts';
import { eventually } from '../../../eventually.ts';
import { joinHost, type HostPerson } from '../../../host-people.ts';
import { mount } from '../../../mount.ts';
import type { Json, TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';
import { createTestOrganization } from '../organization-calls.ts';
import { analyze } from '../code-scanning/scanning-calls.ts';

const OLD = '2022-11-28';
const NEW = '2026-03-10';
const COMING = '2029-05-01';
const IMPACT = `/versions/${NEW}/impact`;
const AS_NEW = { headers: { 'x-host-api-version': NEW } };

onEachEngine((engine) => {
  let server: TestServer;
  let ada: HostPerson;
  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    ada = await joinHost(server, 'ada');
    await ada.repository('shop', { auto_init: needsGit.skip === false });
  });
  after(() => server.stop());

  /** Those that only administrators see, by caller and operation. */
  async function callsOfPrograms(): Promise<Record<string, Json>> {
    const { status, json, text } = await server.call(`${IMPACT}?all=true&per_page=100`);
    assert.equal(status, 200, text);
    const found = (json['calls'] as Json[]).filter((one) => one['caller'].type === 'program');
    return Object.fromEntries(
      found.map((one) => [`${one['caller'].id as string} ${one['operation'] as string}`, one]),
    );
  }
  const makeInstalled = async (name: string): Promise<{ app: TestApp; number: number; token: string }> => {
    const app = await makeApp(server, 'ada', { name, permissions: { metadata: 'read' } });
    const { number } = await app.install('ada');
    return { app, number, token: await app.token({ number }) };
  };

  test('H23 calls of an installation are counted as its own, for administrators, and it reads no report', async () => {
    const { app, number, token } = await makeInstalled('Reader');
    for (let index = 0; index < 2; index += 1)
      assert.equal((await server.call('/repos/ada/shop', { token })).status, 200);
    const { [`installation/${number} repos/get`]: found } = await callsOfPrograms();
    assert.equal(found!['calls'], 2);
    assert.deepEqual(found!['caller'], {
      type: 'program',
      id: `installation/${number}`,
      name: null,
      login: null,
    });
    const own = (await ada.get(IMPACT)).json['calls'] as Json[];
    assert.ok(own.every((one) => one['caller'].type === 'token'));
    for (const query of ['', '?all=true', `?token_id=installation/${number}`]) {
      assert.equal((await server.call(IMPACT + query, { token })).status, 403, query);
      assert.equal((await app.call(IMPACT + query)).status, 403, query);
    }
  });

  test('H23 an operation with another status is reported, and what is gone leaves nothing', async () => {
    const { app, number, token } = await makeInstalled('Leaver');
    const { app: stays, number: staying, token: other } = await makeInstalled('Stayer');
    for (const one of [token, other])
      assert.equal((await server.call('/repos/ada/shop', { token: one })).status, 200);
    const installation = `installation/${number} repos/get`;
    assert.ok(installation in (await callsOfPrograms()));
    const { number: second } = await stays.install((await joinHost(server, 'bea')).login);
    const removed = await stays.call(`/app/installations/${second}`, { method: 'DELETE', ...AS_NEW });
    assert.equal(removed.status, 202);
    assert.equal((await app.call(`/app/installations/${number}`, { method: 'DELETE' })).status, 204);
    const programs = await callsOfPrograms();
    assert.ok(!(`app/${stays.app.number} apps/delete-installation` in programs));
    const deletion = `app/${app.app.number} apps/delete-installation`;
    const [noticed, ...others] = programs[deletion]!['changes'] as Json[];
    assert.deepEqual(others, []);
    assert.deepEqual([noticed!['in'], noticed!['fields'], noticed!['calls']], ['operation', [], 1]);
    assert.match(noticed!['title'] as string, /202 instead of 204/);
    assert.match(noticed!['advice'] as string, /Accept 202/);
    await eventually(async () => !(installation in (await callsOfPrograms())), 'the usage is deleted');
    const { db, clock, changes } = server.app.kernel;
    await changes.run(systemActor({ now: clock.now() }), (tx) => removeApp(tx, app.app));
    assert.ok(!(deletion in (await callsOfPrograms())));
    // What a node saved after the removal.
    for (const caller of [`installation/${number}`, `app/${app.app.number}`, 'installation/99999']) {
      const key = { caller, api: 'host', version: OLD, variant: '', operation: 'repos/get' };
      const counts = { calls: 1, last_at: clock.now() };
      await db
        .insertInto('version_usage')
        .values({ ...key, ...counts, kind: 'program', member_id: null, changed_in: NEW, first_at: 1 })
        .execute();
      await db
        .insertInto('version_usage_effects')
        .values({ ...key, ...counts, effect: 'e' })
        .execute();
    }
    await programUsageSweep({ db }).run(AbortSignal.timeout(60_000));
    for (const table of ['version_usage', 'version_usage_effects'] as const) {
      const rows = await db.selectFrom(table).select('caller').distinct().execute();
      const callers = rows.map(({ caller }) => caller).filter((caller) => caller.includes('/'));
      assert.ok(callers.includes(`installation/${staying}`), table);
      for (const gone of [`installation/${number}`, `app/${app.app.number}`, 'installation/99999'])
        assert.ok(!callers.includes(gone), `${gone} in ${table}`);
    }
  });

  test('H23 an operation that ends is reported with what is there instead', async () => {
    const { id } = await createTestOrganization(server, 'guild', { admin: 'ada' });
    const path = `/organizations/${id as number}/custom_roles`;
    assert.equal((await ada.get(path)).status, 200);
    assert.equal((await ada.call(path, AS_NEW)).status, 404);
    const calls = (await ada.get(IMPACT)).json['calls'] as Json[];
    const { changes, ...found } = calls.find((one) => one['operation'] === 'orgs/list-custom-roles')!;
    assert.deepEqual([found['calls'], found['version']], [1, OLD]);
    const [removal] = (changes as Json[]).filter((one) => one['in'] === 'operation');
    assert.deepEqual([removal!['title'], removal!['fields']], [`Operation removed in ${NEW}`, []]);
    assert.match(
      removal!['advice'] as string,
      /answers 404\. .*GET \/orgs\/\{org\}\/custom-repository-roles/,
    );
  });

  test(
    'H23 a reply with another content type is reported, the same operation with the usual one is not',
    needsGit,
    async () => {
      const { json } = await ada.get('/repos/ada/shop/git/ref/heads/main');
      const at = '/repos/ada/shop';
      await analyze({ person: ada, at, sha: json['object'].sha as string }, [{ hash: 'one' }]);
      const [analysis] = (await ada.get(`${at}/code-scanning/analyses`)).json as unknown as Json[];
      const path = `${at}/code-scanning/analyses/${analysis!['id'] as number}`;
      const find = async () =>
        ((await ada.get(IMPACT)).json['calls'] as Json[]).find(
          (one) => one['operation'] === 'code-scanning/get-analysis',
        );
      assert.equal((await ada.get(path)).status, 200);
      assert.equal(await find(), undefined);
      const sarif = await ada.call(path, { headers: { accept: 'application/sarif+json' } });
      assert.match(sarif.headers.get('content-type')!, /^application\/json\+sarif/);
      const { calls, changes } = (await find())!;
      assert.equal(calls, 1);
      assert.deepEqual(
        (changes as Json[]).map((one) => [one['in'], /sarif\+json/.test(one['title'] as string)]),
        [['operation', true]],
      );
    },
  );

  test('H23 a version that is announced has a report already, and calls under one that has ended stay in it', async () => {
    const renamed = change({
      version: COMING,
      title: 'Property `signature` removed from the overview',
      advice: 'Do without it.',
      schema: ServerMeta,
      before: Type.Object({ ...ServerMeta.properties, signature: Type.String() }, { $id: 'api-overview' }),
      down: (meta) => ({ ...meta, signature: 'old' }),
    });
    const table: VersionTable = {
      ...versions,
      announced: [COMING],
      changes: [renamed],
      operationChanges: [],
    };
    const apiOf = (one: VersionTable): Api => {
      const api: Api = {
        protocol: { ...hostApi.protocol, ...versionSelection(one) },
        routes: [...metaRoutes(one), ...upgradeReportRoutes(() => api)],
      };
      return api;
    };
    const later = apiOf({ ...table, ended: [OLD], names: [NEW] });
    const [first, second] = [await mount(server, apiOf(table)), await mount(server, later)];
    try {
      const get = async (url: string, headers: Record<string, string> = {}) => {
        const response = await fetch(url, { headers: { authorization: `Bearer ${ada.token}`, ...headers } });
        assert.equal(response.status, 200, url);
        return (await response.json()) as Json;
      };
      assert.equal((await get(`${first.url}/meta`))['signature'], 'old');
      await get(`${first.url}/meta`, AS_NEW.headers);
      const under = async (url: string) => {
        const { state, calls } = await get(`${url}/versions/${COMING}/impact`);
        assert.equal(state, 'announced');
        const found = (calls as Json[]).filter((one) => one['operation'] === 'meta/get');
        return found.map((one) => [one['version'], one['calls'], one['changes'][0].version]);
      };
      assert.deepEqual(await under(first.url), [
        [OLD, 1, COMING],
        [NEW, 1, COMING],
      ]);
      await get(`${second.url}/meta`);
      assert.deepEqual(await under(second.url), [
        [NEW, 2, COMING],
        [OLD, 1, COMING],
      ]);
      const ended = await get(`${second.url}/versions/${OLD}/impact`);
      assert.deepEqual([ended['state'], ended['calls']], ['ended', []]);
    } finally {
      await Promise.all([first.close(), second.close()]);
    }
    const nothing = { items: [], hasMore: false, unrecorded: undefined };
    const pageOf = (target: string) =>
      impactPage(later, nothing, { target, all: false, maySeeAll: false, page: 1 });
    assert.match(pageOf(COMING), /As soon as it is released, send the header/);
    assert.match(pageOf(NEW), /<p>Send the header <code>X-Host-Api-Version: 2026-03-10/);
    assert.match(pageOf(OLD), /It has ended/);
    assert.doesNotMatch(pageOf(OLD), new RegExp(`href="/docs/host/versions/${OLD}"`));
  });
});
