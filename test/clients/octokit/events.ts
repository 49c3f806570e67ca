// Scenarios of octokit: feeds of events, page by page.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Octokit } from 'octokit';
import { beforeGitTests as before, gitTest as test } from '../../git-tests.ts';
import { isStatus, type OctokitSuite } from './suite.ts';

const demo = { owner: 'admin', repo: 'eventful' };

export function describeEvents(suite: OctokitSuite): void {
  describe('events', () => {
    let octokit: Octokit;
    let activity: Octokit['rest']['activity'];
    before(async () => {
      octokit = suite.admin;
      ({ activity } = octokit.rest);
      await octokit.rest.repos.createForAuthenticatedUser({ name: demo.repo });
      await octokit.rest.repos.createOrUpdateFileContents({
        ...demo,
        path: 'a.txt',
        message: 'first',
        content: Buffer.from('a').toString('base64'),
      });
      for (const name of ['fan-ada', 'fan-bob', 'fan-eve'])
        await (await suite.join(name)).octokit.rest.activity.starRepoForAuthenticatedUser(demo);
    });

    test('pages through the events of a repository, and asks again only when it may', async () => {
      const events = await octokit.paginate(activity.listRepoEvents, { ...demo, per_page: 2 });
      assert.deepEqual(
        events.map(({ type, actor }) => [type, actor.login]),
        [
          ['WatchEvent', 'fan-eve'],
          ['WatchEvent', 'fan-bob'],
          ['WatchEvent', 'fan-ada'],
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
        isStatus(304),
      );
    });

    test('lists every other feed', async () => {
      const username = 'fan-ada';
      assert.match((await activity.getFeeds()).data.timeline_url, /\/events$/);
      const lists = await Promise.all([
        activity.listPublicEvents({ per_page: 100 }),
        activity.listPublicEventsForRepoNetwork(demo),
        activity.listEventsForAuthenticatedUser({ username }),
        activity.listPublicEventsForUser({ username }),
        activity.listReceivedEventsForUser({ username }),
        activity.listReceivedPublicEventsForUser({ username }),
      ]);
      assert.deepEqual(
        lists.map(({ data }) => data.filter(({ repo }) => repo.name === 'admin/eventful').length),
        [6, 6, 1, 1, 0, 0],
      );
      assert.deepEqual(
        lists.slice(1).map(({ data }) => data.length),
        [6, 1, 1, 0, 0],
      );
    });

    test('lists the feeds of an organization', async () => {
      const org = 'eventful-org';
      await octokit.request('POST /admin/organizations', { login: org, admin: 'admin' });
      await octokit.rest.repos.createInOrg({ org, name: 'open' });
      await octokit.rest.repos.createInOrg({ org, name: 'closed', private: true });
      const namesIn = (events: { repo: { name: string } }[]) => events.map(({ repo }) => repo.name);
      const { data: open } = await activity.listPublicOrgEvents({ org });
      assert.deepEqual(namesIn(open), [`${org}/open`]);
      const { data: own } = await activity.listOrgEventsForAuthenticatedUser({ org, username: 'admin' });
      assert.deepEqual(namesIn(own), [`${org}/closed`, `${org}/open`]);
    });
  });
}
