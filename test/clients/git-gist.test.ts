// The real git and gists: clones by anyone who has the id, pushes by the owner, and what a push may not bring.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { joinHost, type HostPerson } from '../host-people.ts';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../git-tests.ts';
import { giveToken } from '../people.ts';
import { startServer, type Json, type TestServer } from '../server.ts';
import { GitClient, gitUrl } from './git-client.ts';

let server: TestServer;
let ada: HostPerson;
let bob: HostPerson;
let one: GitClient;
before(async () => {
  server = await startServer({ limits: 'off' });
  ada = await joinHost(server, 'ada');
  bob = await joinHost(server, 'bob');
  one = new GitClient();
});
after(async () => {
  assert.deepEqual(server.app.kernel.services.packs.load, { used: 0, waiting: 0 });
  await server.stop();
});

async function createGist(files: Record<string, string>, fields: Json = {}): Promise<string> {
  const contents = Object.fromEntries(
    Object.entries(files).map(([name, content]) => [name, { content }] as const),
  );
  const { status, text, json } = await ada.post('/gists', { files: contents, ...fields });
  assert.equal(status, 201, text);
  return json['id'] as string;
}

const at = (id: string, person?: HostPerson) => gitUrl(server, person?.token, `gist/${id}`);
const filesOf = async (id: string) => {
  const { json } = await ada.get(`/gists/${id}`);
  const files = json['files'] as Record<string, { content: string }>;
  return Object.fromEntries(Object.entries(files).map(([name, { content }]) => [name, content] as const));
};
const commitsOf = async (id: string) => (await ada.get(`/gists/${id}/commits`)).json as unknown as Json[];

/** A gist of ada, and her clone of it in a folder of the same name. */
async function cloned(files: Record<string, string> = { 'a.txt': 'one\n' }): Promise<string> {
  const id = await createGist(files, { public: true });
  await one.run('', 'clone', '--quiet', at(id, ada), id);
  return id;
}

test('a gist is cloned, edited and pushed, and the API shows each revision once', async () => {
  const id = await cloned({ 'a.txt': 'one\n', 'b.md': '# b\n' });
  assert.deepEqual(
    readdirSync(one.path(id)).filter((name) => name !== '.git'),
    ['a.txt', 'b.md'],
  );
  assert.equal(readFileSync(one.path(id, 'a.txt'), 'utf8'), 'one\n');
  await one.commit(id, { 'a.txt': 'one\ntwo\n' });
  const head = await one.commit(id, { 'c.js': 'let c;\n' });
  await one.run(id, 'push', '--quiet');
  assert.deepEqual(await filesOf(id), { 'a.txt': 'one\ntwo\n', 'b.md': '# b\n', 'c.js': 'let c;\n' });
  const commits = await commitsOf(id);
  assert.equal(commits.length, 3);
  assert.equal(commits[0]!['version'], head);
  assert.deepEqual(commits[1]!['change_status'], { total: 1, additions: 1, deletions: 0 });
  assert.equal((commits[0]!['user'] as Json)['login'], 'ada');
  // Nothing is left to do.
  const left = await server.app.kernel.db
    .selectFrom('due')
    .select('id')
    .where('id', 'like', 'host.gist-push%')
    .execute();
  assert.deepEqual(left, []);
  // What the API writes comes with the next pull.
  await ada.patch(`/gists/${id}`, { files: { 'a.txt': { content: 'three\n' } } });
  await one.run(id, 'pull', '--quiet');
  assert.equal(readFileSync(one.path(id, 'a.txt'), 'utf8'), 'three\n');
});

test('a pushed commit without a file deletes it, and a forced push rewrites the history', async () => {
  const id = await cloned({ 'a.txt': 'one\n', 'b.txt': 'b\n' });
  await one.run(id, 'rm', '--quiet', 'b.txt');
  await one.commit(id, {}, 'Delete');
  await one.run(id, 'push', '--quiet');
  assert.deepEqual(await filesOf(id), { 'a.txt': 'one\n' });
  await one.commit(id, { 'a.txt': 'two\n' }, 'Change');
  await one.run(id, 'push', '--quiet');
  assert.equal((await commitsOf(id)).length, 3);
  await one.run(id, 'reset', '--quiet', '--hard', 'HEAD~2');
  const head = await one.commit(id, { 'a.txt': 'other\n' }, 'Another way');
  const refused = await one.try(id, ['push']);
  assert.match(refused.stderr, /non-fast-forward/);
  await one.run(id, 'push', '--quiet', '--force');
  assert.deepEqual(await filesOf(id), { 'a.txt': 'other\n', 'b.txt': 'b\n' });
  assert.deepEqual(
    (await commitsOf(id)).map(({ version }) => version),
    [head, await one.run(id, 'rev-parse', 'HEAD~1')],
  );
});

