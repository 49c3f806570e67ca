// Flag configurations when environments are created and deleted, on a running server with each engine.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { onEachEngine } from '../../engines.ts';
import type { Json, TestServer } from '../../server.ts';
import { startServerOn } from '../../suites.ts';

const SEMANTIC = { 'content-type': 'application/json; domain-model=flagservice.semanticpatch' };

onEachEngine((engine) => {
  let server: TestServer;
  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
  });
  after(() => server.stop());

  async function post(path: string, body: object): Promise<Json> {
    const { status, json } = await server.call(`/api/v2/${path}`, { method: 'POST', body });
    assert.equal(status, 201, JSON.stringify(json));
    return json;
  }

  const addEnvironment = (project: string, key: string, more: object = {}) =>
    post(`projects/${project}/environments`, { key, name: key, color: 'aabbcc', ...more });

  async function configsOf(project: string, flag: string): Promise<Record<string, Json>> {
    const { status, json } = await server.call(`/api/v2/flags/${project}/${flag}`);
    assert.equal(status, 200);
    return json['environments'] as Record<string, Json>;
  }

  test('a variation that goes while an environment comes is gone in it, too', async () => {
    await post('projects', { key: 'racing', name: 'Racing' });
    for (let round = 0; round < 10; round += 1) {
      const flag = `flag-${round}`;
      const variations = [{ value: 'a' }, { value: 'b' }, { value: 'c' }];
      const defaults = { onVariation: 0, offVariation: 2 };
      const made = await post('flags/racing', { key: flag, name: flag, variations, defaults });
      const instructions = [{ kind: 'removeVariation', variationId: made['variations'][1]._id }];
      const [{ status, text }] = await Promise.all([
        server.call(`/api/v2/flags/racing/${flag}`, {
          method: 'PATCH',
          headers: SEMANTIC,
          body: { instructions },
        }),
        addEnvironment('racing', `environment-${round}`),
      ]);
      assert.equal(status, 200, text);
      const configs = Object.values(await configsOf('racing', flag));
      assert.deepEqual(new Set(configs.map(({ offVariation }) => offVariation)), new Set([1]));
    }
  });

  test('a new environment begins with every flag off, or as in its source', async () => {
    await post('projects', { key: 'one', name: 'One' });
    await post('flags/one', { key: 'banner', name: 'Banner' });
    const turned = await server.call('/api/v2/flags/one/banner', {
      method: 'PATCH',
      headers: SEMANTIC,
      body: { environmentKey: 'test', instructions: [{ kind: 'turnFlagOn' }] },
    });
    assert.equal(turned.status, 200);
    await addEnvironment('one', 'fresh', { defaultTrackEvents: true });
    await addEnvironment('one', 'copied', { source: { key: 'test' } });
    const configs = await configsOf('one', 'banner');
    assert.deepEqual(Object.keys(configs).toSorted(), ['copied', 'fresh', 'production', 'test']);
    const isOn = (key: string) => configs[key]!['on'] as boolean;
    assert.deepEqual([isOn('test'), isOn('copied'), isOn('fresh')], [true, true, false]);
    assert.deepEqual([configs['fresh']!['trackEvents'], configs['copied']!['trackEvents']], [true, false]);
    assert.equal(configs['copied']!['version'], 1);
  });

  test('flags and environments that are made at once all find each other', async () => {
    await post('projects', { key: 'two', name: 'Two' });
    const keys = Array.from({ length: 6 }, (_, index) => `k${index}`);
    await Promise.all([
      ...keys.map((key) => post('flags/two', { key, name: key })),
      ...keys.map((key) => addEnvironment('two', key)),
    ]);
    for (const key of keys) {
      assert.deepEqual(Object.keys(await configsOf('two', key)).toSorted(), [...keys, 'production', 'test']);
    }
  });

  test('a deleted environment is gone from every flag, and a deleted project takes its flags along', async () => {
    await post('projects', { key: 'three', name: 'Three' });
    await post('flags/three', { key: 'banner', name: 'Banner' });
    const remove = async (path: string) =>
      assert.equal((await server.call(`/api/v2/${path}`, { method: 'DELETE' })).status, 204);
    await remove('projects/three/environments/test');
    assert.deepEqual(Object.keys(await configsOf('three', 'banner')), ['production']);
    await remove('projects/three');
    assert.equal((await server.call('/api/v2/flags/three/banner')).status, 404);
    await post('projects', { key: 'three', name: 'Three again' });
    assert.equal((await server.call('/api/v2/flags/three')).json['totalCount'], 0);
  });
});
