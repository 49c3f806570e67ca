// The real octokit, unmodified: feeds of events, page by page.
import assert from 'node:assert/strict';
import { Octokit, RequestError } from 'octokit';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../git-tests.ts';
import { checkingFetch } from '../host-contract/check-reply.ts';
import { joinHost } from '../host-people.ts';
import { ADMIN_TOKEN, startServer, type TestServer } from '../server.ts';

const silent = { debug() {}, info() {}, error() {}, warn() {} };
const demo = { owner: 'admin', repo: 'demo' };

let server: TestServer;
let octokit: Octokit;
let activity: Octokit['rest']['activity'];
before(async () => {
  server = await startServer();
  const request = { fetch: checkingFetch, log: silent };
  octokit = new Octokit({ baseUrl: server.url, auth: ADMIN_TOKEN, request });
  ({ activity } = octokit.rest);
  await octokit.rest.repos.createForAuthenticatedUser({ name: 'demo' });
  await octokit.rest.repos.createOrUpdateFileContents({
    ...demo,
    path: 'a.txt',
    message: 'first',
    content: Buffer.from('a').toString('base64'),
  });
  for (const name of ['ada', 'bob', 'eve'])
    await (await joinHost(server, name)).put('/user/starred/admin/demo');
});
after(() => server.stop());

test('pages through the events of a repository, and asks again only when it may', async () => {
  const events = await octokit.paginate(activity.listRepoEvents, { ...demo, per_page: 2 });
  assert.deepEqual(
    events.map(({ type, actor }) => [type, actor.login]),
    [
      ['WatchEvent', 'eve'],
      ['WatchEvent', 'bob'],
      ['WatchEvent', 'ada'],
      ['CreateEvent', 'admin'],
      ['PushEvent', 'admin'],
      ['CreateEvent', 'admin'],
    ],
  );
  assert.equal(new Set(events.map(({ id }) => id)).size, 6);
  const { headers } = await activity.listRepoEvents(demo);
  assert.equal(headers['x-poll-interval'], '60');
  await assert.rejects(
    activity.listRepoEvents({ ...demo, headers: { 'if-none-match': headers.etag! } }),
    (error) => error instanceof RequestError && error.status === 304,
  );
});

test('lists every other feed', async () => {
  const username = 'ada';
  const lists = await Promise.all([
    activity.listPublicEvents(),
    activity.listPublicEventsForRepoNetwork(demo),
    activity.listEventsForAuthenticatedUser({ username }),
    activity.listPublicEventsForUser({ username }),
    activity.listReceivedEventsForUser({ username }),
    activity.listReceivedPublicEventsForUser({ username }),
  ]);
  assert.deepEqual(
    lists.map(({ data }) => data.length),
    [6, 6, 1, 1, 0, 0],
  );
});
