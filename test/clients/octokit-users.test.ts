// The real octokit, unmodified: users, their addresses and keys.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Octokit, RequestError } from 'octokit';
import { checkingFetch } from '../host-contract/check-reply.ts';
import { ADMIN_TOKEN, startServer, type TestServer } from '../server.ts';
import { ed25519Key } from '../ssh-keys.ts';

const silent = { debug() {}, info() {}, error() {}, warn() {} };

let server: TestServer;
let users: Octokit['rest']['users'];
let octokit: Octokit;
before(async () => {
  server = await startServer();
  const request = { fetch: checkingFetch, log: silent };
  octokit = new Octokit({ baseUrl: server.url, auth: ADMIN_TOKEN, request });
  ({ users } = octokit.rest);
});
after(() => server.stop());

test('changes the profile', async () => {
  const { data } = await users.updateAuthenticated({ name: 'Ada', bio: 'Notes', hireable: true });
  assert.deepEqual([data.name, data.bio, data.hireable], ['Ada', 'Notes', true]);
  assert.equal((await users.getByUsername({ username: 'admin' })).data.name, 'Ada');
  assert.equal((await users.getById({ account_id: data.id })).data.login, 'admin');
  assert.deepEqual(
    (await octokit.paginate(users.list, { per_page: 1 })).map(({ login }) => login),
    ['admin'],
  );
});

test('adds and deletes addresses', async () => {
  const emails = ['one@other.example', 'two@other.example'];
  const { status, data } = await users.addEmailForAuthenticatedUser({ emails });
  assert.deepEqual([status, data.map(({ email }) => email)], [201, emails]);
  const all = await octokit.paginate(users.listEmailsForAuthenticatedUser, { per_page: 1 });
  assert.deepEqual(
    all.map(({ email, primary }) => [email, primary]),
    [['admin@signalbox.example', true], ...emails.map((email) => [email, false])],
  );
  await users.setPrimaryEmailVisibilityForAuthenticatedUser({ visibility: 'public' });
  const { data: shown } = await users.listPublicEmailsForAuthenticatedUser();
  assert.deepEqual(
    shown.map(({ email, visibility }) => [email, visibility]),
    [['admin@signalbox.example', 'public']],
  );
  assert.equal((await users.deleteEmailForAuthenticatedUser({ emails })).status, 204);
  await assert.rejects(
    users.deleteEmailForAuthenticatedUser({ emails }),
    (error) => error instanceof RequestError && error.status === 422,
  );
});

test('adds and deletes keys', async () => {
  const key = ed25519Key('octokit');
  const { data } = await users.createPublicSshKeyForAuthenticatedUser({ title: 'Laptop', key });
  assert.deepEqual((await users.listPublicSshKeysForAuthenticatedUser()).data, [data]);
  assert.deepEqual((await users.getPublicSshKeyForAuthenticatedUser({ key_id: data.id })).data, data);
  const { data: others } = await users.listPublicKeysForUser({ username: 'admin' });
  assert.deepEqual(others, [{ id: data.id, key }]);
  await assert.rejects(
    users.createPublicSshKeyForAuthenticatedUser({ key }),
    (error) => error instanceof RequestError && error.message.includes('key is already in use'),
  );
  await users.deletePublicSshKeyForAuthenticatedUser({ key_id: data.id });
});
