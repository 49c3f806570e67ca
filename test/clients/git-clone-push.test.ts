// The real git, unmodified: clones, fetches and pushes over HTTP.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { joinHost, type HostPerson } from '../host-people.ts';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../git-tests.ts';
import { startServer, type Json, type TestServer } from '../server.ts';
import { GitClient, gitUrl } from './git-client.ts';

let server: TestServer;
let ada: HostPerson;
let ben: HostPerson;
before(async () => {
  server = await startServer({ limits: 'off' });
  ada = await joinHost(server, 'ada');
  ben = await joinHost(server, 'ben');
});
after(async () => {
  // Processes of git die with their clients, and none is left behind.
  assert.equal(server.app.kernel.services.packs.load.used, 0);
  await server.stop();
});

const as = (person: HostPerson | undefined, name: string) => gitUrl(server, person?.token, name);

/** Of pushes, the oldest first. */
async function eventsOf(number: number): Promise<{ name: string; details: Json; sender: string }[]> {
  const rows = await server.app.kernel.db
    .selectFrom('host_events')
    .select(['name', 'details', 'snapshot'])
    .where('repository_number', '=', number)
    .where('name', 'in', ['push', 'create', 'delete'])
    .orderBy('number')
    .execute();
  return rows.map(({ name, details, snapshot }) => ({
    name,
    details: JSON.parse(details) as Json,
    sender: (JSON.parse(snapshot) as { sender: { login: string } }).sender.login,
  }));
}

test('a new project is pushed, cloned by another, changed and pulled', async () => {
  await ada.repository('project');
  const one = new GitClient('Ada');
  await one.begin('work', { 'README.md': '# Hello\n', 'src/a.js': 'let a;\n' });
  await one.run('work', 'remote', 'add', 'origin', as(ada, 'ada/project'));
  await one.run('work', 'push', '--quiet', '-u', 'origin', 'main');
  const { json } = await ada.get('/repos/ada/project');
  assert.deepEqual(
    [json.default_branch, Date.parse(json.pushed_at) >= Date.parse(json.created_at)],
    ['main', true],
  );
  // Without `.git`, and without a token, as the repository is public.
  const two = new GitClient('Ben');
  await two.run('', 'clone', '--quiet', `${server.url}/ada/project`, 'copy');
  await ada.put('/repos/ada/project/collaborators/ben');
  const sha = await two.commit('copy', { 'b.txt': 'from Ben\n' });
  await two.run('copy', 'push', '--quiet', as(ben, 'ada/project'), 'main');
  await one.run('work', 'pull', '--quiet');
  assert.equal(await one.run('work', 'rev-parse', 'HEAD'), sha);
  const pushers = (await eventsOf(json.id)).filter(({ name }) => name === 'push').map(({ sender }) => sender);
  assert.deepEqual(pushers, ['ada', 'ben']);
});

test('shallow and partial clones, and the old protocol', async () => {
  await ada.repository('history');
  const one = new GitClient();
  await one.begin('work');
  for (const index of [1, 2, 3]) await one.commit('work', { [`f${index}`]: `${index}\n` }, `Number ${index}`);
  await one.run('work', 'push', '--quiet', as(ada, 'ada/history'), 'main');
  const url = as(undefined, 'ada/history');
  await one.run('', 'clone', '--quiet', '--depth=1', url, 'shallow');
  assert.equal(await one.run('shallow', 'rev-list', '--count', 'HEAD'), '1');
  await one.run('shallow', 'fetch', '--quiet', '--unshallow');
  assert.equal(await one.run('shallow', 'rev-list', '--count', 'HEAD'), '4');
  for (const version of ['0', '2']) {
    const protocol = ['-c', `protocol.version=${version}`];
    const folder = `partial${version}`;
    await one.run('', ...protocol, 'clone', '--quiet', '--no-checkout', '--filter=blob:none', url, folder);
    const missing = await one.run(folder, 'rev-list', '--objects', '--missing=print', '--all');
    assert.match(missing, /^\?[0-9a-f]{40}$/m);
    await one.run(folder, ...protocol, 'checkout', '--quiet', 'main');
    assert.equal(await one.run(folder, 'show', 'HEAD:f3'), '3');
  }
});

test('branches and tags are forced and deleted, and each is told', async () => {
  const { id } = await ada.repository('refs');
  const one = new GitClient();
  await one.begin('work');
  await one.run('work', 'remote', 'add', 'origin', as(ada, 'ada/refs'));
  await one.run('work', 'tag', '-a', 'v1', '-m', 'One');
  await one.run('work', 'push', '--quiet', 'origin', 'main', 'main:side', 'v1');
  await one.run('work', 'commit', '--quiet', '--amend', '-m', 'Other');
  const refused = await one.try('work', ['push', 'origin', 'main']);
  assert.match(refused.stderr, /\[rejected\].*main -> main/);
  await one.run('work', 'push', '--quiet', '--force', 'origin', 'main');
  await one.run('work', 'push', '--quiet', 'origin', ':side', ':refs/tags/v1');
  assert.match(
    await one.run('work', 'ls-remote', 'origin'),
    /^[0-9a-f]{40}\tHEAD\n[0-9a-f]{40}\trefs\/heads\/main$/,
  );
  const told = (await eventsOf(id)).map(({ name, details: { ref, forced, deleted } }) =>
    [name, ref, forced === true ? 'forced' : deleted === true ? 'deleted' : ''].join(' ').trim(),
  );
  assert.deepEqual(told.toSorted(), [
    'create main',
    'create side',
    'create v1',
    'delete side',
    'delete v1',
    'push refs/heads/main',
    'push refs/heads/main forced',
    'push refs/heads/side',
    'push refs/heads/side deleted',
    'push refs/tags/v1',
    'push refs/tags/v1 deleted',
  ]);
});

