// An instruction of an unknown kind: the error says which kinds there are, on every resource that takes instructions.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startServer, type Json, type TestServer } from '../../../server.ts';
import { SEMANTIC } from './feature-flag-calls.ts';

let server: TestServer;
const call: TestServer['call'] = (path, init) => server.call(`/api/v2/${path}`, init);

async function create(path: string, body: Json): Promise<Json> {
  const { status, json, text } = await call(path, { method: 'POST', body });
  assert.equal(status, 201, text);
  return json;
}

const TURN_ON = [{ kind: 'turnFlagOn' }];

before(async () => {
  server = await startServer();
  await create('flags/default', { key: 'flag', name: 'Flag' });
  await create('segments/default/test', { key: 'few', name: 'Few' });
  await create('teams', { key: 'crew', name: 'Crew' });
});
after(() => server.stop());

/** What each knows, in part. */
const RESOURCES: [path: string, kinds: string[]][] = [
  ['flags/default/flag', ['turnFlagOn', 'addRule', 'updateName', 'archiveFlag', 'replaceTargets']],
  ['segments/default/test/few', ['addIncludedTargets', 'updateName', 'addRule']],
  ['flags/default/flag/expiring-targets/test', ['addExpiringTarget', 'removeExpiringTarget']],
  ['segments/default/few/expiring-targets/test', ['addExpiringTarget', 'updateExpiringTarget']],
  ['teams/crew', ['addMembers', 'updateName']],
  ['teams', ['addMembersToTeams']],
  ['members', ['replaceMembersRoles']],
];

for (const [path, kinds] of RESOURCES) {
  test(`F17 F18 PATCH /${path} lists the kinds that there are`, async () => {
    const { status, json } = await call(path, {
      method: 'PATCH',
      headers: { ...SEMANTIC, 'ld-api-version': 'beta' },
      body: { environmentKey: 'test', instructions: [{ kind: 'makeCoffee' }] },
    });
    assert.equal(status, 422);
    assert.match(json.message, /^instructions\[0\] \(makeCoffee\): /);
    for (const kind of kinds) assert.match(json.message, new RegExp(`\\b${kind}\\b`));
  });
}

test('F17 F18 plans of a flag list the kinds that they can hold', async () => {
  const { executionDate } = { executionDate: server.clock.now() + 3_600_000 };
  const at = 'projects/default/flags/flag/environments/test';
  const instructions = [{ kind: 'makeCoffee' }];
  const posts: [path: string, body: Json, known: RegExp, unknown?: RegExp][] = [
    [`${at}/scheduled-changes`, { executionDate, instructions }, /turnFlagOn/],
    [`${at}/approval-requests`, { description: 'Coffee', instructions }, /turnFlagOn/],
    [
      'flags/default/flag/triggers/test',
      { integrationKey: 'generic-trigger', instructions },
      /turnFlagOn/,
      /archiveFlag/,
    ],
  ];
  for (const [path, body, known, unknown] of posts) {
    const { status, json, text } = await call(path, { method: 'POST', body });
    assert.equal(status, 400, text);
    assert.match(json.message, /makeCoffee/);
    assert.match(json.message, known);
    if (unknown !== undefined) assert.doesNotMatch(json.message, unknown);
  }
  const scheduled = await create(`${at}/scheduled-changes`, { executionDate, instructions: TURN_ON });
  const asked = await create(`${at}/approval-requests`, { description: 'On', instructions: TURN_ON });
  const trigger = await create('flags/default/flag/triggers/test', {
    integrationKey: 'generic-trigger',
    instructions: TURN_ON,
  });
  for (const [path, known] of [
    [`${at}/scheduled-changes/${scheduled._id}`, /deleteScheduledChange/],
    [`approval-requests/${asked._id}`, /addReviewers/],
    [`flags/default/flag/triggers/test/${trigger._id}`, /disableTrigger/],
  ] as const) {
    const body = { instructions };
    const headers = { ...SEMANTIC, 'ld-api-version': 'beta' };
    const { status, json, text } = await call(path, { method: 'PATCH', headers, body });
    assert.equal(status, 422, text);
    assert.match(json.message, known);
  }
});
