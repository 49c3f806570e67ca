// References of git on a running server, and who may read and write objects and references.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { onEachEngine } from '../../../engines.ts';
import { gitTest as test } from '../../../git-tests.ts';
import { startServer, type Json } from '../../../server.ts';
import { expect, NO_OBJECT, onGitServer } from './data-calls.ts';

const { people, send, create, commit } = onGitServer();

describe('references', () => {
  test('branches and tags are created, moved and deleted by their full names', async () => {
    const repository = await create('refs');
    const { path, head } = repository;
    const made = await expect(201, send('POST', `${path}/git/refs`, { ref: 'refs/heads/a/b', sha: head }));
    assert.equal(made['ref'], 'refs/heads/a/b');
    assert.equal(made['url'], `${people.server.url}${path}/git/refs/heads/a/b`);
    assert.deepEqual([made['object'].type, made['object'].sha], ['commit', head]);
    for (const place of ['git/ref/heads/a/b', 'git/ref/heads%2Fa%2Fb', 'git/refs/heads/a/b'])
      assert.deepEqual(await expect(200, send('GET', `${path}/${place}`)), made);
    const again = await expect(422, send('POST', `${path}/git/refs`, { ref: 'refs/heads/a/b', sha: head }));
    assert.equal(again['message'], 'Reference already exists');
    await expect(422, send('POST', `${path}/git/refs`, { ref: 'refs/heads/a', sha: head }));
    const next = await commit(repository, 'next');
    const moved = await expect(200, send('PATCH', `${path}/git/refs/heads/a/b`, { sha: next }));
    assert.equal(moved['object'].sha, next);
    const back = await expect(422, send('PATCH', `${path}/git/refs/heads/a/b`, { sha: head }));
    assert.equal(back['message'], 'Update is not a fast forward');
    await expect(200, send('PATCH', `${path}/git/refs/heads/a/b`, { sha: head, force: true }));
    assert.deepEqual(
      ((await expect(200, send('GET', `${path}/git/matching-refs/heads/`))) as unknown as Json[]).map(
        ({ ref }) => ref as string,
      ),
      ['refs/heads/a/b', 'refs/heads/main'],
    );
    assert.deepEqual(await expect(200, send('GET', `${path}/git/matching-refs/heads/a`)), [{ ...made }]);
    assert.deepEqual(await expect(200, send('GET', `${path}/git/matching-refs/tags/v`)), []);
    await expect(204, send('DELETE', `${path}/git/refs/heads/a/b`));
    for (const [method, body] of [['DELETE'], ['PATCH', { sha: head }]] as const) {
      const gone = await expect(422, send(method, `${path}/git/refs/heads/a/b`, body));
      assert.equal(gone['message'], 'Reference does not exist');
    }
    await expect(404, send('GET', `${path}/git/ref/heads/a/b`));
    await expect(404, send('GET', `${path}/git/ref/heads`));
    await expect(422, send('DELETE', `${path}/git/refs/heads/main`));
  });

  test('all references are listed by name, in pages, or those of one kind', async () => {
    const { path, head } = await create('all-refs');
    for (const ref of ['refs/heads/a/b', 'refs/tags/v1', 'refs/tags/v2'])
      await expect(201, send('POST', `${path}/git/refs`, { ref, sha: head }));
    const listed = async (place: string, token: string | null = null) =>
      ((await expect(200, send('GET', `${path}/${place}`, undefined, token))) as unknown as Json[]).map(
        ({ ref }) => ref as string,
      );
    const all = ['refs/heads/a/b', 'refs/heads/main', 'refs/tags/v1', 'refs/tags/v2'];
    assert.deepEqual(await listed('git/refs'), all);
    assert.deepEqual(await listed('git/refs', people.bob), all);
    assert.deepEqual(await listed('git/refs/heads'), all.slice(0, 2));
    assert.deepEqual(await listed('git/refs/tags'), all.slice(2));
    assert.deepEqual(await listed('git/refs?per_page=3&page=2'), all.slice(3));
    assert.deepEqual(await listed('git/refs/tags?per_page=1&page=2'), ['refs/tags/v2']);
    assert.deepEqual(await listed('git/refs?page=900'), []);
    const { headers, json } = await send('GET', `${path}/git/refs?per_page=3`, undefined, null);
    assert.match(headers.get('link') ?? '', /per_page=3&page=2>; rel="next"/);
    assert.deepEqual(
      (json as unknown as Json[])[1],
      await expect(200, send('GET', `${path}/git/ref/heads/main`)),
    );
    for (const query of ['page=0', 'page=x', 'per_page=-1'])
      await expect(422, send('GET', `${path}/git/refs?${query}`));
    for (const method of ['PUT', 'DELETE', 'PATCH']) {
      const { status } = await send(method, `${path}/git/refs`, { sha: head });
      assert.ok(status === 404 || status === 422, `${method}: ${status}`);
    }
    for (const place of ['git/refs/head', 'git/refs/pull', 'git/refs/'])
      await expect(404, send('GET', `${path}/${place}`));
    assert.deepEqual(await listed('git/refs'), all);
  });

  test('a name that no branch or tag can have is refused', async () => {
    const { path, head } = await create('bad-refs');
    const names = [
      'main2',
      'heads/x',
      'refs/x',
      'refs/heads/',
      'refs/heads/-d',
      'refs/tags/--all',
      'refs/heads/HEAD',
      'refs/heads/a..b',
      'refs/heads/a@{1}',
      'refs/heads/a b',
      'refs/heads/a\nb',
      'refs/heads/a\x00b',
      'refs/heads/a\x7f',
      'refs/heads/.a',
      'refs/heads/a.lock',
      'refs/heads/../../config',
      'refs/heads/a~1',
      `refs/heads/${head}`,
      `refs/tags/${head.toUpperCase()}`,
      'refs/heads/a:b',
      String.raw`refs/heads/a\b`,
      `refs/heads/${'x'.repeat(300)}`,
      `refs/heads/${'x/'.repeat(600)}x`,
      'refs/notes/commits',
      'refs/pull/1/head',
      'HEAD',
    ];
    for (const ref of names) {
      const { status, text } = await send('POST', `${path}/git/refs`, { ref, sha: head });
      assert.equal(status, 422, `${ref}: ${text}`);
    }
    for (const sha of [NO_OBJECT, 'main', '', head.slice(0, 10), '0'.repeat(40)])
      await expect(422, send('POST', `${path}/git/refs`, { ref: 'refs/heads/x', sha }));
    const { tree } = await expect(200, send('GET', `${path}/git/commits/${head}`));
    await expect(422, send('POST', `${path}/git/refs`, { ref: 'refs/heads/x', sha: tree.sha as string }));
    for (const ref of ['notes/commits', 'heads/-d', 'heads/a%0Ab', 'heads/..%2F..%2Fconfig']) {
      await expect(422, send('DELETE', `${path}/git/refs/${ref}`));
      await expect(422, send('PATCH', `${path}/git/refs/${ref}`, { sha: head }));
      await expect(404, send('GET', `${path}/git/ref/${ref}`));
    }
  });

  test('of concurrent moves none is lost', async () => {
    const repository = await create('contested');
    const { path } = repository;
    const commits = await Promise.all([1, 2, 3, 4].map((index) => commit(repository, `sibling ${index}`)));
    const answers = await Promise.all(
      commits.map((sha) => send('PATCH', `${path}/git/refs/heads/main`, { sha })),
    );
    assert.deepEqual(
      answers.map(({ status }) => status).toSorted((a, b) => a - b),
      [200, 422, 422, 422],
    );
    const winner = answers.find(({ status }) => status === 200)!.json['object'].sha as string;
    const { object } = await expect(200, send('GET', `${path}/git/ref/heads/main`));
    assert.equal(object.sha, winner);
    const forced = await Promise.all(
      commits.map((sha) => send('PATCH', `${path}/git/refs/heads/main`, { sha, force: true })),
    );
    assert.deepEqual(
      forced.map(({ status, text }) => [status, status === 200 ? '' : text]),
      commits.map(() => [200, '']),
    );
  });

  test('a moved branch is a push', async () => {
    const repository = await create('pushed');
    const { path } = repository;
    const { pushed_at: earlier } = await expect(200, send('GET', path));
    people.server.clock.ahead += 60_000;
    const sha = await commit(repository, 'next');
    await expect(200, send('PATCH', `${path}/git/refs/heads/main`, { sha }));
    const { pushed_at: now } = await expect(200, send('GET', path));
    assert.ok((now as string) > (earlier as string));
  });
});

