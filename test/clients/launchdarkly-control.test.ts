// The real `launchdarkly-api-typescript` on approvals, scheduled changes and triggers.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import type * as Ld from 'launchdarkly-api-typescript';
import { eventually } from '../eventually.ts';
import { giveToken, join } from '../people.ts';
import { ADMIN_TOKEN, startServer, type TestServer } from '../server.ts';

// Its modules are CommonJS whose names only `require` sees.
const client = createRequire(import.meta.url)('launchdarkly-api-typescript') as typeof Ld;

/** By default the client sends semantic patches as plain JSON, which flags do not accept. */
const semantic = { headers: { 'Content-Type': 'application/json; domain-model=launchdarkly.semanticpatch' } };
const asksForBeta = { 'LD-API-Version': 'beta' };
const ON = { kind: 'turnFlagOn' };
const PLACE = ['shop', 'banner', 'test'] as const;

let server: TestServer;
let admin: Ld.Configuration;
let colleague: Ld.Configuration;
let flags: Ld.FeatureFlagsApi;
before(async () => {
  server = await startServer({ limits: 'off' });
  admin = new client.Configuration({ basePath: server.url, apiKey: ADMIN_TOKEN });
  const member = await join(server, 'colleague', { role: 'writer' });
  const { value } = await giveToken(server, member, { role: 'writer' });
  colleague = new client.Configuration({ basePath: server.url, apiKey: value });
  flags = new client.FeatureFlagsApi(admin);
  await new client.ProjectsApi(admin).postProject({ key: 'shop', name: 'Shop' });
  await flags.postFeatureFlag('shop', { key: 'banner', name: 'Banner' });
});
after(() => server.stop());

async function statusOf(call: Promise<unknown>): Promise<number> {
  const error = await call.then(
    () => assert.fail('the call should have failed'),
    (reason: unknown) => reason as { response: { status: number } },
  );
  return error.response.status;
}

async function isOn(): Promise<boolean> {
  return (await flags.getFeatureFlag('shop', 'banner')).data.environments!['test']!.on;
}

const turn = (kind: string) =>
  flags.patchFeatureFlag(
    'shop',
    'banner',
    { environmentKey: 'test', instructions: [{ kind }] } as unknown as Ld.PatchWithComment,
    undefined,
    semantic,
  );

test('a change is scheduled, listed, read, changed, deleted, and made in time', async () => {
  const api = new client.ScheduledChangesApi(admin);
  const executionDate = server.clock.now() + 3_600_000;
  const made = await api.postFlagConfigScheduledChanges(...PLACE, { executionDate, instructions: [ON] });
  assert.equal(made.status, 201);
  const id = made.data._id;
  assert.deepEqual((await api.getFlagConfigScheduledChanges(...PLACE)).data.items, [made.data]);
  assert.deepEqual((await api.getFeatureFlagScheduledChange(...PLACE, id)).data, made.data);
  const later = { kind: 'updateScheduledChangesExecutionDate', value: executionDate + 60_000 };
  const patch = { comment: 'later', instructions: [later] };
  const patched = await api.patchFlagConfigScheduledChange(...PLACE, id, patch);
  assert.deepEqual([patched.data.executionDate, patched.data._version], [later.value, 2]);
  assert.equal((await api.deleteFlagConfigScheduledChanges(...PLACE, id)).status, 204);
  assert.equal(await statusOf(api.getFeatureFlagScheduledChange(...PLACE, id)), 404);
  const again = await api.postFlagConfigScheduledChanges(...PLACE, { executionDate, instructions: [ON] });
  server.clock.goTo(again.data.executionDate + 1);
  await server.app.kernel.engine.notify('due');
  await eventually(isOn);
  await turn('turnFlagOff');
});

