// The calls of the Terraform provider, in its order: create, read, update, import, delete. Each works, or is refused with a
// sentence that says why.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startServer, type Answer, type Json, type TestServer } from '../../server.ts';

const HEADERS = {
  'user-agent': 'launchdarkly-terraform-provider/3.1.0',
  'content-type': 'application/json',
  'ld-api-version': '20240415',
};
const BETA = { ...HEADERS, 'ld-api-version': 'beta' };

let server: TestServer;
let me: string;
const P = 'tf-shop';

type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

const ask = (method: Method, path: string, body?: unknown, headers: Record<string, string> = HEADERS) =>
  server.call(`/api/v2/${path}`, { method, headers, ...(body !== undefined && { body }) });

async function works(method: Method, path: string, body?: unknown): Promise<Json> {
  const answer = await ask(method, path, body);
  assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.text}`);
  return answer.text === '' ? {} : answer.json;
}

async function isRefused(answer: Promise<Answer>, status: number, message: RegExp): Promise<void> {
  const given = await answer;
  assert.equal(given.status, status, given.text);
  assert.match(given.json['message'], message);
}

const replace = (path: string, value: unknown) => ({ op: 'replace', path, value });
const remove = (path: string) => ({ op: 'remove', path });
const commented = (...patch: Json[]) => ({ comment: 'Terraform', patch });

before(async () => {
  server = await startServer({ limits: 'off' });
  ({ _id: me } = await works('GET', 'members/me'));
});
after(() => server.stop());

async function isGone(path: string): Promise<void> {
  await works('DELETE', path);
  assert.equal((await ask('GET', path)).status, 404);
}

const NO_APPROVALS = [
  replace('/approvalSettings/required', false),
  replace('/approvalSettings/canReviewOwnRequest', false),
  replace('/approvalSettings/minNumApprovals', 1),
  replace('/approvalSettings/canApplyDeclinedChanges', true),
  // What a Go program sends for a list that is not there.
  replace('/approvalSettings/requiredApprovalTags', null),
  replace('/approvalSettings/serviceKind', 'launchdarkly'),
  replace('/approvalSettings/serviceConfig', {}),
  replace('/approvalSettings/autoApplyApprovedChanges', false),
];

const environment = (key: string) => ({
  key,
  name: key,
  color: '417505',
  defaultTtl: 0,
  secureMode: false,
  defaultTrackEvents: false,
  tags: ['terraform'],
  requireComments: false,
  confirmChanges: false,
  critical: false,
});

const environmentPatch = [
  replace('/name', 'Staging'),
  replace('/color', 'FF00FF'),
  replace('/defaultTtl', 5),
  replace('/secureMode', true),
  replace('/defaultTrackEvents', true),
  replace('/requireComments', false),
  replace('/confirmChanges', false),
  replace('/critical', true),
  replace('/tags', ['terraform', 'staging']),
  ...NO_APPROVALS,
];

test('a project with its environments', async () => {
  await works('POST', 'projects', { name: 'Shop', key: P, environments: [environment('test')] });
  const patch = [
    replace('/name', 'The shop'),
    replace('/tags', ['terraform']),
    replace('/defaultClientSideAvailability', { usingEnvironmentId: false, usingMobileKey: true }),
  ];
  await works('PATCH', `projects/${P}`, patch);
  await works('POST', `projects/${P}/environments`, environment('staging'));
  await works('PATCH', `projects/${P}/environments/staging`, environmentPatch);
  await works('PATCH', `projects/${P}/environments/staging`, [
    remove('/approvalSettings/required'),
    remove('/approvalSettings/requiredApprovalTags'),
  ]);
  const read = await works('GET', `projects/${P}`);
  assert.deepEqual([read['name'], read['tags']], ['The shop', ['terraform']]);
  const page = await works('GET', `projects/${P}/environments?limit=20&offset=0`);
  assert.equal(page['totalCount'], 2);
  await works('GET', `projects/${P}/environments/staging`);
  await works('PATCH', `projects/${P}`, [replace('/includeInSnippetByDefault', true)]);
  const { includeInSnippetByDefault, defaultClientSideAvailability } = await works('GET', `projects/${P}`);
  assert.deepEqual(
    [includeInSnippetByDefault, defaultClientSideAvailability],
    [true, { usingEnvironmentId: true, usingMobileKey: true }],
  );
  await isGone(`projects/${P}/environments/staging`);
});

test('settings of a project about views: that they are not required is so, and required they cannot be', async () => {
  for (const name of ['requireViewAssociationForNewFlags', 'requireViewAssociationForNewSegments']) {
    const shown = await works('PATCH', `projects/${P}`, [replace(`/${name}`, false)]);
    assert.equal(shown[name], undefined);
    await isRefused(
      ask('PATCH', `projects/${P}`, [replace(`/${name}`, true)]),
      400,
      new RegExp(`^${name} cannot be true: this server has no views\\.?$`),
    );
  }
  await isRefused(
    ask('PATCH', `projects/${P}`, [replace('/defaultReleasePipelineKey', 'standard')]),
    400,
    /^defaultReleasePipelineKey cannot be set: this server has no release pipelines\.?$/,
  );
  await isRefused(ask('GET', `projects/${P}/views/mine`, undefined, BETA), 404, /\w/);
});

test('a naming convention', async () => {
  const namingConvention = { case: 'kebabCase', prefix: 'tf-' };
  await works('PATCH', `projects/${P}`, [replace('/namingConvention', namingConvention)]);
  assert.deepEqual((await works('GET', `projects/${P}`))['namingConvention'], namingConvention);
  await works('PATCH', `projects/${P}`, [remove('/namingConvention')]);
});

const flagPatch = (...more: Json[]) =>
  commented(
    replace('/name', 'Banner'),
    replace('/description', 'Made by Terraform'),
    replace('/tags', ['terraform']),
    replace('/temporary', true),
    replace('/customProperties', { jira: { name: 'Jira', value: ['A-1'] } }),
    replace('/archived', false),
    replace('/deprecated', false),
    ...more,
  );

test('a flag, and its configuration in an environment', async () => {
  await works('POST', `flags/${P}`, {
    name: 'Banner',
    key: 'banner',
    description: '',
    variations: [{ value: 'red', name: 'Red', description: '' }, { value: 'blue' }, { value: 'grey' }],
    temporary: false,
    tags: ['terraform'],
    defaults: { onVariation: 0, offVariation: 2 },
    clientSideAvailability: { usingEnvironmentId: false, usingMobileKey: false },
  });
  const at = `flags/${P}/banner`;
  await works('PATCH', at, flagPatch(replace('/defaults', { onVariation: 0, offVariation: 2 })));
  await works('POST', 'teams', { key: 'tf-owners', name: 'Owners', description: '', memberIDs: [] });
  const byTeam = [replace('/maintainerTeamKey', 'tf-owners'), remove('/maintainerId')];
  assert.equal((await works('PATCH', at, flagPatch(...byTeam)))['maintainerTeamKey'], 'tf-owners');
  const byMember = [replace('/maintainerId', me), remove('/maintainerTeamKey')];
  assert.equal((await works('PATCH', at, flagPatch(...byMember)))['maintainerId'], me);
  const variations = [
    replace('/variations/0/name', 'Crimson'),
    replace('/variations/0/value', 'crimson'),
    replace('/variations/1/description', 'The sky'),
    { op: 'add', path: '/variations/3', value: { value: 'green', name: 'Green' } },
  ];
  const csa = replace('/clientSideAvailability', { usingEnvironmentId: true, usingMobileKey: false });
  const updated = await works('PATCH', at, flagPatch(csa, ...variations));
  assert.deepEqual(
    updated['variations'].map(({ value }: Json) => value),
    ['crimson', 'blue', 'grey', 'green'],
  );
  await works('PATCH', at, flagPatch(remove('/variations/3')));
  const inTest = (name: string) => `/environments/test/${name}`;
  const clause = { attribute: 'country', op: 'in', values: ['de'], negate: false, contextKind: 'user' };
  const rules = [
    { clauses: [clause], variation: 1, description: 'Germany' },
    {
      clauses: [{ ...clause, op: 'startsWith' }],
      rollout: {
        variations: [
          { variation: 0, weight: 60_000 },
          { variation: 1, weight: 40_000 },
          { variation: 2, weight: 0 },
        ],
        bucketBy: 'email',
        contextKind: 'user',
      },
    },
  ];
  await works(
    'PATCH',
    at,
    commented(
      replace(inTest('on'), true),
      replace(inTest('rules'), rules),
      replace(inTest('trackEvents'), true),
      replace(inTest('prerequisites'), []),
      replace(inTest('offVariation'), 2),
      replace(inTest('targets'), [{ values: ['ada'], variation: 1 }]),
      replace(inTest('contextTargets'), [{ values: ['org'], variation: 0, contextKind: 'organization' }]),
      replace(inTest('fallthrough'), { variation: 0 }),
    ),
  );
  const { environments } = await works('GET', `${at}?env=test`);
  assert.deepEqual(
    [environments.test.on, environments.test.rules.length, environments.test.targets[0].values],
    [true, 2, ['ada']],
  );
  await works(
    'PATCH',
    at,
    commented(
      replace(inTest('on'), false),
      replace(inTest('rules'), []),
      replace(inTest('trackEvents'), false),
      replace(inTest('prerequisites'), []),
      replace(inTest('offVariation'), 2),
      replace(inTest('targets'), []),
      replace(inTest('contextTargets'), []),
      replace(inTest('fallthrough'), { variation: 0 }),
    ),
  );
  await isGone(at);
});

test('a flag or segment in views is refused, because there are none, and nothing is made', async () => {
  const flag = { name: 'Seen', key: 'seen', viewKeys: ['mine'] };
  await isRefused(
    ask('POST', `flags/${P}`, flag),
    400,
    /^viewKeys cannot be set: this server has no views\.?$/,
  );
  assert.equal((await ask('GET', `flags/${P}/seen`)).status, 404);
  await isRefused(
    ask('POST', `segments/${P}/test`, { name: 'Seen', key: 'seen', viewKeys: ['mine'] }),
    400,
    /^viewKeys cannot be set: this server has no views\.?$/,
  );
  await works('POST', `flags/${P}`, { ...flag, viewKeys: [] });
  await works('DELETE', `flags/${P}/seen`);
});

test('a segment', async () => {
  const body = { name: 'Testers', key: 'testers', description: '', tags: ['terraform'] };
  await works('POST', `segments/${P}/test`, { ...body, unbounded: false, unboundedContextKind: 'user' });
  const clause = { attribute: 'email', op: 'endsWith', values: ['.org'], negate: false, contextKind: 'user' };
  const at = `segments/${P}/test/testers`;
  const patch = [
    replace('/name', 'All testers'),
    replace('/description', 'By Terraform'),
    replace('/tags', ['terraform']),
    // The provider sends this for segments, too, as a word.
    replace('/temporary', 'temporary'),
    replace('/included', ['ada']),
    replace('/excluded', ['eve']),
    replace('/rules', [{ clauses: [clause], weight: 50_000, bucketBy: 'email', rolloutContextKind: 'user' }]),
    replace('/includedContexts', [{ values: ['acme'], contextKind: 'organization' }]),
    replace('/excludedContexts', []),
  ];
  await works('PATCH', at, commented(...patch));
  const { included, rules, includedContexts, temporary } = await works('GET', at);
  assert.deepEqual([included, rules.length, includedContexts[0].values], [['ada'], 1, ['acme']]);
  assert.equal(temporary, undefined);
  await works('PATCH', at, commented(replace('/rules', []), replace('/included', [])));
  await isGone(at);
});

const STATEMENT = { effect: 'allow', resources: [`proj/${P}`], actions: ['viewProject'] };

test('a custom role, and a team with it', async () => {
  const role = { key: 'tf-viewers', name: 'Viewers', description: '', policy: [STATEMENT] };
  await works('POST', 'roles', { ...role, basePermissions: 'no_access' });
  await works(
    'PATCH',
    'roles/tf-viewers',
    commented(
      replace('/name', 'All viewers'),
      replace('/description', 'By Terraform'),
      replace('/policy', [{ effect: 'deny', notResources: ['proj/*'], notActions: ['viewProject'] }]),
      replace('/basePermissions', 'reader'),
    ),
  );
  assert.equal((await works('GET', 'roles/tf-viewers'))['basePermissions'], 'reader');
  const team = {
    key: 'tf-crew',
    name: 'Crew',
    description: '',
    memberIDs: [me],
    customRoleKeys: ['tf-viewers'],
  };
  const permissionGrants = [{ actionSet: 'maintainTeam', memberIDs: [me] }];
  await works('POST', 'teams', { ...team, permissionGrants });
  const read = await works('GET', 'teams/tf-crew?expand=roles%2Cprojects%2Cmaintainers');
  assert.deepEqual([read['roles'].items[0].key, read['maintainers'].items[0]._id], ['tf-viewers', me]);
  const members = await works('GET', 'members?limit=50&offset=0&filter=team%3Atf-crew');
  assert.equal(members['items'].length, 1);
  const instructions = [
    { kind: 'updateName', value: 'The crew' },
    { kind: 'updateDescription', value: 'By Terraform' },
    { kind: 'removePermissionGrants', actionSet: 'maintainTeam', memberIDs: [me] },
    { kind: 'removeMembers', values: [me] },
    { kind: 'addMembers', values: [me] },
    { kind: 'removeCustomRoles', values: ['tf-viewers'] },
    { kind: 'addCustomRoles', values: ['tf-viewers'] },
    { kind: 'addRoleAttribute', key: 'proj', values: [P] },
    { kind: 'updateRoleAttribute', key: 'proj', values: [P, 'x'] },
    { kind: 'removeRoleAttribute', key: 'proj' },
  ];
  await works('PATCH', 'teams/tf-crew', { instructions });
  await isGone('teams/tf-crew');
  await isGone('roles/tf-viewers');
});

test('a webhook', async () => {
  const url = 'https://hooks.example.com/flags';
  const made = await works('POST', 'webhooks', { url, on: true, name: 'Hook', sign: false });
  const at = `webhooks/${made['_id']}`;
  const usual = [
    replace('/url', url),
    replace('/secret', ''),
    replace('/on', false),
    replace('/name', 'The hook'),
    replace('/tags', ['terraform']),
  ];
  await works('PATCH', at, usual);
  await works('PATCH', at, [...usual, replace('/statements', [STATEMENT])]);
  await works('PATCH', at, [...usual, replace('/secret', 'of-terraform'), remove('/statements')]);
  const { name, tags, statements } = await works('GET', at);
  assert.deepEqual([name, tags, statements ?? []], ['The hook', ['terraform'], []]);
  await isGone(at);
});

test('a configuration of a relay proxy', async () => {
  const policy = [{ effect: 'allow', resources: ['proj/*:env/*'], actions: ['*'] }];
  const made = await works('POST', 'account/relay-auto-configs', { name: 'Relay', policy });
  assert.match(made['fullKey'], /^rel-/);
  const at = `account/relay-auto-configs/${made['_id']}`;
  await works('PATCH', at, commented(replace('/name', 'The relay'), replace('/policy', policy)));
  assert.equal((await works('GET', at))['name'], 'The relay');
  await isGone(at);
});

test('an access token', async () => {
  const made = await works('POST', 'tokens', {
    name: 'Terraform',
    role: 'reader',
    serviceToken: false,
    defaultApiVersion: 20_240_415,
  });
  const at = `tokens/${made['_id']}`;
  await works('PATCH', at, [
    replace('/name', 'By Terraform'),
    replace('/inlineRole', [STATEMENT]),
    remove('/role'),
    remove('/customRoleIds'),
  ]);
  await works('PATCH', at, [
    replace('/name', 'By Terraform'),
    replace('/role', 'writer'),
    remove('/inlineRole'),
  ]);
  assert.equal((await works('GET', at))['role'], 'writer');
  await isGone(at);
});

test('a context kind, and defaults of flags', async () => {
  await works('PUT', `projects/${P}/context-kinds/device`, {
    name: 'Device',
    hideInTargeting: false,
    archived: false,
  });
  const kinds = await works('GET', `projects/${P}/context-kinds`);
  assert.ok(kinds['items'].some(({ key }: Json) => key === 'device'));
  const defaults = await works('GET', `projects/${P}/flag-defaults`);
  await works('PUT', `projects/${P}/flag-defaults`, {
    tags: [],
    temporary: true,
    booleanDefaults: defaults['booleanDefaults'],
    defaultClientSideAvailability: { usingMobileKey: true, usingEnvironmentId: false },
  });
});

test('what this server does not have is not found, in words', async () => {
  for (const [path, body] of [
    [`metrics/${P}`, { key: 'clicks', kind: 'click', name: 'Clicks' }],
    [`destinations/${P}/test`, { name: 'Out', kind: 'kinesis', config: {} }],
    [`projects/${P}/views`, { key: 'mine', name: 'Mine' }],
    [`projects/${P}/release-pipelines`, { key: 'standard', name: 'Standard', phases: [] }],
  ] as const)
    await isRefused(ask('POST', path, body, BETA), 404, /\w+ \w+/);
});

test('the project goes, and what is imported by its key is not there', async () => {
  await isGone(`projects/${P}`);
  await works('DELETE', 'teams/tf-owners');
});
