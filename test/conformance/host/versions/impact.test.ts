// The upgrade report of the host: which calls made under the old version a newer one would change, on each engine.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Octokit } from 'octokit';
import { deleteToken } from '../../../../src/kernel/identity/store-tokens.ts';
import { USAGE_RETENTION_DAYS, versionUsageSweep } from '../../../../src/kernel/versions/usage/sweep.ts';
import { onEachEngine } from '../../../engines.ts';
import { checkingFetch } from '../../../host-contract/check-reply.ts';
import { joinHost, type HostPerson } from '../../../host-people.ts';
import { giveToken, openBrowser } from '../../../people.ts';
import type { Answer, CallInit, Json, TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';

const NEW = '2026-03-10';
const IMPACT = `/versions/${NEW}/impact`;
const DAY = 24 * 3600 * 1000;

/** The report's entries, by operation. */
function callsOf({ status, json, text }: Answer): Record<string, Json> {
  assert.equal(status, 200, text);
  return Object.fromEntries((json['calls'] as Json[]).map((one) => [one['operation'] as string, one]));
}

onEachEngine((engine) => {
  let server: TestServer;
  let count = 0;
  const person = (fields: Parameters<typeof joinHost>[2] = {}): Promise<HostPerson> => {
    count += 1;
    return joinHost(server, `person${count}`, fields);
  };
  const read = (who: { call: HostPerson['call'] }, query = '') => who.call(`${IMPACT}${query}`);
  const admin = { call: (path: string, init?: CallInit) => server.call(path, init) };

  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
  });
  after(() => server.stop());

  test('H23 a reply that would change is reported with the change, how often, when, and what to do instead', async () => {
    const ada = await person();
    const begun = Date.now() - 1000;
    await ada.repository('shop');
    for (let index = 0; index < 3; index += 1)
      assert.equal((await ada.get(`/repos/${ada.login}/shop`)).status, 200);
    const { json } = await read(ada);
    assert.equal(json['version'], NEW);
    assert.equal(json['state'], 'released');
    assert.equal(json['header'], `X-Host-Api-Version: ${NEW}`);
    assert.equal(json['unrecorded_calls'], 0);
    assert.equal(json['retention_days'], 90);
    assert.match(json['documentation_url'] as string, new RegExp(`/docs/host/versions/${NEW}/impact$`));
    const [first, second] = json['calls'] as Json[];
    assert.equal(first!['operation'], 'repos/get');
    assert.equal(first!['method'], 'GET');
    assert.equal(first!['path'], '/repos/{owner}/{repo}');
    assert.equal(first!['version'], '2022-11-28');
    assert.equal(first!['variant'], null);
    assert.equal(first!['calls'], 3);
    assert.deepEqual(first!['caller'].type, 'token');
    assert.deepEqual([first!['caller'].name, first!['caller'].login], ['given', ada.login]);
    for (const name of ['first_seen_at', 'last_seen_at']) {
      const at = Date.parse(first![name] as string);
      assert.ok(at >= begun - 1000 && at <= Date.now() + 1000, `${name} ${String(first![name])}`);
    }
    assert.equal(second!['operation'], 'repos/create-for-authenticated-user');
    const changes = first!['changes'] as Json[];
    const downloads = changes.find(({ title }) => (title as string).includes('has_downloads'))!;
    assert.deepEqual(downloads['fields'], [{ name: 'has_downloads', kind: 'removed' }]);
    assert.deepEqual([downloads['in'], downloads['calls'], downloads['version']], ['reply', 3, NEW]);
    for (const { advice } of changes) assert.ok((advice as string).length > 10);
  });

  test('calls that were marked as done say by whom, until one of them comes again', async () => {
    const [eve, stranger] = [await person(), await person()];
    await eve.repository('mill');
    const get = async () => assert.equal((await eve.get(`/repos/${eve.login}/mill`)).status, 200);
    await get();
    const found = async () => callsOf(await read(eve))['repos/get']!;
    const { caller, version, done_at: notYet } = await found();
    assert.equal(notYet, null);
    const mark = (isDone: boolean, who: { call: HostPerson['call'] } = eve, more: Json = {}) =>
      who.call('/signalbox/v1/upgrade-report/done', {
        method: 'PUT',
        body: { api: 'host', operation: 'repos/get', version, caller: caller.id, isDone, ...more },
      });
    assert.equal((await mark(true)).status, 204);
    const marked = await found();
    assert.deepEqual([marked['done_by'], marked['calls']], [eve.login, 1]);
    assert.ok(Date.parse(marked['done_at'] as string) > 0);
    const { items } = (await server.call('/signalbox/v1/activity?action=markUpgrade&limit=1')).json;
    assert.match(JSON.stringify(items), /marked as done in the upgrade report/);

    server.clock.ahead += 2000;
    await get();
    assert.deepEqual([(await found())['done_at'], (await found())['done_by']], [null, null], 'it came again');
    assert.equal((await mark(true, admin)).status, 204, 'an administrator may for everybody');
    assert.equal((await found())['done_by'], 'admin');
    assert.equal((await mark(false)).status, 204);
    assert.equal((await found())['done_at'], null);
    assert.equal((await mark(true, stranger)).status, 404);
    assert.equal((await mark(true, eve, { operation: 'repos/absent' })).status, 404);
    assert.equal((await mark(true, eve, { isDone: 'yes' })).status, 422);
    assert.equal((await found())['done_at'], null);
    const outside = { call: (path: string, init?: CallInit) => server.call(path, { ...init, token: null }) };
    assert.equal((await mark(true, outside)).status, 401);
  });

  test('H23 only what was really sent or received counts: not every call of a route with changes', async () => {
    const bob = await person();
    // An empty list has no repository that would change.
    assert.deepEqual((await bob.get('/user/repos')).json, []);
    // Failed calls are the same in every version.
    assert.equal((await bob.get(`/repos/${bob.login}/absent`)).status, 404);
    assert.equal((await bob.post('/user/repos', { name: 7 })).status, 422);
    // Calls of the new version have nothing ahead of them, nor have routes without changes.
    await bob.call('/user/repos', {
      method: 'POST',
      headers: { 'x-host-api-version': NEW },
      body: { name: 'one' },
    });
    assert.equal((await bob.get('/user')).status, 200);
    assert.deepEqual(callsOf(await read(bob)), {});
    assert.equal((await bob.get('/user/repos')).status, 200);
    assert.deepEqual(Object.keys(callsOf(await read(bob))), ['repos/list-for-authenticated-user']);
  });

  test('H23 of a request, the fields that were sent and are no longer understood are named', async () => {
    const cleo = await person({ role: 'admin' });
    const name = `crew${count}`;
    assert.equal((await cleo.post('/user/orgs', { login: name })).status, 201);
    const create = (body: Json) => cleo.post(`/orgs/${name}/teams`, body);
    assert.equal((await create({ name: 'one' })).status, 201);
    assert.equal(callsOf(await read(cleo))['teams/create'], undefined);
    assert.equal((await create({ name: 'two', permission: 'push' })).status, 201);
    const { calls, changes } = callsOf(await read(cleo))['teams/create']!;
    assert.equal(calls, 1);
    const [sent] = (changes as Json[]).filter((one) => one['in'] === 'request');
    assert.deepEqual(sent!['fields'], [{ name: 'permission', kind: 'removed' }]);
    assert.equal(
      (
        await cleo.patch(`/repos/${cleo.login}/${(await cleo.repository('box'))['name'] as string}`, {
          use_squash_pr_title_as_default: true,
        })
      ).status,
      200,
    );
    const patch = callsOf(await read(cleo))['repos/update']!;
    const request = (patch['changes'] as Json[]).find((one) => one['in'] === 'request')!;
    assert.deepEqual(request['fields'], [{ name: 'use_squash_pr_title_as_default', kind: 'removed' }]);
    assert.match(request['advice'] as string, /squash_merge_commit_title/);
  });

  test('H23 a listing with a submodule counts, and one without does not', async () => {
    const dora = await person();
    await dora.repository('parts', { auto_init: true });
    const path = `/repos/${dora.login}/parts`;
    assert.equal((await dora.get(`${path}/contents/`)).status, 200);
    assert.equal(callsOf(await read(dora))['repos/get-content'], undefined);
    const sha = 'a'.repeat(40);
    const tree = await dora.post(`${path}/git/trees`, {
      tree: [{ path: 'module', mode: '160000', type: 'commit', sha }],
    });
    assert.equal(tree.status, 201, tree.text);
    const commit = await dora.post(`${path}/git/commits`, { message: 'm', tree: tree.json['sha'] });
    assert.equal(commit.status, 201, commit.text);
    const ref = { ref: 'refs/heads/modules', sha: commit.json['sha'] };
    assert.equal((await dora.post(`${path}/git/refs`, ref)).status, 201);
    assert.equal((await dora.get(`${path}/contents/?ref=modules`)).status, 200);
    const { calls, changes } = callsOf(await read(dora))['repos/get-content']!;
    assert.equal(calls, 1);
    assert.deepEqual((changes as Json[])[0]!['fields'], [{ name: 'type', kind: 'changed' }]);
  });

  test('H23 an unchanged reply counts too, and the old media type counts as such', async () => {
    const emil = await person();
    await emil.repository('shop');
    const { headers } = await emil.get(`/repos/${emil.login}/shop`);
    const again = await emil.call(`/repos/${emil.login}/shop`, {
      headers: { 'if-none-match': headers.get('etag')! },
    });
    assert.equal(again.status, 304);
    assert.equal(callsOf(await read(emil))['repos/get']!['calls'], 2);
    const beta = { headers: { accept: 'application/vnd.github.beta+json' } };
    assert.equal((await emil.call('/user/emails', beta)).status, 200);
    assert.equal((await emil.call('/user/emails')).status, 200);
    const { variant, calls, changes } = callsOf(await read(emil))[
      'users/list-emails-for-authenticated-user'
    ]!;
    assert.deepEqual([variant, calls, (changes as Json[]).length], ['beta', 1, 1]);
    assert.match((changes as Json[])[0]!['title'] as string, /e-mail/);
  });

  test('H23 octokit, unmodified, finds what its calls would change', async () => {
    const fay = await person();
    const octokit = new Octokit({
      baseUrl: server.url,
      auth: fay.token,
      request: { fetch: checkingFetch },
      throttle: { enabled: false },
    });
    await fay.repository('shop');
    await octokit.rest.repos.get({ owner: fay.login, repo: 'shop' });
    await octokit.rest.repos.listForAuthenticatedUser();
    const { data } = await octokit.request(`GET ${IMPACT}`);
    const found = (data as { calls: { operation: string }[] }).calls.map(({ operation }) => operation);
    assert.deepEqual(found.toSorted(), [
      'repos/create-for-authenticated-user',
      'repos/get',
      'repos/list-for-authenticated-user',
    ]);
  });

  test('H23 a caller sees the calls of their own tokens, and nobody else’s', async () => {
    const [gil, hal] = [await person(), await person()];
    await gil.repository('secret');
    await hal.repository('other');
    const second = await giveToken(server, gil.member, { role: 'writer', name: 'second' });
    const narrow = await giveToken(server, gil.member, {
      name: 'narrow',
      inlinePolicy: [{ effect: 'allow', actions: ['*'], resources: ['repo/*'] }],
    });
    const service = await giveToken(server, gil.member, { role: 'writer', name: 'robot', isService: true });
    const as = (token: string) => ({ call: (path: string) => server.call(path, { token }) });
    const get = (token: string) => server.call(`/repos/${gil.login}/secret`, { token });
    await get(second.value);
    await get(narrow.value);
    assert.deepEqual(Object.keys(callsOf(await read(hal))), ['repos/create-for-authenticated-user']);
    const namesFor = async (token: string, query = '') =>
      ((await read(as(token), query)).json['calls'] as Json[]).map((one) => one['caller'].name as string);
    assert.ok((await namesFor(gil.token)).includes('second'));
    assert.ok((await namesFor(second.value)).includes('given'));
    assert.deepEqual(
      (await namesFor(narrow.value)).filter((name) => name !== 'narrow'),
      [],
    );
    assert.deepEqual(await namesFor(service.value), []);
    const onlySecond = await read(gil, `?token_id=${second.id}`);
    assert.deepEqual(
      (onlySecond.json['calls'] as Json[]).map((one) => one['caller'].name),
      ['second'],
    );
    for (const id of [second.id, 'unknown', gil.member.id]) {
      assert.equal((await read(hal, `?token_id=${id}`)).status, 404);
      assert.equal((await read(as(narrow.value), `?token_id=${id}`)).status, 404);
    }
    assert.equal((await read(gil, '?all=true')).status, 403);
    assert.equal((await read(as(narrow.value), '?all=true')).status, 403);
    const everybody = await read(admin, '?all=true&per_page=100');
    const owners = new Set((everybody.json['calls'] as Json[]).map((one) => one['caller'].login as string));
    assert.ok(owners.has(gil.login) && owners.has(hal.login));
    assert.equal((await read(admin, `?token_id=${second.id}`)).json['calls'].length, 1);
    for (const secret of [gil.token, second.value]) assert.ok(!everybody.text.includes(secret));
  });

  test('H23 calls without a token are reported to administrators alone, and without addresses', async () => {
    const ida = await person();
    await ida.repository('open');
    assert.equal((await server.call(`/repos/${ida.login}/open`, { token: null })).status, 200);
    assert.equal((await server.call(IMPACT, { token: null })).status, 401);
    assert.equal(callsOf(await read(ida))['repos/get'], undefined);
    const { json } = await read(admin, '?all=true&per_page=100');
    const found = (json['calls'] as Json[]).filter((one) => one['caller'].type === 'anonymous');
    assert.deepEqual(
      found.map((one) => [one['operation'], one['caller'].id, one['caller'].login]),
      [['repos/get', null, null]],
    );
    assert.ok(!JSON.stringify(json['calls']).includes('127.0.0.1'));
    assert.equal(callsOf(await read(admin))['repos/get'], undefined);
  });

  test('H23 eight clients at once are counted exactly', async () => {
    const jan = await person();
    await jan.repository('shop');
    const client = async () => {
      for (let index = 0; index < 25; index += 1) {
        await jan.get(`/repos/${jan.login}/shop`);
        // Reports save the counters while others count.
        if (index % 8 === 0) await read(jan);
      }
    };
    await Promise.all(Array.from({ length: 8 }, client));
    const { calls, changes } = callsOf(await read(jan))['repos/get']!;
    assert.equal(calls, 200);
    for (const one of changes as Json[]) assert.equal(one['calls'], 200);
  });

  test('H23 pages are linked, in a stable order with the most calls first; `since` leaves out older ones', async () => {
    const kim = await person();
    await kim.repository('shop');
    for (let index = 0; index < 3; index += 1) await kim.get('/user/repos');
    for (let index = 0; index < 2; index += 1) await kim.get(`/repos/${kim.login}/shop`);
    const operations: string[] = [];
    for (let path: string | undefined = `${IMPACT}?per_page=1`; path !== undefined;) {
      const { json, headers } = await kim.get(path);
      for (const one of json['calls'] as Json[]) operations.push(one['operation'] as string);
      path = /<[^>]*(\/versions\/[^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
    }
    assert.deepEqual(operations, [
      'repos/list-for-authenticated-user',
      'repos/get',
      'repos/create-for-authenticated-user',
    ]);
    const soon = new Date(Date.now() + 3_600_000).toISOString();
    assert.deepEqual(callsOf(await read(kim, `?since=${soon}`)), {});
    const earlier = new Date(Date.now() - 3_600_000).toISOString();
    assert.equal(Object.keys(callsOf(await read(kim, `?since=${earlier}`))).length, 3);
  });

  test('H23 unknown versions are 404, older ones change nothing, and wrong calls get clear errors', async () => {
    const lea = await person();
    await lea.repository('shop');
    assert.deepEqual(callsOf(await lea.get('/versions/2022-11-28/impact')), {});
    for (const version of ['2020-01-01', 'latest', '%00', '..%2f..', 'x'.repeat(500)]) {
      const { status } = await lea.get(`/versions/${version}/impact`);
      assert.ok(status === 404 || status === 400, `${version} ${status}`);
    }
    for (const query of ['?since=yesterday', '?all=perhaps', '?page=0', `?token_id=${'x'.repeat(200)}`])
      assert.equal((await read(lea, query)).status, 422, query);
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      assert.ok([404, 405].includes((await lea.call(IMPACT, { method })).status), method);
    assert.equal((await server.call(IMPACT, { token: 'api-wrong' })).status, 401);
  });

  test('H23 the page shows a member their calls, and names are only text in it', async () => {
    const mia = await person();
    const hostile = await giveToken(server, mia.member, {
      role: 'writer',
      name: '<script>alert(1)</script>"\'',
    });
    await mia.repository('shop');
    await server.call(`/repos/${mia.login}/shop`, { token: hostile.value });
    const path = `/docs/host/versions/${NEW}/impact`;
    const anonymous = await server.call(path, { token: null });
    const login = `/session?return=${encodeURIComponent(path)}`;
    assert.deepEqual([anonymous.status, anonymous.headers.get('location')], [303, login]);
    const browser = await openBrowser(server, mia.member);
    const show = (query: string, headers: Record<string, string>) =>
      server.call(path + query, { token: null, headers });
    const { status, text, headers } = await show('', browser);
    assert.equal(status, 200);
    assert.match(headers.get('content-security-policy')!, /default-src 'none'/);
    assert.match(text, /GET \/repos\/\{owner\}\/\{repo\}/);
    assert.match(text, /<code>has_downloads<\/code>/);
    assert.ok(!text.includes('<script'));
    assert.ok(text.includes('&#60;script&#62;'));
    assert.ok(!text.includes('all=true'));
    assert.equal((await show('?all=true', browser)).status, 403);
    assert.equal(
      (await server.call('/docs/host/versions/2001-01-01/impact', { token: null, headers: browser })).status,
      404,
    );
    const [owner] = await server.app.kernel.db
      .selectFrom('members')
      .selectAll()
      .where('username', '=', 'admin')
      .execute();
    const admins = await openBrowser(server, { id: owner!.id } as HostPerson['member']);
    const all = await show('?all=true', admins);
    assert.match(all.text, /would change for everybody/);
    assert.match((await show('', admins)).text, /all=true/);
    const nora = await person();
    assert.match((await show('', await openBrowser(server, nora.member))).text, /Nothing to do/);
  });

  test('H23 a session is counted as its member, and deleted tokens leave nothing', async () => {
    const { kernel } = server.app;
    const oli = await person();
    await oli.repository('shop');
    const browser = await openBrowser(server, oli.member);
    const viaBrowser = await server.call(`/repos/${oli.login}/shop`, { token: null, headers: browser });
    assert.equal(viaBrowser.status, 200);
    const types = ((await read(oli)).json['calls'] as Json[]).map((one) => one['caller'].type as string);
    assert.deepEqual(types.toSorted(), ['session', 'token']);
    const gone = await giveToken(server, oli.member, { role: 'writer' });
    const swept = await giveToken(server, oli.member, { role: 'writer' });
    for (const { value } of [gone, swept]) await server.call(`/repos/${oli.login}/shop`, { token: value });
    assert.equal((await read(oli)).json['calls'].length, 4);
    await deleteToken(kernel.db, gone.id);
    assert.equal((await read(oli)).json['calls'].length, 3);
    // As with its member, or with a call that is counted after the deletion.
    await kernel.db.deleteFrom('tokens').where('id', '=', swept.id).execute();
    await versionUsageSweep(kernel).run(AbortSignal.timeout(60_000));
    const left = await kernel.db.selectFrom('version_usage').select('caller').distinct().execute();
    const effects = await kernel.db.selectFrom('version_usage_effects').select('caller').distinct().execute();
    for (const { caller } of [...left, ...effects]) assert.ok(caller !== gone.id && caller !== swept.id);
    assert.equal((await read(oli)).json['calls'].length, 2);
  });

  test('H23 calls that were last seen more than 90 days ago are forgotten', async () => {
    const pia = await person();
    await pia.repository('shop');
    await read(pia);
    const { db, clock } = server.app.kernel;
    const later = { now: () => clock.now() + (USAGE_RETENTION_DAYS - 1) * DAY };
    await versionUsageSweep({ db, clock: later }).run(AbortSignal.timeout(60_000));
    assert.equal((await read(pia)).json['calls'].length, 1);
    const muchLater = { now: () => clock.now() + (USAGE_RETENTION_DAYS + 1) * DAY };
    await versionUsageSweep({ db, clock: muchLater }).run(AbortSignal.timeout(60_000));
    assert.deepEqual((await read(pia)).json['calls'], []);
    assert.deepEqual(await db.selectFrom('version_usage_effects').selectAll().execute(), []);
  });
});
