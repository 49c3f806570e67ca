// Comments on issues on a running server: who writes, changes and deletes them, how they are listed and shown, and what is refused.
import assert from 'node:assert/strict';
import { makeApp } from '../../../app-people.ts';
import { onEachEngine } from '../../../engines.ts';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../../../git-tests.ts';
import { expectAnswer as expect } from '../../../host-crew.ts';
import { joinHost, type HostPerson } from '../../../host-people.ts';
import { giveToken } from '../../../people.ts';
import { startServerOn } from '../../../suites.ts';
import type { Json, TestServer } from '../../../server.ts';
import { createTestIssue, type TestIssue } from '../../../host-issues.ts';

onEachEngine((engine) => {
  let server: TestServer;
  /** Owns the repositories. */
  let ada: HostPerson;
  /** A collaborator who may write. */
  let bob: HostPerson;
  /** Knows what is public. */
  let eve: HostPerson;
  let repositories = 0;

  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    [ada, bob, eve] = await Promise.all([
      joinHost(server, 'ada'),
      joinHost(server, 'bob'),
      joinHost(server, 'eve'),
    ]);
  });
  after(() => server.stop());

  /** With an issue and a pull request. */
  async function newRepository(fields: Json = {}) {
    repositories += 1;
    const name = `ada/repo-${repositories}`;
    const { id } = await ada.repository(`repo-${repositories}`, fields);
    await expect(204, ada.put(`/repos/${name}/collaborators/bob`, { permission: 'push' }));
    const issue = await createTestIssue(server, ada, name);
    const pull = await createTestIssue(server, ada, name, { isPull: true });
    return { path: `/repos/${name}`, id: id as number, issue, pull };
  }

  const write = async (who: HostPerson, issue: TestIssue, body: string) =>
    await expect(201, who.post(`${issue.path}/comments`, { body }));
  const bodiesOf = (json: unknown) => (json as Json[]).map(({ body }) => body as string);

  test('a comment is written, read, changed and deleted, on issues and on pull requests', async () => {
    const { path, issue, pull } = await newRepository();
    for (const [on, word] of [
      [issue, 'issues'],
      [pull, 'pull'],
    ] as const) {
      const created = await eve.post(`${on.path}/comments`, { body: 'First **words**' });
      assert.equal(created.status, 201, created.text);
      const comment = created.json;
      const at = `${path}/issues/comments/${comment['id']}`;
      assert.equal(comment['url'], `${server.url}${at}`);
      assert.equal(created.headers.get('location'), comment['url']);
      assert.equal(comment['issue_url'], `${server.url}${on.path}`);
      assert.equal(
        comment['html_url'],
        `${server.url}/${path.slice('/repos/'.length)}/${word}/${on.number}#issuecomment-${comment['id']}`,
      );
      assert.deepEqual(
        [comment['body'], comment['user'].login, comment['author_association']],
        ['First **words**', 'eve', 'NONE'],
      );
      assert.equal(comment['reactions'].total_count, 0);
      assert.equal((await on.read()).commentCount, 1);
      assert.deepEqual((await server.call(at, { token: null })).json, comment);
      const changed = await eve.patch(at, { body: 'Second' });
      assert.deepEqual([changed.status, changed.json['body']], [200, 'Second']);
      assert.deepEqual((await eve.get(at)).json, changed.json);
      const own = await write(ada, on, 'Mine');
      assert.equal(own['author_association'], 'OWNER');
      assert.equal((await write(bob, on, 'Ours'))['author_association'], 'COLLABORATOR');
      const { json: list } = await server.call(`${on.path}/comments`, { token: null });
      assert.deepEqual(bodiesOf(list), ['Second', 'Mine', 'Ours']);
      assert.equal((await eve.delete(at)).status, 204);
      for (const answer of [await eve.get(at), await eve.delete(at), await eve.patch(at, { body: 'x' })])
        assert.equal(answer.status, 404);
      assert.equal((await on.read()).commentCount, 2);
    }
  });

  test('authors and those who may write change and delete comments, and changes by others are audited', async () => {
    const { path, issue } = await newRepository();
    const { id } = await write(eve, issue, 'of eve');
    const at = `${path}/issues/comments/${id}`;
    const other = await joinHost(server, `mal-${engine.kind}`);
    const reader = await giveToken(server, eve.member, { role: 'reader' });
    for (const [token, status] of [
      [null, 401],
      [other.token, 403],
      [reader.value, 403],
    ] as const) {
      const calls = [
        server.call(at, { method: 'PATCH', body: { body: 'x' }, token }),
        server.call(at, { method: 'DELETE', token }),
      ];
      for (const answer of await Promise.all(calls)) assert.equal(answer.status, status, answer.text);
    }
    for (const [token, status] of [
      [null, 401],
      [reader.value, 403],
    ] as const) {
      const answer = await server.call(`${issue.path}/comments`, {
        method: 'POST',
        body: { body: 'x' },
        token,
      });
      assert.equal(answer.status, status, answer.text);
    }
    const entries = async () =>
      await server.app.kernel.db
        .selectFrom('events')
        .select('seq')
        .where('resource', 'like', `%${path.slice('/repos/ada/'.length)}%`)
        .execute();
    const known = (await entries()).length;
    await expect(200, eve.patch(at, { body: 'still of eve' }));
    assert.equal((await entries()).length, known);
    assert.equal((await expect(200, bob.patch(at, { body: 'of bob' })))['user'].login, 'eve');
    assert.equal((await entries()).length, known + 1);
    await expect(204, bob.delete(at));
    assert.equal((await entries()).length, known + 2);
    assert.equal((await issue.read()).commentCount, 0);
  });

  test('bodies are not blank, have at most 65,536 characters, and are nothing but text', async () => {
    const { path, issue } = await newRepository();
    const { id } = await write(eve, issue, 'x');
    const at = `${path}/issues/comments/${id}`;
    const wrong = [{}, { body: '' }, { body: ' \n ' }, { body: 5 }, { body: null }, { body: 'a\u0000b' }];
    for (const body of wrong)
      for (const answer of [await eve.post(`${issue.path}/comments`, body), await eve.patch(at, body)]) {
        assert.equal(answer.status, 422, answer.text);
        assert.equal(answer.json['errors']?.[0].field ?? 'body', 'body');
      }
    await expect(400, eve.post(`${issue.path}/comments`, []));
    const long = 'x'.repeat(65_536);
    for (const body of [`${long}x`, '𝒳'.repeat(65_537)]) {
      const answer = await eve.post(`${issue.path}/comments`, { body });
      assert.equal(answer.status, 422);
      assert.equal(answer.json['message'], 'Validation Failed');
      assert.deepEqual(answer.json['errors'], [
        {
          resource: 'IssueComment',
          field: 'body',
          code: 'custom',
          message: 'body is too long (maximum is 65536 characters)',
        },
      ]);
    }
    assert.equal((await issue.read()).commentCount, 1);
    for (const body of [long, '𝒳'.repeat(65_536)])
      assert.equal((await expect(200, eve.patch(at, { body })))['body'], body);
  });

  test('a comment is found below its own repository only, and unknown ones are not found', async () => {
    const { path, issue } = await newRepository();
    const other = await newRepository();
    const { id } = await write(eve, issue, 'here');
    for (const at of [
      `${other.path}/issues/comments/${id}`,
      `${path}/issues/comments/${(id as number) + 1000}`,
      `${path}/issues/comments/9007199254740993`,
      `/repos/ada/nowhere/issues/comments/${id}`,
    ]) {
      for (const answer of [await eve.get(at), await eve.patch(at, { body: 'x' }), await eve.delete(at)])
        assert.ok([404, 422].includes(answer.status), `${at}: ${answer.text}`);
    }
    for (const at of [`${path}/issues/77/comments`, `/repos/ada/nowhere/issues/1/comments`]) {
      assert.equal((await eve.get(at)).status, 404, at);
      assert.equal((await eve.post(at, { body: 'x' })).status, 404, at);
    }
    assert.equal((await eve.get(`${path}/issues/comments/${id}`)).status, 200);
  });

  test('the comments of a private repository do not exist for others', async () => {
    const { path, issue } = await newRepository({ private: true });
    const { id } = await write(bob, issue, 'inside');
    const at = `${path}/issues/comments/${id}`;
    for (const token of [eve.token, null])
      for (const [url, method] of [
        [at, 'GET'],
        [at, 'PATCH'],
        [at, 'DELETE'],
        [`${issue.path}/comments`, 'GET'],
        [`${issue.path}/comments`, 'POST'],
        [`${path}/issues/comments`, 'GET'],
        [`${path}/issues/comments?sort=wrong`, 'GET'],
      ] as const) {
        const isWriting = method === 'PATCH' || method === 'POST';
        const answer = await server.call(url, { method, token, ...(isWriting && { body: { body: 'x' } }) });
        const expected = token === null && method !== 'GET' ? 401 : 404;
        assert.equal(answer.status, expected, `${method} ${url}`);
        assert.doesNotMatch(answer.text, /inside/);
      }
    assert.deepEqual(bodiesOf((await bob.get(`${path}/issues/comments`)).json), ['inside']);
  });

  test('a locked conversation is closed to those who may not write', async () => {
    const { path, issue } = await newRepository();
    const { id } = await write(eve, issue, 'before');
    await issue.lock();
    const at = `${path}/issues/comments/${id}`;
    await expect(403, eve.post(`${issue.path}/comments`, { body: 'x' }));
    await expect(403, eve.patch(at, { body: 'x' }));
    await expect(403, eve.delete(at));
    await write(bob, issue, 'after');
    assert.deepEqual(bodiesOf((await eve.get(`${issue.path}/comments`)).json), ['before', 'after']);
  });

  test('where issues are switched off, comments on pull requests go on', async () => {
    const { path, issue, pull } = await newRepository();
    const onIssue = await write(eve, issue, 'on the issue');
    const onPull = await write(eve, pull, 'on the pull request');
    await expect(200, ada.patch(path, { has_issues: false }));
    await expect(410, eve.get(`${issue.path}/comments`));
    await expect(410, eve.post(`${issue.path}/comments`, { body: 'x' }));
    await expect(410, eve.get(`${path}/issues/comments/${onIssue['id']}`));
    await expect(200, eve.patch(`${path}/issues/comments/${onPull['id']}`, { body: 'still here' }));
    assert.deepEqual(bodiesOf((await eve.get(`${path}/issues/comments`)).json), ['still here']);
    await expect(200, ada.patch(path, { archived: true }));
    await expect(403, ada.post(`${pull.path}/comments`, { body: 'x' }));
  });

  test('the media type asks for Markdown, HTML, text or all', async () => {
    const { path, issue } = await newRepository();
    const { id, body: written } = await write(eve, issue, '# A\n\nx <b> & [b](javascript:x)');
    for (const [param, names] of [
      ['raw', ['body']],
      ['html', ['body_html']],
      ['text', ['body_text']],
      ['full', ['body', 'body_html', 'body_text']],
    ] as const)
      for (const url of [
        `${path}/issues/comments/${id}`,
        `${issue.path}/comments`,
        `${path}/issues/comments`,
      ]) {
        const headers = { accept: `application/vnd.github.${param}+json` };
        const { json } = await eve.call(url, { headers });
        const shown = (Array.isArray(json) ? json[0] : json) as Json;
        assert.deepEqual(
          Object.keys(shown)
            .filter((name) => name.startsWith('body'))
            .toSorted(),
          names,
        );
        if (shown['body'] !== undefined) assert.equal(shown['body'], written);
        assert.doesNotMatch(shown['body_html'] ?? '', /javascript:|<b>/);
      }
  });

  test('comments come in pages, in the order that is asked for, and since a time', async () => {
    const { path, issue, pull } = await newRepository();
    const bodies = ['1', '2', '3', '4', '5'];
    const times: number[] = [];
    const ids: number[] = [];
    for (const [index, body] of bodies.entries()) {
      server.clock.ahead += 10_000;
      times.push(server.clock.now());
      ids.push((await write(eve, index % 2 === 0 ? issue : pull, body))['id'] as number);
    }
    server.clock.ahead += 10_000;
    await expect(200, eve.patch(`${path}/issues/comments/${ids[0]}`, { body: '1!' }));
    const list = async (url: string) => {
      const { status, text, json, headers } = await server.call(url, { token: null });
      assert.equal(status, 200, text);
      return { bodies: bodiesOf(json).join(' '), link: headers.get('link') ?? '' };
    };
    const all = `${path}/issues/comments`;
    const since = (index: number) => `since=${new Date(times[index]!).toISOString()}`;
    assert.equal((await list(all)).bodies, '1! 2 3 4 5');
    assert.equal((await list(`${all}?direction=desc`)).bodies, '1! 2 3 4 5');
    assert.equal((await list(`${all}?sort=created&direction=desc`)).bodies, '5 4 3 2 1!');
    assert.equal((await list(`${all}?sort=updated`)).bodies, '2 3 4 5 1!');
    assert.equal((await list(`${all}?sort=updated&direction=desc`)).bodies, '1! 5 4 3 2');
    assert.equal((await list(`${all}?${since(3)}`)).bodies, '1! 4 5');
    assert.equal((await list(`${issue.path}/comments`)).bodies, '1! 3 5');
    assert.equal((await list(`${issue.path}/comments?${since(4)}`)).bodies, '1! 5');
    const second = await list(`${all}?per_page=2&page=2`);
    assert.equal(second.bodies, '3 4');
    assert.match(second.link, /page=3&per_page=2>; rel="last"|page=3[^>]*>; rel="next"/);
    assert.equal((await list(`${issue.path}/comments?per_page=2&page=2`)).bodies, '5');
    assert.equal((await list(`${issue.path}/comments?per_page=2&page=9`)).bodies, '');
    for (const query of ['sort=comments', 'direction=up&sort=created', 'since=yesterday', 'page=0'])
      await expect(422, eve.get(`${all}?${query}`));
  });

  test('an app needs the permission for issues, or on pull requests the one for pull requests', async () => {
    const { path, id, issue, pull } = await newRepository({ private: true });
    const onIssue = await write(bob, issue, 'on the issue');
    const onPull = await write(bob, pull, 'on the pull request');
    const tokenOf = async (name: string, permissions: Record<string, 'read' | 'write'>) => {
      const app = await makeApp(server, 'ada', { name: `${name} ${engine.kind}`, permissions });
      return await app.token(await app.install('ada', [id]));
    };
    const both = await tokenOf('Both', { issues: 'write' });
    const pulls = await tokenOf('Pulls', { pull_requests: 'write' });
    const reads = await tokenOf('Reads', { issues: 'read' });
    const none = await tokenOf('None', { contents: 'write' });
    const status = async (token: string, url: string, method = 'GET') =>
      (await server.call(url, { token, method, ...(method !== 'GET' && { body: { body: 'x' } }) })).status;
    const urls = [
      `${issue.path}/comments`,
      `${pull.path}/comments`,
      `${path}/issues/comments/${onIssue['id']}`,
      `${path}/issues/comments/${onPull['id']}`,
    ];
    const all = async (token: string) => await Promise.all(urls.map((url) => status(token, url)));
    assert.deepEqual(await all(both), [200, 200, 200, 200]);
    assert.deepEqual(await all(pulls), [403, 200, 403, 200]);
    assert.deepEqual(await all(reads), [200, 200, 200, 200]);
    assert.deepEqual(await all(none), [403, 403, 403, 403]);
    const listed = await server.call(`${path}/issues/comments`, { token: pulls });
    assert.deepEqual(bodiesOf(listed.json), ['on the pull request']);
    const posts = async (token: string) =>
      await Promise.all(urls.slice(0, 2).map((url) => status(token, url, 'POST')));
    assert.deepEqual(await posts(both), [201, 201]);
    assert.deepEqual(await posts(pulls), [403, 201]);
    assert.deepEqual(await posts(reads), [403, 403]);
    assert.deepEqual(await posts(none), [403, 403]);
    // What is public everybody reads, apps without a permission too.
    await expect(200, ada.patch(path, { private: false }));
    assert.deepEqual(await all(none), [200, 200, 200, 200]);
    assert.deepEqual(await posts(none), [403, 403]);
  });
});
