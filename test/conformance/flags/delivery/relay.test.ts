// What a Relay Proxy asks for, on a running server with each engine: the stream of its environments, and big segments.
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { onEachEngine, onEngine } from '../../../engines.ts';
import { EventReader } from '../../../event-stream.ts';
import type { Json, TestServer } from '../../../server.ts';
import { startNodes, startServerOn, type Nodes } from '../../../suites.ts';
import { allow, expect, giveMember, MINUTE } from '../control-calls.ts';
import { RelayClient } from './relay-calls.ts';

let number = 0;

/** Calls in two projects, `a…` and `b…`, each with `test` and `production`. */
async function openHome(server: TestServer) {
  number += 1;
  const [a, b] = [`a${number}`, `b${number}`];
  const call: TestServer['call'] = (path, init) => server.call(`/api/v2/${path}`, init);
  for (const key of [a, b])
    await expect(201, call('projects', { method: 'POST', body: { key, name: `Project ${key}`, tags: [] } }));
  const configs = 'account/relay-auto-configs';
  const policyFor = (...resources: string[]) => [{ effect: 'allow', actions: ['*'], resources }];
  return {
    a,
    b,
    call,
    policyFor,
    read: async (project: string, environment: string) =>
      (await expect(200, call(`projects/${project}/environments/${environment}`))).json,
    create: async (policy: unknown) => {
      const { json } = await expect(201, call(configs, { method: 'POST', body: { name: 'Relay', policy } }));
      return { id: json['_id'] as string, key: json['fullKey'] as string };
    },
    patch: (path: string, body: unknown) => expect(200, call(path, { method: 'PATCH', body })),
    setPolicy: (id: string, value: unknown) =>
      expect(
        200,
        call(`${configs}/${id}`, { method: 'PATCH', body: [{ op: 'replace', path: '/policy', value }] }),
      ),
    reset: async (id: string, query = '') =>
      (await expect(200, call(`${configs}/${id}/reset${query}`, { method: 'POST' }))).json[
        'fullKey'
      ] as string,
    remove: (path: string) => expect(204, call(path, { method: 'DELETE' })),
    removeConfig: (id: string) => expect(204, call(`${configs}/${id}`, { method: 'DELETE' })),
  };
}

type Home = Awaited<ReturnType<typeof openHome>>;

