// What webhooks and feeds show of comments on lines and their threads.
import assert from 'node:assert/strict';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../../../git-tests.ts';
import { expectAnswer as expect } from '../../../host-crew.ts';
import { joinHost, type HostPerson } from '../../../host-people.ts';
import { CODE, newCodePull, writeLines } from '../../../host-review-calls.ts';
import { startServer, type Json, type TestServer } from '../../../server.ts';
import { openReceiver, type WebhookReceiver } from '../../../webhook-receiver.ts';
import { checkWebhookPayload } from '../../../webhook-schemas.ts';

let server: TestServer;
let receiver: WebhookReceiver;
let ada: HostPerson;
let bob: HostPerson;
const at = '/repos/ada/lines';

before(async () => {
  server = await startServer({ limits: 'off', allowPrivateWebhooks: true });
  receiver = await openReceiver();
  ada = await joinHost(server, 'ada');
  bob = await joinHost(server, 'bob');
  await ada.repository('lines', { auto_init: true });
  await writeLines(ada, at, { branch: 'main', lines: CODE });
});
after(async () => {
  await server.stop();
  await receiver.close();
});

test('each change of a comment or a thread is sent once, as receivers know it, and feeds show new comments', async () => {
  const { pull, number } = await newCodePull(ada, at);
  const config = { url: `${receiver.url}/lines`, content_type: 'json' };
  const events = ['pull_request_review_comment', 'pull_request_review_thread'];
  await expect(201, ada.post(`${at}/hooks`, { config, events }));
  const comment = { path: 'code.txt', body: 'Why?' };
  const first = await expect(201, bob.post(`${pull}/comments`, { ...comment, line: 2 }));
  const range = { ...comment, line: 3, start_line: 2, start_side: 'LEFT' };
  const second = await expect(201, bob.post(`${pull}/comments`, range));
  const file = await expect(201, bob.post(`${pull}/comments`, { ...comment, subject_type: 'file' }));
  const own = `${at}/pulls/comments/${first['id']}`;
  const reply = await expect(201, ada.post(`${pull}/comments/${first['id']}/replies`, { body: 'So' }));
  await expect(200, bob.patch(own, { body: 'Why not?' }));
  await expect(200, bob.patch(own, { body: 'Why not?' }));
  const query = `{ repository(owner: "ada", name: "lines") { pullRequest(number: ${number}) {
    reviewThreads(first: 1) { nodes { id } } } } }`;
  const { data } = await expect(200, ada.post('/graphql', { query }));
  const [{ id: threadId }] = data.repository.pullRequest.reviewThreads.nodes;
  for (const name of ['resolve', 'resolve', 'unresolve']) {
    const mutation = `mutation { ${name}ReviewThread(input: { threadId: "${threadId}" }) { thread { id } } }`;
    const { errors } = await expect(200, ada.post('/graphql', { query: mutation }));
    assert.equal(errors, undefined);
  }
  await expect(204, ada.delete(`${at}/pulls/comments/${second['id']}`));
  const received = await receiver.wait('/lines', 9);
  const sent = received.filter(({ headers }) => headers['x-github-event'] !== 'ping');
  for (const { headers, json } of sent) checkWebhookPayload(headers['x-github-event'] as string, json);
  const shown = sent.map(({ headers, json }) => [
    (headers['x-github-event'] as string).replace('pull_request_review_', ''),
    json['action'],
    json['comment']?.id ?? json['thread'].comments.map((one: Json) => one['id']),
    json['changes']?.body.from,
  ]);
  assert.deepEqual(
    shown.toSorted((one, other) => String(one).localeCompare(String(other))),
    [
      ['comment', 'created', first['id'], undefined],
      ['comment', 'created', second['id'], undefined],
      ['comment', 'created', file['id'], undefined],
      ['comment', 'created', reply['id'], undefined],
      ['comment', 'deleted', second['id'], undefined],
      ['comment', 'edited', first['id'], 'Why?'],
      ['thread', 'resolved', [first['id'], reply['id']], undefined],
      ['thread', 'unresolved', [first['id'], reply['id']], undefined],
    ],
  );
  const feed = (await expect(200, ada.get(`${at}/events`))) as unknown as Json[];
  const items = feed.filter(({ type }) => type === 'PullRequestReviewCommentEvent');
  assert.deepEqual(
    items.map(({ actor, payload }) => [
      actor.login,
      payload.action,
      payload.comment.id,
      payload.pull_request.number,
    ]),
    [
      ['ada', 'created', reply['id'], number],
      ['bob', 'created', file['id'], number],
      ['bob', 'created', first['id'], number],
    ],
  );
});
