// The real git, unmodified, with the token of an installation.
import assert from 'node:assert/strict';
import { makeApp, type TestApp } from '../app-people.ts';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../git-tests.ts';
import { joinHost, type HostPerson } from '../host-people.ts';
import { startServer, type TestServer } from '../server.ts';
import { GitClient } from './git-client.ts';

let server: TestServer;
let ada: HostPerson;
let app: TestApp;
let number: number;
before(async () => {
  server = await startServer({ limits: 'off' });
  ada = await joinHost(server, 'ada');
  const one = await ada.repository('one', { private: true, auto_init: true });
  await ada.repository('two', { private: true, auto_init: true });
  await ada.repository('open', { auto_init: true });
  app = await makeApp(server, 'ada', { name: 'Pusher', permissions: { contents: 'write' } });
  ({ number } = await app.install('ada', [one['id'] as number]));
});
after(() => server.stop());

/** As clients of apps write it. */
const url = (token: string, name: string) =>
  `${server.url.replace('://', `://x-access-token:${token}@`)}/ada/${name}.git`;

test('clones and pushes to the repositories of the installation, as its bot', async () => {
  const git = new GitClient('Robot');
  const token = await app.token({ number });
  await git.run('', 'clone', '--quiet', url(token, 'one'), 'one');
  const sha = await git.commit('one', { 'made.txt': 'x\n' });
  await git.run('one', 'push', '--quiet', 'origin', 'main');
  const { json } = await ada.get('/repos/ada/one/events');
  const [push] = (
    json as unknown as { type: string; actor: { login: string }; payload: { head: string } }[]
  ).filter(({ type }) => type === 'PushEvent');
  assert.deepEqual([push?.actor.login, push?.payload.head], ['pusher[bot]', sha]);
});

test('is refused other repositories, and pushes to what is public', async () => {
  const git = new GitClient('Robot');
  const token = await app.token({ number });
  const refused = await git.try('', ['clone', '--quiet', url(token, 'two'), 'two']);
  assert.notEqual(refused.code, 0);
  assert.match(refused.stderr, /not found/);
  await git.run('', 'clone', '--quiet', url(token, 'open'), 'open');
  await git.commit('open', { 'made.txt': 'x\n' });
  const pushed = await git.try('open', ['push', 'origin', 'main']);
  assert.notEqual(pushed.code, 0);
  assert.match(pushed.stderr, /Resource not accessible by integration/);
});

test('is refused pushes where the token may only read', async () => {
  const git = new GitClient('Robot');
  const token = await app.token({ number }, { permissions: { contents: 'read' } });
  await git.run('', 'clone', '--quiet', url(token, 'one'), 'one');
  await git.commit('one', { 'more.txt': 'x\n' });
  const pushed = await git.try('one', ['push', 'origin', 'main']);
  assert.notEqual(pushed.code, 0);
  assert.match(pushed.stderr, /Resource not accessible by integration/);
  const none = await app.token({ number }, { permissions: { metadata: 'read' } });
  assert.notEqual((await git.try('', ['clone', '--quiet', url(none, 'one'), 'none'])).code, 0);
});

test('is refused everything while the installation is suspended', async () => {
  const git = new GitClient('Robot');
  const token = await app.token({ number });
  await git.run('', 'clone', '--quiet', url(token, 'one'), 'one');
  const path = `/app/installations/${number}/suspended`;
  assert.equal((await app.call(path, { method: 'PUT' })).status, 204);
  const { code, stderr } = await git.try('one', ['fetch', 'origin']);
  assert.notEqual(code, 0);
  assert.match(stderr, /Authentication failed|could not read/);
  assert.equal((await app.call(path, { method: 'DELETE' })).status, 204);
  await git.run('one', 'fetch', '--quiet', 'origin');
});
