// Everything that webhooks of the host tell of, on a running server: each payload has the shape that receivers know.
import assert from 'node:assert/strict';
import { addCommit } from '../../../../src/host/git/fixture-repository.ts';
import { eventually } from '../../../eventually.ts';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../../../git-tests.ts';
import { joinHost, type HostPerson } from '../../../host-people.ts';
import { startServer, type Answer, type Json, type TestServer } from '../../../server.ts';
import { checkWebhookPayload } from '../../../webhook-schemas.ts';
import { openReceiver, type ReceivedWebhook, type WebhookReceiver } from '../../../webhook-receiver.ts';

let server: TestServer;
let receiver: WebhookReceiver;
let ada: HostPerson;
let bob: HostPerson;

before(async () => {
  server = await startServer({ limits: 'off', allowPrivateWebhooks: true });
  receiver = await openReceiver();
  ada = await joinHost(server, 'ada');
  bob = await joinHost(server, 'bob');
  await expect(server.call('/admin/organizations', post({ login: 'acme', admin: 'ada' })));
  await expect(ada.post('/orgs/acme/hooks', hookAt('/acme')));
});
after(async () => {
  await server.stop();
  await receiver.close();
});

const post = (body: Json) => ({ method: 'POST', body });
const hookAt = (path: string) => ({
  config: { url: receiver.url + path, content_type: 'json' },
  events: ['*'],
});

async function expect(answer: Promise<Answer>): Promise<Json> {
  const got = await answer;
  assert.ok(got.status < 300, `${got.status} ${got.text}`);
  return got.status === 204 ? {} : got.json;
}

const nameOf = ({ headers, json }: ReceivedWebhook): string =>
  [headers['x-github-event'], json['action']].filter((word) => word !== undefined).join('.');

/** What has come to a path, each payload checked; waits until these events have come. */
async function waitFor(path: string, names: readonly string[]): Promise<Map<string, Json>> {
  const missing = () => {
    const told = new Set(receiver.at(path).map(nameOf));
    return names.filter((name) => !told.has(name));
  };
  try {
    await eventually(() => missing().length === 0, 'all events');
  } catch {
    assert.deepEqual(missing(), [], `at ${path}`);
  }
  for (const one of receiver.at(path)) checkWebhookPayload(one.headers['x-github-event'] as string, one.json);
  return new Map(receiver.at(path).map((one) => [nameOf(one), one.json]));
}

test('what happens in a repository is told to its hooks and to those of its organization', async () => {
  const { id } = await expect(ada.post('/orgs/acme/repos', { name: 'demo', auto_init: true }));
  const at = '/repos/acme/demo';
  await expect(ada.post(`${at}/hooks`, hookAt('/demo')));
  const sha = (await expect(ada.get(`${at}/git/ref/heads/main`)))['object'].sha as string;
  await expect(ada.post(`${at}/git/refs`, { ref: 'refs/heads/topic', sha }));
  await expect(ada.post(`${at}/git/refs`, { ref: 'refs/tags/v1', sha }));
  await expect(
    ada.put(`${at}/contents/a.txt`, {
      message: 'adds a\n\nfor good',
      content: 'YQ==',
      author: { name: 'Someone', email: 'someone@example.com' },
    }),
  );
  await expect(ada.delete(`${at}/git/refs/heads/topic`));
  await expect(
    ada.post(`${at}/statuses/${sha}`, { state: 'success', context: 'ci', target_url: 'https://ci.example' }),
  );
  await expect(ada.put(`${at}/branches/main/protection`, protection(true)));
  await expect(ada.put(`${at}/branches/main/protection`, protection(false)));
  await expect(ada.delete(`${at}/branches/main/protection`));
  await expect(bob.put(`/user/starred/acme/demo`));
  await expect(bob.delete(`/user/starred/acme/demo`));
  await expect(ada.put(`${at}/collaborators/bob`, { permission: 'push' }));
  await expect(ada.put(`${at}/collaborators/bob`, { permission: 'admin' }));
  await expect(ada.delete(`${at}/collaborators/bob`));
  await expect(ada.patch(at, { description: 'new', homepage: 'https://example.com' }));
  await expect(ada.patch(at, { archived: true }));
  await expect(ada.patch(at, { archived: false }));
  await expect(ada.patch(at, { private: true }));
  await expect(ada.patch(at, { private: false }));
  await expect(bob.post(`${at}/forks`, {}));
  const { slug } = await expect(ada.post('/orgs/acme/teams', { name: 'Builders', privacy: 'closed' }));
  await expect(ada.put(`/orgs/acme/teams/${slug}/repos/acme/demo`, { permission: 'push' }));
  await expect(ada.put(`/orgs/acme/teams/${slug}/repos/acme/demo`, { permission: 'admin' }));
  await expect(ada.delete(`/orgs/acme/teams/${slug}/repos/acme/demo`));
  await expect(ada.patch(at, { name: 'renamed' }));
  await expect(ada.delete('/repos/acme/renamed'));
  const shared = [
    ...'ping push create delete status public fork team_add watch.started'.split(' '),
    ...'star.created star.deleted member.added member.edited member.removed'.split(' '),
    ...['created', 'edited', 'deleted'].map((action) => `branch_protection_rule.${action}`),
    ...['edited', 'archived', 'unarchived', 'privatized', 'publicized', 'renamed', 'deleted'].map(
      (action) => `repository.${action}`,
    ),
  ];
  const told = await waitFor('/demo', shared);
  assert.equal(told.get('status')!['sha'], sha);
  assert.equal(told.get('status')!['name'], 'acme/demo');
  assert.equal(told.get('member.edited')!['member'].login, 'bob');
  assert.equal(told.get('fork')!['forkee'].full_name, 'bob/demo');
  assert.equal(told.get('repository.renamed')!['changes'].repository.name.from, 'demo');
  const organizational = [
    'repository.created',
    ...['created', 'added_to_repository', 'edited', 'removed_from_repository'].map(
      (action) => `team.${action}`,
    ),
  ];
  const acme = await waitFor('/acme', [...shared, ...organizational]);
  assert.equal(acme.get('repository.deleted')!['repository'].id, id);
  // Events of teams are told to organizations only.
  assert.deepEqual(
    [...told.keys()].filter((name) => name.startsWith('team.')),
    [],
  );
  const guids = (path: string) =>
    receiver
      .at(path)
      .filter((one) => nameOf(one) === 'public')
      .map(({ headers }) => headers['x-github-delivery']);
  assert.deepEqual(guids('/demo'), guids('/acme'));
});

