// Who wrote the lines of a file, what last changed the entries of a folder, and what a repository is to the caller, over the Signalbox API.
import assert from 'node:assert/strict';
import { onEachEngine } from '../../engines.ts';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../../git-tests.ts';
import { expectAnswer } from '../../host-crew.ts';
import { joinHost, type HostPerson } from '../../host-people.ts';
import type { Json, TestServer } from '../../server.ts';
import { startServerOn } from '../../suites.ts';

onEachEngine((engine) => {
  let server: TestServer;
  let ada: HostPerson;
  let eve: HostPerson;
  const at = '/signalbox/v1/repositories/ada/garden/blame';

  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    ada = await joinHost(server, 'ada');
    eve = await joinHost(server, 'eve');
    await ada.repository('garden', { auto_init: true, private: true });
  });
  after(() => server.stop());

  const write = async (path: string, content: string | Buffer, sha?: string): Promise<Json> =>
    await expectAnswer(
      sha === undefined ? 201 : 200,
      ada.put(`/repos/ada/garden/contents/${path}`, {
        message: `write ${path}\n\nAt length.`,
        content: Buffer.from(content).toString('base64'),
        ...(sha !== undefined && { sha }),
      }),
    );
  const shaOf = ({ commit }: Json) => (commit as Json).sha as string;
  const blobOf = ({ content }: Json) => (content as Json).sha as string;

  test('blocks of lines name their commits, which name their authors', async () => {
    const first = await write('beds.txt', 'roses\nlilies\nherbs\n');
    const second = await write('beds.txt', 'roses\ntulips\nherbs\n', blobOf(first));
    const blame = await expectAnswer(200, ada.get(`${at}?path=beds.txt`));
    assert.deepEqual(
      [blame.sha, blame.path, blame.lines, blame.from, blame.to],
      [shaOf(second), 'beds.txt', 3, 1, 3],
    );
    const old = { sha: shaOf(first), path: 'beds.txt' };
    assert.deepEqual(blame.blocks, [
      { ...old, from: 1, to: 1, originalFrom: 1 },
      { sha: shaOf(second), path: 'beds.txt', from: 2, to: 2, originalFrom: 2, previous: old },
      { ...old, from: 3, to: 3, originalFrom: 3 },
    ]);
    const commits = blame.commits as Json[];
    assert.deepEqual(new Set(commits.map(({ sha }) => sha)), new Set([shaOf(first), shaOf(second)]));
    for (const { title, author, authoredAt } of commits) {
      assert.equal(title, 'write beds.txt');
      assert.equal((author as Json).login, 'ada');
      assert.ok(Number.isSafeInteger(authoredAt));
    }
    const earlier = await expectAnswer(200, ada.get(`${at}?path=beds.txt&ref=${shaOf(first)}&from=2&to=2`));
    assert.deepEqual(earlier.blocks, [{ ...old, from: 2, to: 2, originalFrom: 2 }]);
  });

  test('at most a thousand lines are answered at once, and the rest by further calls', async () => {
    await write('long.txt', Array.from({ length: 1500 }, (_, line) => `${line}\n`).join(''));
    const first = await expectAnswer(200, ada.get(`${at}?path=long.txt`));
    const rest = await expectAnswer(200, ada.get(`${at}?path=long.txt&from=1001&to=2000`));
    assert.deepEqual(
      [first, rest].map(({ lines, from, to }) => [lines, from, to]),
      [
        [1500, 1, 1000],
        [1500, 1001, 1500],
      ],
    );
    for (const [query, message] of [
      ['from=1501', /from must be at most 1500/],
      ['from=10&to=9', /to must not be before from/],
      ['from=1&to=1001', /to must be at most 999 lines after from/],
      ['from=0', /from/],
      ['to=1.5', /to/],
    ] as const) {
      const { status, text } = await ada.get(`${at}?path=long.txt&${query}`);
      assert.equal(status, 422, query);
      assert.match(text, message);
    }
  });

  test('what has no lines is refused clearly, and an empty file has none', async () => {
    await write('image.bin', Buffer.from([1, 0, 2]));
    await write('huge.txt', Buffer.alloc(1024 ** 2 + 1, 'a\n'));
    await write('empty.txt', '');
    await write('folder/a.txt', 'a\n');
    for (const [path, code, message] of [
      ['image.bin', 'binary-file', /no text/],
      ['huge.txt', 'file-too-large', /1048577 bytes/],
      ['folder', undefined, /that of a file/],
    ] as const) {
      const { status, json } = await ada.get(`${at}?path=${path}`);
      assert.equal(status, 422, path);
      assert.match(JSON.stringify(json), message);
      if (code !== undefined) assert.equal(json.code, code);
    }
    const empty = await expectAnswer(200, ada.get(`${at}?path=empty.txt`));
    assert.deepEqual([empty.lines, empty.blocks, empty.commits], [0, [], []]);
    for (const query of [
      'path=gone.txt',
      'path=../x',
      'path=beds.txt&ref=nowhere',
      'path=beds.txt&ref=--all',
    ])
      assert.equal((await ada.get(`${at}?${query}`)).status, 404, query);
    assert.equal((await ada.get(at)).status, 422);
  });

  test('entries of a folder name the commits that last changed them', async () => {
    const last = '/signalbox/v1/repositories/ada/garden/last-changes';
    const old = await write('shed/spade.txt', 'one');
    const tool = await write('shed/tools/rake.txt', 'two');
    const { entries, commits, isPartial, sha } = await expectAnswer(200, ada.get(`${last}?path=shed`));
    assert.deepEqual([sha, isPartial], [shaOf(tool), false]);
    const byName = Object.fromEntries((entries as Json[]).map((one) => [one['name'], one['sha'] as string]));
    assert.deepEqual(byName, { 'spade.txt': shaOf(old), tools: shaOf(tool) });
    assert.deepEqual(
      new Set((commits as Json[]).map(({ title, author }) => `${title} by ${(author as Json)['login']}`)),
      new Set(['write shed/spade.txt by ada', 'write shed/tools/rake.txt by ada']),
    );
    const whole = await expectAnswer(200, ada.get(last));
    assert.ok((whole.entries as Json[]).some(({ name, sha: id }) => name === 'shed' && id === shaOf(tool)));
    const earlier = await expectAnswer(200, ada.get(`${last}?path=/shed/&ref=${shaOf(old)}`));
    assert.deepEqual(earlier.entries, [{ name: 'spade.txt', sha: shaOf(old) }]);
    assert.equal((await ada.get(`${last}?path=shed/spade.txt`)).status, 422);
    for (const query of ['path=gone', 'path=../x', 'path=shed&ref=nowhere'])
      assert.equal((await ada.get(`${last}?${query}`)).status, 404, query);
    assert.equal((await eve.get(last)).status, 404);
  });

  test('a repository says whether the caller watches it, and which of their Actors are built from it', async () => {
    const standing = '/signalbox/v1/repositories/ada/garden/standing';
    const create = async (name: string, gitRepoUrl: string) => {
      const version = { versionNumber: '0.1', sourceType: 'GIT_REPO', gitRepoUrl };
      return await expectAnswer(201, ada.post('/v2/actors', { name, versions: [version] }));
    };
    const { data } = await create('waterer', `${server.url}/ada/Garden.git#main`);
    await create('elsewhere', 'https://code.example/ada/garden.git');
    await create('other', `${server.url}/ada/gardens`);
    const versions = [{ number: '0.1', reference: 'main', buildsOnPush: false }];
    const actors = [{ id: (data as Json).id as string, username: 'ada', name: 'waterer', versions }];
    const first = await expectAnswer(200, ada.get(standing));
    assert.deepEqual(first, { isWatched: false, isStarred: false, actors });
    const { id } = await expectAnswer(200, ada.get('/repos/ada/garden'));
    const { json: languages } = await ada.get('/repos/ada/garden/languages');
    const summaries = (ids: unknown, person = ada) =>
      person.get(`/signalbox/v1/repositories/summaries?ids=${ids as string}`);
    const { items } = await expectAnswer(200, summaries(`${id as number},999999`));
    assert.deepEqual(items, [
      {
        id,
        languages: Object.entries(languages as Record<string, number>)
          .map(([name, bytes]) => ({ name, bytes }))
          .toSorted((one, other) => other.bytes - one.bytes),
        actors,
      },
    ]);
    assert.deepEqual((await expectAnswer(200, summaries(id, eve))).items, [], 'she does not see it');
    for (const wrong of ['', '1,', 'x', Array.from({ length: 101 }, () => '1').join(',')])
      assert.equal((await summaries(wrong)).status, 422, wrong);
    await expectAnswer(200, ada.put('/repos/ada/garden/subscription', { subscribed: true }));
    assert.equal((await ada.put('/user/starred/ada/garden')).status, 204);
    const noted = await expectAnswer(200, ada.get(standing));
    assert.deepEqual(noted, { isWatched: true, isStarred: true, actors });
    await expectAnswer(200, ada.put('/repos/ada/garden/subscription', { ignored: true }));
    assert.equal((await expectAnswer(200, ada.get(standing))).isWatched, false);
    assert.equal((await eve.get(standing)).status, 404);
    assert.equal((await server.call(standing, { token: null })).status, 401);
  });

  test('open issues and pull requests of a repository are counted apart', async () => {
    const counts = '/signalbox/v1/repositories/ada/garden/open-counts';
    assert.deepEqual(await expectAnswer(200, ada.get(counts)), { issues: 0, pulls: 0, hasMorePulls: false });
    for (const title of ['One', 'Two', 'Three'])
      await expectAnswer(201, ada.post('/repos/ada/garden/issues', { title }));
    await expectAnswer(200, ada.patch('/repos/ada/garden/issues/1', { state: 'closed' }));
    const { object } = await expectAnswer(200, ada.get('/repos/ada/garden/git/ref/heads/main'));
    const ref = { ref: 'refs/heads/topic', sha: (object as Json).sha as string };
    await expectAnswer(201, ada.post('/repos/ada/garden/git/refs', ref));
    await expectAnswer(
      201,
      ada.put('/repos/ada/garden/contents/topic.txt', { message: 'm', content: 'bQ==', branch: 'topic' }),
    );
    await expectAnswer(
      201,
      ada.post('/repos/ada/garden/pulls', { title: 'Topic', head: 'topic', base: 'main' }),
    );
    assert.deepEqual(await expectAnswer(200, ada.get(counts)), { issues: 2, pulls: 1, hasMorePulls: false });
    assert.equal((await eve.get(counts)).status, 404);
    assert.equal((await server.call(counts, { token: null })).status, 401);
  });

  test('it is for those who may read the repository, also by its former name', async () => {
    assert.equal((await eve.get(`${at}?path=README.md`)).status, 404);
    assert.equal((await server.call(`${at}?path=README.md`, { token: null })).status, 404);
    await expectAnswer(200, ada.patch('/repos/ada/garden', { name: 'park', private: false }));
    assert.equal((await ada.get(`${at}?path=README.md`)).status, 200);
    assert.equal((await eve.get(at.replace('garden', 'park') + '?path=README.md')).status, 200);
  });
});
