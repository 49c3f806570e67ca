// Webhooks of repositories and organizations on a running server: who has them, how they are changed, and what is refused.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../../../git-tests.ts';
import { onEachEngine } from '../../../engines.ts';
import { joinHost, type HostPerson } from '../../../host-people.ts';
import { startServerOn } from '../../../suites.ts';
import { startServer, type Json, type TestServer } from '../../../server.ts';
import { openReceiver, type WebhookReceiver } from '../../../webhook-receiver.ts';

const VERSIONS = ['2022-11-28', '2026-03-10'];

onEachEngine((engine) => {
  let server: TestServer;
  let receiver: WebhookReceiver;
  let ada: HostPerson;
  let bob: HostPerson;
  let admin: HostPerson;

  before(async () => {
    server = await startServerOn(engine, { limits: 'off', allowPrivateWebhooks: true });
    receiver = await openReceiver();
    [ada, bob, admin] = await Promise.all([
      joinHost(server, 'ada'),
      joinHost(server, 'bob'),
      joinHost(server, 'chief', { role: 'admin' }),
    ]);
    const { status } = await admin.post('/admin/organizations', { login: 'acme', admin: 'ada' });
    assert.equal(status, 201);
    await ada.repository('demo');
    await ada.repository('secret', { private: true });
  });
  after(async () => {
    await server.stop();
    await receiver.close();
  });

  /** Where hooks are, and what else their replies have. */
  const PLACES = [
    ['/repos/ada/demo', 'Repository'],
    ['/orgs/acme', 'Organization'],
  ] as const;
  let paths = 0;
  const config = (more: Json = {}) => ({ url: `${receiver.url}/${(paths += 1)}`, ...more });
  /** The last response changes by itself. */
  const still = ({ last_response: _response, ...hook }: Json) => hook;
  const lines = (list: unknown) => (list as Json[]).map(({ id }) => id as number);

  for (const [place, type] of PLACES)
    describe(`webhooks of ${place}`, () => {
      test('a hook is created, listed, read, changed and deleted, in both versions', async () => {
        for (const version of VERSIONS) {
          const headers = { 'x-github-api-version': version };
          const sent = config({ content_type: 'json', secret: 'very secret', insecure_ssl: '1' });
          const created = await ada.call(`${place}/hooks`, {
            method: 'POST',
            headers,
            body: { name: 'web', config: sent, events: ['push', 'star', 'push'], active: true },
          });
          assert.equal(created.status, 201, created.text);
          const hook = created.json;
          assert.equal(created.headers.get('location'), hook['url']);
          assert.equal(hook['url'], `${server.url}${place}/hooks/${hook['id']}`);
          assert.deepEqual(
            [hook['type'], hook['name'], hook['active'], hook['events']],
            [type, 'web', true, ['push', 'star']],
          );
          assert.deepEqual(hook['config'], { ...sent, secret: '********' });
          assert.doesNotMatch(created.text, /very secret/);
          const path = `${place}/hooks/${hook['id']}`;
          const { json: list } = await ada.call(`${place}/hooks`, { headers });
          assert.ok(lines(list).includes(hook['id'] as number));
          assert.equal((await ada.call(path, { headers })).json['id'], hook['id']);
          const changed = await ada.call(path, {
            method: 'PATCH',
            headers,
            body: { active: false, events: ['*', 'fork'] },
          });
          assert.deepEqual([changed.json['active'], changed.json['events']], [false, ['*']]);
          const removed = await ada.call(path, { method: 'DELETE', headers });
          assert.equal(removed.status, 204);
          assert.equal((await ada.call(path, { headers })).status, 404);
          assert.equal((await ada.call(path, { method: 'DELETE', headers })).status, 404);
        }
      });

      test('a hook asks for pushes and forms unless told otherwise, and is on', async () => {
        const { json } = await ada.post(`${place}/hooks`, { config: config() });
        assert.deepEqual(
          [json['events'], json['config'].content_type, json['config'].insecure_ssl, json['active']],
          [['push'], 'form', '0', true],
        );
        assert.equal('secret' in json['config'], false);
      });

      test('a config sent whole loses its secret, and one field by field keeps it', async () => {
        const { json } = await ada.post(`${place}/hooks`, {
          config: config({ secret: 's', content_type: 'json' }),
        });
        const path = `${place}/hooks/${json['id']}`;
        const hasSecret = async () => 'secret' in (await ada.get(`${path}/config`)).json;
        const moved = await ada.patch(`${path}/config`, { url: `${receiver.url}/moved-${place}` });
        assert.equal(moved.status, 200, moved.text);
        assert.deepEqual(moved.json, {
          content_type: 'json',
          insecure_ssl: '0',
          secret: '********',
          url: `${receiver.url}/moved-${place}`,
        });
        assert.equal((await ada.patch(path, { config: { ...moved.json } })).status, 200);
        assert.equal(await hasSecret(), true);
        assert.equal((await ada.patch(path, { active: true })).status, 200);
        assert.equal(await hasSecret(), true);
        assert.equal((await ada.patch(`${path}/config`, { insecure_ssl: 1 })).json['insecure_ssl'], '1');
        assert.equal((await ada.patch(path, { config: config() })).status, 200);
        assert.equal(await hasSecret(), false);
        await ada.patch(`${path}/config`, { secret: 'again' });
        assert.equal(await hasSecret(), true);
        await ada.patch(`${path}/config`, { secret: '' });
        assert.equal(await hasSecret(), false);
      });

      test('hooks with the same config must not share events', async () => {
        const same = config({ content_type: 'json' });
        const create = (events: string[], more: Json = {}) =>
          ada.post(`${place}/hooks`, { config: { ...same, ...more }, events });
        assert.equal((await create(['push'])).status, 201);
        const twice = await create(['fork', 'push']);
        assert.equal(twice.status, 422);
        assert.equal(twice.json['message'], 'Validation Failed');
        assert.equal(twice.json['errors'][0].message, `Hook already exists on this ${type.toLowerCase()}`);
        assert.equal((await create(['*'])).status, 422);
        const other = await create(['fork']);
        assert.equal(other.status, 201);
        assert.equal((await create(['push'], { content_type: 'form' })).status, 201);
        const path = `${place}/hooks/${other.json['id']}`;
        assert.equal((await ada.patch(path, { events: ['push'] })).status, 422);
        assert.deepEqual((await ada.get(path)).json['events'], ['fork']);
      });

      test('of eight clients that create the same hook at once, one wins', async () => {
        const same = config();
        const answers = await Promise.all(
          Array.from({ length: 8 }, () => ada.post(`${place}/hooks`, { config: same })),
        );
        const statuses = answers.map(({ status }) => status).toSorted((one, two) => one - two);
        assert.deepEqual(statuses, [201, ...Array.from({ length: 7 }, () => 422)]);
      });

      test('an event has at most 20 hooks', async () => {
        const create = (events: string[]) => ada.post(`${place}/hooks`, { config: config(), events });
        const made: Json[] = [];
        for (;;) {
          const { status, json, text } = await create(['milestone']);
          if (status !== 201) {
            assert.match(text, /The \\"milestone\\" event cannot have more than 20 hooks/);
            break;
          }
          made.push(json);
          assert.ok(made.length <= 20);
        }
        assert.equal(made.length, 20);
        assert.equal((await create(['*'])).status, 422);
        const other = await create(['label']);
        assert.equal(other.status, 201);
        const path = `${place}/hooks/${other.json['id']}`;
        assert.equal((await ada.patch(path, { events: ['label', 'milestone'] })).status, 422);
        for (const { id } of made) assert.equal((await ada.delete(`${place}/hooks/${id}`)).status, 204);
        assert.equal((await create(['milestone'])).status, 201);
      });

      test('lists have pages', async () => {
        const { json: all } = await ada.get(`${place}/hooks?per_page=100`);
        const page = await ada.get(`${place}/hooks?per_page=2&page=2`);
        assert.deepEqual(lines(page.json), lines(all).slice(2, 4));
        assert.match(page.headers.get('link')!, /page=1&per_page=2>; rel="prev"|rel="prev"/);
      });

      test('what cannot be a hook is refused, and nothing is written', async () => {
        const { json: kept } = await ada.get(`${place}/hooks?per_page=100`);
        const { json: hook } = await ada.post(`${place}/hooks`, { config: config(), events: ['issues'] });
        const url = `${receiver.url}/refused`;
        for (const body of [
          undefined,
          [],
          {},
          { config: {} },
          { config: 'x' },
          { config: { url: 7 } },
          { config: { url: 'nonsense' } },
          { config: { url: 'ftp://example.com' } },
          { config: { url: 'javascript:alert(1)' } },
          { config: { url: 'http://user:pass@example.com' } },
          { config: { url: 'http://0.0.0.0/' } },
          { config: { url: `http://example.com/${'x'.repeat(2048)}` } },
          { config: { url: 'http://example.com/\0' } },
          { config: { url, content_type: 'xml' } },
          { config: { url, insecure_ssl: '2' } },
          { config: { url, insecure_ssl: true } },
          { config: { url, secret: 7 } },
          { config: { url, secret: 'x'.repeat(1025) } },
          { name: 'email', config: { url } },
          { config: { url }, events: 'push' },
          { config: { url }, events: [] },
          { config: { url }, events: ['nonsense'] },
          { config: { url }, events: ['__proto__'] },
          { config: { url }, events: [7] },
          { config: { url }, active: 'yes' },
        ]) {
          const created = await ada.post(`${place}/hooks`, body);
          assert.ok([400, 422].includes(created.status), `${JSON.stringify(body)}: ${created.status}`);
          const isEmpty = body === undefined || Object.keys(body).length === 0;
          if (isEmpty || Array.isArray(body) || 'url' in (body as Json)) continue;
          const [only] = Object.keys((body as Json)['config'] as Json);
          if (only === undefined) continue;
          const changed = await ada.patch(`${place}/hooks/${hook['id']}`, body);
          assert.ok([400, 422].includes(changed.status), `${JSON.stringify(body)}: ${changed.status}`);
        }
        for (const id of ['0', 'x', '-1', '99999999999999999999', '1.5'])
          for (const rest of ['', '/config', '/deliveries'])
            assert.equal((await ada.get(`${place}/hooks/${id}${rest}`)).status, 404, id);
        assert.equal((await ada.get(`${place}/hooks/999999`)).status, 404);
        assert.equal((await ada.patch(`${place}/hooks/999999`, { active: true })).status, 404);
        assert.equal((await ada.post(`${place}/hooks/999999/pings`)).status, 404);
        assert.equal((await ada.put(`${place}/hooks/${hook['id']}`, {})).status, 404);
        assert.deepEqual(still((await ada.get(`${place}/hooks/${hook['id']}`)).json), still(hook));
        await ada.delete(`${place}/hooks/${hook['id']}`);
        const { json: left } = await ada.get(`${place}/hooks?per_page=100`);
        assert.deepEqual((left as unknown as Json[]).map(still), (kept as unknown as Json[]).map(still));
      });

      test('to others there are no hooks', async () => {
        const { json: hook } = await ada.post(`${place}/hooks`, { config: config() });
        const path = `${place}/hooks/${hook['id']}`;
        const calls: [string, string, unknown?][] = [
          ['GET', `${place}/hooks`],
          ['POST', `${place}/hooks`, { config: config() }],
          ['POST', `${place}/hooks`, { config: 7 }],
          ['GET', path],
          ['PATCH', path, { active: false }],
          ['DELETE', path],
          ['GET', `${path}/config`],
          ['PATCH', `${path}/config`, { secret: 'x' }],
          ['POST', `${path}/pings`],
          ['GET', `${path}/deliveries`],
          ['GET', `${path}/deliveries/1`],
          ['POST', `${path}/deliveries/1/attempts`],
        ];
        for (const [method, called, body] of calls) {
          const init = { method, ...(body !== undefined && { body }) };
          assert.equal((await bob.call(called, init)).status, 404, `${method} ${called}`);
          assert.equal(
            (await server.call(called, { ...init, token: null })).status,
            401,
            `${method} ${called}`,
          );
        }
        assert.deepEqual((await ada.get(path)).json['active'], true);
        assert.equal((await admin.get(path)).status, 200);
      });
    });

  test('a hook is found at its own place only', async () => {
    const { json: hook } = await ada.post('/repos/ada/demo/hooks', { config: config() });
    assert.equal((await ada.get(`/repos/ada/secret/hooks/${hook['id']}`)).status, 404);
    assert.equal((await ada.get(`/orgs/acme/hooks/${hook['id']}`)).status, 404);
    assert.equal((await ada.delete(`/repos/ada/secret/hooks/${hook['id']}`)).status, 404);
    const { json: demo } = await ada.get('/repos/ada/demo');
    assert.equal((await ada.get(`/repositories/${demo['id']}/hooks/${hook['id']}`)).status, 200);
    const { json: acme } = await ada.get('/orgs/acme');
    assert.equal((await ada.get(`/organizations/${acme['id']}/hooks`)).status, 200);
  });

  test('a repository has no events of organizations, which hooks of an organization may ask for', async () => {
    const body = () => ({ config: config(), events: ['membership', 'organization', 'team'] });
    assert.equal((await ada.post('/repos/ada/demo/hooks', body())).status, 422);
    assert.equal((await ada.post('/orgs/acme/hooks', body())).status, 201);
  });

  test('events are added to a hook of a repository, and removed', async () => {
    const { json } = await ada.post('/repos/ada/demo/hooks', { config: config(), events: ['push'] });
    const path = `/repos/ada/demo/hooks/${json['id']}`;
    const add = await ada.patch(path, { add_events: ['fork', 'star', 'push'] });
    assert.deepEqual(add.json['events'], ['push', 'fork', 'star']);
    assert.deepEqual((await ada.patch(path, { remove_events: ['push'] })).json['events'], ['fork', 'star']);
    assert.equal((await ada.patch(path, { remove_events: ['fork', 'star'] })).status, 422);
    assert.equal((await ada.patch(path, { add_events: ['nonsense'] })).status, 422);
  });
});

test('a private address is refused unless the server allows it', async (t) => {
  const server = await startServer({ limits: 'off' });
  t.after(() => server.stop());
  await server.call('/user/repos', { method: 'POST', body: { name: 'demo' } });
  for (const url of ['http://127.0.0.1:1/', 'http://localhost/', 'http://10.0.0.1/', 'http://[::1]/']) {
    const { status, json } = await server.call('/repos/admin/demo/hooks', {
      method: 'POST',
      body: { config: { url } },
    });
    assert.equal(status, 422);
    assert.match(json['errors'][0].message, /--allow-private-webhooks/);
  }
});