describe('access', () => {
  const calls: [string, string, unknown?][] = [
    ['POST', 'git/blobs', { content: 'x' }],
    ['POST', 'git/trees', { tree: [{ path: 'a', mode: '100644', content: 'x' }] }],
    ['POST', 'git/commits', { message: 'x', tree: NO_OBJECT }],
    ['POST', 'git/tags', { tag: 'x', message: 'x', object: NO_OBJECT, type: 'commit' }],
    ['POST', 'git/refs', { ref: 'refs/heads/x', sha: NO_OBJECT }],
    ['PATCH', 'git/refs/heads/main', { sha: NO_OBJECT }],
    ['DELETE', 'git/refs/heads/main'],
  ];
  const reads = [
    `git/blobs/${NO_OBJECT}`,
    'git/trees/main',
    `git/commits/${NO_OBJECT}`,
    'git/ref/heads/main',
    'git/matching-refs/heads',
    'git/refs',
    'git/refs/tags',
    `git/tags/${NO_OBJECT}`,
  ];

  test('a private repository is not there for others', async () => {
    const { path } = await create('hidden', { private: true, auto_init: true });
    for (const [method, place, body] of calls) {
      await expect(404, send(method, `${path}/${place}`, body, people.bob));
      await expect(401, send(method, `${path}/${place}`, body, null));
      await expect(404, send(method, `${path}/${place}`, method === 'DELETE' ? undefined : {}, people.bob));
    }
    for (const place of reads)
      for (const token of [people.bob, null])
        await expect(404, send('GET', `${path}/${place}`, undefined, token));
  });

  test('a public repository is read by everybody, and written by those who may push', async () => {
    const { path } = await create('readable');
    for (const [method, place, body] of calls) {
      await expect(403, send(method, `${path}/${place}`, body, people.bob));
      await expect(401, send(method, `${path}/${place}`, body, null));
    }
    await expect(200, send('GET', `${path}/git/trees/main`, undefined, null));
  });

  test('an archived repository is read-only', async () => {
    const { path } = await create('ended');
    await expect(200, send('PATCH', path, { archived: true }));
    for (const [method, place, body] of calls) await expect(403, send(method, `${path}/${place}`, body));
    await expect(200, send('GET', `${path}/git/ref/heads/main`));
  });

  test('an empty repository says so, and takes the first commit', async () => {
    const { path } = await create('empty', {});
    for (const place of reads.filter((one) => !one.includes('matching')))
      assert.equal(
        (await expect(409, send('GET', `${path}/${place}`)))['message'],
        'Git Repository is empty.',
      );
    assert.deepEqual(await expect(200, send('GET', `${path}/git/matching-refs/heads`)), []);
    const tree = [{ path: 'a.txt', mode: '100644', content: 'a' }];
    const { sha } = await expect(201, send('POST', `${path}/git/trees`, { tree }));
    const first = await expect(
      201,
      send('POST', `${path}/git/commits`, { message: 'first', tree: sha as string }),
    );
    await expect(
      201,
      send('POST', `${path}/git/refs`, { ref: 'refs/heads/main', sha: first['sha'] as string }),
    );
    await expect(200, send('GET', `${path}/git/trees/main`));
  });
});

onEachEngine((engine) => {
  test('a branch is moved by number, too', async () => {
    const location = await engine.migratedDatabase();
    const own = await startServer(engine.kind === 'postgres' ? { database: location } : {});
    try {
      const { json } = await own.call('/user/repos', {
        method: 'POST',
        body: { name: 'x', auto_init: true },
      });
      const path = `/repositories/${json['id']}/git`;
      const { json: ref } = await own.call(`${path}/ref/heads/main`);
      const post = async (place: string, body: Json) =>
        (await own.call(`${path}/${place}`, { method: 'POST', body })).json;
      const { sha: tree } = await post('trees', { tree: [{ path: 'a', mode: '100644', content: 'a' }] });
      const { sha } = await post('commits', { message: 'x', tree, parents: [ref['object'].sha] });
      const { status, text } = await own.call(`${path}/refs/heads/main`, { method: 'PATCH', body: { sha } });
      assert.equal(status, 200, text);
    } finally {
      await own.stop();
    }
  });
});