test('a secret gist is cloned by everybody who has its id, with and without .git', async () => {
  const id = await createGist({ 'a.txt': 'secret\n' }, { public: false });
  const url = at(id);
  await one.run('', 'clone', '--quiet', url, 'secret');
  await one.run('', 'clone', '--quiet', url.replace(/\.git$/, ''), 'secret-too');
  await one.run('', 'clone', '--quiet', at(id, bob), 'secret-of-bob');
  for (const folder of ['secret', 'secret-too', 'secret-of-bob'])
    assert.equal(readFileSync(one.path(folder, 'a.txt'), 'utf8'), 'secret\n');
  const unknown = '0'.repeat(32);
  const { stderr } = await one.try('', ['clone', at(unknown, ada), 'unknown']);
  assert.match(stderr, /not found/);
  // Without a token git asks for one instead of saying what there is.
  assert.match((await one.try('', ['clone', at(unknown), 'x'])).stderr, /could not read Username/);
});

test('only the owner pushes', async () => {
  const id = await cloned();
  await one.commit(id, { 'a.txt': 'mine\n' });
  const push = (url: string) => one.try(id, ['push', url, 'HEAD:main']);
  assert.match((await push(at(id))).stderr, /could not read Username/);
  const other = await push(at(id, bob));
  assert.equal(other.code, 128);
  assert.match(other.stderr, /403|not found/);
  const reader = await giveToken(server, ada.member, { role: 'reader' });
  const narrow = await push(gitUrl(server, reader.value, `gist/${id}`));
  assert.match(narrow.stderr, /403/);
  assert.deepEqual(await filesOf(id), { 'a.txt': 'one\n' });
  for (const [token, status] of [
    [null, 401],
    [bob.token, 403],
    [ada.token, 200],
  ] as const) {
    const answer = await server.call(`/gist/${id}/info/refs?service=git-receive-pack`, { token });
    assert.equal(answer.status, status);
    if (status === 401) assert.match(answer.headers.get('www-authenticate')!, /^Basic /);
  }
});

test('folders, links, submodules, too many files, and no file at all are refused with a reason', async () => {
  const id = await cloned();
  const head = await one.run(id, 'rev-parse', 'HEAD');
  const refused = async (words: RegExp) => {
    const { code, stderr } = await one.try(id, ['push']);
    assert.match(stderr, words);
    assert.equal(code, 1);
    await one.run(id, 'reset', '--quiet', '--hard', head);
    await one.run(id, 'clean', '-fdq');
  };
  await one.commit(id, { 'folder/b.txt': 'b' });
  await refused(/remote: folder: a gist has no folders\. Move its files to the top\./);
  symlinkSync('/etc/passwd', one.path(id, 'link'));
  await one.commit(id, {});
  await refused(/link: a gist has no symbolic links/);
  await one.run(id, 'update-index', '--add', '--cacheinfo', `160000,${head},sub`);
  await one.run(id, 'commit', '--quiet', '-m', 'Submodule');
  await refused(/sub: a gist has no submodules/);
  await one.commit(id, Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`${index}.txt`, 'x'])));
  await refused(/A gist has at most 300 files/);
  await one.commit(id, { 'bad\u0001name': 'x' });
  await refused(/remote: The file .* must not contain control characters/);
  await one.run(id, 'rm', '--quiet', 'a.txt');
  await one.commit(id, {});
  await refused(/A gist must have at least one file/);
  await one.commit(id, { 'large.bin': Buffer.alloc(10 * 1024 ** 2 + 1) });
  await refused(/large\.bin: a file of a gist has at most 10 MiB/);
  assert.deepEqual(await filesOf(id), { 'a.txt': 'one\n' });
  assert.equal((await commitsOf(id)).length, 1);
});

