// Filters of the list of flags that are about one environment: on or off, changed since, scheduled, waiting for approval.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { onEachEngine } from '../../../engines.ts';
import type { Json, TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';
import { assertRefused, flagCalls, keysOf } from './feature-flag-calls.ts';

const HOUR = 3_600_000;

onEachEngine((engine) => {
  let server: TestServer;
  let flags: ReturnType<typeof flagCalls>;

  const list = async (filter: string): Promise<string[]> =>
    keysOf(await flags.list(`sort=key&filter=${encodeURIComponent(filter)}`));
  const post = async (path: string, body: Json): Promise<void> => {
    const { status, text } = await server.call(`/api/v2/projects/default/flags/${path}`, {
      method: 'POST',
      body,
    });
    assert.equal(status, 201, text);
  };

  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    server.clock.stop();
    flags = flagCalls(server);
    for (const key of ['alpha', 'beta', 'gamma']) await flags.make(key);
    server.clock.ahead += HOUR;
    for (const [key, environment] of [
      ['alpha', 'test'],
      ['beta', 'production'],
    ] as const)
      assert.equal((await flags.instruct(key, environment, [{ kind: 'turnFlagOn' }])).status, 200);
  });
  after(() => server.stop());

  test('on and off are those of the environment', async () => {
    assert.deepEqual(await list('filterEnv:test,targeting:on'), ['alpha']);
    assert.deepEqual(await list('filterEnv:production,targeting:on'), ['beta']);
    assert.deepEqual(await list('filterEnv:test,targeting:off'), ['beta', 'gamma']);
    assert.deepEqual(await list('filterEnv:test,targeting:off,query:gam'), ['gamma']);
  });

  test('the total counts what the filter leaves', async () => {
    const { totalCount } = await flags.list('limit=1&filter=filterEnv:test,targeting:off');
    assert.equal(totalCount, 2);
  });

  test('the time of the last change of targeting is that of the environment', async () => {
    const at = server.clock.now() - HOUR / 2;
    assert.deepEqual(await list(`filterEnv:test,targetingModifiedDate:{"after":${at}}`), ['alpha']);
    assert.deepEqual(await list(`filterEnv:test,targetingModifiedDate:{"before":${at}}`), ['beta', 'gamma']);
  });

  test('scheduled changes and waiting approvals are found in their environment', async () => {
    const instructions = [{ kind: 'turnFlagOff' }];
    const executionDate = server.clock.now() + HOUR;
    await post('beta/environments/test/scheduled-changes', { executionDate, instructions });
    await post('gamma/environments/test/approval-requests', { description: 'Please', instructions });
    assert.deepEqual(await list('filterEnv:test,hasScheduledChanges:true'), ['beta']);
    assert.deepEqual(await list('filterEnv:test,hasScheduledChanges:false'), ['alpha', 'gamma']);
    assert.deepEqual(await list('filterEnv:production,hasScheduledChanges:true'), []);
    assert.deepEqual(await list('filterEnv:test,hasWaitingApprovals:true'), ['gamma']);
    assert.deepEqual(await list('filterEnv:test,hasWaitingApprovals:false,targeting:off'), ['beta']);
    assert.deepEqual(await list('filterEnv:test,hasWaitingApprovals:true,hasScheduledChanges:true'), []);
  });

  test('what cannot be is refused, and says what is right', async () => {
    for (const [filter, words] of [
      ['targeting:on', /filterEnv/],
      ['hasScheduledChanges:true', /filterEnv/],
      ['filterEnv:test,targeting:maybe', /on, off/],
      ['filterEnv:test,hasScheduledChanges:2', /true or false/],
      ['filterEnv:test,hasWaitingApprovals:', /true or false/],
      ['filterEnv:test,targetingModifiedDate:yesterday', /epoch/],
      ['filterEnv:test,targetingModifiedDate:{}', /epoch/],
    ] as const) {
      const answer = await server.call(`/api/v2/flags/default?filter=${encodeURIComponent(filter)}`);
      assertRefused(answer, 400, 'invalid_request', words);
    }
    const unknown = await server.call('/api/v2/flags/default?filter=filterEnv:nowhere,targeting:on');
    assert.equal(unknown.status, 404);
  });
});
