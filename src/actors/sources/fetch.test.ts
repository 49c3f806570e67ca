// Fetching sources: from git and by HTTP through the guard, and from a key-value store of the same account.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { hasGitServer, startGitServer, type GitServer } from '../../../test/git-server.ts';
import { Failure } from '../../kernel/failure.ts';
import { writeZip } from '../export/zip.ts';
import { createHttpServer, request } from '../../kernel/network/http-client.ts';
import { guard, type Guard } from '../../kernel/network/guard.ts';
import { openEgressProxy } from '../../kernel/egress/egress-proxy.ts';
import { fetchGit, gistToGitUrl, parseGitUrl } from './fetch-git.ts';
import { fetchSources } from './fetch-sources.ts';
import { fetchTarball } from './fetch-tarball.ts';
import type { FetchContext } from './fetched-sources.ts';

const lenient = guard({ allowPrivate: true });
const strict = guard({ allowPrivate: false });

let root: string;
let count = 0;
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'fetch-test-'));
});
after(() => rm(root, { recursive: true, force: true }));

interface TestFetch extends FetchContext {
  lines: string[];
}

async function contextOf(by: Guard = lenient, signal = new AbortController().signal): Promise<TestFetch> {
  const base = join(root, String((count += 1)));
  const [folder, temporary] = [join(base, 'sources'), join(base, 'temporary')];
  for (const path of [folder, temporary]) await mkdir(path, { recursive: true });
  const lines: string[] = [];
  const kernel = {
    guard: by,
    release: '0',
    services: { ownRepositories: { nameIn: () => undefined } },
    db: undefined,
    blobs: undefined,
  } as unknown as FetchContext['kernel'];
  return { kernel, userId: 'ann', folder, temporary, signal, log: (line) => lines.push(line), lines };
}

async function namesOf({ folder }: FetchContext): Promise<string[]> {
  return (await readdir(folder, { recursive: true })).toSorted();
}

type Handle = (incoming: IncomingMessage, answer: ServerResponse) => void;