test('approval is requested, listed, given and applied, in both families of paths', async () => {
  const [mine, theirs] = [new client.ApprovalsApi(admin), new client.ApprovalsApi(colleague)];
  const wanted = { description: 'switch it on', instructions: [ON] };
  const made = await mine.postApprovalRequestForFlag(...PLACE, wanted);
  assert.equal(made.status, 201);
  const id = made.data._id;
  assert.deepEqual((await mine.getApprovalsForFlag(...PLACE)).data.items, [made.data]);
  assert.deepEqual((await mine.getApprovalForFlag(...PLACE, id)).data, made.data);
  const filter = 'projectKey equals shop,status anyOf ["pending"]';
  const listed = await mine.getApprovalRequests(filter, 'flag,project,environments', 10, 0);
  assert.deepEqual(
    listed.data.items.map(({ _id, flag, project, environments }) => [
      _id,
      flag!.key,
      project!.key,
      environments![0]!.key,
    ]),
    [[id, 'banner', 'shop', 'test']],
  );
  const beta = new client.ApprovalsBetaApi(admin);
  const data = { instructions: [{ kind: 'updateDescription', value: 'please' }] };
  assert.equal(
    (
      await beta.patchApprovalRequest(id, {
        headers: { 'Content-Type': 'application/json', ...asksForBeta },
        data,
      })
    ).data.description,
    'please',
  );
  assert.equal(await statusOf(mine.postApprovalRequestReviewForFlag(...PLACE, id, { kind: 'approve' })), 403);
  assert.equal(await statusOf(mine.postApprovalRequestApply(id, {})), 400);
  const reviewed = await theirs.postApprovalRequestReview(id, { kind: 'approve', comment: 'fine' });
  assert.equal(reviewed.data.reviewStatus, 'approved');
  const applied = await mine.postApprovalRequestApplyForFlag(...PLACE, id, { comment: 'go' });
  assert.equal(applied.data.status, 'completed');
  assert.equal(await isOn(), true);
  assert.equal((await mine.deleteApprovalRequest(id)).status, 204);
  assert.equal(await statusOf(mine.getApprovalRequest(id)), 404);

  const general = await mine.postApprovalRequest({ resourceId: 'proj/shop:env/test:flag/banner', ...wanted });
  assert.equal((await mine.getApprovalRequest(general.data._id, 'resource')).data.resource!.kind, 'flag');
  assert.equal((await mine.deleteApprovalRequestForFlag(...PLACE, general.data._id)).status, 204);
  const copy = { description: 'as in production', source: { key: 'production' } };
  const copied = await mine.postFlagCopyConfigApprovalRequest(...PLACE, copy);
  assert.deepEqual(copied.data.source, { key: 'production', version: 1 });
  await turn('turnFlagOff');
});

test('a trigger is made, called, listed, read, changed and deleted', async () => {
  const api = new client.FlagTriggersApi(admin);
  // This method has its parameters in another order.
  const place = ['shop', 'test', 'banner'] as const;
  const made = await api.createTriggerWorkflow(...place, { integrationKey: 'datadog', instructions: [ON] });
  assert.equal(made.status, 201);
  const { _id: id, triggerURL: url } = made.data;
  const headers = { 'content-type': 'application/json' };
  assert.equal((await fetch(url!, { method: 'POST', headers, body: '{"alert":1}' })).status, 204);
  assert.equal(await isOn(), true);
  const listed = await api.getTriggerWorkflows(...place);
  assert.deepEqual(
    listed.data.items!.map(({ _id, _triggerCount, _integrationKey }) => [
      _id,
      _triggerCount,
      _integrationKey,
    ]),
    [[id, 1, 'datadog']],
  );
  assert.equal((await api.getTriggerWorkflowById('shop', 'banner', 'test', id!)).data.triggerURL, undefined);
  const patch = { instructions: [{ kind: 'cycleTriggerUrl' }, { kind: 'disableTrigger' }] };
  const patched = await api.patchTriggerWorkflow(...place, id!, patch);
  assert.equal(patched.data.enabled, false);
  assert.notEqual(patched.data.triggerURL, url);
  assert.equal((await api.deleteTriggerWorkflow(...place, id!)).status, 204);
  assert.equal(await statusOf(api.getTriggerWorkflowById('shop', 'banner', 'test', id!)), 404);
});

test('a flag is followed, and no longer', async () => {
  const api = new client.FollowFlagsApi(admin);
  const { data: me } = await new client.AccountMembersApi(admin).getMember('me');
  assert.equal((await api.putFlagFollower(...PLACE, me._id)).status, 204);
  assert.deepEqual(
    (await api.getFlagFollowers(...PLACE)).data.items.map(({ _id, email }) => [_id, email]),
    [[me._id, me.email]],
  );
  const { items } = (await api.getFollowersByProjEnv('shop', 'test')).data;
  assert.deepEqual(
    items!.map(({ flagKey, followers }) => [flagKey, followers!.length]),
    [['banner', 1]],
  );
  assert.equal((await api.deleteFlagFollower(...PLACE, me._id)).status, 204);
  assert.deepEqual((await api.getFlagFollowers(...PLACE)).data.items, []);
});

test('a link is made, listed, changed and deleted', async () => {
  const api = new client.FlagLinksBetaApi(admin);
  const options = { headers: asksForBeta };
  const link = { key: 'ticket', deepLink: 'https://example.com/1', title: 'One' };
  const made = await api.createFlagLink('shop', 'banner', link, options);
  assert.deepEqual([made.status, made.data._deepLink], [201, link.deepLink]);
  assert.deepEqual((await api.getFlagLinks('shop', 'banner', options)).data.items, [made.data]);
  const patch = [{ op: 'replace', path: '/title', value: 'Two' }];
  const patched = await api.updateFlagLink('shop', 'banner', made.data._id, patch, options);
  assert.equal(patched.data.title, 'Two');
  assert.equal((await api.deleteFlagLink('shop', 'banner', 'ticket', options)).status, 204);
});
