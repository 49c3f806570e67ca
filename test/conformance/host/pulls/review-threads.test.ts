// Threads and drafts by GraphQL on a running server: found, resolved and taken up again, each by who may.
import assert from 'node:assert/strict';
import { makeApp } from '../../../app-people.ts';
import { onEachEngine } from '../../../engines.ts';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../../../git-tests.ts';
import { expectAnswer as expect, gatherCrew, type Crew } from '../../../host-crew.ts';
import { CODE, newCodePull, writeLines } from '../../../host-review-calls.ts';
import type { Json, TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';

const THREADS = `query ($owner: String!, $name: String!, $number: Int!, $first: Int!, $after: String) {
  repository(owner: $owner, name: $name) { nameWithOwner pullRequest(number: $number) {
    id isDraft state
    reviewThreads(first: $first, after: $after) {
      pageInfo { hasNextPage hasPreviousPage endCursor }
      nodes {
        id isResolved isOutdated path line subjectType resolvedBy { login } viewerCanResolve viewerCanUnresolve
        pullRequest { number }
        comments(first: 2) { nodes { id databaseId body } pageInfo { hasNextPage } }
      }
    }
  } }
}`;

onEachEngine((engine) => {
  let server: TestServer;
  let crew: Crew;
  let at: string;

  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    crew = await gatherCrew(server);
    at = (await crew.repository('threads')).path;
    await writeLines(crew.ada, at, { branch: 'main', lines: CODE });
  });
  after(() => server.stop());

  type Asking = (
    path: string,
    init: { method: string; body: unknown },
  ) => Promise<{ status: number; text: string; json: Json }>;

  async function ask(call: Asking, query: string, variables: Json = {}): Promise<Json> {
    const { status, text, json } = await call('/graphql', { method: 'POST', body: { query, variables } });
    assert.equal(status, 200, text);
    return json;
  }
  const typeOf = ({ errors }: Json) => errors?.[0]?.type as string | undefined;
  const resolve = (call: Asking, threadId: string, isResolved = true) =>
    ask(
      call,
      `mutation ($threadId: ID!) { done: ${isResolved ? 'resolve' : 'unresolve'}ReviewThread(input: { threadId: $threadId, clientMutationId: "m" }) {
        clientMutationId thread { id isResolved resolvedBy { login name } } } }`,
      { threadId },
    );
  const read = async (call: Asking, name: string, number: number, first = 10, cursor?: string) => {
    const { data } = await ask(call, THREADS, { owner: 'crew', name, number, first, after: cursor ?? null });
    return data.repository.pullRequest as Json;
  };
  const on = (line: number) => ({ body: `On ${line}`, path: 'code.txt', line });

  test('threads are found by the number of the pull request, in pages, with their comments', async () => {
    const { ada, bob, eve } = crew;
    const { pull, number } = await newCodePull(ada, at);
    const ids: number[] = [];
    for (const line of [2, 3, 30])
      ids.push((await expect(201, bob.post(`${pull}/comments`, on(line))))['id']);
    for (const body of ['a', 'b'])
      await expect(201, ada.post(`${pull}/comments/${ids[0]}/replies`, { body }));
    const { reviewThreads } = await read(eve.call, 'threads', number, 2);
    const [first, second] = reviewThreads.nodes;
    assert.deepEqual(
      [first.path, first.line, first.isOutdated, first.isResolved, first.resolvedBy, first.subjectType],
      ['code.txt', 2, false, false, null, 'LINE'],
    );
    assert.deepEqual(first.pullRequest, { number });
    assert.deepEqual(
      first.comments.nodes.map((one: Json) => [one['databaseId'] === ids[0], one['body']]),
      [
        [true, 'On 2'],
        [false, 'a'],
      ],
    );
    assert.deepEqual(
      [first.comments.pageInfo.hasNextPage, second.comments.pageInfo.hasNextPage],
      [true, false],
    );
    assert.deepEqual([first.viewerCanResolve, first.viewerCanUnresolve], [false, false]);
    const { hasNextPage, hasPreviousPage, endCursor } = reviewThreads.pageInfo;
    assert.deepEqual([hasNextPage, hasPreviousPage], [true, false]);
    const rest = (await read(ada.call, 'threads', number, 2, endCursor))['reviewThreads'];
    assert.deepEqual(
      rest.nodes.map((one: Json) => [one['line'], one['viewerCanResolve']]),
      [[30, true]],
    );
    assert.deepEqual([rest.pageInfo.hasNextPage, rest.pageInfo.hasPreviousPage], [false, true]);
    const last = await ask(
      eve.call,
      `query ($id: ID!) { node(id: $id) { __typename id ... on PullRequest { reviewThreads(last: 1) {
        nodes { line comments(last: 1) { nodes { body } } } pageInfo { hasPreviousPage } } } } }`,
      { id: (await read(eve.call, 'threads', number))['id'] },
    );
    assert.equal(last['data'].node.__typename, 'PullRequest');
    assert.deepEqual(last['data'].node.reviewThreads, {
      nodes: [{ line: 30, comments: { nodes: [{ body: 'On 30' }] } }],
      pageInfo: { hasPreviousPage: true },
    });
    const none = await ask(eve.call, THREADS, { owner: 'crew', name: 'a\0', number, first: 1 });
    assert.equal(typeOf(none), 'NOT_FOUND');
    const cursor = Buffer.from('cursor:id:x').toString('base64');
    const forged = await ask(eve.call, THREADS, {
      owner: 'crew',
      name: 'threads',
      number,
      first: 1,
      after: cursor,
    });
    assert.equal(typeOf(forged), 'INVALID_CURSOR_ARGUMENTS');
    for (const page of ['', '(first: 101)']) {
      const query = `{ repository(owner: "crew", name: "threads") { pullRequest(number: ${number}) { reviewThreads${page} { nodes { id } } } } }`;
      assert.match(typeOf(await ask(eve.call, query))!, /PAGINATION/);
    }
  });

  test('the author of the pull request and those who may write resolve a thread, and others do not', async () => {
    const { ada, bob, cleo, eve } = crew;
    const { pull, number } = await newCodePull(bob, at);
    await expect(201, eve.post(`${pull}/comments`, on(2)));
    const [{ id }] = (await read(ada.call, 'threads', number))['reviewThreads'].nodes;
    const refused = await resolve(eve.call, id);
    assert.deepEqual([typeOf(refused), refused['data'].done], ['FORBIDDEN', null]);
    const { data } = await resolve(bob.call, id);
    assert.deepEqual(data.done, {
      clientMutationId: 'm',
      thread: { id, isResolved: true, resolvedBy: { login: 'bob', name: null } },
    });
    assert.deepEqual((await resolve(cleo.call, id))['data'].done.thread.resolvedBy.login, 'bob');
    const undone = (await resolve(cleo.call, id, false))['data'].done.thread;
    assert.deepEqual([undone.isResolved, undone.resolvedBy], [false, null]);
    for (const wrong of [
      'x',
      '',
      'MDExOlB1bGxSZXF1ZXN0MQ==',
      Buffer.from('023:PullRequestReviewThread0').toString('base64'),
    ])
      assert.equal(typeOf(await resolve(ada.call, wrong)), 'NOT_FOUND');
    const missing = Buffer.from('023:PullRequestReviewThread999999').toString('base64');
    assert.equal(typeOf(await resolve(ada.call, missing)), 'NOT_FOUND');
    const anonymous = await server.call('/graphql', {
      method: 'POST',
      token: null,
      body: { query: '{ viewer { id } }' },
    });
    assert.equal(anonymous.status, 401);
    await expect(204, ada.put(`${at}/issues/${number}/lock`, {}));
    assert.equal((await resolve(bob.call, id))['data'].done.thread.isResolved, true);
    await expect(200, ada.patch(at, { archived: true }));
    assert.equal(typeOf(await resolve(bob.call, id, false)), 'FORBIDDEN');
    await expect(200, ada.patch(at, { archived: false }));
  });

  test('a pull request becomes a draft and ready again, by its author and those who may write', async () => {
    const { ada, bob, eve } = crew;
    const { number, pull } = await newCodePull(bob, at, { draft: true });
    const { id } = await read(bob.call, 'threads', number);
    const change = (call: Asking, mutation: string) =>
      ask(
        call,
        `mutation ($id: ID!) { done: ${mutation}(input: { pullRequestId: $id }) { pullRequest { number isDraft } } }`,
        { id },
      );
    assert.equal(typeOf(await change(eve.call, 'markPullRequestReadyForReview')), 'FORBIDDEN');
    const ready = await change(bob.call, 'markPullRequestReadyForReview');
    assert.deepEqual(ready, { data: { done: { pullRequest: { number, isDraft: false } } } });
    assert.equal((await expect(200, ada.get(pull)))['draft'], false);
    await change(ada.call, 'convertPullRequestToDraft');
    assert.equal((await expect(200, ada.get(pull)))['draft'], true);
    const events = (await expect(200, ada.get(`${at}/issues/${number}/events`))) as unknown as Json[];
    assert.deepEqual(
      events.map((one) => [one['event'], one['actor'].login]),
      [
        ['ready_for_review', 'bob'],
        ['convert_to_draft', 'ada'],
      ],
    );
    await expect(200, ada.patch(pull, { state: 'closed' }));
    assert.equal(typeOf(await change(bob.call, 'markPullRequestReadyForReview')), 'UNPROCESSABLE');
  });

  test('what is private does not exist for others by GraphQL, and an app needs its permission', async () => {
    const { ada, bob, eve } = crew;
    const { path } = await crew.repository('secret-threads', { private: true });
    await writeLines(ada, path, { branch: 'main', lines: CODE });
    const { pull, number } = await newCodePull(bob, path, { draft: true });
    const comment = await expect(201, ada.post(`${pull}/comments`, on(2)));
    const shown = await read(bob.call, 'secret-threads', number);
    const [thread] = shown['reviewThreads'].nodes;
    const hidden = await ask(eve.call, THREADS, { owner: 'crew', name: 'secret-threads', number, first: 1 });
    assert.deepEqual([typeOf(hidden), hidden['data'].repository], ['NOT_FOUND', null]);
    for (const id of [shown['id'], thread.id, comment['node_id']]) {
      assert.equal(
        typeOf(await ask(eve.call, 'query ($id: ID!) { node(id: $id) { id } }', { id })),
        'NOT_FOUND',
      );
      const found = await ask(ada.call, 'query ($id: ID!) { node(id: $id) { id } }', { id });
      assert.equal(found['data'].node.id, id);
    }
    assert.equal(typeOf(await resolve(eve.call, thread.id)), 'NOT_FOUND');
    const app = await makeApp(server, 'crew', {
      name: 'Resolver',
      permissions: { pull_requests: 'write', issues: 'write', metadata: 'read' },
    });
    const installation = await app.install('crew');
    const as = async (permissions: Record<string, string>): Promise<Asking> => {
      const token = await app.token(installation, { permissions });
      return (where, init) => server.call(where, { ...init, token });
    };
    assert.equal(
      typeOf(await resolve(await as({ issues: 'write', metadata: 'read' }), thread.id)),
      'FORBIDDEN',
    );
    assert.equal(
      typeOf(await resolve(await as({ pull_requests: 'read', metadata: 'read' }), thread.id)),
      'FORBIDDEN',
    );
    const { data } = await resolve(await as({ pull_requests: 'write', metadata: 'read' }), thread.id);
    assert.equal(data.done.thread.isResolved, true);
  });
});
