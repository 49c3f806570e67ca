// The real git with the former names of repositories, and credentials from a helper.
import assert from 'node:assert/strict';
import { createTestOrganization } from '../conformance/host/organization-calls.ts';
import { joinHost, type HostPerson } from '../host-people.ts';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../git-tests.ts';
import { startServer, type TestServer } from '../server.ts';
import { GitClient, gitUrl } from './git-client.ts';

let server: TestServer;
let ada: HostPerson;
let ben: HostPerson;
before(async () => {
  server = await startServer({ limits: 'off' });
  ada = await joinHost(server, 'ada');
  ben = await joinHost(server, 'ben');
  await createTestOrganization(server, 'acme', { admin: 'ada' });
});
after(() => server.stop());

/** git asks the helper when it is told to send a credential, and not before. */
const as = ({ token }: HostPerson) => [
  '-c',
  `credential.helper=!f() { test "$1" = get && echo username=x-access-token && echo password=${token}; }; f`,
];
const urlOf = (name: string) => gitUrl(server, undefined, name);
const infoRefs = (name: string, service = 'git-upload-pack') => `/${name}.git/info/refs?service=${service}`;

test('a private repository is cloned, fetched and pushed by its former names', async () => {
  const { id } = await ada.repository('first', { private: true, auto_init: true });
  const one = new GitClient('Ada');
  await one.run('', ...as(ada), 'clone', '--quiet', urlOf('ada/first'), 'work');
  assert.equal((await ada.patch('/repos/ada/first', { name: 'second' })).status, 200);
  const transfer = { new_owner: 'acme', new_name: 'third' };
  assert.equal((await ada.post('/repos/ada/second/transfer', transfer)).status, 202);
  const sha = await one.commit('work', { 'a.txt': 'a\n' });
  await one.run('work', ...as(ada), 'push', '--quiet', 'origin', 'HEAD');
  for (const name of ['ada/first', 'ada/second', 'acme/third']) {
    const folder = name.replace('/', '-');
    const { code, stderr } = await one.try('', [...as(ada), 'clone', '--quiet', urlOf(name), folder]);
    assert.deepEqual([code, stderr], [0, ''], name);
    assert.equal(await one.run(folder, 'rev-parse', 'HEAD'), sha, name);
    const next = await one.commit(folder, { 'a.txt': `${name}\n` });
    for (const version of ['0', '2']) {
      const protocol = ['-c', `protocol.version=${version}`];
      await one.run(
        folder,
        ...as(ada),
        ...protocol,
        'push',
        '--quiet',
        'origin',
        'HEAD:refs/heads/b-' + folder,
      );
      await one.run('work', ...as(ada), ...protocol, 'fetch', '--quiet', 'origin');
    }
    assert.equal(await one.run('work', 'rev-parse', `origin/b-${folder}`), next);
  }
  const { json } = await ada.get(`/repositories/${id}/branches`);
  assert.equal((json as unknown as unknown[]).length, 4);
});

test('a public repository is cloned by its former name without a credential', async () => {
  await ada.repository('open', { auto_init: true });
  assert.equal((await ada.patch('/repos/ada/open', { name: 'opened' })).status, 200);
  const one = new GitClient();
  await one.run('', 'clone', '--quiet', urlOf('ada/open'), 'copy');
  assert.equal(await one.run('copy', 'rev-list', '--count', 'HEAD'), '1');
  const push = await one.try('copy', [...as(ben), 'push', '--quiet', 'origin', 'HEAD:refs/heads/x']);
  assert.notEqual(push.code, 0);
  assert.match(push.stderr, /You must have write rights to the repository\./);
});

test('who may not see a repository does not learn that it had another name', async () => {
  await ada.repository('hidden', { private: true, auto_init: true });
  assert.equal((await ada.patch('/repos/ada/hidden', { name: 'concealed' })).status, 200);
  for (const service of ['git-upload-pack', 'git-receive-pack'])
    for (const token of [null, ben.token, 'wrong']) {
      const [former, never] = await Promise.all(
        ['ada/hidden', 'ada/never'].map((name) => server.call(infoRefs(name, service), { token })),
      );
      const seen = ({ status, text, headers }: NonNullable<typeof former>) => [
        status,
        text,
        headers.get('location'),
        headers.get('www-authenticate'),
      ];
      assert.deepEqual(seen(former!), seen(never!), `${service} as ${token}`);
      assert.equal(former!.status, token === ben.token ? 404 : 401);
    }
});

test('a new repository with a former name of another takes it', async () => {
  await ada.repository('name', { auto_init: true });
  assert.equal((await ada.patch('/repos/ada/name', { name: 'renamed' })).status, 200);
  const one = new GitClient();
  await one.run('', 'clone', '--quiet', urlOf('ada/name'), 'old');
  await ada.repository('name');
  await one.run('', 'clone', '--quiet', urlOf('ada/name'), 'new');
  assert.equal(await one.run('new', 'ls-remote', 'origin'), '');
  assert.notEqual(await one.run('old', 'ls-remote', urlOf('ada/renamed')), '');
  const sha = await one.commit('new', { 'n.txt': 'n\n' });
  await one.run('new', ...as(ada), 'push', '--quiet', 'origin', 'HEAD:refs/heads/main');
  assert.equal((await ada.get('/repos/ada/name/commits/main')).json['sha'], sha);
  assert.notEqual((await ada.get('/repos/ada/renamed/commits/HEAD')).json['sha'], sha);
});
