// Changes at the same time: eight clients change one thing over and over, for everything that can change.
// No call fails on the server's side, none is turned away for what it did not ask for, and no change is lost.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { actorsApi } from '../../src/actors/api.ts';
import { flagsApi } from '../../src/flags/api.ts';
import type { TestEngine } from '../engines.ts';
import type { TestServer } from '../server.ts';
import { startServerOn } from '../suites.ts';
import { declareAccount } from './account.ts';
import { declareEverything } from './everything.ts';
import { declareFlags } from './flags.ts';
import { declarePending } from './pending.ts';
import { declareProjects } from './projects.ts';
import { declareStorages } from './storages.ts';

export function declareWalk(engine: TestEngine): void {
  let server: TestServer;
  before(async () => {
    server = await startServerOn(engine, { limits: 'off', allowPrivateWebhooks: true });
  });
  after(() => server.stop());

  declareFlags(() => server);
  declarePending(() => server);
  declareProjects(() => server);
  declareAccount(() => server);
  declareStorages(() => server);
  declareEverything(() => server);

  // Tools answer, and keep nothing.
  test('every route that changes something is among them', () => {
    const called = new Set(server.log.map(({ route }) => route));
    const missing = [...flagsApi.routes, ...actorsApi.routes]
      .map(({ shape }) => shape)
      .filter(({ id, method }) => method !== 'GET' && !called.has(id) && !id.startsWith('tools_'));
    assert.deepEqual(
      missing.map(({ id }) => id),
      [],
    );
  });
}
