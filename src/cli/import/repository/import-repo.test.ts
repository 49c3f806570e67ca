// The command `import repo`: from a git server elsewhere into a new repository, with refusals and interruptions.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { eventually } from '../../../../test/eventually.ts';
import { hasGitServer, startGitServer, type GitServer } from '../../../../test/git-server.ts';
import { ADMIN_TOKEN, startServer, type TestServer } from '../../../../test/server.ts';
import { makeFolder, run, start } from '../../fixture.ts';
import { parseRemoteRefs, pushesOf } from './copy-repo.ts';

describe('import repo', { skip: !hasGitServer && 'needs git' }, () => {
  const root = makeFolder();
  const data = makeFolder();
  let there: GitServer;
  let here: TestServer;
  /** Called for every request to the other side. */
  let onRequest: (url: string) => void = () => {};
  let redirect: string | undefined;

  const git = (...args: string[]) =>
    execFileSync('git', ['-C', join(root, 'shop'), '-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      stdio: 'pipe',
      encoding: 'utf8',
    }).trim();

  before(async () => {
    execFileSync('git', ['init', '-q', '-b', 'trunk', join(root, 'shop')]);
    execFileSync('git', ['init', '-q', '--bare', '-b', 'trunk', join(root, 'empty')]);
    writeFileSync(join(root, 'shop', 'README.md'), '# Shop\n');
    git('add', '.');
    git('commit', '-qm', 'first');
    git('tag', '-am', 'one', 'v1');
    git('branch', 'feature/x');
    git('update-ref', 'refs/pull/1/head', 'HEAD');
    writeFileSync(
      join(root, 'shop', 'large'),
      Buffer.alloc(3 * 1024 ** 2).map(() => Math.random() * 256),
    );
    git('add', '.');
    git('commit', '-qm', 'second');
    there = await startGitServer(root, (incoming, answer) => {
      onRequest(incoming.url!);
      if (redirect === undefined) return false;
      answer.writeHead(302, { location: redirect + incoming.url! }).end();
      return true;
    });
    here = await startServer({ limits: 'off' });
  });
  after(async () => {
    there.close();
    await here.stop();
  });
  beforeEach(() => {
    onRequest = () => {};
    redirect = undefined;
  });

  const flags = () => ['--to-url', here.url, '--data', data];
  const importRepo = async (argv: string[], env: NodeJS.ProcessEnv = {}) =>
    await run(['import', 'repo', ...argv, ...flags()], { env: { SIGNALBOX_TOKEN: ADMIN_TOKEN, ...env } });
  const names = async (path: string) =>
    ((await here.call(path)).json as unknown as { name: string }[]).map(({ name }) => name);
  /** Neither a repository nor files. */
  const requireNothing = async (name: string) => {
    assert.equal((await here.call(`/repos/admin/${name}`)).status, 404);
    assert.deepEqual(
      existsSync(join(data, 'imports', 'repositories'))
        ? readdirSync(join(data, 'imports', 'repositories'))
        : [],
      [],
    );
  };

  test('branches and tags come along, the default branch too, and nothing else', async () => {
    const { code, out, err } = await importRepo([
      `${there.url}/shop/.git`,
      '--name',
      'Shop',
      '--allow-private',
    ]);
    assert.equal(code, 0, err);
    assert.deepEqual(JSON.parse(out), {
      from: `${there.url}/shop/.git`,
      repository: 'admin/Shop',
      url: `${here.url}/admin/Shop`,
      defaultBranch: 'trunk',
      branches: 2,
      tags: 1,
      leftOut: [],
    });
    assert.match(err, /^Fetching http.*\nWriting admin\/Shop$/m);
    const { json } = await here.call('/repos/admin/Shop');
    assert.deepEqual([json['default_branch'], json['private']], ['trunk', false]);
    assert.deepEqual(await names('/repos/admin/Shop/branches'), ['feature/x', 'trunk']);
    assert.deepEqual(await names('/repos/admin/Shop/tags'), ['v1']);
    const { json: commit } = await here.call('/repos/admin/Shop/commits/trunk');
    assert.equal(commit['sha'], git('rev-parse', 'trunk'));
    assert.equal((await here.call('/repos/admin/Shop/git/ref/pull/1/head')).status, 404);
    assert.deepEqual(readdirSync(join(data, 'imports', 'repositories')), []);
    const again = await importRepo([`${there.url}/shop/.git`, '--name', 'shop', '--allow-private']);
    assert.equal(again.code, 1);
    assert.match(again.err, /admin\/Shop exists already/);
    assert.equal((await here.call('/repos/admin/Shop')).status, 200);
  });

  test('an empty one becomes an empty one, private where that is asked for, in an organization', async () => {
    const made = await here.call('/admin/organizations', {
      method: 'POST',
      body: { login: 'acme', admin: 'admin' },
    });
    assert.equal(made.status, 201, made.text);
    const env = { SIGNALBOX_ALLOW_PRIVATE_WEBHOOKS: '1' };
    const { code, err } = await importRepo(
      [`${there.url}/empty`, '--name', 'acme/nothing', '--private', '--no-json'],
      env,
    );
    assert.equal(code, 0, err);
    assert.equal((await here.call('/repos/acme/nothing')).json['private'], true);
    const unknown = await importRepo([`${there.url}/empty`, '--name', 'nobody/nothing'], env);
    assert.equal(unknown.code, 1);
    assert.match(unknown.err, /no organization "nobody"/);
  });

  test('the token of the other side is in its calls alone', async () => {
    const { code, err } = await importRepo(
      [
        `${there.url.replace('//', '//ann@')}/empty`,
        '--name',
        'known',
        '--allow-private',
        '--token-env',
        'CODE',
      ],
      { CODE: 'a secret of the other side' },
    );
    assert.equal(code, 0, err);
    const sent = Buffer.from('ann:a secret of the other side').toString('base64');
    assert.equal(there.authorizations.at(-1), `Basic ${sent}`);
    assert.doesNotMatch(err, /secret/);
  });

  test('private addresses, redirects, other protocols and passwords are refused, and nothing is left', async () => {
    const url = `${there.url}/shop/.git`;
    const refusals: [string[], RegExp, number][] = [
      [[url], /127\.0\.0\.1 is a loopback address/, 2],
      [['file:///etc'], /by a URL like https:/, 2],
      [['ext::sh -c id'], /by a URL like https:/, 2],
      [['ssh://git@code.example.org/a'], /by a URL like https:/, 2],
      [['--upload-pack=x'], /./, 2],
      [['http://ann:secret@localhost/a'], /--token-env/, 2],
      [[url, '--token-env', 'ABSENT'], /The variable ABSENT/, 2],
      [[url, '--name', 'a/b/c'], /cannot be the name/, 2],
      [[url, '--max-megabytes', '-1'], /--max-megabytes/, 2],
      [[`${there.url}/none`, '--allow-private'], /cannot be copied: .*not found/, 1],
      [[url, '--allow-private', '--max-megabytes', '1'], /More than 1,048,576 bytes/, 1],
    ];
    for (const [argv, words, expected] of refusals) {
      const { code, err } = await importRepo(argv.includes('--name') ? argv : [...argv, '--name', 'refused']);
      assert.match(err, words);
      assert.equal(code, expected, err);
      assert.doesNotMatch(err, /secret/);
    }
    redirect = 'http://localhost:1';
    const moved = await importRepo([url, '--name', 'refused', '--allow-private']);
    assert.match(moved.err, /redirect to another host, localhost:1, is not followed/);
    await requireNothing('refused');
  });

  test('a damaged source is refused, and the repository is not there', async () => {
    const folder = join(root, 'damaged');
    execFileSync('git', ['clone', '-q', '--mirror', join(root, 'shop'), folder], { stdio: 'pipe' });
    const tree = execFileSync(
      'git',
      ['-C', folder, 'hash-object', '-t', 'tree', '-w', '--stdin', '--literally'],
      {
        input: Buffer.concat([Buffer.from('100644 .git\0'), Buffer.alloc(20, 1)]),
        encoding: 'utf8',
      },
    ).trim();
    const commit = execFileSync(
      'git',
      ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit-tree', tree, '-m', 'x'],
      { encoding: 'utf8' },
    ).trim();
    execFileSync('git', ['-C', folder, 'update-ref', 'refs/heads/trunk', commit]);
    const { code, err } = await importRepo([`${there.url}/damaged`, '--allow-private']);
    assert.equal(code, 1);
    assert.match(err, /cannot be copied/);
    await requireNothing('damaged');
  });

  test('Ctrl+C leaves nothing', async () => {
    const env = { SIGNALBOX_TOKEN: ADMIN_TOKEN, PATH: process.env['PATH'] };
    const child = start(
      ['import', 'repo', `${there.url}/shop/.git`, '--name', 'late', '--allow-private', ...flags()],
      env,
    );
    onRequest = () => {
      child.kill('SIGINT');
      // A second one would end the command at once.
      onRequest = () => {};
    };
    const { code, err } = await child.ended;
    assert.equal(code, 130, err);
    await requireNothing('late');
  });

  test('one that was killed while it wrote is finished by the same command', async () => {
    const argv = [
      'import',
      'repo',
      `${there.url}/shop/.git`,
      '--name',
      'killed',
      '--allow-private',
      ...flags(),
    ];
    const child = start(argv, { SIGNALBOX_TOKEN: ADMIN_TOKEN, PATH: process.env['PATH'] });
    const place = join(data, 'imports', 'repositories');
    const created = () =>
      existsSync(place) &&
      readdirSync(place).some((name) => {
        const note = join(place, name, 'import.json');
        return existsSync(note) && readFileSync(note, 'utf8').includes('createdId');
      });
    await eventually(created, 'the creation of the repository');
    child.kill('SIGKILL');
    await child.ended;
    const { code, err } = await importRepo(argv.slice(2, 6));
    // It may have been killed after its last call.
    if (code !== 0) assert.match(err, /exists already/);
    assert.deepEqual(await names('/repos/admin/killed/branches'), ['feature/x', 'trunk']);
  });
});

