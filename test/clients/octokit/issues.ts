// Scenarios of octokit: issues, with their people, sub-issues, dependencies, events and timelines.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Octokit } from 'octokit';
import { createTestOrganization } from '../../conformance/host/organization-calls.ts';
import { beforeGitTests as before, gitTest as test } from '../../git-tests.ts';
import { describeIssueTexts } from './issue-texts.ts';
import { describeIssueWords } from './issue-words.ts';
import { isStatus, type OctokitMember, type OctokitSuite } from './suite.ts';

const org = 'issue-guild';
const demo = { owner: org, repo: 'lamps' };

const numbersOf = (issues: readonly { number: number }[]) => issues.map(({ number }) => number);

export function describeIssues(suite: OctokitSuite): void {
  describe('issues', () => {
    let ada: OctokitMember;
    let bob: OctokitMember;
    let octokit: Octokit;
    before(async () => {
      ada = await suite.join('issue-ada');
      bob = await suite.join('issue-bob');
      octokit = ada.octokit;
      await createTestOrganization(suite.server, org, { admin: ada.login });
      await octokit.rest.repos.createInOrg({ org, name: demo.repo });
    });

    async function open(title: string): Promise<{ issue_number: number; id: number }> {
      const { data } = await octokit.rest.issues.create({ ...demo, title });
      return { issue_number: data.number, id: data.id };
    }

    test('opens, reads, changes, locks and closes an issue', async () => {
      const { issues } = octokit.rest;
      const { data: made, headers } = await bob.octokit.rest.issues.create({
        ...demo,
        title: 'Dark',
        body: '**No** light',
      });
      const one = { ...demo, issue_number: made.number };
      assert.match(headers.location!, new RegExp(`/repos/${org}/lamps/issues/${made.number}$`));
      assert.deepEqual([made.state, made.user!.login], ['open', bob.login]);
      const { data: read } = await issues.get({ ...one, mediaType: { format: 'full' } });
      assert.deepEqual(
        [read.body, read.body_html, read.body_text],
        ['**No** light', '<p><strong>No</strong> light</p>', 'No light'],
      );
      const { data: changed } = await issues.update({
        ...one,
        title: 'Too dark',
        state: 'closed',
        state_reason: 'not_planned',
      });
      assert.deepEqual([changed.title, changed.state_reason], ['Too dark', 'not_planned']);
      assert.equal(changed.closed_by?.login, ada.login);
      assert.equal((await issues.lock({ ...one, lock_reason: 'resolved' })).status, 204);
      assert.equal((await issues.get(one)).data.active_lock_reason, 'resolved');
      await assert.rejects(bob.octokit.rest.issues.createComment({ ...one, body: 'But' }), isStatus(403));
      assert.equal((await issues.unlock(one)).status, 204);
      await assert.rejects(issues.get({ ...demo, issue_number: 9999 }), isStatus(404));
      await assert.rejects(issues.create({ ...demo, title: '' }), isStatus(422));
    });

    test('lists issues of a repository, of an organization, of the caller, and of all that the caller sees', async () => {
      const { issues } = octokit.rest;
      const { data: made } = await issues.create({ ...demo, title: 'Mine', assignees: [ada.login] });
      const all = await octokit.paginate(issues.listForRepo, { ...demo, state: 'all', per_page: 1 });
      assert.deepEqual(
        numbersOf(all),
        numbersOf(all).toSorted((one, other) => other - one),
      );
      const filters = { assignee: ada.login, creator: ada.login, sort: 'updated' as const };
      const { data: filtered } = await issues.listForRepo({ ...demo, ...filters });
      assert.ok(numbersOf(filtered).includes(made.number));
      for (const { data } of await Promise.all([issues.list(), issues.listForOrg({ org })])) {
        const found = data.find(({ id }) => id === made.id);
        assert.equal(found?.repository?.full_name, `${org}/lamps`);
      }
      // This list has no repositories of organizations.
      const own = { owner: ada.login, repo: 'own-lamps' };
      await octokit.rest.repos.createForAuthenticatedUser({ name: own.repo });
      const { data: ownIssue } = await issues.create({ ...own, title: 'At home', assignees: [ada.login] });
      const { data: listed } = await issues.listForAuthenticatedUser();
      assert.deepEqual(
        listed.map(({ id, repository }) => [id, repository?.full_name]),
        [[ownIssue.id, `${ada.login}/own-lamps`]],
      );
      assert.deepEqual((await bob.octokit.rest.issues.list({ filter: 'assigned' })).data, []);
    });

    test('assigns people', async () => {
      const { issues } = octokit.rest;
      const one = { ...demo, ...(await open('Who?')) };
      const { data: possible } = await issues.listAssignees(demo);
      assert.ok(possible.some(({ login }) => login === ada.login));
      assert.equal((await issues.checkUserCanBeAssigned({ ...demo, assignee: ada.login })).status, 204);
      await assert.rejects(
        issues.checkUserCanBeAssigned({ ...demo, assignee: 'nobody-here' }),
        isStatus(404),
      );
      assert.equal((await issues.checkUserCanBeAssignedToIssue({ ...one, assignee: ada.login })).status, 204);
      const { data: assigned } = await issues.addAssignees({ ...one, assignees: [ada.login] });
      assert.equal(assigned.assignees?.[0]?.login, ada.login);
      const { data: free } = await issues.removeAssignees({ ...one, assignees: [ada.login] });
      assert.deepEqual(free.assignees, []);
    });

    test('divides an issue into others, and orders them', async () => {
      const { issues } = octokit.rest;
      const parent = { ...demo, issue_number: (await open('Whole')).issue_number };
      const [first, second] = [await open('First part'), await open('Second part')];
      for (const { id } of [first, second]) await issues.addSubIssue({ ...parent, sub_issue_id: id });
      await assert.rejects(issues.addSubIssue({ ...parent, sub_issue_id: first.id }), isStatus(422));
      await issues.reprioritizeSubIssue({ ...parent, sub_issue_id: second.id, before_id: first.id });
      const { data: parts } = await issues.listSubIssues(parent);
      assert.deepEqual(
        parts.map(({ id }) => id),
        [second.id, first.id],
      );
      const { data: whole } = await issues.getParent({ ...demo, issue_number: first.issue_number });
      assert.equal(whole.number, parent.issue_number);
      assert.equal((await issues.get(parent)).data.sub_issues_summary?.total, 2);
      assert.equal((await issues.removeSubIssue({ ...parent, sub_issue_id: first.id })).status, 200);
      await assert.rejects(issues.getParent({ ...demo, issue_number: first.issue_number }), isStatus(404));
    });

    test('says what blocks an issue', async () => {
      const { issues } = octokit.rest;
      const [blocked, blocker] = [await open('Later'), await open('Before')];
      const one = { ...demo, issue_number: blocked.issue_number };
      assert.equal((await issues.addBlockedByDependency({ ...one, issue_id: blocker.id })).status, 201);
      const { data: blockers } = await issues.listDependenciesBlockedBy(one);
      assert.deepEqual(numbersOf(blockers), [blocker.issue_number]);
      const { data: waiting } = await issues.listDependenciesBlocking({
        ...demo,
        issue_number: blocker.issue_number,
      });
      assert.deepEqual(numbersOf(waiting), [blocked.issue_number]);
      assert.equal((await issues.removeDependencyBlockedBy({ ...one, issue_id: blocker.id })).status, 200);
    });

    test('reads what happened, as events and as a timeline', async () => {
      const { issues } = octokit.rest;
      const one = { ...demo, issue_number: (await open('Eventful')).issue_number };
      await issues.update({ ...one, title: 'Very eventful', labels: ['noisy'], assignees: [ada.login] });
      await issues.createComment({ ...one, body: 'Indeed.' });
      await issues.update({ ...one, state: 'closed' });
      const events = await octokit.paginate(issues.listEvents, { ...one, per_page: 2 });
      assert.deepEqual(
        new Set(events.map(({ event }) => event)),
        new Set(['renamed', 'labeled', 'assigned', 'closed']),
      );
      const last = events.at(-1)!;
      const { data: event } = await issues.getEvent({ ...demo, event_id: last.id });
      assert.deepEqual([event.event, event.issue?.number], [last.event, one.issue_number]);
      const { data: everywhere } = await issues.listEventsForRepo(demo);
      assert.equal(everywhere[0]!.issue?.number, one.issue_number);
      const timeline = await octokit.paginate(issues.listEventsForTimeline, { ...one, per_page: 2 });
      assert.ok(timeline.some(({ event: name }) => name === 'commented'));
      const { data: feed } = await octokit.rest.activity.listRepoEvents(demo);
      const types = new Set(feed.map(({ type }) => type));
      assert.ok(types.has('IssuesEvent') && types.has('IssueCommentEvent'), [...types].join());
    });
  });
  describeIssueWords(suite);
  describeIssueTexts(suite);
}
