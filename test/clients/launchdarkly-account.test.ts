// The account through the real `launchdarkly-api-typescript`: members, teams, custom roles, tokens, audit-log
// subscriptions and Relay Proxy configurations.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import type * as Ld from 'launchdarkly-api-typescript';
import { ADMIN_TOKEN, startServer, type TestServer } from '../server.ts';

// Its modules are CommonJS whose names only `require` sees.
const ld = createRequire(import.meta.url)('launchdarkly-api-typescript') as typeof Ld;

const POLICY: Ld.StatementPost[] = [
  { effect: 'allow', actions: ['updateOn'], resources: ['proj/*:env/production:flag/*'] },
];

let server: TestServer;
let members: Ld.AccountMembersApi;
let membersBeta: Ld.AccountMembersBetaApi;
let teams: Ld.TeamsApi;
let teamsBeta: Ld.TeamsBetaApi;
let roles: Ld.CustomRolesApi;
let tokens: Ld.AccessTokensApi;
let relays: Ld.RelayProxyConfigurationsApi;
let subscriptions: Ld.IntegrationAuditLogSubscriptionsApi;
before(async () => {
  server = await startServer({ limits: 'off' });
  const configuration = new ld.Configuration({ basePath: server.url, apiKey: ADMIN_TOKEN });
  members = new ld.AccountMembersApi(configuration);
  membersBeta = new ld.AccountMembersBetaApi(configuration);
  teams = new ld.TeamsApi(configuration);
  teamsBeta = new ld.TeamsBetaApi(configuration);
  roles = new ld.CustomRolesApi(configuration);
  tokens = new ld.AccessTokensApi(configuration);
  relays = new ld.RelayProxyConfigurationsApi(configuration);
  subscriptions = new ld.IntegrationAuditLogSubscriptionsApi(configuration);
});
after(() => server.stop());

interface HttpError {
  response: { status: number; data: { code: string; message: string; id: string } };
}

async function failureOf(call: Promise<unknown>): Promise<HttpError['response']> {
  const error = await call.then(
    () => assert.fail('the call should have failed'),
    (reason: unknown) => reason as HttpError,
  );
  return error.response;
}

test('a custom role is made, read, changed both ways, listed and deleted', async () => {
  const made = await roles.postCustomRole({
    key: 'ops',
    name: 'Ops',
    policy: POLICY,
    basePermissions: 'no_access',
  });
  assert.equal(made.status, 201);
  assert.deepEqual(made.data.assignedTo, { membersCount: 0, teamsCount: 0 });
  assert.deepEqual((await roles.getCustomRole(made.data._id)).data, made.data);
  const patched = await roles.patchCustomRole('ops', {
    comment: 'clearer',
    patch: [{ op: 'replace', path: '/name', value: 'Operators' }],
  });
  assert.equal(patched.data.name, 'Operators');
  const added = await roles.patchCustomRole('ops', {
    patch: [
      { op: 'add', path: '/policy/-', value: { effect: 'deny', actions: ['*'], resources: ['proj/secret'] } },
    ],
  });
  assert.deepEqual(
    added.data.policy.map(({ effect }) => effect),
    ['allow', 'deny'],
  );
  for (let index = 0; index < 22; index += 1) {
    await roles.postCustomRole({ key: `many-${index}`, name: 'Many', policy: POLICY });
  }
  const first = (await roles.getCustomRoles()).data;
  const rest = (await roles.getCustomRoles(20, 20)).data;
  assert.deepEqual([first.items.length, rest.items.length, rest.totalCount], [20, 3, 23]);
  assert.equal(rest._links!['next'], undefined);
  assert.equal((await roles.deleteCustomRole('many-0')).status, 204);
  assert.equal((await failureOf(roles.getCustomRole('many-0'))).status, 404);
  const again = await failureOf(roles.postCustomRole({ key: 'ops', name: 'x', policy: [] }));
  assert.deepEqual([again.status, again.data.code], [409, 'key_exists']);
});

