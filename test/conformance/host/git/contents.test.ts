// Files of repositories on a running server: reads in all media types, writes, downloads and archives.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { addCommit, type TestFiles } from '../../../../src/host/git/fixture-repository.ts';
import { onEachEngine } from '../../../engines.ts';
import { eventually } from '../../../eventually.ts';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../../../git-tests.ts';
import { joinHost } from '../../../host-people.ts';
import { startServer, type Json, type TestServer } from '../../../server.ts';

const OLD = { 'x-github-api-version': '2022-11-28' };
const NEW = { 'x-github-api-version': '2026-03-10' };
const RAW = { accept: 'application/vnd.github.v3.raw' };
const HTML = { accept: 'application/vnd.github.html+json' };
const OBJECT = { accept: 'application/vnd.github.object+json' };
const MODULE = 'a'.repeat(40);
const base64 = (text: string | Buffer) => Buffer.from(text).toString('base64');

onEachEngine((engine) => {
  let server: TestServer;
  let ada: string;
  let bob: string;

  before(async () => {
    const location = await engine.migratedDatabase();
    server = await startServer(engine.kind === 'postgres' ? { database: location } : {});
    ({ token: ada } = await joinHost(server, 'ada'));
    ({ token: bob } = await joinHost(server, 'bob'));
  });
  after(() => server.stop());

  const send = (method: string, path: string, body?: unknown, token: string | null = ada) =>
    server.call(path, { method, token, ...(body !== undefined && { body }) });
  const get = (path: string, headers: Record<string, string> = {}, token: string | null = ada) =>
    server.call(path, { token, headers });
  const create = async (name: string, fields: Json = {}, files?: TestFiles) => {
    const { status, json, text } = await send('POST', '/user/repos', { name, ...fields });
    assert.equal(status, 201, text);
    const git = server.app.kernel.services.git.repository(json['id'] as number);
    const commit = files && (await addCommit(git, files));
    return { git, commit: commit ?? '', path: `/repos/ada/${name}` };
  };
  const put = async (path: string, body: Json, token = ada) => {
    const { status, json } = await send('PUT', path, { message: 'change', ...body }, token);
    return { status, json };
  };
  const bytesAt = async (url: string, headers: Record<string, string> = {}) => {
    const response = await fetch(url, { headers });
    return {
      status: response.status,
      headers: response.headers,
      bytes: Buffer.from(await response.arrayBuffer()),
    };
  };

  test('the first file of an empty repository creates the branch, and can be replaced and deleted', async () => {
    const { path, git } = await create('written');
    const empty = await get(`${path}/contents/`);
    assert.deepEqual([empty.status, empty.json['message']], [404, 'This repository is empty.']);
    const first = await put(`${path}/contents/src/main.ts`, { content: base64('let x = 1;\n') });
    assert.equal(first.status, 201);
    assert.deepEqual(
      [first.json['content'].path, first.json['content'].size, first.json['commit'].parents],
      ['src/main.ts', 11, []],
    );
    const { sha } = first.json['content'];
    const second = await put(`${path}/contents/src/main.ts`, {
      content: base64('let x = 2;\n'),
      sha,
      author: { name: 'Grace', email: 'grace@example.com', date: '2020-01-02T03:04:05+02:00' },
    });
    assert.equal(second.status, 200);
    assert.equal(second.json['commit'].parents[0].sha, first.json['commit'].sha);
    assert.deepEqual(second.json['commit'].author, {
      name: 'Grace',
      email: 'grace@example.com',
      date: '2020-01-02T01:04:05Z',
    });
    assert.equal(second.json['commit'].committer.name, 'ada');
    assert.equal((await git.resolveCommit('main'))!.oid, second.json['commit'].sha);
    await eventually(async () => (await get(`${path}/languages`)).json['TypeScript'] === 11);
    assert.ok((await get(path)).json['size'] > 0);
    const gone = await send('DELETE', `${path}/contents/src/main.ts`, {
      message: 'remove',
      sha: second.json['content'].sha,
    });
    assert.deepEqual([gone.status, gone.json['content']], [200, null]);
    assert.equal((await get(`${path}/contents/src/main.ts`)).status, 404);
    assert.deepEqual((await get(`${path}/contents/`)).json, []);
  });

  test('of two writers at once one is told of the conflict', async () => {
    const { path, git } = await create('raced', { auto_init: true });
    const old = (await git.resolveCommit('main'))!.oid;
    const { sha } = (await get(`${path}/contents/README.md`)).json;
    const writes = await Promise.all(
      ['one', 'two', 'three'].map((text) =>
        put(`${path}/contents/README.md`, { content: base64(text), sha }),
      ),
    );
    const statuses = writes.map(({ status }) => status).toSorted((one, other) => one - other);
    assert.deepEqual(statuses, [200, 409, 409]);
    const winner = writes.find(({ status }) => status === 200)!;
    const head = (await git.resolveCommit('main'))!;
    assert.deepEqual([head.oid, head.parents], [winner.json['commit'].sha, [old]]);
  });

  test('two first commits at once follow each other', async () => {
    const { path, git } = await create('begun-twice');
    const writes = await Promise.all(
      ['a', 'b'].map((name) => put(`${path}/contents/${name}`, { content: base64(name) })),
    );
    assert.deepEqual(
      writes.map(({ status }) => status),
      [201, 201],
    );
    const [first] = (await git.resolveCommit('main'))!.parents;
    assert.deepEqual((await git.readCommit(first!))!.parents, []);
    assert.equal((await get(`${path}/contents`)).json.length, 2);
  });

  // The rest does not depend on the database.
  if (engine.kind === 'postgres') return;

  test('a write that cannot be made changes nothing', async () => {
    const { path, git } = await create('refused', {}, { file: '1', 'dir/x': '2', '160000 sub': MODULE });
    const old = (await git.resolveCommit('main'))!.oid;
    const { sha } = (await get(`${path}/contents/file`)).json;
    const content = base64('new');
    for (const [name, body, status] of [
      ['file', { content }, 422],
      ['file', { content, sha: '1'.repeat(40) }, 409],
      ['absent', { content, sha }, 409],
      ['file', { content: 'not base64!', sha }, 422],
      ['file', { content: 'YQ', sha }, 422],
      ['file', { sha }, 422],
      ['file', { content, sha, message: '' }, 422],
      ['file', { content, sha, branch: 'none' }, 404],
      ['file', { content, sha, branch: '../x' }, 404],
      ['file', { content, sha, author: { name: 'x' } }, 422],
      ['file', { content, sha, author: { name: 'x', email: 'y', date: 'z' } }, 422],
      ['dir', { content }, 422],
      ['sub', { content }, 422],
      ['file/below', { content }, 422],
      ['..%2fx', { content }, 422],
      ['a%2f..%2fx', { content }, 422],
      ['.git/config', { content }, 422],
      ['a/.GIT/config', { content }, 422],
      ['a//b', { content }, 422],
      ['a%00b', { content }, 400],
      ['', { content }, 422],
    ] as const) {
      const { status: got, json } = await put(`${path}/contents/${name}`, body);
      assert.equal(got, status, `${name} ${JSON.stringify(body)}: ${JSON.stringify(json)}`);
    }
    for (const [name, body, status] of [
      ['file', { message: 'x' }, 422],
      ['file', { message: 'x', sha: '1'.repeat(40) }, 409],
      ['absent', { message: 'x', sha }, 404],
      ['dir', { message: 'x', sha }, 422],
    ] as const)
      assert.equal((await send('DELETE', `${path}/contents/${name}`, body)).status, status, name);
    assert.equal((await put(`${path}/contents/new`, { content }, bob)).status, 403);
    assert.equal((await send('PUT', `${path}/contents/new`, { message: 'x', content }, null)).status, 401);
    assert.equal((await git.resolveCommit('main'))!.oid, old);
  });

  test('a file has its content in lines of 60 characters, its size and its addresses', async () => {
    const { path, commit } = await create('files', {}, { 'some dir/a#b?.txt': 'x'.repeat(100) });
    const { json, headers } = await get(`${path}/contents/some%20dir/a%23b%3F.txt`);
    assert.deepEqual(
      [json['type'], json['encoding'], json['size'], json['name'], json['path']],
      ['file', 'base64', 100, 'a#b?.txt', 'some dir/a#b?.txt'],
    );
    const lines = (json['content'] as string).split('\n');
    assert.deepEqual(
      lines.map(({ length }) => length),
      [60, 60, 16, 0],
    );
    assert.equal(Buffer.from(json['content'], 'base64').toString(), 'x'.repeat(100));
    assert.equal(json['url'], `${server.url}${path}/contents/some%20dir/a%23b%3F.txt?ref=main`);
    assert.equal(json['_links'].self, json['url']);
    assert.equal(json['git_url'], `${server.url}${path}/git/blobs/${json['sha']}`);
    const again = { 'if-none-match': headers.get('etag')! };
    assert.equal((await get(`${path}/contents/some%20dir/a%23b%3F.txt`, again)).status, 304);
    const download = await bytesAt(json['download_url']);
    assert.equal(download.bytes.toString(), 'x'.repeat(100));
    assert.match(download.headers.get('content-security-policy')!, /^sandbox/);
    assert.equal(download.headers.get('content-type'), 'text/plain; charset=utf-8');
    for (const ref of ['main', commit, commit.slice(0, 8), 'refs/heads/main', 'HEAD'])
      assert.equal((await get(`${path}/contents/some%20dir?ref=${ref}`)).status, 200, ref);
    const wrong = await get(`${path}/contents/some%20dir?ref=none`);
    assert.deepEqual([wrong.status, wrong.json['message']], [404, 'No commit found for the ref none']);
    for (const name of ['none', 'some%20dir/none', 'some%20dir/a%23b%3F.txt/x', '..%2fx', 'a//b'])
      assert.equal((await get(`${path}/contents/${name}`)).status, 404, name);
  });

  test('raw gives the bytes, whole or a part of them', async () => {
    const large = randomBytes(1_500_000);
    const { path } = await create('raw', {}, { small: '0123456789', large });
    const small = await get(`${path}/contents/small`, RAW);
    assert.deepEqual([small.status, small.text], [200, '0123456789']);
    assert.equal(small.headers.get('content-type'), 'application/vnd.github.v3.raw; charset=utf-8');
    assert.match(small.headers.get('content-security-policy')!, /^sandbox/);
    const etag = small.headers.get('etag')!;
    assert.equal((await get(`${path}/contents/small`, { ...RAW, 'if-none-match': etag })).status, 304);
    const part = await get(`${path}/contents/small`, { ...RAW, range: 'bytes=2-4' });
    assert.deepEqual([part.status, part.text], [206, '234']);
    assert.equal(part.headers.get('content-range'), 'bytes 2-4/10');
    assert.equal((await get(`${path}/contents/small`, { ...RAW, range: 'bytes=10-' })).status, 416);

    const { json } = await get(`${path}/contents/large`);
    assert.deepEqual([json['content'], json['encoding'], json['size']], ['', 'none', large.length]);
    assert.equal((await get(`${path}/contents/large`, OBJECT)).json['encoding'], 'none');
    const refused = await get(`${path}/contents/large`, HTML);
    assert.deepEqual([refused.status, refused.json['errors'][0].code], [403, 'too_large']);
    const url = `${server.url}${path}/contents/large`;
    const whole = await bytesAt(url, { ...RAW, authorization: `Bearer ${ada}` });
    assert.ok(whole.bytes.equals(large));
    for (const [range, start, end] of [
      ['bytes=1000000-1000999', 1_000_000, 1_001_000],
      ['bytes=0-0', 0, 1],
      ['bytes=-10', large.length - 10, large.length],
    ] as const) {
      const { status, bytes } = await bytesAt(json['download_url'], { range });
      assert.equal(status, 206);
      assert.ok(bytes.equals(large.subarray(start, end)), range);
    }
  });

  test('a file that is larger than other bodies is written as it arrives, and git finds no fault', async () => {
    const { path, git } = await create('large-writes');
    const file = randomBytes(9 * 1024 ** 2);
    const lines = base64(file).replaceAll(/.{60}/g, '$&\n');
    const written = await put(`${path}/contents/large`, { content: lines });
    assert.deepEqual([written.status, written.json['content']?.size], [201, file.length]);
    const again = await put(`${path}/contents/large`, { content: lines, sha: written.json['content'].sha });
    assert.equal(again.status, 200);
    const made = await send('POST', `${path}/git/blobs`, { encoding: 'base64', content: base64(file) });
    assert.deepEqual([made.status, made.json['sha']], [201, written.json['content'].sha]);

    const inGit = (...args: string[]) =>
      execFileSync('git', ['--git-dir', git.folder, ...args], { maxBuffer: 1024 ** 3, stdio: 'pipe' });
    assert.ok(inGit('show', 'main:large').equals(file));
    inGit('fsck', '--strict', '--no-dangling');
    const blobs = () => inGit('count-objects', '-v').toString();
    const stored = blobs();
    const refusals: [string, Json, number, string?][] = [
      ['contents/large', { content: lines }, 422],
      ['contents/other', { content: `${lines}?` }, 422],
      ['contents/other', { content: lines }, 403, bob],
      ['contents/other', { content: lines, message: 7 }, 422],
    ];
    for (const [place, body, status, token] of refusals)
      assert.equal((await put(`${path}/${place}`, body, token)).status, status, place);
    const asText = await send('POST', `${path}/git/blobs`, { content: base64(file) });
    assert.deepEqual([asText.status, asText.json['errors']?.[0]?.field], [422, 'encoding']);
    assert.equal(blobs(), stored);
  });

  test('a file above 100 MB is refused, and has a download address', async () => {
    const { path, git } = await create('huge', {}, { huge: 'stands for a large file' });
    const { json: entries } = await get(`${path}/contents/`);
    const [{ sha, download_url: url }] = entries as unknown as [Json];
    assert.ok((url as string).startsWith(`${server.url}/raw/`));
    // Only its size matters, which the server looks up before it reads a file.
    git.services.cache.addInfo(git.number, { oid: sha as string, type: 'blob', size: 100 * 1024 ** 2 + 1 });
    for (const headers of [{}, RAW, OBJECT]) {
      const { status, json } = await get(`${path}/contents/huge`, headers);
      assert.deepEqual([status, json['errors'][0].code], [403, 'too_large']);
    }
  });

  test('html renders Markdown without scripts, and shows other files as text', async () => {
    const { path } = await create(
      'rendered',
      {},
      {
        'README.md':
          '# Title\n\n<script>alert(1)</script>\n\n[a](javascript:alert(1)) [b](https://x.test) [c](irc://x)\n\n| a |\n| - |\n| b |\n',
        'x.html': '<script>alert(1)</script>',
      },
    );
    const { text, headers } = await get(`${path}/readme`, HTML);
    assert.match(text, /<h1>Title<\/h1>/);
    assert.match(text, /&lt;script&gt;/);
    assert.match(text, /<table>/);
    assert.match(text, /href="https:\/\/x\.test"/);
    assert.doesNotMatch(text, /<script|href="(?:javascript|irc)/);
    assert.match(headers.get('content-security-policy')!, /^sandbox/);
    const page = await get(`${path}/contents/x.html`, HTML);
    assert.equal(page.text, '<pre>&#60;script&#62;alert(1)&#60;/script&#62;</pre>');
  });

  test('a folder lists its entries, of which at most 1,000', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 1001 }, (_, index) => [`many/${index}`, `${index}`]),
    );
    const { path } = await create('folders', {}, { ...many, 'a/b/c': '123', 'a/d': '1', '100755 a/run': '' });
    const { json } = await get(`${path}/contents/a/`);
    const entries = json as unknown as Json[];
    assert.deepEqual(
      entries.map(({ name, path: at, type, size }) => [name, at, type, size]),
      [
        ['b', 'a/b', 'dir', 0],
        ['d', 'a/d', 'file', 1],
        ['run', 'a/run', 'file', 0],
      ],
    );
    assert.equal(entries[0]!['download_url'], null);
    assert.equal(entries[0]!['git_url'], `${server.url}${path}/git/trees/${entries[0]!['sha']}`);
    const object = (await get(`${path}/contents/a`, OBJECT)).json;
    assert.deepEqual([object['type'], object['path']], ['dir', 'a']);
    assert.deepEqual(object['entries'], entries);
    assert.equal(((await get(`${path}/contents/many`)).json as unknown as Json[]).length, 1000);
  });

  test('a branch that is named like the full name of another does not pass for it', async () => {
    const { path, git } = await create('named', {}, { file: 'real' });
    await addCommit(git, { file: 'fake' }, { branch: 'refs/heads/main' });
    for (const query of ['', '?ref=main', '?ref=refs/heads/main'])
      assert.equal((await get(`${path}/contents/file${query}`, RAW)).text, 'real', query);
  });

  test('a symbolic link to a file gives the file, and another one its target', async () => {
    const { path } = await create(
      'links',
      {},
      {
        'real/file': 'content',
        '120000 real/link': 'file',
        '120000 up': './real/../real/file',
        '120000 folder': 'real',
        '120000 outside': '../../etc/passwd',
        '120000 absolute': '/etc/passwd',
        '120000 chain': 'up',
      },
    );
    for (const name of ['real/link', 'up']) {
      const { json } = await get(`${path}/contents/${name}`);
      assert.deepEqual([json['type'], json['path']], ['file', 'real/file'], name);
      assert.equal((await get(`${path}/contents/${name}`, RAW)).text, 'content');
    }
    for (const [name, target] of [
      ['folder', 'real'],
      ['outside', '../../etc/passwd'],
      ['absolute', '/etc/passwd'],
      ['chain', 'up'],
    ] as const) {
      const { json } = await get(`${path}/contents/${name}`);
      assert.deepEqual([json['type'], json['target'], json['size']], ['symlink', target, target.length]);
      assert.equal((await get(`${path}/contents/${name}`, RAW)).text, target);
    }
    assert.equal((await get(`${path}/contents/folder/file`)).status, 404);
    const listed = (await get(`${path}/contents/`)).json as unknown as Json[];
    assert.deepEqual(
      listed.map(({ name, type }) => `${name} ${type}`),
      ['absolute', 'chain', 'folder', 'outside', 'real', 'up'].map(
        (name) => `${name} ${name === 'real' ? 'dir' : 'symlink'}`,
      ),
    );
  });

  test('H12 a submodule is named as one since version 2026-03-10, and was a file before', async () => {
    const { path } = await create(
      'modules',
      {},
      {
        '.gitmodules':
          '[submodule "here"]\n\tpath = libs/here\n\turl = ../other.git\n[submodule "there"]\n\tpath = libs/there\n\turl = https://other.test/a/b.git\n',
        '160000 libs/here': MODULE,
        '160000 libs/there': MODULE,
        '160000 libs/unnamed': MODULE,
      },
    );
    for (const headers of [NEW, { ...NEW, ...OBJECT }, OLD, { ...OLD, ...OBJECT }]) {
      const { json } = await get(`${path}/contents/libs`, headers);
      const entries = (Array.isArray(json) ? json : json['entries']) as Json[];
      const isNew = headers['x-github-api-version'] === NEW['x-github-api-version'];
      for (const entry of entries) {
        assert.equal(entry['type'], isNew ? 'submodule' : 'file');
        assert.deepEqual([entry['sha'], entry['size'], entry['download_url']], [MODULE, 0, null]);
      }
      assert.deepEqual(
        entries.map(({ git_url }) => git_url),
        [`${server.url}/repos/ada/other/git/trees/${MODULE}`, null, null],
      );
    }
    for (const headers of [OLD, NEW]) {
      const { json } = await get(`${path}/contents/libs/there`, headers);
      assert.deepEqual(
        [json['type'], json['submodule_git_url'], json['html_url']],
        ['submodule', 'https://other.test/a/b.git', null],
      );
    }
  });

  test('the README is found in any case, and the licence by its name', async () => {
    const { path } = await create('read', { license_template: 'mit' });
    const license = await get(`${path}/license`);
    assert.deepEqual([license.json['path'], license.json['license'].spdx_id], ['LICENSE', 'MIT']);
    assert.match((await get(`${path}/license`, RAW)).text, /MIT License/);
    assert.equal((await get(`${path}/readme`)).status, 404);
    await put(`${path}/contents/docs/readme.txt`, { content: base64('in docs') });
    assert.equal((await get(`${path}/readme`)).json['path'], 'docs/readme.txt');
    await put(`${path}/contents/ReadMe.rst`, { content: base64('in root') });
    assert.equal((await get(`${path}/readme`, RAW)).text, 'in root');
    assert.equal((await get(`${path}/readme/docs`)).json['path'], 'docs/readme.txt');
    assert.equal((await get(`${path}/readme/none`)).status, 404);
    const plain = await create('unlicensed', {}, { 'COPYING.txt': 'mine', x: '' });
    assert.equal((await get(`${plain.path}/license`)).json['license'].key, 'other');
    const licenseAfter = async (expected: string | undefined) =>
      await eventually(
        async () => ((await get(plain.path)).json['license']?.spdx_id as string | undefined) === expected,
        `the licence ${expected}`,
      );
    await put(`${plain.path}/contents/y`, { content: '' });
    await licenseAfter('NOASSERTION');
    const mit = (await get(`${path}/license`)).json['content'] as string;
    const { json: written } = await put(`${plain.path}/contents/LICENSE`, { content: mit });
    await licenseAfter('MIT');
    assert.equal((await get(`${plain.path}/license`)).json['license'].key, 'mit');
    const { sha } = written['content'] as Json;
    await send('DELETE', `${plain.path}/contents/LICENSE`, { message: 'x', sha });
    await licenseAfter('NOASSERTION');
  });

  test('the archive of a commit is found by branch, and has the files', async () => {
    const { path, commit } = await create('archived', {}, { 'a/b': 'text' });
    for (const [kind, format] of [
      ['tarball', 'tar.gz'],
      ['zipball', 'zip'],
    ]) {
      for (const ref of ['', '/main', `/${commit}`]) {
        const { status, headers } = await get(`${path}/${kind}${ref}`);
        assert.equal(status, 302);
        assert.equal(headers.get('location'), `${server.url}/archives/ada/archived/${format}/${commit}`);
      }
      const archive = await bytesAt(`${server.url}/archives/ada/archived/${format}/${commit}`);
      const name = `ada-archived-${commit.slice(0, 7)}`;
      assert.equal(archive.headers.get('content-disposition'), `attachment; filename="${name}.${format}"`);
      if (format === 'zip') assert.ok(archive.bytes.includes(`${name}/a/b`));
      else {
        const listed = execFileSync('tar', ['-tz'], { input: archive.bytes, encoding: 'utf8' });
        assert.deepEqual(listed.trim().split('\n'), [`${name}/`, `${name}/a/`, `${name}/a/b`]);
      }
    }
    assert.equal((await get(`${path}/tarball/none`)).status, 404);
    const empty = await create('nothing');
    assert.equal((await get(`${empty.path}/tarball`)).status, 404);
    assert.equal((await get(`/archives/ada/archived/rar/${commit}`)).status, 404);
  });

  test('download addresses below a former name lead to the new one', async () => {
    const { path, commit } = await create('former', {}, { 'a/b': 'text' });
    assert.equal((await send('PATCH', path, { name: 'latter' })).status, 200);
    for (const rest of ['main/a/b', `${commit}/a/b`]) {
      const { status, headers } = await get(`/raw/ada/former/${rest}`, {}, null);
      assert.deepEqual([status, headers.get('location')], [301, `${server.url}/raw/ada/latter/${rest}`]);
    }
    const archive = await get(`/archives/ada/former/zip/${commit}`, {}, null);
    assert.equal(archive.headers.get('location'), `${server.url}/archives/ada/latter/zip/${commit}`);
    const file = await get(`${path}/contents/a/b`);
    assert.match(file.headers.get('location')!, /\/repositories\/\d+\/contents\/a\/b$/);
  });

  test('of a private repository outsiders see nothing, unless their address is signed', async () => {
    const { path, commit } = await create('hidden', { private: true }, { 'a b': 'secret', README: 'x' });
    const { json } = await get(`${path}/contents/a%20b`);
    const file = new URL(json['download_url']);
    const archive = new URL((await get(`${path}/tarball`)).headers.get('location')!);
    for (const token of [null, bob]) {
      for (const address of [
        `${path}/contents/`,
        `${path}/contents/a%20b`,
        `${path}/contents/none`,
        `${path}/contents/x?ref=none`,
        `${path}/readme`,
        `${path}/license`,
        `${path}/tarball`,
        `${path}/zipball/none`,
        file.pathname,
        archive.pathname,
        '/raw/ada/hidden/main/a%20b',
        `/archives/ada/hidden/zip/${commit}`,
        // The token is that of another file, commit or format, or has been changed.
        `${file.pathname.replace('a%20b', 'README')}${file.search}`,
        `${file.pathname.replace(commit, 'main')}${file.search}`,
        `${file.pathname}${archive.search}`,
        `${archive.pathname.replace('tar.gz', 'zip')}${archive.search}`,
        `${file.pathname}${file.search}x`,
        `${file.pathname}?token=zzzzzzzzzz.`,
      ])
        assert.equal((await get(address, {}, token)).status, 404, address);
      assert.equal((await get(file.pathname + file.search, {}, token)).text, 'secret');
      assert.equal((await get(archive.pathname + archive.search, {}, token)).status, 200);
    }
    const body = { message: 'x', content: '' };
    assert.equal((await send('PUT', `${path}/contents/new`, body, bob)).status, 404);
    assert.equal((await send('PUT', `${path}/contents/new`, {}, bob)).status, 404);
    assert.equal((await send('DELETE', `${path}/contents/README`, { message: 'x' }, bob)).status, 404);
    server.clock.ahead += 61 * 60_000;
    for (const { pathname, search } of [file, archive]) {
      assert.equal((await get(pathname + search, {}, null)).status, 404);
      assert.equal((await get(pathname, {}, ada)).status, 200);
    }
    assert.match((await get(file.pathname, {}, ada)).headers.get('cache-control')!, /^private/);
  });
});
