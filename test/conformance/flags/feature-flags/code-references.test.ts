// Code references on the flags API, on a running server with each engine: repositories, scans of branches, statistics and
// extinctions.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { onEachEngine } from '../../../engines.ts';
import type { CallInit, Json, TestServer } from '../../../server.ts';
import { onServer } from '../../../suites.ts';
import { assertError, expect, giveMember, openFlagProject, type FlagProject } from '../control-calls.ts';

const REPOSITORIES = 'code-refs/repositories';
let number = 0;

onEachEngine((engine) => {
  let server: TestServer;
  let setup: FlagProject;
  /** A repository of the test's own. */
  let repo = '';
  onServer(engine, { limits: 'off' }, async (started) => {
    server = started;
    setup = await openFlagProject(server);
    number += 1;
    repo = `repo-${number}`;
    await expect(200, create({ name: repo, sourceLink: 'https://git.example/shop' }));
  });

  const call = (path: string, init: CallInit = {}) => server.call(`/api/v2/${path}`, init);
  const create = (body: object, init: CallInit = {}) => call(REPOSITORIES, { method: 'POST', body, ...init });
  const at = (path = '') => `${REPOSITORIES}/${repo}${path}`;
  const patch = (body: unknown, init: CallInit = {}) => call(at(), { method: 'PATCH', body, ...init });
  const replace = (path: string, value: unknown) => [{ op: 'replace', path, value }];
  const hunk = (line: number, extra: object = {}) => ({
    startingLineNumber: line,
    lines: 'if (flag) {',
    projKey: setup.project,
    flagKey: 'banner',
    ...extra,
  });
  const put = (body: object = {}, { branch = 'main', ...init }: CallInit & { branch?: string } = {}) =>
    call(at(`/branches/${encodeURIComponent(branch)}`), {
      method: 'PUT',
      body: { name: branch, head: 'a1', syncTime: 1000, ...body },
      ...init,
    });
  const readBranch = async (query = '', branch = 'main') =>
    (await expect(200, call(at(`/branches/${encodeURIComponent(branch)}${query}`)))).json;
  const statistics = async (query = '', init: CallInit = {}) =>
    (await expect(200, call(`code-refs/statistics/${setup.project}${query}`, init))).json['flags'];
  const entries = async (): Promise<Json[]> =>
    (await expect(200, call(`auditlog?spec=code-reference-repository/${repo}`))).json['items'];

  describe('a repository', () => {
    test('F5 F8 F10 is created with defaults, shown, listed and deleted', async () => {
      const { json, headers } = await expect(200, create({ name: `${repo}.x` }));
      const self = `/api/v2/${REPOSITORIES}/${repo}.x`;
      assert.equal(headers.get('location'), self);
      assert.deepEqual(json, {
        _links: {
          self: { href: self, type: 'application/json' },
          parent: { href: `/api/v2/${REPOSITORIES}`, type: 'application/json' },
          branches: { href: `${self}/branches`, type: 'application/json' },
        },
        name: `${repo}.x`,
        type: 'custom',
        defaultBranch: 'main',
        enabled: true,
        version: 1,
      });
      assert.deepEqual((await expect(200, server.call(self))).json, { ...json, branches: [] });
      const list = (await expect(200, call(REPOSITORIES))).json;
      assert.deepEqual(
        list['items'].find(({ name }: Json) => name === json['name']),
        json,
      );
      assert.equal(list['totalCount'], list['items'].length);
      await expect(204, server.call(self, { method: 'DELETE' }));
      assertError(await expect(404, server.call(self)), 'not_found');
      await expect(404, server.call(self, { method: 'DELETE' }));
    });

    test('F14 F15 F21 is changed by JSON patch and by merge patch, with a comment', async () => {
      const body = { comment: 'moved', patch: replace('/defaultBranch', 'trunk') };
      const moved = (await expect(200, patch(body))).json;
      assert.deepEqual([moved['defaultBranch'], moved['version']], ['trunk', 2]);
      // As scanners send it: a merge patch with empty texts for what is not there.
      const merged = (await expect(200, patch({ type: 'github', hunkUrlTemplate: '' }))).json;
      assert.deepEqual([merged['type'], merged['hunkUrlTemplate']], ['github', undefined]);
      const off = (await expect(200, patch(replace('/enabled', false)))).json;
      assert.equal(off['enabled'], false);
      await expect(200, patch([{ op: 'remove', path: '/sourceLink' }]));
      assert.deepEqual(
        (await entries()).map(({ comment, accesses }) => [comment, accesses[0].action]),
        [
          [undefined, 'updateCodeRefsRepositoryConfiguration'],
          [undefined, 'updateCodeRefsRepositoryOn'],
          [undefined, 'updateCodeRefsRepositoryConfiguration'],
          ['moved', 'updateCodeRefsRepositoryConfiguration'],
          [undefined, 'createCodeRefsRepository'],
        ],
      );
      await expect(200, patch(replace('/enabled', false)));
      assert.equal((await entries()).length, 5, 'nothing changed');
    });

    test('is renamed, with all that it has', async () => {
      await expect(200, put({ references: [{ path: 'a.ts', hunks: [hunk(1)] }] }));
      await expect(200, patch(replace('/name', `${repo}-new`)));
      await expect(404, call(at()));
      repo = `${repo}-new`;
      assert.equal((await readBranch())['references'].length, 1);
    });

    test('F33 has a name of its own', async () => {
      assertError(await expect(409, create({ name: repo })), 'key_exists');
      await expect(200, create({ name: `${repo}-b` }));
      assertError(await expect(409, patch(replace('/name', `${repo}-b`))), 'key_exists');
    });

    for (const [what, body] of Object.entries({
      'no name': {},
      'an empty name': { name: '' },
      'a name with a slash': { name: 'a/b' },
      'a name that is a step of a path': { name: '..' },
      'another type': { name: 'x', type: 'svn' },
      'a link that a browser would execute': { name: 'x', sourceLink: 'javascript:alert(1)' },
      'a number for a branch': { name: 'x', defaultBranch: 5 },
    })) {
      test(`F33 with ${what} is refused`, async () => {
        assertError(await expect(400, create(body)), 'invalid_request');
      });
    }

    test('F7 F17 F23 F33 takes no other patches', async () => {
      const before = (await call(at())).json;
      for (const name of ['_links', 'version', 'branches', 'x'])
        await expect(400, patch([{ op: 'add', path: `/${name}`, value: 7 }]));
      await expect(400, patch(replace('/type', 'svn')));
      await expect(409, patch([{ op: 'test', path: '/version', value: 7 }, ...replace('/name', 'x')]));
      await expect(422, patch(5));
      await expect(400, patch({ instructions: [] }));
      assert.deepEqual((await call(at())).json, before);
    });

    test('F33 there are at most 200', async () => {
      const { totalCount } = (await call(REPOSITORIES)).json;
      const names = Array.from({ length: 200 - totalCount }, (_, index) => `many-${number}-${index}`);
      for (const name of names) await expect(200, create({ name }));
      assertError(await expect(400, create({ name: 'too-many' })), 'invalid_request');
      for (const name of names) await expect(204, call(`${REPOSITORIES}/${name}`, { method: 'DELETE' }));
    });
  });

  describe('a scan', () => {
    test('creates the branch, and takes the place of the one before', async () => {
      const references = [
        { path: 'src/b.ts', hint: 'typescript', hunks: [hunk(9), hunk(2, { aliases: ['showBanner'] })] },
        { path: 'src/a.ts', hunks: [hunk(5, { flagKey: 'other' }), { startingLineNumber: 1 }] },
      ];
      const branch = 'feature/x y';
      const commitTime = 900;
      const { json } = await expect(200, put({ references, commitTime, updateSequenceId: 1 }, { branch }));
      const self = `/api/v2/${at('/branches/feature%2Fx%20y')}`;
      assert.equal(json['_links'].self.href, self);
      const { _links, ...shown } = (await expect(200, server.call(self))).json;
      assert.deepEqual(shown, {
        name: branch,
        head: 'a1',
        updateSequenceId: 1,
        syncTime: 1000,
        commitTime,
        references: [
          { path: 'src/a.ts', hunks: [{ startingLineNumber: 1 }, hunk(5, { flagKey: 'other' })] },
          { path: 'src/b.ts', hint: 'typescript', hunks: [hunk(2, { aliases: ['showBanner'] }), hunk(9)] },
        ],
      });
      await expect(200, put({ head: 'a2', references: [] }, { branch }));
      const after = await readBranch('', branch);
      assert.deepEqual([after['head'], after['references']], ['a2', []]);
      assert.deepEqual(
        (await expect(200, call(at('/branches')))).json['items'].map(({ name }: Json) => name),
        [branch],
      );
    });

    test('is filtered by project and flag', async () => {
      const other = (await openFlagProject(server)).project;
      const hunks = [hunk(1), hunk(2, { flagKey: 'other' }), hunk(3, { projKey: other })];
      await expect(200, put({ references: [{ path: 'a.ts', hunks }] }));
      const lines = async (query: string) =>
        (await readBranch(query))['references'].flatMap(({ hunks: found }: Json) =>
          found.map(({ startingLineNumber }: Json) => startingLineNumber),
        );
      assert.deepEqual(await lines(''), [1, 2, 3]);
      assert.deepEqual(await lines(`?projKey=${setup.project}`), [1, 2]);
      assert.deepEqual(await lines('?flagKey=banner'), [1, 3]);
      assert.deepEqual(await lines(`?projKey=${other}&flagKey=banner`), [3]);
      assert.deepEqual(await lines('?flagKey=none'), []);
      await expect(404, call(at('/branches/main?projKey=nowhere')));
    });

    test('F33 with an older updateSequenceId is refused with 409, and changes nothing', async () => {
      await expect(200, put({ updateSequenceId: 7, head: 'seven' }));
      for (const updateSequenceId of [6, 7]) {
        const refused = await expect(409, put({ updateSequenceId, head: 'late' }));
        assertError(refused, 'updateSequenceId_conflict');
      }
      assert.equal((await readBranch())['head'], 'seven');
      const unnumbered = (await expect(200, put({ head: 'any' }))).json;
      assert.deepEqual([unnumbered['head'], unnumbered['updateSequenceId']], ['any', 7]);
      await expect(409, put({ updateSequenceId: 7 }));
      await expect(200, put({ updateSequenceId: 8 }));
    });

    test('is listed with the repositories where that is asked for', async () => {
      await expect(200, put({ references: [{ path: 'a.ts', hunks: [hunk(1)] }] }));
      await expect(200, put({ references: [{ path: 'b.ts', hunks: [hunk(1)] }] }, { branch: 'other' }));
      const listed = async (query: string) => {
        const { items } = (await expect(200, call(`${REPOSITORIES}?${query}`))).json;
        const { branches } = items.find(({ name }: Json) => name === repo);
        return branches?.map(({ name, references }: Json) => [name, references?.length]);
      };
      assert.equal(await listed(''), undefined);
      assert.deepEqual(await listed('withBranches=1'), [
        ['main', undefined],
        ['other', undefined],
      ]);
      const query = 'withReferencesForDefaultBranch=1';
      assert.deepEqual(await listed(query), [
        ['main', 1],
        ['other', undefined],
      ]);
      assert.deepEqual((await listed(`${query}&projKey=${setup.project}&flagKey=none`))[0], ['main', 0]);
    });

    for (const [what, body, place] of [
      ['the name of another branch', { name: 'other' }, 'name'],
      ['no commit', { head: undefined }, 'head'],
      ['no time', { syncTime: undefined }, 'syncTime'],
      ['a time of the commit that is none', { commitTime: 'soon' }, 'commitTime'],
      ['references that are no list', { references: {} }, 'references'],
      ['a reference without a path', { references: [{ hunks: [] }] }, 'references.0.path'],
      ['a file without hunks', { references: [{ path: 'a' }] }, 'references.0.hunks'],
      [
        'a hunk without a line',
        { references: [{ path: 'a', hunks: [{}] }] },
        'references.0.hunks.0.startingLineNumber',
      ],
      [
        'a flag key that is none',
        { references: [{ path: 'a', hunks: [{ startingLineNumber: 1, flagKey: 'no key' }] }] },
        'references.0.hunks.0.flagKey',
      ],
      [
        'an unknown project',
        { references: [{ path: 'a', hunks: [{ startingLineNumber: 1, projKey: 'nowhere' }] }] },
        'nowhere',
      ],
    ] as const) {
      test(`F33 with ${what} is refused, and names it`, async () => {
        const { json } = await expect(400, put(body));
        assert.ok(json['message'].includes(place), json['message']);
        await expect(404, call(at('/branches/main')));
      });
    }

    test('F33 of too many files or hunks is refused', async () => {
      const files = Array.from({ length: 10_001 }, () => ({ path: 'a', hunks: [] }));
      assert.match((await expect(400, put({ references: files }))).json['message'], /10000 files/);
      const hunks = Array.from({ length: 25_001 }, () => ({ startingLineNumber: 1 }));
      const refused = await expect(400, put({ references: [{ path: 'a', hunks }] }));
      assert.match(refused.json['message'], /25000 hunks/);
    });

    test('of 25,000 hunks is taken, and read again', async () => {
      const references = Array.from({ length: 500 }, (_, file) => ({
        path: `src/${file}.ts`,
        hunks: Array.from({ length: 50 }, (_other, line) =>
          hunk(line, { flagKey: `flag-${(file * 50 + line) % 800}`, contentHash: 'a', aliases: ['b'] }),
        ),
      }));
      await expect(200, put({ references }));
      const shown = (await readBranch())['references'];
      assert.equal(
        shown.reduce((sum: number, { hunks }: Json) => sum + hunks.length, 0),
        25_000,
      );
      assert.equal((await readBranch('?flagKey=flag-1'))['references'].length, 32);
    });

    test('F33 of a disabled repository is refused', async () => {
      await expect(200, patch(replace('/enabled', false)));
      assert.match((await expect(400, put())).json['message'], /disabled/);
      await expect(200, patch(replace('/enabled', true)));
      await expect(200, put());
    });

    test('F36 is in the audit log, without the code', async () => {
      const lines = 'const secretPlan = 1;';
      await expect(200, put({ references: [{ path: 'a.ts', hunks: [hunk(1, { lines })] }] }));
      const [entry] = await entries();
      assert.equal(entry!['titleVerb'], 'scanned the branch main of the repository');
      const detail = await expect(200, call(`auditlog/${entry!['_id']}`));
      assert.ok(!detail.text.includes('secretPlan'));
      assert.equal(detail.json['currentVersion'].hunkCount, 1);
    });
  });

  describe('branches', () => {
    test('are deleted by name, and names that are none are passed over', async () => {
      for (const branch of ['main', 'a/b', 'c']) await expect(200, put({}, { branch }));
      const body = ['a/b', 'c', 'c', 'none'];
      await expect(200, call(at('/branch-delete-tasks'), { method: 'POST', body }));
      const { items } = (await expect(200, call(at('/branches')))).json;
      assert.deepEqual(
        items.map(({ name }: Json) => name),
        ['main'],
      );
      const recorded = (await entries()).slice(0, 2).map(({ titleVerb }) => titleVerb.split(' ')[3]);
      assert.deepEqual(new Set(recorded), new Set(['a/b', 'c']));
    });

    test('F33 wrong lists of names are refused', async () => {
      const remove = (body: unknown) => call(at('/branch-delete-tasks'), { method: 'POST', body });
      for (const body of [{}, [5], [''], Array.from({ length: 1001 }, (_, index) => `b${index}`)])
        await expect(400, remove(body));
      await expect(404, call(`${REPOSITORIES}/none/branch-delete-tasks`, { method: 'POST', body: [] }));
    });

    test('F33 of names that cannot be there are not found', async () => {
      for (const name of ['none', 'x'.repeat(600)]) await expect(404, call(at(`/branches/${name}`)));
      await expect(400, call(at('/branches/%00')));
      await expect(400, call('code-refs/extinctions?branchName=%00'));
    });
  });

  describe('statistics', () => {
    const reference = (path: string, ...hunks: object[]) => ({ path, hunks });

    test('count hunks and files of the default branch by flag and repository', async () => {
      const references = [
        reference('a.ts', hunk(1), hunk(2)),
        reference('b.ts', hunk(1), hunk(5, { flagKey: 'gone' })),
      ];
      await expect(200, put({ references, commitTime: '1970-01-01T00:00:01Z' }));
      await expect(200, put({ references: [reference('c.ts', hunk(1))] }, { branch: 'other' }));
      const flags = await statistics();
      assert.deepEqual(Object.keys(flags), ['banner'], 'only flags that exist');
      const [{ _links: links, ...counts }] = flags['banner'];
      assert.equal(links.self.href, `/api/v2/${at()}`);
      assert.deepEqual(counts, {
        name: repo,
        type: 'custom',
        sourceLink: 'https://git.example/shop',
        defaultBranch: 'main',
        enabled: true,
        version: 1,
        hunkCount: 3,
        fileCount: 2,
        latestCommitTime: 1000,
      });
      assert.deepEqual(await statistics('?flagKey=banner'), flags);
      const shown = { items: flags['banner'] };
      const path = `flags/${setup.project}`;
      const flag = (await expect(200, call(`${path}/banner?expand=codeReferences`))).json;
      assert.deepEqual(flag['codeReferences'], shown);
      await expect(201, call(path, { method: 'POST', body: { key: 'unused', name: 'Unused' } }));
      const list = (await expect(200, call(`${path}?expand=codeReferences&sort=key`))).json;
      const listed = list['items'].map(({ key, codeReferences }: Json) => [key, codeReferences]);
      assert.deepEqual(listed, [
        ['banner', shown],
        ['unused', { items: [] }],
      ]);
      assert.equal((await expect(200, call(`${path}/banner`))).json['codeReferences'], undefined);
      for (const [filter, keys] of [
        ['min:1', ['banner']],
        ['min:3', ['banner']],
        ['min:4', []],
        ['min:0', ['banner', 'unused']],
        ['max:3', ['banner', 'unused']],
        ['max:2', ['unused']],
        ['min:1,codeReferences.max:2', []],
      ] as const) {
        const found = (await expect(200, call(`${path}?filter=codeReferences.${filter}&sort=key`))).json;
        assert.deepEqual(
          found['items'].map(({ key }: Json) => key),
          keys,
          filter,
        );
      }
      assert.deepEqual(await statistics('?flagKey=gone'), {});
      const { projects, self } = (await expect(200, call('code-refs/statistics'))).json;
      assert.equal(self.href, '/api/v2/code-refs/statistics');
      assert.ok(projects.some(({ href }: Json) => href === `${self.href}/${setup.project}`));
      await expect(404, call('code-refs/statistics/nowhere'));
    });

    test('follow the default branch, and the flags and the project that there are', async () => {
      await expect(200, put({ references: [reference('a.ts', hunk(1))] }));
      await expect(200, put({ references: [reference('a.ts', hunk(1), hunk(2))] }, { branch: 'trunk' }));
      await expect(200, patch(replace('/defaultBranch', 'trunk')));
      assert.equal((await statistics())['banner'][0].hunkCount, 2);
      await expect(204, call(`flags/${setup.project}/banner`, { method: 'DELETE' }));
      assert.deepEqual(await statistics(), {});
      assert.equal((await readBranch())['references'].length, 1, 'the code names it until the next scan');
      await expect(204, call(`projects/${setup.project}`, { method: 'DELETE' }));
      assert.deepEqual((await readBranch())['references'], []);
      await expect(404, call(`code-refs/statistics/${setup.project}`));
    });
  });

  describe('extinctions', () => {
    const extinct = (revision: string, extra: object = {}) => ({
      revision,
      message: `remove the banner in ${revision}`,
      time: 1000,
      projKey: setup.project,
      flagKey: 'banner',
      ...extra,
    });
    const post = (body: unknown, { branch = 'main', ...init }: CallInit & { branch?: string } = {}) =>
      call(at(`/branches/${branch}/extinction-events`), { method: 'POST', body, ...init });
    const list = async (query = '', init: CallInit = {}): Promise<Json> =>
      (await expect(200, call(`code-refs/extinctions?repoName=${repo}${query}`, init))).json;
    const revisions = async (query = '') =>
      Object.fromEntries(
        Object.entries((await list(query))['items'] as Record<string, Json[]>).map(([key, items]) => [
          key,
          items.map(({ revision }) => revision),
        ]),
      );

    test('are recorded once, and listed by flag, the latest first', async () => {
      await expect(200, put());
      const body = [extinct('r1'), extinct('r2', { time: 2000 }), extinct('r3', { flagKey: 'other' })];
      await expect(200, post(body));
      await expect(200, post(body.slice(1)));
      const { items, totalCount } = await list();
      const [latest] = items['banner'];
      assert.deepEqual(
        items['banner'].map(({ _links, ...shown }: Json) => shown),
        [extinct('r2', { time: 2000 }), extinct('r1')],
      );
      const own = await expect(200, server.call(latest._links.self.href));
      assert.deepEqual(own.json['items'], { banner: [latest] }, 'it links to itself');
      assert.equal(totalCount, 3);
      assert.deepEqual(await revisions('&flagKey=other'), { other: ['r3'] });
      assert.deepEqual(await revisions(`&projKey=${setup.project}&from=1500&to=2500`), { banner: ['r2'] });
      await expect(400, call('code-refs/extinctions?from=1'));
      await expect(404, call('code-refs/extinctions?repoName=none'));
      const all = (await expect(200, call('code-refs/extinctions'))).json;
      assert.ok(all['totalCount'] >= 3);
      assert.equal(
        (await entries()).filter(({ titleVerb }) => titleVerb.startsWith('recorded extinctions')).length,
        1,
      );
    });

    test('F9 come in pages', async () => {
      await expect(200, put());
      const body = Array.from({ length: 5 }, (_, index) => extinct(`r${index}`, { time: index }));
      await expect(200, post(body));
      const first = await list('&limit=2');
      assert.deepEqual(
        first['items'].banner.map(({ revision }: Json) => revision),
        ['r4', 'r3'],
      );
      const { json: second } = await expect(200, server.call(first['_links'].next.href));
      assert.deepEqual(
        second['items'].banner.map(({ revision }: Json) => revision),
        ['r2', 'r1'],
      );
      assert.deepEqual(Object.keys(second['_links']).sort(), ['first', 'last', 'next', 'prev', 'self']);
    });

    test('are those of the default branch, unless another is named', async () => {
      await expect(200, put());
      await expect(200, put({}, { branch: 'other' }));
      await expect(200, post([extinct('r1')], { branch: 'other' }));
      assert.deepEqual(await revisions(), {});
      assert.deepEqual(await revisions('&branchName=other'), { banner: ['r1'] });
      assert.deepEqual(await revisions('&branchName=none'), {});
    });

    test('F33 of an unknown branch or project, or with wrong fields, are refused', async () => {
      await expect(404, post([extinct('r1')]));
      await expect(200, put());
      for (const body of [
        {},
        [extinct('r1', { projKey: 'nowhere' })],
        [extinct('')],
        [extinct('r1', { time: 'now' })],
        [extinct('r1', { message: 'x'.repeat(10_001) })],
        Array.from({ length: 1001 }, (_, index) => extinct(`r${index}`)),
      ])
        await expect(400, post(body));
      assert.deepEqual(await revisions(), {});
    });
  });

  describe('permissions', () => {
    test('F31 a reader sees all and changes nothing', async () => {
      await expect(200, put({ references: [{ path: 'a.ts', hunks: [hunk(1)] }] }));
      const { token } = await giveMember(server, { role: 'reader' });
      assert.equal((await expect(200, call(at('/branches/main'), { token }))).json['references'].length, 1);
      const denied = await expect(401, put({}, { token }));
      assert.deepEqual(denied.json['access'], {
        action: 'updateCodeRefsRepositoryBranches',
        resource: `code-reference-repository/${repo}`,
      });
      await expect(401, create({ name: 'mine' }, { token }));
      await expect(401, patch(replace('/type', 'github'), { token }));
      await expect(401, call(at(), { method: 'DELETE', token }));
      await expect(401, call(at('/branch-delete-tasks'), { method: 'POST', body: ['main'], token }));
      await expect(401, call(at('/branches/main/extinction-events'), { method: 'POST', body: [], token }));
      await expect(401, call(at(), { token: null }));
      await expect(405, call(at('/branches/main'), { method: 'DELETE' }));
      await expect(400, put({}, { headers: { 'content-type': 'text/plain' } }));
    });

    test('F35 code is shown to those who may view the project of the flag', async () => {
      const other = (await openFlagProject(server)).project;
      const hunks = [hunk(1), hunk(2, { projKey: other }), { startingLineNumber: 3 }];
      await expect(200, put({ references: [{ path: 'a.ts', hunks }] }));
      const body = [setup.project, other].map((projKey) => ({
        revision: 'r1',
        message: '',
        time: 1,
        projKey,
        flagKey: 'banner',
      }));
      await expect(200, call(at('/branches/main/extinction-events'), { method: 'POST', body }));
      const inlinePolicy = [
        { effect: 'allow' as const, actions: ['view*'], resources: ['code-reference-repository/*'] },
        { effect: 'allow' as const, actions: ['viewProject'], resources: [`proj/${setup.project}`] },
      ];
      const { token } = await giveMember(server, { inlinePolicy });
      const { references } = (await expect(200, call(at('/branches/main'), { token }))).json;
      assert.deepEqual(
        references[0].hunks.map(({ startingLineNumber }: Json) => startingLineNumber),
        [1, 3],
      );
      await expect(403, call(at(`/branches/main?projKey=${other}`), { token }));
      await expect(403, call(`code-refs/statistics/${other}`, { token }));
      const { items } = (await expect(200, call(`code-refs/extinctions?repoName=${repo}`, { token }))).json;
      assert.deepEqual(
        items.banner.map(({ projKey }: Json) => projKey),
        [setup.project],
      );
      const root = (await expect(200, call('code-refs/statistics', { token }))).json;
      assert.deepEqual(
        root['projects'].map(({ href }: Json) => href),
        [`/api/v2/code-refs/statistics/${setup.project}`],
      );
    });

    test('F35 a policy names a repository, and others are not seen', async () => {
      await expect(200, put({ references: [{ path: 'a.ts', hunks: [hunk(1)] }] }));
      const inlinePolicy = [
        { effect: 'allow' as const, actions: ['*'], resources: ['code-reference-repository/elsewhere'] },
        { effect: 'allow' as const, actions: ['viewProject'], resources: ['proj/*'] },
      ];
      const { token } = await giveMember(server, { inlinePolicy });
      await expect(401, call(at(), { token }));
      await expect(401, call(REPOSITORIES, { token }));
      await expect(401, call('code-refs/extinctions', { token }));
      await expect(401, put({}, { token }));
      assert.deepEqual(await statistics('', { token }), {});
      const flag = await expect(200, call(`flags/${setup.project}/banner?expand=codeReferences`, { token }));
      assert.deepEqual(flag.json['codeReferences'], { items: [] });
      const least = await expect(200, call(`flags/${setup.project}?filter=codeReferences.min:1`, { token }));
      assert.deepEqual(least.json['items'], []);
      await expect(200, create({ name: 'elsewhere' }, { token }));
      const { items } = (await expect(200, call(REPOSITORIES, { token }))).json;
      assert.deepEqual(
        items.map(({ name }: Json) => name),
        ['elsewhere'],
      );
      await expect(204, call(`${REPOSITORIES}/elsewhere`, { method: 'DELETE', token }));
    });
  });
});