test('what older commits of a push hold is shown within limits, and never stops the gist', async () => {
  const id = await cloned();
  let last = await one.run(id, 'rev-parse', 'HEAD');
  const blob = await one.run(id, 'rev-parse', 'HEAD:a.txt');
  const tree = await one.run(id, 'rev-parse', 'HEAD^{tree}');
  const treeOf = async (entries: readonly string[]) => {
    writeFileSync(one.path(id, '.git/entries'), entries.join('\0'));
    return await one.run(id, '-c', 'alias.mk=!git mktree -z < .git/entries', 'mk');
  };
  const commitOf = (of: string, parent: string) => one.run(id, 'commit-tree', of, '-p', parent, '-m', 'x');
  const file = (name: string) => `100644 blob ${blob}\t${name}`;
  const mixed = await treeOf([
    file('__proto__'),
    file('bad\u0001name'),
    file('n'.repeat(300)),
    `120000 blob ${blob}\tlink`,
    `160000 commit ${last}\tsub`,
    `040000 tree ${tree}\tfolder`,
  ]);
  const many = await treeOf(Array.from({ length: 400 }, (_, index) => file(`${index}.txt`)));
  const huge = await treeOf([file('n'.repeat(2 * 1024 ** 2))]);
  const commits: string[] = [];
  for (const next of [mixed, many, huge, tree]) commits.push((last = await commitOf(next, last)));
  const { stderr } = await one.try(id, ['push', 'origin', `${commits[2]}:main`]);
  assert.match(stderr, /remote: .*name that is too long/);
  await one.run(id, 'push', '--quiet', 'origin', `${last}:main`);
  assert.deepEqual((await commitsOf(id)).map(({ version }) => version).slice(0, 4), commits.toReversed());
  const [shown, truncated, refused] = await Promise.all(
    commits.slice(0, 3).map((sha) => server.call(`/gists/${id}/${sha}`, { token: null })),
  );
  const filesIn = (json: Json) => Object.keys(json['files'] as Json);
  assert.deepEqual(filesIn(shown!.json).toSorted(), ['__proto__', 'bad\u0001name', 'link']);
  assert.deepEqual([filesIn(truncated!.json).length, truncated!.json['truncated']], [300, true]);
  assert.equal(refused!.status, 413, refused!.text);
  // The API goes on from the newest one.
  const changed = await ada.patch(`/gists/${id}`, { files: { 'a.txt': { content: 'later\n' } } });
  assert.equal(changed.status, 200, changed.text);
  assert.deepEqual((await commitsOf(id))[0]!['change_status'], { total: 2, additions: 1, deletions: 1 });
});

test('a gist has one branch and no tags', async () => {
  const id = await cloned();
  await one.commit(id, { 'a.txt': 'two\n' });
  for (const refspec of ['HEAD:refs/heads/other', 'HEAD:refs/tags/v1', 'HEAD:refs/gist/x']) {
    const { code, stderr } = await one.try(id, ['push', 'origin', 'HEAD:main', refspec]);
    assert.equal(code, 1);
    assert.match(stderr, /remote: refs\/\S+: a gist has one branch, main, and no tags\./);
    assert.match(stderr, /remote: Push to it alone: git push origin HEAD:main/);
  }
  const many = Array.from({ length: 30 }, (_, index) => `HEAD:refs/heads/b${index}`);
  assert.match((await one.try(id, ['push', 'origin', ...many])).stderr, /Push to it alone/);
  const deleted = await one.try(id, ['push', 'origin', ':main']);
  assert.match(deleted.stderr, /main cannot be deleted|deletion of the current branch prohibited/);
  assert.deepEqual(await filesOf(id), { 'a.txt': 'one\n' });
  await one.run(id, 'push', '--quiet', 'origin', 'HEAD:main');
  assert.deepEqual(await filesOf(id), { 'a.txt': 'two\n' });
});

test('a deleted gist is gone for git, too, and the folder of gists is no repository', async () => {
  const id = await cloned();
  assert.equal((await ada.delete(`/gists/${id}`)).status, 204);
  assert.match((await one.try(id, ['fetch'])).stderr, /not found/);
  for (const path of ['gist/..', 'gist/1', `gist/${'g'.repeat(32)}`]) {
    const { status } = await ada.get(`/${path}/info/refs?service=git-upload-pack`);
    assert.equal(status, 404);
  }
});