test('the list of references is read: tags once, the default branch only where it exists', () => {
  const oid = 'a'.repeat(40);
  const lines = [
    `ref: refs/heads/main\tHEAD`,
    `${oid}\tHEAD`,
    `${oid}\trefs/heads/main`,
    `${oid}\trefs/tags/v1`,
    `${oid}\trefs/tags/v1^{}`,
    `${oid}\trefs/pull/1/head`,
  ];
  assert.deepEqual(parseRemoteRefs(lines.join('\n')), { branches: ['main'], tags: 1, defaultBranch: 'main' });
  assert.deepEqual(parseRemoteRefs(`ref: refs/heads/gone\tHEAD\n`), {
    branches: [],
    tags: 0,
    defaultBranch: undefined,
  });
});

test('many references are pushed in parts, the default branch first', () => {
  const names = Array.from({ length: 9000 }, (_, index) => `refs/heads/b${index}`);
  assert.equal(pushesOf(names.slice(0, 4000), 'b1').length, 1);
  const pushes = pushesOf(names, 'b8999');
  assert.deepEqual(
    pushes.map(({ length }) => length),
    [4000, 4000, 1000],
  );
  assert.equal(pushes[0]![0], '+refs/heads/b8999:refs/heads/b8999');
  assert.equal(new Set(pushes.flat()).size, 9000);
});
