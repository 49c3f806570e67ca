// Labels of repositories on a running server: which there are, who changes them, and what is refused.
import assert from 'node:assert/strict';
import { makeApp } from '../../../app-people.ts';
import { onEachEngine } from '../../../engines.ts';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../../../git-tests.ts';
import { joinHost, type HostPerson } from '../../../host-people.ts';
import { startServerOn } from '../../../suites.ts';
import type { Json, TestServer } from '../../../server.ts';

const DEFAULTS = [
  'bug',
  'documentation',
  'duplicate',
  'enhancement',
  'good first issue',
  'help wanted',
  'invalid',
  'question',
  'wontfix',
];

onEachEngine((engine) => {
  let server: TestServer;
  let ada: HostPerson;
  let bob: HostPerson;
  let eve: HostPerson;
  const OPEN = '/repos/ada/open/labels';
  const HIDDEN = '/repos/ada/hidden/labels';

  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    [ada, bob, eve] = await Promise.all([
      joinHost(server, 'ada'),
      joinHost(server, 'bob'),
      joinHost(server, 'eve'),
    ]);
    await ada.repository('open');
    await ada.repository('hidden', { private: true });
  });
  after(() => server.stop());

  const namesAt = async (path: string) =>
    ((await ada.get(`${path}?per_page=100`)).json as unknown as Json[]).map(({ name }) => name as string);

  const eventsOf = async (action: string) => {
    const rows = await server.app.kernel.db
      .selectFrom('host_events')
      .select('details')
      .where('name', '=', 'label')
      .where('action', '=', action)
      .orderBy('number')
      .execute();
    return rows.map(({ details }) => JSON.parse(details) as Json);
  };

  test('a new repository begins with nine labels, one from a template too, and a fork with none', async () => {
    await ada.repository('fresh', { auto_init: true, is_template: true });
    assert.deepEqual(await namesAt('/repos/ada/fresh/labels'), DEFAULTS);
    const { json } = await ada.get('/repos/ada/fresh/labels/bug');
    assert.deepEqual([json['color'], json['default']], ['d73a4a', true]);
    const made = await ada.post('/repos/ada/fresh/generate', { owner: 'ada', name: 'generated' });
    assert.equal(made.status, 201, made.text);
    assert.deepEqual(await namesAt('/repos/ada/generated/labels'), DEFAULTS);
    const forked = await bob.post('/repos/ada/fresh/forks', {});
    assert.equal(forked.status, 202, forked.text);
    assert.deepEqual(await namesAt('/repos/bob/fresh/labels'), []);
    // Issues of a fork are switched off, and its pull requests have labels.
    assert.equal((await bob.post('/repos/bob/fresh/labels', { name: 'own' })).status, 201);
    assert.deepEqual(await namesAt('/repos/bob/fresh/labels'), ['own']);
  });

  test('a label is created, read, changed and deleted', async () => {
    const created = await ada.post(OPEN, { name: ' Needs/more info ', color: 'F0a010', description: 'x' });
    assert.equal(created.status, 201, created.text);
    const { id, node_id: nodeId, ...rest } = created.json;
    assert.ok(Number.isInteger(id) && typeof nodeId === 'string');
    assert.deepEqual(rest, {
      url: `${server.url}${OPEN}/Needs%2Fmore%20info`,
      name: 'Needs/more info',
      color: 'F0a010',
      description: 'x',
      default: false,
    });
    assert.equal(created.headers.get('location'), created.json['url']);
    const path = `${OPEN}/needs%2FMORE%20info`;
    assert.deepEqual((await server.call(path, { token: null })).json, created.json);
    const changed = await ada.patch(path, { new_name: 'info', color: '000000', description: null });
    assert.equal(changed.status, 200, changed.text);
    assert.deepEqual(changed.json, {
      ...created.json,
      name: 'info',
      url: `${server.url}${OPEN}/info`,
      color: '000000',
      description: null,
    });
    assert.equal((await ada.get(path)).status, 404);
    assert.deepEqual((await ada.patch(`${OPEN}/info`, {})).json, changed.json);
    assert.equal((await ada.delete(`${OPEN}/INFO`)).status, 204);
    assert.equal((await ada.delete(`${OPEN}/info`)).status, 404);
    assert.equal((await ada.patch(`${OPEN}/info`, { color: '000000' })).status, 404);
    assert.deepEqual((await eventsOf('created')).at(-1)?.['label'].name, 'Needs/more info');
    assert.deepEqual(
      (await eventsOf('edited')).map(({ changes }) => changes),
      [{ name: { from: 'Needs/more info' }, color: { from: 'F0a010' }, description: { from: 'x' } }],
    );
    assert.deepEqual(
      (await eventsOf('deleted')).map(({ label }) => label.name),
      ['info'],
    );
  });

  test('a label without a color is grey, and a default one that is renamed is none any more', async () => {
    const { json } = await ada.post(OPEN, { name: 'plain' });
    assert.deepEqual([json['color'], json['description']], ['ededed', null]);
    const renamed = await ada.patch(`${OPEN}/question`, { new_name: 'to ask' });
    assert.equal(renamed.json['default'], false);
    const back = await ada.patch(`${OPEN}/to%20ask`, { new_name: 'question' });
    assert.equal(back.json['default'], true);
    await ada.delete(`${OPEN}/plain`);
  });

  test('names that differ in case alone are the same', async () => {
    for (const answer of [
      await ada.post(OPEN, { name: 'BUG' }),
      await ada.patch(`${OPEN}/wontfix`, { new_name: 'Bug' }),
    ]) {
      assert.equal(answer.status, 422, answer.text);
      assert.equal(answer.json['message'], 'Validation Failed');
      const [error] = answer.json['errors'] as Json[];
      assert.deepEqual([error!['resource'], error!['code']], ['Label', 'already_exists']);
    }
    const renamed = await ada.patch(`${OPEN}/bug`, { new_name: 'Bug' });
    assert.deepEqual([renamed.status, renamed.json['name']], [200, 'Bug']);
    await ada.patch(`${OPEN}/Bug`, { new_name: 'bug' });
    assert.deepEqual(await namesAt(OPEN), DEFAULTS);
  });

  test('bad names, colors and descriptions are refused, and nothing changes', async () => {
    const wrong: [body: unknown, field: string, code: string][] = [
      [{}, 'name', 'missing_field'],
      [{ name: '' }, 'name', 'invalid'],
      [{ name: ' \t' }, 'name', 'invalid'],
      [{ name: 'x'.repeat(51) }, 'name', 'invalid'],
      [{ name: 'a\nb' }, 'name', 'invalid'],
      [{ name: 'a\0b' }, 'name', 'invalid'],
      [{ name: 5 }, 'name', 'invalid'],
      [{ name: null }, 'name', 'invalid'],
      [{ name: 'x', color: '#ff0000' }, 'color', 'invalid'],
      [{ name: 'x', color: 'fff' }, 'color', 'invalid'],
      [{ name: 'x', color: 'gggggg' }, 'color', 'invalid'],
      [{ name: 'x', color: 255 }, 'color', 'invalid'],
      [{ name: 'x', description: 'x'.repeat(101) }, 'description', 'invalid'],
    ];
    for (const [body, field, code] of wrong) {
      const answer = await ada.post(OPEN, body);
      assert.equal(answer.status, 422, answer.text);
      const [error] = answer.json['errors'] as Json[];
      assert.deepEqual([error!['resource'], error!['field'], error!['code']], ['Label', field, code]);
    }
    for (const body of [{ new_name: '' }, { new_name: 'x'.repeat(51) }, { color: 'red' }, { description: 5 }])
      assert.equal((await ada.patch(`${OPEN}/bug`, body)).status, 422);
    for (const raw of ['[]', '"x"', '{"name":'])
      assert.ok([400, 422].includes((await ada.call(OPEN, { method: 'POST', raw } as never)).status));
    assert.deepEqual(await namesAt(OPEN), DEFAULTS);
    const longest = '🍓'.repeat(50);
    const { status, json } = await ada.post(OPEN, { name: longest, description: '🍓'.repeat(100) });
    assert.deepEqual([status, json['name']], [201, longest]);
    assert.equal((await ada.delete(`${OPEN}/${encodeURIComponent(longest)}`)).status, 204);
  });

  test('everybody reads the labels of a public repository; those who may write change them', async () => {
    assert.equal((await server.call(OPEN, { token: null })).status, 200);
    const change = async (call: (path: string, init: Json) => Promise<{ status: number }>, at: string) => [
      (await call(at, { method: 'POST', body: { name: 'mine' } })).status,
      (await call(`${at}/mine`, { method: 'PATCH', body: { color: '000000' } })).status,
      (await call(`${at}/mine`, { method: 'DELETE' })).status,
    ];
    const anonymous = (path: string, init: Json) => server.call(path, { ...init, token: null });
    assert.deepEqual(await change(anonymous, OPEN), [401, 401, 401]);
    assert.deepEqual(await change(eve.call, OPEN), [403, 403, 403]);
    assert.deepEqual(await change(eve.call, HIDDEN), [404, 404, 404]);
    for (const path of [HIDDEN, `${HIDDEN}/bug`]) {
      assert.equal((await eve.get(path)).status, 404);
      assert.equal((await server.call(path, { token: null })).status, 404);
    }
    for (const [permission, statuses] of [
      ['pull', [403, 403, 403]],
      ['triage', [403, 403, 403]],
      ['push', [201, 200, 204]],
    ] as const)
      for (const name of ['open', 'hidden']) {
        await ada.put(`/repos/ada/${name}/collaborators/bob`, { permission });
        assert.equal((await bob.get(`/repos/ada/${name}/labels/bug`)).status, 200);
        assert.deepEqual(await change(bob.call, `/repos/ada/${name}/labels`), statuses, permission);
      }
    await ada.patch('/repos/ada/open', { archived: true });
    assert.deepEqual(await change(ada.call, OPEN), [403, 403, 403]);
    await ada.patch('/repos/ada/open', { archived: false });
  });

  test('an app needs the permission for issues', async () => {
    for (const [level, status] of [
      ['write', 201],
      ['read', 403],
    ] as const) {
      const app = await makeApp(server, 'ada', { name: `Labels ${level}`, permissions: { issues: level } });
      const token = await app.token(await app.install('ada'));
      const created = await server.call(HIDDEN, { method: 'POST', token, body: { name: `by app` } });
      assert.equal(created.status, status, created.text);
      assert.equal((await server.call(`${HIDDEN}/bug`, { token })).status, 200);
    }
    assert.equal((await ada.delete(`${HIDDEN}/by%20app`)).status, 204);
  });

  test('labels come in pages, in the order of their names', async () => {
    const page = await ada.get(`${OPEN}?per_page=4&page=2`);
    assert.deepEqual(
      (page.json as unknown as Json[]).map(({ name }) => name),
      DEFAULTS.slice(4, 8),
    );
    assert.match(page.headers.get('link') ?? '', /page=3>; rel="next".*page=3>; rel="last"/);
    assert.deepEqual((await ada.get(`${OPEN}?page=2`)).json, []);
    assert.equal((await ada.get(`${OPEN}?page=0`)).status, 422);
  });
});