test('what happens in an organization is told to its hooks, to its end', async () => {
  await expect(server.call('/admin/organizations', post({ login: 'brief', admin: 'ada' })));
  await expect(ada.post('/orgs/brief/hooks', hookAt('/brief')));
  await expect(ada.put('/orgs/brief/memberships/bob', { role: 'member' }));
  const { slug } = await expect(ada.post('/orgs/brief/teams', { name: 'Parents', privacy: 'closed' }));
  const { id } = await expect(ada.get(`/orgs/brief/teams/${slug}`));
  const child = { name: 'Children', parent_team_id: id, privacy: 'closed' };
  await expect(ada.post('/orgs/brief/teams', child));
  await expect(ada.put('/orgs/brief/teams/children/memberships/bob', { role: 'member' }));
  await expect(ada.patch('/orgs/brief/teams/children', { name: 'Kids', description: 'small' }));
  await expect(ada.delete('/orgs/brief/teams/kids/memberships/bob'));
  await expect(ada.delete('/orgs/brief/teams/kids'));
  await expect(ada.delete('/orgs/brief/members/bob'));
  await expect(ada.post('/orgs/brief/repos', { name: 'last', private: true }));
  await expect(ada.delete('/orgs/brief'));
  const told = await waitFor('/brief', [
    ...['member_added', 'member_removed', 'deleted'].map((action) => `organization.${action}`),
    ...['created', 'edited', 'deleted'].map((action) => `team.${action}`),
    ...'membership.added membership.removed repository.created repository.deleted'.split(' '),
  ]);
  assert.equal(told.get('organization.member_added')!['membership'].user.login, 'bob');
  assert.equal(told.get('membership.added')!['team'].parent.name, 'Parents');
  assert.equal(told.get('organization.deleted')!['organization'].login, 'brief');
});

test('a transfer names the former owner', async () => {
  await ada.repository('moving');
  await expect(ada.post('/repos/ada/moving/hooks', hookAt('/moving')));
  await expect(ada.post('/repos/ada/moving/transfer', { new_owner: 'acme' }));
  const told = await waitFor('/moving', ['repository.transferred']);
  const { changes, repository, organization } = told.get('repository.transferred')!;
  assert.deepEqual(
    [changes.owner.from.user.login, repository.full_name, organization.login],
    ['ada', 'acme/moving', 'acme'],
  );
});

test('a push of long commits lists the newest that fit, and is none by force', async () => {
  const { id } = await ada.repository('long');
  const at = '/repos/ada/long';
  const git = server.app.kernel.services.git.repository(id as number);
  const first = await addCommit(git, { a: '0' }, { branch: 'base' });
  await expect(ada.post(`${at}/git/refs`, { ref: 'refs/heads/main', sha: first }));
  await expect(ada.post(`${at}/hooks`, { ...hookAt('/long'), events: ['push'] }));
  let last = first;
  const message = `${'a very long line '.repeat(40_000)}\n`;
  for (let count = 1; count <= 24; count += 1)
    last = await addCommit(git, { a: String(count) }, { branch: 'base', parents: [last], message });
  await expect(ada.patch(`${at}/git/refs/heads/main`, { sha: last }));
  const push = (await waitFor('/long', ['push'])).get('push')!;
  assert.deepEqual(
    [push['before'], push['after'], push['forced'], push['head_commit'].id],
    [first, last, false, last],
  );
  const commits = push['commits'] as Json[];
  assert.equal(commits.at(-1)!['id'], last);
  assert.ok(commits.length > 5 && commits.length < 24, String(commits.length));
  assert.ok(JSON.stringify(push).length < 1.5 * 1024 * 1024);
});

function protection(isStrict: boolean): Json {
  return {
    required_status_checks: { strict: isStrict, contexts: ['ci'] },
    enforce_admins: isStrict,
    required_pull_request_reviews: null,
    restrictions: null,
  };
}