test('members are invited, paged, read, changed and removed', async () => {
  const invited = await members.postMembers([
    { email: 'ada@example.com', firstName: 'Ada', role: 'writer' },
    { email: 'bob@example.com', customRoles: ['ops'], roleAttributes: { region: ['eu'] } },
  ]);
  assert.equal(invited.status, 201);
  const [ada, bob] = invited.data.items as [Ld.Member, Ld.Member];
  assert.deepEqual([ada.role, ada._pendingInvite, bob.customRoles], ['writer', true, ['ops']]);
  const taken = await failureOf(members.postMembers([{ email: 'ADA@example.com' }]));
  assert.deepEqual([taken.status, taken.data.code], [400, 'email_already_exists_in_account']);

  const page = (await members.getMembers(1, 1, undefined, undefined, 'displayName')).data;
  assert.deepEqual([page.items.length, page.totalCount], [1, 3]);
  assert.ok(page._links['next'] && page._links['prev']);
  const found = (await members.getMembers(20, 0, 'query:ada,role:writer')).data;
  assert.deepEqual(
    found.items.map(({ _id }) => _id),
    [ada._id],
  );
  assert.deepEqual((await members.getMember(bob._id, 'roleAttributes')).data.roleAttributes, {
    region: ['eu'],
  });

  const promoted = await members.patchMember(ada._id, [{ op: 'replace', path: '/role', value: 'admin' }]);
  assert.equal(promoted.data.role, 'admin');
  const given = await members.patchMember(ada._id, [{ op: 'add', path: '/customRoles/0', value: 'ops' }]);
  assert.deepEqual(given.data.customRoles, ['ops']);
  assert.deepEqual((await roles.getCustomRole('ops')).data.assignedTo, { membersCount: 2, teamsCount: 0 });
  const bulk = await membersBeta.patchMembers({
    instructions: [{ kind: 'replaceMembersRoles', value: 'reader', memberIDs: [ada._id, bob._id] }],
  });
  assert.deepEqual([bulk.data.members, bulk.data.errors], [[ada._id, bob._id], []]);
  assert.equal((await members.getMember(ada._id)).data.role, 'reader');
  assert.equal((await members.deleteMember(bob._id)).status, 204);
  assert.equal((await failureOf(members.getMember(bob._id))).status, 404);
  assert.equal((await failureOf(members.deleteMember('me'))).status, 403);
  assert.equal((await members.getMember('me')).data.role, 'owner');
});

test('teams are made, expanded, changed by every kind, paged and deleted', async () => {
  const { data } = await members.getMembers(20, 0, 'query:ada');
  const ada = data.items[0]!._id;
  const made = await teams.postTeam(
    {
      key: 'core',
      name: 'Core',
      customRoleKeys: ['ops'],
      permissionGrants: [{ actionSet: 'maintainTeam', memberIDs: [ada] }],
    },
    'members,roles,maintainers',
  );
  assert.equal(made.status, 201);
  assert.deepEqual(
    [made.data.members?.totalCount, made.data.roles?.items?.[0]?.key, made.data.maintainers?.items?.[0]?._id],
    [0, 'ops', ada],
  );
  const change = async (...instructions: object[]) =>
    (await teams.patchTeam('core', { comment: 'so', instructions }, 'members,roles,roleAttributes')).data;
  assert.equal((await change({ kind: 'updateName', value: 'Heart' })).name, 'Heart');
  assert.equal((await change({ kind: 'updateDescription', value: 'of it' })).description, 'of it');
  assert.equal((await change({ kind: 'addMembers', values: [ada] })).members?.totalCount, 1);
  assert.equal((await change({ kind: 'removeMembers', values: [ada] })).members?.totalCount, 0);
  assert.equal((await change({ kind: 'replaceMembers', values: [ada] })).members?.totalCount, 1);
  assert.equal((await change({ kind: 'removeCustomRoles', values: ['ops'] })).roles?.totalCount, 0);
  assert.equal((await change({ kind: 'addCustomRoles', values: ['ops'] })).roles?.totalCount, 1);
  const attributes = await change({ kind: 'addRoleAttribute', key: 'region', values: ['eu', 'us'] });
  assert.deepEqual(attributes.roleAttributes, { region: ['eu', 'us'] });
  await change({ kind: 'removePermissionGrants', actionSet: 'maintainTeam', memberIDs: [ada] });
  assert.equal((await teams.getTeamMaintainers('core')).data.totalCount, 0);
  assert.equal((await teams.getTeamRoles('core', 1)).data.items?.[0]?.name, 'Operators');
  assert.deepEqual((await members.getMember(ada)).data.teams?.[0]?.customRoleKeys, ['ops']);

  for (let index = 0; index < 3; index += 1) await teams.postTeam({ key: `more-${index}`, name: 'More' });
  const page = (await teams.getTeams(2, 1, 'query:more')).data;
  assert.deepEqual([page.items.length, page.totalCount], [2, 3]);
  await members.postMemberTeams(ada, { teamKeys: ['more-0'] });
  const bulk = await teamsBeta.patchTeams({
    instructions: [{ kind: 'addMembersToTeams', memberIDs: [ada], teamKeys: ['more-1', 'more-2'] }],
  });
  assert.deepEqual(bulk.data.teamKeys, ['more-1', 'more-2']);
  assert.equal((await members.getMember(ada)).data.teams?.length, 4);
  const unknown = await failureOf(teams.getTeam('core', 'everything'));
  assert.deepEqual([unknown.status, unknown.data.code], [400, 'invalid_request']);
  assert.equal((await teams.deleteTeam('core')).status, 204);
  assert.equal((await failureOf(teams.getTeam('core'))).status, 404);
});

