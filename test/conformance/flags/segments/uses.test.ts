// Segments in the rules of flags: a segment lists the flags that use it, and cannot be deleted while there is one.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { onEachEngine } from '../../../engines.ts';
import { type Json, type TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';
import { SEMANTIC } from '../sample-resources.ts';

onEachEngine((testEngine) => {
  let server: TestServer;
  const call: TestServer['call'] = (path, init) => server.call(`/api/v2/${path}`, init);
  const users = async (environment: string) => {
    const { json } = await call(`segments/default/${environment}/beta`);
    return (json['_flags'] as Json[]).map(({ key }) => key as string);
  };

  before(async () => {
    server = await startServerOn(testEngine);
    await call('segments/default/test', { method: 'POST', body: { key: 'beta', name: 'Beta' } });
    await call('flags/default', { method: 'POST', body: { key: 'banner', name: 'Banner' } });
  });
  after(() => server.stop());

  const instruct = (...instructions: object[]) =>
    call('flags/default/banner', {
      method: 'PATCH',
      headers: SEMANTIC,
      body: { environmentKey: 'test', instructions },
    });

  test('a rule that names a segment makes the flag known to it, and keeps it from being deleted', async () => {
    const { json: flag } = await call('flags/default/banner');
    const clause = { attribute: '', op: 'segmentMatch', values: ['beta'], negate: false };
    const variationId = flag['variations'][0]._id;
    const changed = await instruct({ kind: 'addRule', clauses: [clause], variationId });
    assert.equal(changed.status, 200, changed.text);
    assert.deepEqual(await users('test'), ['banner']);
    assert.equal((await call('segments/default/test/beta', { method: 'DELETE' })).status, 409);
  });

  test('an environment made from another has its segments, and its flags use them', async () => {
    const body = { key: 'staging', name: 'Staging', color: 'abcdef', source: { key: 'test' } };
    assert.equal((await call('projects/default/environments', { method: 'POST', body })).status, 201);
    assert.deepEqual(await users('staging'), ['banner']);
  });

  test('a segment that no rule names any more can be deleted', async () => {
    const { json: flag } = await call('flags/default/banner');
    const ruleId = flag['environments'].test.rules[0]._id;
    assert.equal((await instruct({ kind: 'removeRule', ruleId })).status, 200);
    assert.deepEqual(await users('test'), []);
    assert.equal((await call('segments/default/test/beta', { method: 'DELETE' })).status, 204);
    assert.equal((await call('segments/default/staging/beta', { method: 'DELETE' })).status, 409);
  });

  test('a flag that is made with rules of another is known at once', async () => {
    const body = { key: 'clone', name: 'Clone' };
    assert.equal((await call('flags/default?clone=banner', { method: 'POST', body })).status, 201);
    assert.deepEqual((await users('staging')).sort(), ['banner', 'clone']);
  });
});
