// Comments on lines of pull requests on a running server: where they stand, who may write and change them, and what pushes do to them.
import assert from 'node:assert/strict';
import { makeApp } from '../../../app-people.ts';
import { onEachEngine } from '../../../engines.ts';
import { eventually } from '../../../eventually.ts';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../../../git-tests.ts';
import { expectAnswer as expect, gatherCrew, type Crew } from '../../../host-crew.ts';
import { CHANGED_CODE, CODE, newCodePull, writeLines } from '../../../host-review-calls.ts';
import type { Answer, Json, TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';

onEachEngine((engine) => {
  let server: TestServer;
  let crew: Crew;
  /** A public repository of the organization, with `code.txt`. */
  let at: string;

  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    crew = await gatherCrew(server);
    at = (await crew.repository('lines')).path;
    await writeLines(crew.ada, at, { branch: 'main', lines: CODE });
  });
  after(() => server.stop());

  const errorOf = ({ status, json }: Answer) => {
    const { resource, field, code, message } = json['errors']?.[0] ?? {};
    return [status, resource, field, code, message];
  };
  const listOf = (answer: Json): Json[] => answer as unknown as Json[];
  const idsOf = async (answer: Promise<Answer>) => listOf(await expect(200, answer)).map(({ id }) => id);
  const placeOf = (comment: Json) =>
    ['side', 'line', 'start_side', 'start_line', 'position'].map((name) => comment[name] as unknown);
  const on = (line: number, more: Json = {}) => ({ body: 'Why?', path: 'code.txt', line, ...more });

  test('comments stand on lines and ranges of both sides, on positions and on files', async () => {
    const { ada, bob } = crew;
    const { pull, sha, number } = await newCodePull(ada, at);
    const create = (sent: Json) => expect(201, bob.post(`${pull}/comments`, { commit_id: sha, ...sent }));
    const first = await create(on(2));
    assert.deepEqual(placeOf(first), ['RIGHT', 2, null, null, 3]);
    assert.equal(first['diff_hunk'], '@@ -1,5 +1,5 @@\n line 1\n-line 2\n+second');
    assert.deepEqual(
      [first['original_line'], first['original_position'], first['original_commit_id'], first['commit_id']],
      [2, 3, sha, sha],
    );
    assert.deepEqual([first['subject_type'], first['path'], first['body']], ['line', 'code.txt', 'Why?']);
    assert.ok(first['html_url'].endsWith(`/pull/${number}#discussion_r${first['id']}`));
    assert.equal('in_reply_to_id' in first, false);
    const removed = await create(on(10, { side: 'LEFT' }));
    assert.deepEqual(placeOf(removed).slice(0, 2), ['LEFT', 10]);
    const range = await create(on(2, { start_line: 2, start_side: 'LEFT' }));
    assert.deepEqual(placeOf(range), ['RIGHT', 2, 'LEFT', 2, 3]);
    const positioned = await create({ body: 'x', path: 'code.txt', position: 2 });
    assert.deepEqual(placeOf(positioned), ['LEFT', 2, null, null, 2]);
    const file = await create({ body: 'x', path: 'code.txt', subject_type: 'file' });
    assert.deepEqual([...placeOf(file), file['subject_type']], ['RIGHT', null, null, null, 1, 'file']);
    // Each came with a review of its own.
    const reviews = listOf(await expect(200, ada.get(`${pull}/reviews`)));
    assert.deepEqual(
      reviews.map((one) => [one['id'], one['state'], one['body']]),
      [first, removed, range, positioned, file].map((one) => [
        one['pull_request_review_id'],
        'COMMENTED',
        '',
      ]),
    );
    const review = `${pull}/reviews/${first['pull_request_review_id']}/comments`;
    assert.deepEqual(await idsOf(ada.get(review)), [first['id']]);
    assert.equal((await expect(200, ada.get(pull)))['review_comments'], 5);
  });

  test('what is not in the changes is refused, and nothing is written', async () => {
    const { ada, bob } = crew;
    const { pull, sha } = await newCodePull(ada, at);
    const other = await newCodePull(ada, at, { lines: CODE.with(1, 'other') });
    const main = (await expect(200, ada.get(`${at}/git/ref/heads/main`)))['object'].sha as string;
    const post = async (sent: Json) =>
      errorOf(await bob.post(`${pull}/comments`, { commit_id: sha, path: 'code.txt', body: 'x', ...sent }));
    const thread = (field: string, code: string, message: string) => [
      422,
      'PullRequestReviewComment',
      `pull_request_review_thread.${field}`,
      code,
      `pull_request_review_thread.${field} ${message}`,
    ];
    const own = (field: string, code: string, message: string) => [
      422,
      'PullRequestReviewComment',
      field,
      code,
      `${field} ${message}`,
    ];
    assert.deepEqual(await post({ line: 20 }), thread('line', 'custom', 'must be part of the diff'));
    assert.deepEqual(await post({ line: 2_000_000 }), thread('line', 'custom', 'must be part of the diff'));
    assert.deepEqual(await post({ position: 99 }), thread('position', 'invalid', 'is invalid'));
    const hunk = thread('start_line', 'custom', 'must be part of the same hunk as the line.');
    assert.deepEqual(await post({ line: 30, start_line: 2 }), hunk);
    const order = thread('start_line', 'custom', 'must precede the end line.');
    assert.deepEqual(await post({ line: 2, start_line: 2 }), order);
    assert.deepEqual(await post({ line: 2, path: 'README.md' }), own('path', 'invalid', 'is invalid'));
    assert.deepEqual(await post({ line: 2, path: '../x' }), own('path', 'invalid', 'is invalid'));
    assert.deepEqual(await post({}), own('line', 'missing_field', 'is required'));
    for (const commit of [main, other.sha, 'f'.repeat(40), 'main'])
      assert.deepEqual(
        await post({ line: 2, commit_id: commit }),
        own('commit_id', 'custom', 'is not part of the pull request'),
      );
    assert.deepEqual(await post({ line: 2, body: ' \n' }), own('body', 'missing_field', "can't be blank"));
    const long = 'is too long (maximum is 65536 characters)';
    assert.deepEqual(await post({ line: 2, body: 'x'.repeat(65_537) }), own('body', 'custom', long));
    for (const wrong of [{ line: '2x' }, { line: 0 }, { side: 'MIDDLE' }, { path: 7 }, { body: null }])
      assert.equal((await post({ line: 2, ...wrong }))[0], 422);
    assert.deepEqual(await idsOf(ada.get(`${pull}/comments`)), []);
    assert.deepEqual(await idsOf(ada.get(`${pull}/reviews`)), []);
  });

  test('replies join the thread of the comment, and the last one takes the thread along', async () => {
    const { ada, bob, eve } = crew;
    const { pull, number } = await newCodePull(ada, at);
    const first = await expect(201, bob.post(`${pull}/comments`, on(2)));
    const reply = await expect(201, ada.post(`${pull}/comments/${first['id']}/replies`, { body: 'Because' }));
    assert.equal(reply['in_reply_to_id'], first['id']);
    assert.deepEqual(placeOf(reply), placeOf(first));
    assert.equal(reply['diff_hunk'], first['diff_hunk']);
    const sent = { body: 'So', in_reply_to: reply['id'], path: 'no/such', line: 7 };
    const second = await expect(201, eve.post(`${pull}/comments`, sent));
    assert.deepEqual([second['in_reply_to_id'], second['path']], [first['id'], 'code.txt']);
    await expect(404, ada.post(`${pull}/comments/${Number(second['id']) + 1000}/replies`, { body: 'x' }));
    const other = await newCodePull(ada, at);
    await expect(404, ada.post(`${other.pull}/comments/${first['id']}/replies`, { body: 'x' }));
    const timeline = async () =>
      listOf(await expect(200, ada.get(`${at}/issues/${number}/timeline`))).filter(
        ({ event }) => event === 'line-commented',
      );
    const [thread] = await timeline();
    assert.deepEqual(
      thread!['comments'].map((one: Json) => one['id']),
      [first, reply, second].map(({ id }) => id),
    );
    await expect(204, bob.delete(`${at}/pulls/comments/${first['id']}`));
    await expect(404, bob.get(`${at}/pulls/comments/${first['id']}`));
    assert.equal((await timeline()).length, 1);
    for (const { id } of [reply, second]) await expect(204, ada.delete(`${at}/pulls/comments/${id}`));
    assert.deepEqual(await timeline(), []);
    assert.equal((await expect(200, ada.get(pull)))['review_comments'], 0);
  });

  test('authors and those who may write change a comment, and others do not', async () => {
    const { ada, bob, cleo, eve } = crew;
    const { pull, number } = await newCodePull(ada, at);
    const { id } = await expect(201, eve.post(`${pull}/comments`, on(2, { body: 'See this, @bob' })));
    const own = `${at}/pulls/comments/${id}`;
    const events = listOf(await expect(200, eve.get(`${at}/issues/${number}/events`)));
    assert.deepEqual(
      events.filter(({ event }) => event === 'mentioned').map(({ actor }) => actor.login),
      ['bob'],
    );
    const changed = await expect(200, eve.patch(own, { body: 'See this' }));
    assert.equal(changed['body'], 'See this');
    assert.equal((await expect(200, cleo.patch(own, { body: 'By *another*' })))['body'], 'By *another*');
    const other = await expect(201, bob.post(`${pull}/comments`, on(2)));
    await expect(403, eve.patch(`${at}/pulls/comments/${other['id']}`, { body: 'x' }));
    await expect(403, eve.delete(`${at}/pulls/comments/${other['id']}`));
    assert.equal((await server.call(own, { method: 'PATCH', token: null, body: { body: 'x' } })).status, 401);
    await expect(422, eve.patch(own, { body: '' }));
    await expect(404, eve.patch(`${at}/pulls/comments/${Number(other['id']) + 1000}`, { body: 'x' }));
    await expect(404, eve.get(`/repos/crew/none/pulls/comments/${id}`));
    const html = await eve.call(own, { headers: { accept: 'application/vnd.github.full+json' } });
    assert.deepEqual(
      [html.json['body'], html.json['body_html'], html.json['body_text']],
      ['By *another*', '<p>By <em>another</em></p>', 'By another'],
    );
    const { json: text } = await server.call(`${pull}/comments`, {
      token: null,
      headers: { accept: 'application/vnd.github.text+json' },
    });
    assert.deepEqual(
      listOf(text).map((one) => [one['body'], one['body_text']]),
      [
        [undefined, 'By another'],
        [undefined, 'Why?'],
      ],
    );
  });

  test('a locked conversation goes on for those who may write', async () => {
    const { ada, bob, eve } = crew;
    const { pull, number } = await newCodePull(ada, at);
    const { id } = await expect(201, eve.post(`${pull}/comments`, on(2)));
    const own = `${at}/pulls/comments/${id}`;
    await expect(204, ada.put(`${at}/issues/${number}/lock`, {}));
    await expect(403, eve.post(`${pull}/comments`, on(2)));
    await expect(403, eve.post(`${pull}/comments/${id}/replies`, { body: 'x' }));
    await expect(403, eve.patch(own, { body: 'x' }));
    await expect(403, eve.post(`${own}/reactions`, { content: '+1' }));
    await expect(403, eve.delete(own));
    await expect(201, bob.post(`${pull}/comments/${id}/replies`, { body: 'x' }));
  });

  test('a private repository has no comments for others, and an app needs its permission', async () => {
    const { ada, bob, eve } = crew;
    const { path } = await crew.repository('secret-lines', { private: true });
    await writeLines(ada, path, { branch: 'main', lines: CODE });
    const { pull } = await newCodePull(ada, path);
    const { id } = await expect(201, bob.post(`${pull}/comments`, on(2)));
    const own = `${path}/pulls/comments/${id}`;
    for (const where of [own, `${path}/pulls/comments`, `${pull}/comments`, `${own}/reactions`]) {
      await expect(404, eve.get(where));
      await expect(404, server.call(where, { token: null }));
    }
    await expect(404, eve.post(`${pull}/comments`, on(2)));
    await expect(404, eve.delete(own));
    // By the number of another repository it is not there either.
    await expect(404, ada.get(`${at}/pulls/comments/${id}`));
    const app = await makeApp(server, 'crew', {
      name: 'Liner',
      permissions: { pull_requests: 'write', issues: 'write' },
    });
    const installation = await app.install('crew');
    const as = async (permissions: Record<string, string>) => {
      const token = await app.token(installation, { permissions });
      return (where: string, init: Json = {}) => server.call(where, { token, ...init });
    };
    const writer = await as({ pull_requests: 'write' });
    await expect(201, writer(`${pull}/comments`, { method: 'POST', body: on(2) }));
    const reader = await as({ pull_requests: 'read' });
    await expect(200, reader(own));
    await expect(403, reader(own, { method: 'PATCH', body: { body: 'x' } }));
    const stranger = await as({ issues: 'write' });
    await expect(403, stranger(own));
  });

  test('lists of comments on lines have their order, and what changed since a time', async () => {
    const { ada, bob } = crew;
    const { path } = await crew.repository('listed-lines');
    await writeLines(ada, path, { branch: 'main', lines: CODE });
    const one = await newCodePull(ada, path);
    const other = await newCodePull(ada, path);
    const ids: number[] = [];
    for (const { pull } of [one, other, one]) {
      server.clock.ahead += 10_000;
      ids.push((await expect(201, bob.post(`${pull}/comments`, on(2))))['id']);
    }
    server.clock.ahead += 10_000;
    const [first, second, third] = ids;
    const changed = await expect(200, bob.patch(`${path}/pulls/comments/${first}`, { body: 'Changed' }));
    const all = `${path}/pulls/comments`;
    assert.deepEqual(await idsOf(ada.get(all)), [first, second, third]);
    assert.deepEqual(await idsOf(ada.get(`${all}?sort=created&direction=desc`)), [third, second, first]);
    assert.deepEqual(await idsOf(ada.get(`${all}?direction=desc`)), [first, second, third]);
    assert.deepEqual(await idsOf(ada.get(`${all}?sort=updated`)), [second, third, first]);
    assert.deepEqual(await idsOf(ada.get(`${all}?since=${changed['updated_at']}`)), [first]);
    assert.deepEqual(await idsOf(ada.get(`${one.pull}/comments`)), [first, third]);
    assert.deepEqual(await idsOf(ada.get(`${one.pull}/comments?sort=updated&direction=desc`)), [
      first,
      third,
    ]);
    assert.deepEqual(await idsOf(ada.get(`${one.pull}/comments?since=${changed['updated_at']}`)), [first]);
    const page = await ada.get(`${one.pull}/comments?per_page=1&page=2`);
    assert.deepEqual(
      listOf(page.json).map(({ id }) => id),
      [third],
    );
    assert.match(page.headers.get('link')!, /rel="prev"/);
    await expect(422, ada.get(`${all}?sort=popularity`));
    await expect(422, ada.get(`${all}?since=yesterday`));
  });

  test('reactions to a comment are counted in it', async () => {
    const { ada, bob, eve } = crew;
    const { pull } = await newCodePull(ada, at);
    const { id } = await expect(201, bob.post(`${pull}/comments`, on(2)));
    const own = `${at}/pulls/comments/${id}`;
    const { id: reaction } = await expect(201, eve.post(`${own}/reactions`, { content: 'heart' }));
    await expect(200, eve.post(`${own}/reactions`, { content: 'heart' }));
    await expect(422, eve.post(`${own}/reactions`, { content: 'sad' }));
    assert.deepEqual(await idsOf(ada.get(`${own}/reactions?content=heart`)), [reaction]);
    assert.deepEqual((await expect(200, ada.get(own)))['reactions'].heart, 1);
    await expect(403, bob.delete(`${own}/reactions/${reaction}`));
    await expect(204, eve.delete(`${own}/reactions/${reaction}`));
    assert.deepEqual((await expect(200, ada.get(own)))['reactions'].total_count, 0);
  });

  test('lines are found again after a push, and are outdated where they are gone', async () => {
    const { ada, bob } = crew;
    const { pull, branch, sha } = await newCodePull(ada, at);
    const comment = async (sent: Json) =>
      (await expect(201, bob.post(`${pull}/comments`, { commit_id: sha, ...sent })))['id'] as number;
    const kept = await comment(on(30));
    const gone = await comment(on(2));
    const left = await comment(on(10, { side: 'LEFT' }));
    const range = await comment(on(31, { start_line: 29 }));
    const file = await comment({ body: 'x', path: 'code.txt', subject_type: 'file' });
    const reply = (await expect(201, ada.post(`${pull}/comments/${kept}/replies`, { body: 'x' })))['id'];
    const lines = ['zero', ...CHANGED_CODE.with(1, 'other')];
    const next = await writeLines(ada, at, { branch, lines });
    const read = async (id: number) => await expect(200, ada.get(`${at}/pulls/comments/${id}`));
    await eventually(async () => (await read(kept))['commit_id'] === next, 'the comments');
    assert.deepEqual(placeOf(await read(kept)).slice(0, 4), ['RIGHT', 31, null, null]);
    assert.deepEqual((await read(kept))['original_line'], 30);
    assert.deepEqual(placeOf(await read(reply)), placeOf(await read(kept)));
    const outdated = await read(gone);
    assert.deepEqual(placeOf(outdated), ['RIGHT', null, null, null, null]);
    assert.deepEqual(
      [outdated['commit_id'], outdated['original_line'], outdated['original_position']],
      [sha, 2, 3],
    );
    assert.deepEqual(placeOf(await read(left)).slice(0, 2), ['LEFT', 10]);
    assert.deepEqual(placeOf(await read(range)).slice(0, 4), ['RIGHT', 32, 'RIGHT', 30]);
    assert.deepEqual(placeOf(await read(file)), ['RIGHT', null, null, null, 1]);
    // A comment on the commit of before is found in the changes of today.
    const late = await comment(on(30));
    await eventually(async () => (await read(late))['commit_id'] === next, 'the late comment');
    assert.equal((await read(late))['line'], 31);
    // Nothing of the file is changed any more.
    await writeLines(ada, at, { branch, lines: CODE });
    await eventually(async () => (await read(file))['position'] === null, 'the file');
    for (const id of [kept, left, range, late]) assert.equal((await read(id))['line'], null);
  });

  test('lines that another base has already are outdated', async () => {
    const { ada, bob } = crew;
    const { pull, branch, sha } = await newCodePull(ada, at);
    const head = await writeLines(ada, at, { branch, lines: CHANGED_CODE.with(29, 'later') });
    await eventually(async () => (await expect(200, ada.get(pull)))['head'].sha === head, 'the push');
    const gone = await expect(201, bob.post(`${pull}/comments`, on(2)));
    const kept = await expect(201, bob.post(`${pull}/comments`, on(30)));
    await expect(201, ada.post(`${at}/git/refs`, { ref: `refs/heads/${branch}-base`, sha }));
    await expect(200, ada.patch(pull, { base: `${branch}-base` }));
    const read = async ({ id }: Json) => await expect(200, ada.get(`${at}/pulls/comments/${id}`));
    await eventually(async () => (await read(gone))['line'] === null, 'the comment on the base');
    assert.deepEqual([(await read(kept))['line'], (await read(gone))['position']], [30, null]);
    assert.notEqual((await read(kept))['position'], kept['position']);
  });
});