onEachEngine((engine) => {
  let server: TestServer;
  let home: Home;
  const open: { close(): void }[] = [];
  before(async () => {
    server = await startServerOn(engine, { limits: 'off', streamHeartbeat: 1 });
  });
  beforeEach(async () => {
    home = await openHome(server);
  });
  afterEach(() => {
    for (const client of open.splice(0)) client.close();
  });
  after(() => server.stop());

  async function connect(key: string): Promise<RelayClient> {
    const relay = await RelayClient.connect(server, key);
    open.push(relay);
    return relay;
  }

  async function connected(key: string): Promise<RelayClient> {
    const relay = await connect(key);
    assert.equal(relay.reader.status, 200);
    await relay.reader.next();
    return relay;
  }

  const ofA = () => home.policyFor(`proj/${home.a}:env/*`);

  describe('the stream of environments', () => {
    test('begins with all that the policy allows, whole', async () => {
      const { key } = await home.create(ofA());
      const relay = await connected(key);
      assert.match(String(relay.reader.headers['content-type']), /text\/event-stream/);
      assert.deepEqual(relay.names, [`${home.a}/production`, `${home.a}/test`]);
      const environment = await home.read(home.a, 'production');
      const { version, ...rest } = relay.find(home.a, 'production')!;
      assert.ok(Number.isInteger(version) && version > 0);
      assert.deepEqual(rest, {
        envID: environment['_id'],
        envKey: 'production',
        envName: 'Production',
        mobKey: environment['mobileKey'],
        projKey: home.a,
        projName: `Project ${home.a}`,
        sdkKey: { value: environment['apiKey'] },
        defaultTtl: 0,
        secureMode: false,
      });
      const { status } = await server.call('/sdk/latest-all', { token: rest['sdkKey'].value as string });
      assert.equal(status, 200, 'the key is one that SDKs use');
    });

    test('is opened by the key of a configuration, and by no other credential', async () => {
      const { key } = await home.create(ofA());
      const { apiKey } = await home.read(home.a, 'test');
      const [{ token }] = [await giveMember(server, { role: 'admin' }, 'admin')];
      for (const wrong of ['', 'rel-unknown', key.slice(4), `${key}x`, apiKey as string, token]) {
        const { status } = (await connect(wrong)).reader;
        assert.equal(status, 401, wrong);
      }
      assert.equal((await connect(`Bearer ${key}`)).reader.status, 200);
      const rest = await server.call('/api/v2/projects', { token: key });
      assert.equal(rest.status, 401, 'and the key opens nothing else');
    });

    test('has nothing where the policy allows nothing, or denies it', async () => {
      const { key } = await home.create([]);
      assert.deepEqual((await connected(key)).names, []);
      const denied = { effect: 'deny', actions: ['*'], resources: [`proj/${home.a}:env/production`] };
      const { key: other } = await home.create([...ofA(), denied]);
      assert.deepEqual((await connected(other)).names, [`${home.a}/test`]);
    });

    test('sends what is made, changed and deleted, and nothing of others', async () => {
      const { key } = await home.create(ofA());
      const relay = await connected(key);
      const body = { key: 'stage', name: 'Stage', color: 'aabbcc' };
      for (const project of [home.b, home.a])
        await expect(201, home.call(`projects/${project}/environments`, { method: 'POST', body }));
      await relay.until(({ names }) => names.includes(`${home.a}/stage`));
      const at = `projects/${home.a}/environments/stage`;
      const changes = { name: 'Staging', defaultTtl: 7, secureMode: true };
      for (const [name, value] of Object.entries(changes))
        await home.patch(at, [{ op: 'replace', path: `/${name}`, value }]);
      const seen = () => relay.find(home.a, 'stage');
      await relay.until(() => seen()?.['secureMode'] === true);
      assert.deepEqual(
        [seen()!['envName'], seen()!['defaultTtl'], seen()!['secureMode']],
        ['Staging', 7, true],
      );
      await home.patch(`projects/${home.a}`, [{ op: 'replace', path: '/name', value: 'Renamed' }]);
      await relay.until(() =>
        ['stage', 'test'].every((name) => relay.find(home.a, name)?.['projName'] === 'Renamed'),
      );
      await home.remove(at);
      await relay.until(() => seen() === undefined);
      assert.deepEqual(relay.names, [`${home.a}/production`, `${home.a}/test`]);
      const kinds = new Set(relay.reader.events.map(({ event }) => event));
      assert.deepEqual([...kinds].toSorted(), ['delete', 'patch', 'put']);
      assert.equal(relay.reader.events.filter(({ event }) => event === 'put').length, 1);
    });

    test('ends for environments of a project that is deleted', async () => {
      const { key } = await home.create(home.policyFor(`proj/${home.a}:env/*`, `proj/${home.b}:env/test`));
      const relay = await connected(key);
      assert.equal(relay.names.length, 3);
      await home.remove(`projects/${home.a}`);
      await relay.until(({ names }) => names.length === 1);
      assert.deepEqual(relay.names, [`${home.b}/test`]);
    });

    test('tells new keys, and old ones until they expire', async () => {
      const { key } = await home.create(ofA());
      const relay = await connected(key);
      const old = await home.read(home.a, 'test');
      const expiry = server.clock.now() + MINUTE;
      const reset = (what: string) =>
        expect(
          200,
          home.call(`projects/${home.a}/environments/test/${what}?expiry=${expiry}`, { method: 'POST' }),
        );
      await reset('apiKey');
      await reset('mobileKey');
      const now = await home.read(home.a, 'test');
      await relay.until(() => relay.find(home.a, 'test')!['mobKey'] === now['mobileKey']);
      const seen = relay.find(home.a, 'test')!;
      assert.deepEqual(seen['sdkKey'], {
        value: now['apiKey'],
        expiring: { value: old['apiKey'], timestamp: expiry },
      });
      assert.deepEqual(
        (seen['mobileKeys'] as Json[]).map(({ value, expiry: until }) => [value, until]),
        [
          [now['mobileKey'], undefined],
          [old['mobileKey'], expiry],
        ],
      );
      server.clock.goTo(expiry + 1);
      const again = (await connected(key)).find(home.a, 'test')!;
      assert.deepEqual([again['sdkKey'], again['mobileKeys']], [{ value: now['apiKey'] }, undefined]);
    });

    test('gives an environment with a new client-side ID under that', async () => {
      const { key } = await home.create(ofA());
      const relay = await connected(key);
      const { _id: old } = await home.read(home.a, 'test');
      await expect(200, home.call(`projects/${home.a}/environments/test/clientSideId`, { method: 'POST' }));
      const { _id: id } = await home.read(home.a, 'test');
      await relay.until(({ environments }) => environments.has(id as string));
      assert.equal(relay.environments.has(old as string), false);
      assert.equal(relay.names.length, 2);
    });

    test('follows the policy, there and back again', async () => {
      const { id, key } = await home.create(ofA());
      const relay = await connected(key);
      await home.setPolicy(id, home.policyFor(`proj/${home.a}:env/test`));
      await relay.until(({ names }) => names.length === 1);
      assert.deepEqual(relay.names, [`${home.a}/test`]);
      await home.setPolicy(id, home.policyFor('proj/*:env/production'));
      await relay.until(({ names }) => names.includes(`${home.a}/production`));
      assert.equal(relay.names.includes(`${home.a}/test`), false);
      await home.setPolicy(id, ofA());
      await relay.until(({ names }) => names.join() === `${home.a}/production,${home.a}/test`);
    });

    test('follows tags that the policy names', async () => {
      const { key } = await home.create(home.policyFor(`proj/${home.a}:env/*;edge`));
      const relay = await connected(key);
      assert.deepEqual(relay.names, []);
      const at = `projects/${home.a}/environments/test`;
      for (const tags of [['edge'], [], ['edge', 'more']]) {
        await home.patch(at, [{ op: 'replace', path: '/tags', value: tags }]);
        await relay.until(({ names }) => names.length === Math.min(tags.length, 1));
      }
    });

    test('has heartbeats, and is whole again after a reconnection', async () => {
      const { key } = await home.create(ofA());
      const relay = await connected(key);
      await relay.reader.commented();
      relay.close();
      await home.remove(`projects/${home.a}/environments/test`);
      assert.deepEqual((await connected(key)).names, [`${home.a}/production`]);
    });

    test('ends with its configuration', async () => {
      const { id, key } = await home.create(ofA());
      const relay = await connected(key);
      await home.removeConfig(id);
      await relay.reader.ended();
      assert.equal((await connect(key)).reader.status, 401);
    });

    test('ends with its key: at once, or when the old one expires', async () => {
      const { id, key } = await home.create(ofA());
      const [first, other] = [await connected(key), await connected((await home.create(ofA())).key)];
      const second = await home.reset(id);
      await first.reader.ended();
      assert.equal((await connect(key)).reader.status, 401);
      const relay = await connected(second);
      const expiry = server.clock.now() + MINUTE;
      const third = await home.reset(id, `?expiry=${expiry}`);
      const late = await connected(second);
      await home.patch(`projects/${home.a}`, [{ op: 'replace', path: '/name', value: 'Meanwhile' }]);
      const isRenamed = (client: RelayClient) => client.find(home.a, 'test')?.['projName'] === 'Meanwhile';
      for (const client of [relay, late, await connected(third)]) await client.until(isRenamed);
      server.clock.goTo(expiry + 1);
      await Promise.all([relay.reader.ended(), late.reader.ended()]);
      assert.equal((await connect(second)).reader.status, 401);
      assert.equal((await connected(third)).names.length, 2);
      assert.equal(other.reader.isEnded, false, 'another configuration is not concerned');
    });

    test('F35 its key is for those who may see the keys of all its environments', async () => {
      const actions = ['viewRelayAutoConfiguration', 'createRelayAutoConfiguration'];
      const more = ['updateRelayAutoConfigurationPolicy', 'resetRelayAutoConfiguration'];
      const { token } = await giveMember(server, {
        inlinePolicy: [
          { effect: 'allow', actions: [...actions, ...more], resources: ['relay-proxy-config/*'] },
          ...allow(['viewSdkKey'], [`proj/${home.a}:env/test`]),
        ],
      });
      const configs = 'account/relay-auto-configs';
      const post = (policy: unknown) =>
        home.call(configs, { method: 'POST', token, body: { name: 'Mine', policy } });
      const refused = await expect(401, post(ofA()));
      assert.deepEqual(refused.json['access'], {
        action: 'viewSdkKey',
        resource: `proj/${home.a}:env/production`,
      });
      const narrow = home.policyFor(`proj/${home.a}:env/test`);
      const { json } = await expect(201, post(narrow));
      const at = `${configs}/${json['_id'] as string}`;
      await expect(401, home.call(at, { method: 'PATCH', token, body: { policy: ofA() } }));
      await expect(200, home.call(`${at}/reset`, { method: 'POST', token }));
      await home.setPolicy(json['_id'] as string, ofA());
      await expect(401, home.call(`${at}/reset`, { method: 'POST', token }));
    });
  });

  describe('big segments', () => {
    const authorized = async () => (await home.read(home.a, 'test'))['apiKey'] as string;
    const revisions = (token: string, query = '') =>
      server.call(`/sdk/big-segments/revisions${query}`, { token });
    const stream = async (token: string) => {
      const reader = await EventReader.open(`${server.url}/big-segments`, {
        headers: { authorization: token },
      });
      open.push(reader);
      return reader;
    };

    test('where there are none, there is nothing to synchronize, and the stream stays open', async () => {
      const key = await authorized();
      for (const query of ['', '?after=12']) {
        const { status, json } = await revisions(key, query);
        assert.deepEqual([status, json], [200, []]);
      }
      const reader = await stream(key);
      assert.equal(reader.status, 200);
      await reader.commented();
      assert.deepEqual([reader.events, reader.isEnded], [[], false]);
    });

    test('where there are some, the Relay Proxy is told that it gets no members', async () => {
      const body = { key: 'crowd', name: 'Crowd', unbounded: true, unboundedContextKind: 'user' };
      const key = await authorized();
      await expect(201, home.call(`segments/${home.a}/test`, { method: 'POST', body }));
      const answer = await revisions(key);
      assert.equal(answer.status, 400);
      assert.match(String(answer.json['message']), /big segments/);
      assert.equal((await stream(key)).status, 400);
    });

    test('are for SDK keys alone', async () => {
      const { mobileKey } = await home.read(home.a, 'test');
      for (const wrong of ['', mobileKey as string, 'sdk-unknown']) {
        assert.equal((await revisions(wrong)).status, 401, wrong);
        assert.equal((await stream(wrong)).status, 401, wrong);
      }
    });
  });
});

onEngine('postgres', (engine) => {
  let nodes: Nodes;
  before(async () => {
    nodes = await startNodes(engine);
  });
  after(() => nodes.stop());

  test('what changes on one node reaches the Relay Proxies of the other', async () => {
    const home = await openHome(nodes.server);
    const { id, key } = await home.create(home.policyFor(`proj/${home.a}:env/*`));
    const relay = await RelayClient.connect(nodes.other!, key);
    await relay.until(({ names }) => names.length === 2);
    await home.patch(`projects/${home.a}/environments/test`, [
      { op: 'replace', path: '/name', value: 'Elsewhere' },
    ]);
    await relay.until(() => relay.find(home.a, 'test')?.['envName'] === 'Elsewhere');
    await home.setPolicy(id, home.policyFor(`proj/${home.a}:env/test`));
    await relay.until(({ names }) => names.length === 1);
    await home.removeConfig(id);
    await relay.reader.ended();
  });
});
