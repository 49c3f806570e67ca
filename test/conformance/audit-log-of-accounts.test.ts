// Who sees audit entries of what belongs to one account: two members against each other, on each engine.
import assert from 'node:assert/strict';
import { updateEntryOwner } from '../../src/kernel/change/store.ts';
import { onEachEngine } from '../engines.ts';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../git-tests.ts';
import { joinHost, type HostPerson } from '../host-people.ts';
import { giveToken } from '../people.ts';
import type { Json, TestServer } from '../server.ts';
import { startServerOn } from '../suites.ts';
import { openReceiver, type WebhookReceiver } from '../webhook-receiver.ts';
import { createTestOrganization } from './host/organization-calls.ts';

onEachEngine((engine) => {
  let server: TestServer;
  let receiver: WebhookReceiver;
  let ada: HostPerson;
  let bob: HostPerson;
  before(async () => {
    server = await startServerOn(engine, { limits: 'off', allowPrivateWebhooks: true });
    receiver = await openReceiver((response, { path }) => {
      response.statusCode = path === '/down' ? 503 : 200;
      response.end();
    });
    ada = await joinHost(server, 'ada');
    bob = await joinHost(server, 'bob');
  });
  after(async () => {
    await receiver.close();
    await server.stop();
  });

  const admin = (path: string) => server.call(path);
  const search = async (who: HostPerson['get'], query: string) => {
    const { status, text, json } = await who(`/api/v2/auditlog?limit=20&${query}`);
    assert.equal(status, 200, text);
    return json['items'] as Json[];
  };
  const data = ({ status, text, json }: Awaited<ReturnType<HostPerson['post']>>) => {
    assert.equal(status, 201, text);
    return json['data'] as Json;
  };

  /** Creates one of each, and returns their resources with the word that is in their names. */
  async function createAll(word: string): Promise<string[]> {
    const actor = data(await ada.post('/v2/acts', { name: `actor-${word}` }));
    const dataset = data(await ada.post(`/v2/datasets?name=dataset-${word}`));
    const store = data(await ada.post(`/v2/key-value-stores?name=store-${word}`));
    const queue = data(await ada.post(`/v2/request-queues?name=queue-${word}`));
    const task = data(await ada.post('/v2/actor-tasks', { actId: actor['id'], name: `task-${word}` }));
    const schedule = data(
      await ada.post('/v2/schedules', {
        name: `schedule-${word}`,
        isEnabled: false,
        isExclusive: false,
        cronExpression: '@daily',
        actions: [],
      }),
    );
    await ada.repository(`repository-${word}`, { private: true });
    const config = { url: `https://hooks.test/services/${word}` };
    const hook = await ada.post(`/repos/ada/repository-${word}/hooks`, { config });
    assert.equal(hook.status, 201, hook.text);
    return [
      `actor/${actor['id']}`,
      `dataset/${dataset['id']}`,
      `key-value-store/${store['id']}`,
      `request-queue/${queue['id']}`,
      `actor-task/${task['id']}`,
      `schedule/${schedule['id']}`,
      `repo/ada/repository-${word}`,
      `repo/ada/repository-${word}:hook/${hook.json['id']}`,
    ];
  }

  test('entries of what belongs to one account are for it and for administrators, by words, specifier, id and count', async () => {
    const start = server.clock.now() - 1;
    const resources = await createAll('umbra');
    const { value: reader } = await giveToken(server, bob.member, { role: 'reader' });
    const readerGet = (path: string) => server.call(path, { token: reader });
    for (const resource of resources) {
      const spec = `spec=${encodeURIComponent(resource)}`;
      const [seen] = await search(ada.get, spec);
      assert.equal(seen?.['target'].resources[0], resource);
      assert.equal((await search(admin, spec)).length > 0, true, resource);
      for (const other of [bob.get, readerGet]) {
        assert.deepEqual(await search(other, spec), [], resource);
        const { status, json } = await other(`/api/v2/auditlog/${seen._id}`);
        const absent = await other(`/api/v2/auditlog/${'0'.repeat(24)}`);
        const sameText: string = String(absent.json['message']).replace('0'.repeat(24), seen._id as string);
        assert.deepEqual([status, json['message']], [absent.status, sameText], resource);
      }
      assert.equal((await ada.get(`/api/v2/auditlog/${seen._id}`)).status, 200);
    }
    assert.deepEqual(await search(bob.get, 'q=umbra'), []);
    assert.equal((await search(ada.get, 'q=umbra')).length, resources.length);
    const count = async (who: HostPerson['post'], body?: Json[]) => {
      const path = `/api/v2/auditlog/counts?after=${start}&before=${server.clock.now() + 60_000}`;
      return (await who(path, body)).json['totalCount'] as number;
    };
    assert.equal(await count(bob.post), 0);
    assert.equal(await count(bob.post, [{ effect: 'allow', actions: ['*'], resources: ['dataset/*'] }]), 0);
    assert.equal(await count(ada.post), resources.length);
    const paged = await bob.get('/api/v2/auditlog?limit=1&q=umbra');
    assert.ok(!('next' in paged.json['_links']), paged.text);
  });

  test('a token that may not see the audit log of a resource does not see it as its owner', async () => {
    await createAll('narrow');
    const inlinePolicy = [
      { effect: 'allow' as const, actions: ['viewAuditLog'], resources: ['acct', 'dataset/*'] },
    ];
    const { value: token } = await giveToken(server, ada.member, { inlinePolicy });
    const found = await search((path) => server.call(path, { token }), 'q=narrow');
    assert.deepEqual(
      found.map(({ kind }) => kind),
      ['dataset'],
    );
  });

  test('entries of a deleted resource are for its last owner', async () => {
    const { id } = data(await ada.post('/v2/datasets?name=gone-with-wind'));
    assert.equal((await ada.delete(`/v2/datasets/${id}`)).status, 204);
    await ada.repository('gone-repository', { private: true });
    assert.equal((await ada.delete('/repos/ada/gone-repository')).status, 204);
    for (const resource of [`dataset/${id}`, 'repo/ada/gone-repository']) {
      assert.equal((await search(ada.get, `spec=${resource}`)).length, 2);
      assert.deepEqual(await search(bob.get, `spec=${resource}`), []);
    }
    // The next repository of this name is another one.
    await bob.repository('gone-repository');
    assert.deepEqual(await search(bob.get, 'spec=repo/ada/gone-repository'), []);
  });

  test('entries of a repository follow it to another owner, whatever it was called', async () => {
    await ada.repository('moves', { private: true });
    assert.equal((await ada.patch('/repos/ada/moves', { name: 'moves-renamed' })).status, 200);
    await createTestOrganization(server, 'works', { admin: 'bob', members: ['ada'] });
    const moved = await ada.post('/repos/ada/moves-renamed/transfer', { new_owner: 'works' });
    assert.equal(moved.status, 202, moved.text);
    // Those who own an organization see the entries of what it owns.
    for (const name of ['moves', 'moves-renamed']) {
      assert.deepEqual(await search(ada.get, `spec=repo/ada/${name}`), [], name);
      assert.ok((await search(bob.get, `spec=repo/ada/${name}`)).length > 0, name);
    }
    assert.ok((await search(bob.get, 'spec=org/works')).length > 0);
    assert.deepEqual(await search(ada.get, 'spec=org/works'), []);
  });

  test('entries of an earlier release, which name no owner, are for administrators', async () => {
    const { id } = data(await ada.post('/v2/datasets?name=before-the-upgrade'));
    const { db } = server.app.kernel;
    await db.updateTable('events').set({ owner_id: null }).where('resource', '=', `dataset/${id}`).execute();
    assert.deepEqual(await search(ada.get, 'q=upgrade'), []);
    assert.equal((await search(admin, 'q=upgrade')).length, 1);
    await updateEntryOwner(db, { ownerId: 'nobody' }, bob.member.id);
    assert.deepEqual(await search(bob.get, 'q=upgrade'), []);
  });

  test('a webhook receives entries of the account that saved it last, and of no other', async () => {
    const statements = [
      { effect: 'allow', actions: ['*'], resources: ['dataset/*', 'repo/*', 'repo/*:hook/*'] },
    ];
    const make = (who: HostPerson, path: string) =>
      who.post('/api/v2/webhooks', { url: `${receiver.url}${path}`, on: true, sign: false, statements });
    const own = await make(ada, '/ada');
    const foreign = await make(bob, '/bob');
    const taken = await make(ada, '/taken');
    for (const one of [own, foreign, taken]) assert.equal(one.status, 200, one.text);
    data(await ada.post('/v2/datasets?name=delivered-first'));
    await receiver.wait('/taken');
    const value = `${receiver.url}/thief`;
    const change = [{ op: 'replace', path: '/url', value }];
    const path = `/api/v2/webhooks/${taken.json['_id']}`;
    assert.equal((await bob.patch(path, change)).status, 200);
    const [delivery] = (await bob.get(`${path}/deliveries`)).json['items'] as Json[];
    const again = await bob.post(`${path}/deliveries/${delivery!['_id']}/redeliver`);
    assert.equal(again.status, 401, again.text);
    assert.ok(!('body' in (await bob.get(`${path}/deliveries/${delivery!['_id']}`)).json));
    data(await ada.post('/v2/datasets?name=delivered-second'));
    await ada.repository('delivered-third', { private: true });
    await receiver.wait('/ada', 3);
    data(await bob.post('/v2/datasets?name=delivered-last'));
    await receiver.wait('/bob');
    await receiver.wait('/thief');
    const namesAt = (at: string) => receiver.at(at).map(({ json }) => json['name'] as string);
    assert.deepEqual(namesAt('/bob'), ['delivered-last']);
    assert.deepEqual(namesAt('/thief'), ['delivered-last']);
    // What waits to be sent again is not sent to where another has turned the webhook.
    const waiting = await make(ada, '/down');
    data(await ada.post('/v2/datasets?name=delivered-never'));
    await receiver.wait('/down');
    const waits = `/api/v2/webhooks/${waiting.json['_id']}`;
    assert.equal((await bob.patch(waits, change)).status, 200);
    const [stopped] = (await bob.get(`${waits}/deliveries`)).json['items'] as Json[];
    assert.deepEqual(
      [stopped!['state'], stopped!['error']],
      ['failed', 'Another account changed the webhook.'],
    );
    for (const hook of [own, foreign, taken, waiting])
      await server.call(`/api/v2/webhooks/${hook.json['_id']}`, { method: 'DELETE' });
  });

  test('the URLs of webhooks in entries are cut to their origins', async () => {
    const url = 'https://hooks.test:8443/services/t0psecret?key=t0psecret';
    const made = await ada.post('/api/v2/webhooks', { url, on: false, sign: false });
    assert.equal(made.status, 200, made.text);
    const id = made.json['_id'] as string;
    const patch = [{ op: 'replace', path: '/url', value: `${url}2` }];
    assert.equal((await ada.patch(`/api/v2/webhooks/${id}`, patch)).status, 200);
    const config = { datasetName: 'x', apiKey: 'y' };
    const none = await ada.post('/api/v2/integrations/honeycomb', { name: 'one', on: false, config });
    assert.equal(none.status, 201, none.text);
    const splunk = { 'base-url': 'https://splunk.test/t0psecret', token: 'x' };
    const sent = await ada.post('/api/v2/integrations/splunk', { name: 'two', on: false, config: splunk });
    assert.equal(sent.status, 201, sent.text);
    await ada.repository('with-hook');
    const hook = await ada.post('/repos/ada/with-hook/hooks', { config: { url } });
    assert.equal(hook.status, 201, hook.text);
    const specs = [`webhook/${id}`, 'integration/splunk', `repo/ada/with-hook:hook/${hook.json['id']}`];
    for (const spec of specs) {
      const entries = await search(ada.get, `spec=${encodeURIComponent(spec)}`);
      assert.ok(entries.length > 0, spec);
      for (const { _id } of entries) {
        for (const who of [ada.get, admin]) {
          const { text } = await who(`/api/v2/auditlog/${_id}`);
          assert.ok(!text.includes('t0psecret'), text);
          assert.ok(/https:\/\/(hooks\.test:8443|splunk\.test)"/.test(text), text);
        }
      }
    }
  });
});