test('a token holds custom roles, and loses them with the role', async () => {
  const { data: role } = await roles.postCustomRole({ key: 'brief', name: 'Brief', policy: POLICY });
  const { data: token } = await tokens.postToken({
    name: 'ci',
    customRoleIds: [role._id],
    serviceToken: true,
  });
  assert.deepEqual((await tokens.getToken(token._id)).data.customRoleIds, [role._id]);
  const unknown = await failureOf(
    tokens.patchToken(token._id, [{ op: 'replace', path: '/customRoleIds', value: ['none'] }]),
  );
  assert.equal(unknown.status, 400);
  await roles.deleteCustomRole('brief');
  const left = (await tokens.getToken(token._id)).data;
  assert.deepEqual([left.customRoleIds, left.role], [undefined, 'no_access']);
  const inline = await tokens.patchToken(token._id, [
    { op: 'remove', path: '/customRoleIds' },
    { op: 'replace', path: '/inlineRole', value: POLICY },
  ]);
  assert.deepEqual(inline.data.inlineRole, POLICY);
  assert.equal((await tokens.deleteToken(token._id)).status, 204);
});

test('a Relay Proxy configuration is made, listed, changed, reset and deleted', async () => {
  const policy: Ld.Statement[] = [{ effect: 'allow', actions: ['*'], resources: ['proj/*:env/*'] }];
  const made = await relays.postRelayAutoConfig({ name: 'Edge', policy });
  assert.equal(made.status, 201);
  const { _id: id, fullKey, displayKey } = made.data;
  assert.ok(fullKey.startsWith('rel-') && fullKey.endsWith(displayKey));
  assert.deepEqual((await relays.getRelayProxyConfig(id)).data.policy, policy);
  assert.deepEqual(
    (await relays.getRelayProxyConfigs()).data.items.map(({ _id }) => _id),
    [id],
  );
  const patch = [{ op: 'replace', path: '/name', value: 'Core' }];
  assert.equal((await relays.patchRelayAutoConfig(id, { comment: 'moved', patch })).data.name, 'Core');
  const reset = await relays.resetRelayAutoConfig(id, server.clock.now() + 60_000);
  assert.notEqual(reset.data.fullKey, fullKey);
  assert.equal((await relays.deleteRelayAutoConfig(id)).status, 204);
  assert.equal((await failureOf(relays.getRelayProxyConfig(id))).status, 404);
});

test('an audit-log subscription is made, listed, changed and deleted', async () => {
  const made = await subscriptions.createSubscription('datadog', {
    name: 'Ops',
    config: { apiKey: 'a-key-of-datadog', hostURL: 'https://api.datadoghq.eu' },
    statements: POLICY,
    on: false,
    tags: ['ops'],
  });
  assert.equal(made.status, 201);
  const { _id: id, kind, config } = made.data;
  assert.deepEqual([kind, config!['apiKey']], ['datadog', '********adog']);
  const patch = [{ op: 'replace', path: '/on', value: true }];
  assert.equal((await subscriptions.updateSubscription('datadog', id!, patch)).data.on, true);
  assert.equal((await subscriptions.getSubscriptionByID('datadog', id!)).data._status!.errorCount, 0);
  const { items, key } = (await subscriptions.getSubscriptions('datadog')).data;
  assert.deepEqual([items!.length, key], [1, 'datadog']);
  assert.equal((await subscriptions.deleteSubscription('datadog', id!)).status, 204);
  assert.equal((await failureOf(subscriptions.getSubscriptions('pigeon'))).status, 404);
});