test('the first branch that is pushed to an empty repository becomes the default', async () => {
  await ada.repository('trunk');
  const one = new GitClient();
  await one.run('', 'clone', '--quiet', as(ada, 'ada/trunk'), 'empty');
  await one.begin('work');
  await one.run('work', 'push', '--quiet', as(ada, 'ada/trunk'), 'main:trunk');
  assert.equal((await ada.get('/repos/ada/trunk')).json.default_branch, 'trunk');
  await one.run('', 'clone', '--quiet', '--depth=1', as(ada, 'ada/trunk'), 'copy');
  assert.equal(await one.run('copy', 'branch', '--show-current'), 'trunk');
});

test('private repositories ask for a token, and are not there for others', async () => {
  await ada.repository('secret', { private: true });
  const one = new GitClient();
  await one.begin('work');
  await one.run('work', 'push', '--quiet', as(ada, 'ada/secret'), 'main');
  const info = '/ada/secret.git/info/refs?service=git-upload-pack';
  for (const path of [info, '/ada/nothing.git/info/refs?service=git-upload-pack']) {
    const { status, headers } = await server.call(path, { token: null });
    assert.deepEqual(
      [status, headers.get('www-authenticate')?.startsWith('Basic realm="Signalbox"')],
      [401, true],
    );
  }
  assert.equal(
    (await server.call(info, { token: 'wrong' })).headers.get('www-authenticate')?.slice(0, 5),
    'Basic',
  );
  assert.equal((await ben.get(info)).status, 404);
  assert.match((await one.try('', ['ls-remote', as(ben, 'ada/secret')])).stderr, /not found/);
  assert.match(
    (await one.try('', ['ls-remote', as(undefined, 'ada/secret')])).stderr,
    /could not read Username/,
  );
  // A Bearer token works too.
  const header = `http.extraHeader=Authorization: Bearer ${ada.token}`;
  await one.run('', '-c', header, 'clone', '--quiet', as(undefined, 'ada/secret'), 'copy');
});

test('who may not push is told so in plain words', async () => {
  await ada.repository('open');
  const one = new GitClient();
  await one.begin('work');
  await one.run('work', 'push', '--quiet', as(ada, 'ada/open'), 'main');
  const denied = await one.try('work', ['push', as(ben, 'ada/open'), 'main:other']);
  assert.match(denied.stderr, /remote: You must have write rights to the repository/);
  await ada.patch('/repos/ada/open', { archived: true });
  const archived = await one.try('work', ['push', as(ada, 'ada/open'), 'main:other']);
  assert.match(archived.stderr, /remote: The repository is archived/);
  await one.run('', 'clone', '--quiet', as(undefined, 'ada/open'), 'copy');
});

test('a former name leads to the repository, for clones and pushes', async () => {
  await ada.repository('before');
  const one = new GitClient();
  await one.begin('work');
  await one.run('work', 'push', '--quiet', as(ada, 'ada/before'), 'main');
  await ada.patch('/repos/ada/before', { name: 'after' });
  await one.run('', 'clone', '--quiet', as(undefined, 'ada/before'), 'copy');
  await one.commit('work', { a: 'a' });
  await one.run('work', 'push', '--quiet', as(ada, 'ada/before'), 'main');
});

test('large files and chunked bodies come and go unchanged', async () => {
  await ada.repository('large');
  const one = new GitClient();
  const bytes = randomBytes(3 * 1024 ** 2);
  await one.begin('work', { 'large.bin': bytes });
  // A buffer this small makes git send the pack in chunks, of a length that it does not know before.
  await one.run('work', '-c', 'http.postBuffer=65536', 'push', '--quiet', as(ada, 'ada/large'), 'main');
  await one.run('', 'clone', '--quiet', as(undefined, 'ada/large'), 'copy');
  assert.equal(
    await one.run('copy', 'hash-object', 'large.bin'),
    await one.run('work', 'hash-object', 'large.bin'),
  );
});

test('what is no request of git is refused', async () => {
  await ada.repository('odd', { auto_init: true });
  const post = (path: string, headers: Record<string, string>, body: string | Buffer = '0000') =>
    ada.call(`/ada/odd${path}`, { method: 'POST', headers, body });
  const type = { 'content-type': 'application/x-git-upload-pack-request' };
  assert.equal((await ada.get('/ada/odd/info/refs')).status, 403);
  assert.match((await ada.get('/ada/odd/info/refs?service=git-other')).text, /smart HTTP protocol only/);
  assert.equal((await post('/git-upload-pack', {})).status, 415);
  assert.equal((await post('/git-upload-pack', { ...type, 'content-encoding': 'br' })).status, 415);
  assert.equal((await ada.get('/ada/odd/git-upload-pack')).status, 404);
  assert.equal((await post('/git-upload-pack', type, 'rubbish')).status, 400);
  // A line of the protocol, in gzip.
  const ls = gzipSync('0014command=ls-refs\n0000');
  const listed = await post(
    '.git/git-upload-pack',
    { ...type, 'content-encoding': 'gzip', 'git-protocol': 'version=2' },
    ls,
  );
  assert.match(listed.text, /[0-9a-f]{40} refs\/heads\/main/);
  const odd = await ada.call('/ada/odd/info/refs?service=git-upload-pack', {
    headers: { 'git-protocol': 'version=2; rm -rf /' },
  });
  assert.match(odd.text, /^001e# service=git-upload-pack\n0000/);
});
