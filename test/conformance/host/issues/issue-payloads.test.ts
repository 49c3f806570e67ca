// What webhooks deliver of issues, labels and milestones: each payload has the shape that receivers know, in order, once.
import assert from 'node:assert/strict';
import type { EventDetails, HostEvent, IssueInEvent } from '../../../../src/host/events/model.ts';
import { recordEvent } from '../../../../src/host/events/record-event.ts';
import type { Issue } from '../../../../src/host/issues/issue.ts';
import { showIssues } from '../../../../src/host/issues/show-issues.ts';
import { anonymousAt } from '../../../../src/kernel/identity/caller.ts';
import { makeApp } from '../../../app-people.ts';
import { onEachEngine } from '../../../engines.ts';
import { eventually } from '../../../eventually.ts';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../../../git-tests.ts';
import { IssueDesk } from '../../../host-issues.ts';
import { joinHost, type HostPerson } from '../../../host-people.ts';
import type { Json, TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';
import { openReceiver, type ReceivedWebhook, type WebhookReceiver } from '../../../webhook-receiver.ts';
import { checkWebhookPayload } from '../../../webhook-schemas.ts';

const LONGEST_BODY = '\u{1f4a1}"'.repeat(32_768);

onEachEngine((engine) => {
  let server: TestServer;
  let receiver: WebhookReceiver;
  let ada: HostPerson;
  let bob: HostPerson;

  before(async () => {
    server = await startServerOn(engine, { limits: 'off', allowPrivateWebhooks: true });
    receiver = await openReceiver();
    ada = await joinHost(server, 'ada');
    bob = await joinHost(server, 'bob');
  });
  after(async () => {
    await server.stop();
    await receiver.close();
  });

  /** A repository whose hook at `/name` hears of everything. */
  async function newDesk(name: string): Promise<IssueDesk> {
    const { id } = await ada.repository(name);
    const config = { url: `${receiver.url}/${name}`, content_type: 'json' };
    const { status, text } = await ada.post(`/repos/ada/${name}/hooks`, { config, events: ['*'] });
    assert.equal(status, 201, text);
    return new IssueDesk(server, ada, id as number);
  }

  const nameOf = ({ headers, json }: ReceivedWebhook): string =>
    `${headers['x-github-event'] as string}.${json['action'] as string}`;

  /** The guids of what the hook of a repository was sent, in this order: none waits for another, so that they may come in another. */
  async function sentBy(path: string): Promise<string[]> {
    const { json: hooks } = await ada.get(`/repos/ada${path}/hooks`);
    const [{ id }] = hooks as unknown as [{ id: number }];
    const { json } = await ada.get(`/repos/ada${path}/hooks/${id}/deliveries?per_page=100`);
    const deliveries = json as unknown as { guid: string; event: string }[];
    return deliveries
      .filter(({ event }) => event !== 'ping')
      .map(({ guid }) => guid)
      .toReversed();
  }

  /** What came to a path after the ping, each payload checked, when there are so many. */
  async function payloadsAt(path: string, count: number): Promise<[name: string, payload: Json][]> {
    await eventually(async () => (await sentBy(path)).length >= count, `${count} payloads at ${path}`);
    const guids = await sentBy(path);
    const came = receiver.at(path).filter(({ headers }) => headers['x-github-event'] !== 'ping');
    const guidOf = ({ headers }: ReceivedWebhook) => headers['x-github-delivery'] as string;
    assert.deepEqual(came.map(guidOf).toSorted(), guids.toSorted());
    const received = guids.map((guid) => came.find((one) => guidOf(one) === guid)!);
    return received.map((one) => {
      checkWebhookPayload(one.headers['x-github-event'] as string, one.json);
      return [nameOf(one), one.json];
    });
  }

  test('the whole life of an issue is delivered in order, and each step once', async () => {
    const desk = await newDesk('life');
    const [urgent, first, second] = [
      await desk.label('urgent/now'),
      await desk.milestone('Milestone 1'),
      await desk.milestone('Milestone 2'),
    ];
    const issue = await desk.open({
      labels: [urgent],
      assigneeIds: [bob.member.id],
      milestoneId: first.id,
    });
    await desk.edit(issue, { title: 'A fault in the lamp', body: LONGEST_BODY });
    await desk.edit(issue, { title: 'A fault in the lamp' });
    await desk.edit(issue, { body: null, state: 'closed', stateReason: 'not_planned' });
    await desk.edit(issue, { state: 'open' });
    await desk.edit(issue, { labels: () => [], assigneeIds: () => [], milestoneId: second.id });
    await desk.edit(issue, { milestoneId: null, lock: { reason: 'too heated' } });
    await desk.edit(issue, { lock: null });
    const expected = `opened labeled assigned milestoned edited edited closed reopened unlabeled unassigned
      demilestoned milestoned locked demilestoned unlocked`.split(/\s+/);
    const received = await payloadsAt('/life', expected.length);
    assert.deepEqual(
      received.map(([name]) => name),
      expected.map((action) => `issues.${action}`),
    );
    const payloads = received.map(([, payload]) => payload);
    assert.deepEqual(
      [payloads[1]!['label'].name, payloads[2]!['assignee'].login, payloads[3]!['milestone'].title],
      ['urgent/now', 'bob', 'Milestone 1'],
    );
    assert.match(payloads[1]!['label'].url as string, /\/repos\/ada\/life\/labels\/urgent%2Fnow$/);
    assert.equal(payloads[4]!['issue'].body, LONGEST_BODY);
    assert.deepEqual(payloads[4]!['changes'], { title: { from: 'A fault' }, body: { from: '' } });
    assert.deepEqual(payloads[5]!['changes'], { body: { from: LONGEST_BODY } });
    assert.deepEqual(
      [payloads[6]!['issue'].state_reason, payloads[6]!['repository'].open_issues_count],
      ['not_planned', 0],
    );
    assert.deepEqual(
      payloads
        .slice(10, 12)
        .map(({ milestone, issue: shown }) => [milestone.number, shown.milestone?.number]),
      [
        [1, undefined],
        [2, 2],
      ],
    );
    assert.equal(payloads[12]!['issue'].active_lock_reason, 'too heated');
    assert.deepEqual(new Set(payloads.map(({ sender }) => sender.login)), new Set(['ada']));
  });

  test('an issue of an author whose account is gone, or never was here, has an author in payloads', async () => {
    const desk = await newDesk('gone');
    await desk.open({ author: { id: null, name: null } });
    await desk.open({ author: { id: null, name: 'old-hand' } });
    const received = await payloadsAt('/gone', 2);
    assert.deepEqual(
      received.map(([, { issue }]) => issue.user.login),
      ['ghost', 'old-hand'],
    );
  });

  test('comments are delivered with their issue and with what they were before', async () => {
    const desk = await newDesk('talk');
    const issue = await desk.open({ body: LONGEST_BODY });
    const first = await desk.comment(issue, LONGEST_BODY);
    const second = await desk.editComment(first, 'Short');
    await desk.removeComment(second);
    const received = (await payloadsAt('/talk', 4)).slice(1);
    assert.deepEqual(
      received.map(([name, { comment }]) => [name, comment.id]),
      ['created', 'edited', 'deleted'].map((action) => [`issue_comment.${action}`, first.id]),
    );
    assert.deepEqual(
      [
        received[0]![1]['comment'].body,
        received[1]![1]['comment'].body,
        received[1]![1]['changes'].body.from,
      ],
      [LONGEST_BODY, 'Short', LONGEST_BODY],
    );
    assert.equal(received[0]![1]['issue'].number, issue.number);
    assert.match(received[0]![1]['comment'].html_url as string, /\/ada\/talk\/issues\/1#issuecomment-\d+$/);
  });

  test('labels and milestones are delivered with what they were before', async () => {
    const desk = await newDesk('words');
    const label = await desk.label('urgent');
    const milestone = await desk.milestone('Milestone 1');
    const creator = { id: ada.member.id, number: 7, login: 'ada', type: 'User', isSiteAdmin: false } as const;
    const closed = { ...milestone, state: 'closed', closedAt: server.clock.now() } as const;
    const events: HostEvent[] = [
      { name: 'label', action: 'created', details: { label } },
      {
        name: 'label',
        action: 'edited',
        details: {
          label,
          changes: { name: { from: 'old' }, description: { from: '' } },
        } satisfies EventDetails['label.edited'],
      },
      { name: 'label', action: 'deleted', details: { label } },
      { name: 'milestone', action: 'created', details: { milestone: { milestone, creator } } },
      {
        name: 'milestone',
        action: 'edited',
        details: {
          milestone: { milestone, creator },
          changes: { title: { from: 'old' }, due_on: { from: '' } },
        } satisfies EventDetails['milestone.edited'],
      },
      { name: 'milestone', action: 'closed', details: { milestone: { milestone: closed, creator: null } } },
      { name: 'milestone', action: 'opened', details: { milestone: { milestone, creator: null } } },
      { name: 'milestone', action: 'deleted', details: { milestone: { milestone, creator } } },
    ];
    for (const event of events) await desk.run((tx, found) => recordEvent(tx, event, { found }));
    const received = await payloadsAt('/words', events.length);
    assert.deepEqual(
      received.map(([name]) => name),
      events.map(({ name, action }) => `${name}.${action!}`),
    );
    assert.deepEqual(received[1]![1]['changes'], { name: { from: 'old' }, description: { from: '' } });
    assert.equal(received[5]![1]['milestone'].creator.login, 'ghost');
  });

  test('a link between two issues is delivered with both, and with the repository of the other', async () => {
    const here = await newDesk('here');
    const there = await newDesk('there');
    const shownOn = (desk: IssueDesk, issue: Issue): Promise<IssueInEvent> =>
      desk.run(async ({ db }, found) => ({
        issue: (await showIssues(db, anonymousAt(''), found, [issue]))[0]!,
        found,
      }));
    const one = await shownOn(here, await here.open({ body: LONGEST_BODY }));
    const other = await shownOn(there, await there.open());
    const links: [IssueDesk, HostEvent, string][] = [];
    for (const end of ['added', 'removed']) {
      const details = { parent: one, subIssue: other } satisfies EventDetails['sub_issues'];
      links.push([here, { name: 'sub_issues', action: `sub_issue_${end}`, details }, 'sub_issue_repo']);
      links.push([
        there,
        { name: 'sub_issues', action: `parent_issue_${end}`, details },
        'parent_issue_repo',
      ]);
    }
    for (const end of ['added', 'removed']) {
      const name = 'issue_dependencies';
      const details = { blocked: one, blocking: other } satisfies EventDetails['issue_dependencies'];
      links.push([here, { name, action: `blocked_by_${end}`, details }, 'blocking_issue_repo']);
      links.push([there, { name, action: `blocking_${end}`, details }, 'blocked_issue_repo']);
    }
    for (const [desk, event] of links) await desk.run((tx, found) => recordEvent(tx, event, { found }));
    for (const [path, desk, name] of [
      ['/here', here, 'ada/there'],
      ['/there', there, 'ada/here'],
    ] as const) {
      const own = links.filter(([at]) => at === desk);
      const received = (await payloadsAt(path, own.length + 1)).slice(1);
      assert.deepEqual(
        received.map(([of, payload], index) => [of, payload[own[index]![2]]?.full_name]),
        own.map(([, event]) => [`${event.name}.${event.action!}`, name]),
      );
    }
  });

  test('an app hears of issues by its permission, and of labels by that for issues or pull requests', async () => {
    const desk = await newDesk('heard');
    const events = ['issues', 'label', 'star'];
    const made = async (name: string, permissions: Record<string, 'read' | 'write'>) => {
      const hook = { url: `${receiver.url}/${name}`, isActive: true } as const;
      const app = await makeApp(server, 'ada', {
        name,
        permissions: { metadata: 'read', ...permissions },
        events,
        hook: { ...hook, contentType: 'json', insecureSsl: false },
      });
      await app.install('ada');
    };
    await made('reads-issues', { issues: 'read' });
    await made('reads-pulls', { pull_requests: 'write' });
    await made('reads-nothing', { contents: 'write' });
    await desk.open();
    const label = await desk.label('urgent');
    await desk.run((tx, found) =>
      recordEvent(tx, { name: 'label', action: 'created', details: { label } }, { found }),
    );
    assert.equal((await bob.put('/user/starred/ada/heard')).status, 204);
    /** They come in no particular order; the star is the last that is recorded, so that nothing follows it. */
    const expectHeard = async (path: string, expected: string[]) => {
      const received = () =>
        receiver
          .at(path)
          .map(nameOf)
          .filter((name) => !name.startsWith('installation'));
      await eventually(
        () => received().includes('star.created') && received().length >= expected.length,
        `the events at ${path}`,
      );
      assert.deepEqual(received().toSorted(), expected);
    };
    await expectHeard('/reads-issues', ['issues.opened', 'label.created', 'star.created']);
    await expectHeard('/reads-pulls', ['label.created', 'star.created']);
    await expectHeard('/reads-nothing', ['star.created']);
  });
});
