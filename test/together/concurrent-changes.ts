// Concurrent changes: eight clients change one resource repeatedly, for every resource. No call fails with a server error,
// none is refused because of other clients, and no change is lost.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { actorsApi } from '../../src/actors/api.ts';
import { flagsApi } from '../../src/flags/api.ts';
import type { TestEngine } from '../engines.ts';
import type { TestServer } from '../server.ts';
import { startServerOn } from '../suites.ts';
import { declareAccount } from './account.ts';
import { declareActorWebhooks } from './actor-webhooks.ts';
import { declareActors } from './actors.ts';
import { declareBranchProtection } from './branch-protection.ts';
import { declareCodeReferences } from './code-references.ts';
import { declareEveryRoute } from './every-route.ts';
import { declareFlags } from './flags.ts';
import { declareHostHooks } from './host-hooks.ts';
import { declareOrganizations } from './organizations.ts';
import { declarePlannedChanges } from './planned-changes.ts';
import { declareProjects } from './projects.ts';
import { declareStorages } from './storages.ts';

export function declareConcurrentChanges(engine: TestEngine): void {
  let server: TestServer;
  before(async () => {
    server = await startServerOn(engine, { limits: 'off', allowPrivateWebhooks: true });
  });
  after(() => server.stop());

  declareFlags(() => server);
  declarePlannedChanges(() => server);
  declareProjects(() => server);
  declareAccount(() => server);
  declareCodeReferences(() => server);
  declareStorages(() => server);
  declareActors(() => server);
  declareActorWebhooks(() => server);
  declareOrganizations(() => server);
  declareBranchProtection(() => server);
  declareHostHooks(() => server);
  declareEveryRoute(() => server);

  // Tools store nothing, and an alias has the handler of its original.
  test('every route that changes something is among them', () => {
    const called = new Set(server.log.map(({ route }) => route));
    const missing = [...flagsApi.routes, ...actorsApi.routes]
      .map(({ shape }) => shape)
      .filter(({ aliasOf }) => aliasOf === undefined)
      .filter(({ id, method }) => method !== 'GET' && !called.has(id) && !id.startsWith('tools_'));
    assert.deepEqual(
      missing.map(({ id }) => id),
      [],
    );
  });
}