async function listen(handle: Handle): Promise<{ url: string; server: Server }> {
  const server = createHttpServer(handle);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const refused = (words: RegExp) => (error: unknown) => {
  assert.ok(error instanceof Failure, String(error));
  assert.match(error.message, words);
  return true;
};

describe('an archive by HTTP', () => {
  let url: string;
  let server: Server;
  let archive: Buffer;
  const asked: string[] = [];
  before(async () => {
    const parts = [
      { name: 'repo-main/package.json', content: ['{}'] },
      { name: 'repo-main/src/main.js', content: ['1'] },
    ];
    archive = Buffer.concat(await Array.fromAsync(writeZip(parts)));
    ({ url, server } = await listen((incoming, answer) => {
      asked.push(`${incoming.url} ${incoming.headers.authorization ?? ''}`.trim());
      if (incoming.url === '/moved') return void answer.writeHead(302, { location: '/good.zip' }).end();
      if (incoming.url === '/elsewhere')
        return void answer.writeHead(302, { location: 'http://localhost:1/good.zip' }).end();
      if (incoming.url === '/round') return void answer.writeHead(302, { location: '/round' }).end();
      if (incoming.url === '/cut') {
        answer.writeHead(200, { 'content-length': '1000000' }).write(archive);
        return void setImmediate(() => answer.destroy());
      }
      if (incoming.url === '/good.zip') return void answer.end(archive);
      return void answer.writeHead(404).end();
    }));
  });
  after(() => server.close());

  test('is unpacked, without the one folder around everything', async () => {
    const context = await contextOf();
    await fetchTarball(`${url}/good.zip`, context);
    assert.deepEqual(await namesOf(context), ['package.json', 'src', 'src/main.js']);
  });

  test('is found after a redirect on the same host, and not on another', async () => {
    const context = await contextOf();
    await fetchTarball(`${url}/moved`, context);
    assert.equal((await namesOf(context)).length, 3);
    await assert.rejects(
      fetchTarball(`${url}/elsewhere`, await contextOf()),
      refused(/another host, localhost:1/),
    );
    await assert.rejects(fetchTarball(`${url}/round`, await contextOf()), refused(/more than 5 redirects/));
  });

  test('at an address of the server itself is refused, and nothing is sent', async () => {
    const askedBefore = asked.length;
    const { port } = new URL(url);
    for (const address of [`${url}/good.zip`, `http://localhost:${port}/good.zip`, 'file:///etc/passwd'])
      await assert.rejects(fetchTarball(address, await contextOf(strict)), refused(/refused/));
    assert.equal(asked.length, askedBefore);
  });

  test('that is missing, cut, too large or no archive is refused', async () => {
    await assert.rejects(fetchTarball(`${url}/none`, await contextOf()), refused(/status 404/));
    await assert.rejects(fetchTarball(`${url}/cut`, await contextOf()), refused(/closed too early/));
    await assert.rejects(
      fetchTarball(`${url}/good.zip`, await contextOf(), { maxBytes: 10 }),
      refused(/more than 10 bytes/),
    );
    await assert.rejects(fetchTarball('nonsense', await contextOf()), refused(/not valid/));
    await assert.rejects(fetchTarball('http://%00%zz@x/', await contextOf()), refused(/not valid/));
  });

  test('with a user name gets it as a header', async () => {
    const { host } = new URL(url);
    await fetchTarball(`http://ann:secret@${host}/good.zip`, await contextOf());
    assert.equal(asked.at(-1), `/good.zip Basic ${Buffer.from('ann:secret').toString('base64')}`);
  });

  test('stops with its caller', async () => {
    const controller = new AbortController();
    const { url: slow, server: endless } = await listen(
      (_, answer) => void answer.writeHead(200).write('PK'),
    );
    const fetching = fetchTarball(`${slow}/x`, await contextOf(lenient, controller.signal));
    setImmediate(() => controller.abort(new Error('enough')));
    await assert.rejects(fetching);
    endless.closeAllConnections();
    endless.close();
  });
});

describe('a git repository', { skip: !hasGitServer && 'needs git' }, () => {
  let url: string;
  let here: GitServer;
  let elsewhere: GitServer;

  before(async () => {
    const work = join(root, 'work');
    const git = (...args: string[]) =>
      execFileSync('git', ['-C', work, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
        stdio: 'pipe',
      });
    await mkdir(join(work, 'actors', 'one'), { recursive: true });
    execFileSync('git', ['init', '-q', '-b', 'main', work]);
    await writeFile(join(work, 'package.json'), '{"name":"first"}');
    await writeFile(join(work, 'actors', 'one', 'main.js'), 'one');
    await writeFile(join(work, '.gitattributes'), 'package.json export-ignore\n');
    execFileSync('ln', ['-s', '/etc/passwd', join(work, 'link')]);
    git('add', '.');
    git('commit', '-qm', 'first');
    git('tag', 'v1');
    git('checkout', '-qb', 'feature/x');
    await writeFile(join(work, 'package.json'), '{"name":"second"}');
    git('commit', '-qam', 'second');
    git('checkout', '-q', 'main');
    await writeFile(join(root, 'marker'), '');
    elsewhere = await startGitServer(root);
    here = await startGitServer(root, (incoming, answer) => {
      if (!incoming.url!.startsWith('/other')) return false;
      answer.writeHead(302, { location: elsewhere.url + incoming.url!.replace('/other', '/work') }).end();
      return true;
    });
    ({ url } = here);
  });
  after(() => {
    here.close();
    elsewhere.close();
  });

  test('is fetched: the default branch, a branch, a tag, a commit, a folder', async () => {
    const fetched = async (fragment: string) => {
      const context = await contextOf();
      await fetchGit(parseGitUrl(`${url}/work/.git${fragment}`), context);
      return { names: await namesOf(context), context };
    };
    const whole = await fetched('');
    assert.deepEqual(whole.names, [
      '.gitattributes',
      'actors',
      'actors/one',
      'actors/one/main.js',
      'package.json',
    ]);
    assert.ok(whole.context.lines.some((line) => line.includes('Left out the link "link"')));
    assert.deepEqual((await fetched('#main:actors/one')).names, ['main.js']);
    assert.deepEqual((await fetched('#:actors/one/')).names, ['main.js']);
    const branch = await fetched('#feature/x');
    assert.match(await readFile(join(branch.context.folder, 'package.json'), 'utf8'), /second/);
    const tag = await fetched('#v1');
    assert.match(await readFile(join(tag.context.folder, 'package.json'), 'utf8'), /first/);
    const commit = /Commit (\w{40})/.exec(branch.context.lines.join('\n'))![1]!;
    const byCommit = await fetched(`#${commit}`);
    assert.match(await readFile(join(byCommit.context.folder, 'package.json'), 'utf8'), /second/);
  });

  test('that is not there, or lacks the branch or the folder, is named in the error', async () => {
    const fetch = async (end: string) => fetchGit(parseGitUrl(`${url}${end}`), await contextOf());
    await assert.rejects(fetch('/none/.git'), refused(/cannot be fetched/));
    await assert.rejects(fetch('/work/.git#nope'), refused(/couldn't find remote ref nope/));
    await assert.rejects(fetch('/work/.git#main:nope'), refused(/cannot be unpacked/));
  });

  test('on the server itself is refused, and so is a redirect to another host', async () => {
    const address = parseGitUrl(`${url}/work/.git`);
    await assert.rejects(fetchGit(address, await contextOf(strict)), refused(/loopback/));
    await assert.rejects(
      fetchGit(parseGitUrl(`${url}/other/.git`), await contextOf()),
      refused(/redirect to another host, 127\.0\.0\.1:\d+, is not followed/),
    );
  });

  test('with a token in its URL gets it as a header, and git never has it in its arguments', async () => {
    const { host } = new URL(url);
    const context = await contextOf();
    await fetchGit(parseGitUrl(`http://x:token@${host}/work/.git`), context);
    assert.equal(here.authorizations.at(-1), `Basic ${Buffer.from('x:token').toString('base64')}`);
    assert.ok(!context.lines.join().includes('token'));
  });

  test('is not fetched by another protocol or with options for a branch', () => {
    for (const address of [
      'git@github.com:a/b.git',
      'ssh://a/b',
      'ext::sh -c id',
      'file:///etc',
      '--upload-pack=x',
    ])
      assert.throws(() => parseGitUrl(address), refused(/https:\/\//));
    assert.throws(() => parseGitUrl('https://a/b#--upload-pack=x'), refused(/not the name of a branch/));
    assert.throws(() => parseGitUrl('https://a/b#main:../x'), refused(/not a folder/));
    assert.equal(gistToGitUrl('https://gist.github.com/a/b/'), 'https://gist.github.com/a/b.git');
  });
});

describe('the proxy', () => {
  test('serves only who has its password, and only the host of the fetch', async () => {
    const { url, server } = await listen((incoming, answer) => void answer.end(`got ${incoming.url}`));
    const proxy = await openEgressProxy({ guard: lenient, url: new URL(url), maxBytes: 1000 });
    const { port } = new URL(proxy.url);
    const ask = (target: string, password?: string) =>
      new Promise<number>((resolve, reject) => {
        const credentials = Buffer.from(`fetch:${password ?? ''}`).toString('base64');
        request({
          port,
          path: target,
          headers: { 'proxy-authorization': `Basic ${credentials}` },
          agent: false,
        })
          .on('response', (answer) => {
            answer.resume();
            resolve(answer.statusCode!);
          })
          .on('error', reject)
          .end();
      });
    assert.equal(await ask(`${url}/a`), 407);
    assert.equal(await ask(`${url}/a`, proxy.password), 200);
    assert.equal(await ask('http://localhost:1/', proxy.password), 403);
    assert.equal(await ask('/a', proxy.password), 400);
    assert.match(proxy.refusal()!, /another host, localhost:1/);
    await proxy.close();
    server.close();
  });
});

test('source files become files and folders, and cannot leave the folder', async () => {
  const context = await contextOf();
  const sourceFiles = [
    { name: 'a.txt', format: 'TEXT' as const, content: 'plain' },
    { name: 'b/c.bin', format: 'BASE64' as const, content: 'AAEC' },
    { name: 'empty', folder: true as const },
  ];
  await fetchSources({ sourceFiles }, context);
  assert.deepEqual(await namesOf(context), ['a.txt', 'b', 'b/c.bin', 'empty']);
  assert.deepEqual([...(await readFile(join(context.folder, 'b/c.bin')))], [0, 1, 2]);
  const evil = [{ name: '../x', format: 'TEXT' as const, content: '' }];
  await assert.rejects(fetchSources({ sourceFiles: evil }, await contextOf()), refused(/leads out/));
});
