// Pull requests follow what real git pushes: new commits, rewritten and deleted branches, merges by hand; and webhooks tell of it.
import assert from 'node:assert/strict';
import { GitClient, gitUrl } from '../../../clients/git-client.ts';
import { onEachEngine } from '../../../engines.ts';
import { eventually } from '../../../eventually.ts';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../../../git-tests.ts';
import { joinHost, type HostPerson } from '../../../host-people.ts';
import { startServerOn } from '../../../suites.ts';
import type { Answer, Json, TestServer } from '../../../server.ts';
import { checkWebhookPayload } from '../../../webhook-schemas.ts';
import { openReceiver, type WebhookReceiver } from '../../../webhook-receiver.ts';

onEachEngine((engine) => {
  let server: TestServer;
  let receiver: WebhookReceiver;
  let ada: HostPerson;
  let bob: HostPerson;
  let place = 0;

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

  const ok = async (answer: Promise<Answer>): Promise<Json> => {
    const got = await answer;
    assert.ok(got.status < 300, `${got.status} ${got.text}`);
    return got.json;
  };

  interface Work {
    at: string;
    name: string;
    client: GitClient;
    push(...args: string[]): Promise<string>;
    pull(number?: number): Promise<Json>;
    events(number?: number): Promise<string[]>;
  }

  /** A repository of ada with `main` and `feature`, whose pull request is the first. */
  async function openWork(): Promise<Work> {
    place += 1;
    const name = `pushed-${place}`;
    await ada.repository(name);
    const hook = {
      config: { url: `${receiver.url}/${name}`, content_type: 'json' },
      events: ['pull_request'],
    };
    await ok(ada.post(`/repos/ada/${name}/hooks`, hook));
    const client = new GitClient('Ada');
    await client.begin('work');
    await client.run('work', 'remote', 'add', 'origin', gitUrl(server, ada.token, `ada/${name}`));
    await client.run('work', 'checkout', '--quiet', '-b', 'feature');
    await client.commit('work', { 'a.txt': 'a\n' }, 'Add a');
    const at = `/repos/ada/${name}`;
    const push = (...args: string[]) => client.run('work', 'push', '--quiet', 'origin', ...args);
    await push('main');
    await push('feature');
    await ok(ada.post(`${at}/pulls`, { title: 'A', head: 'feature', base: 'main' }));
    return {
      at,
      name,
      client,
      push,
      pull: (number = 1) => ok(ada.get(`${at}/pulls/${number}`)),
      async events(number = 1) {
        const { id } = await ok(ada.get(`${at}/pulls/${number}`));
        const rows = await server.app.kernel.db
          .selectFrom('issue_events')
          .select('event')
          .where('issue_id', '=', id)
          .orderBy('id')
          .execute();
        return rows.map(({ event }) => event);
      },
    };
  }

  test('git fetch finds the head of a pull request, pushes cannot write it, and forks do not have it', async () => {
    const { client, name, push, at } = await openWork();
    const head = await client.run('work', 'rev-parse', 'feature');
    const reader = new GitClient('Bob');
    await reader.run('', 'clone', '--quiet', gitUrl(server, bob.token, `ada/${name}`), 'copy');
    await reader.run('copy', 'fetch', '--quiet', 'origin', 'pull/1/head');
    assert.equal(await reader.run('copy', 'rev-parse', 'FETCH_HEAD'), head);
    await assert.rejects(push('main:refs/pull/1/head'));
    await ok(bob.post(`${at}/forks`, {}));
    await eventually(
      async () => (await bob.get(`/repos/bob/${name}/git/ref/heads/main`)).status === 200,
      'it',
    );
    const refs = await reader.run('copy', 'ls-remote', gitUrl(server, bob.token, `bob/${name}`));
    assert.ok(!refs.includes('refs/pull/'), refs);
  });

  test('a push to the branch moves the head, its reference, counts and the timeline', async () => {
    const { client, push, pull, events, name } = await openWork();
    const first = (await pull())['head'].sha;
    const second = await client.commit('work', { 'b.txt': 'b\nb\n' }, 'Add b');
    await push('feature');
    await eventually(async () => (await pull())['head'].sha === second, 'the push');
    const pushed = await pull();
    assert.deepEqual([pushed['commits'], pushed['additions']], [2, 3]);
    assert.deepEqual(await events(), ['committed', 'committed']);
    await eventually(
      async () => (await client.run('work', 'ls-remote', 'origin')).includes(`${second}\trefs/pull/1/head`),
      'the reference',
    );
    await client.run('work', 'commit', '--quiet', '--amend', '-m', 'Other');
    await push('--force', 'feature');
    const forced = await client.run('work', 'rev-parse', 'feature');
    await eventually(async () => (await pull())['head'].sha === forced, 'the forced push');
    assert.deepEqual((await events()).slice(2), ['committed', 'head_ref_force_pushed']);
    const received = () => receiver.at(`/${name}`).filter(({ json }) => json['action'] === 'synchronize');
    await eventually(() => received().length === 2, 'webhooks');
    assert.deepEqual(
      // They come in no particular order.
      [first, second]
        .flatMap((from) => received().filter(({ json }) => json['before'] === from))
        .map(({ json }) => [json['before'], json['after'], json['sender'].login]),
      [
        [first, second, 'ada'],
        [second, forced, 'ada'],
      ],
    );
  });

  test('a head that reaches the base by a push closes the pull request as merged', async () => {
    const { client, push, pull, at, events, name } = await openWork();
    const base = await client.run('work', 'rev-parse', 'main');
    await client.run('work', 'checkout', '--quiet', 'main');
    await client.run('work', 'merge', '--quiet', '--no-ff', '-m', 'Merge', 'feature');
    // In one push with the deletion of the branch.
    await push('main', ':feature');
    await eventually(async () => (await pull())['merged'] === true, 'the merge');
    const merged = await pull();
    assert.deepEqual(
      [merged['state'], merged['merge_commit_sha'], merged['merged_by'].login, merged['base'].sha],
      ['closed', await client.run('work', 'rev-parse', 'main'), 'ada', base],
    );
    assert.equal((await ada.get(`${at}/pulls/1/merge`)).status, 204);
    assert.equal((await ada.get(`${at}/pulls/1/commits`)).json.length, 1);
    assert.equal((await ada.get(`${at}/pulls/1/files`)).json.length, 1);
    await eventually(async () => (await events()).length === 4, 'the deletion');
    assert.deepEqual(await events(), ['committed', 'merged', 'closed', 'head_ref_deleted']);
    assert.equal((await ada.patch(`${at}/pulls/1`, { state: 'open' })).status, 422);
    const received = () => receiver.at(`/${name}`).map(({ json }) => json);
    await eventually(() => received().some(({ action }) => action === 'closed'), 'webhooks');
    assert.equal(received().find(({ action }) => action === 'closed')!['pull_request'].merged, true);
    assert.equal((await ok(ada.get(at)))['open_issues_count'], 0);
  });

  test('a deleted branch closes the pull request, which keeps its commits and is reopened with the branch', async () => {
    const { client, push, pull, at, events } = await openWork();
    await push(':feature');
    await eventually(async () => (await pull())['state'] === 'closed', 'the deletion');
    assert.deepEqual(await events(), ['committed', 'closed', 'head_ref_deleted']);
    assert.equal((await ada.get(`${at}/pulls/1/files`)).json.length, 1);
    const refused = await ada.patch(`${at}/pulls/1`, { state: 'open' });
    assert.deepEqual([refused.status, refused.json['errors'][0].field], [422, 'state']);
    await client.commit('work', { 'c.txt': 'c\n' }, 'Add c');
    await push('feature');
    await ok(ada.patch(`${at}/pulls/1`, { state: 'open' }));
    await eventually(async () => (await pull())['commits'] === 2, 'what was pushed meanwhile');
  });

  test('each payload has the shape that receivers know', async () => {
    const { at, name } = await openWork();
    await ok(ada.patch(`${at}/pulls/1`, { title: 'Other', body: 'Text' }));
    await ok(
      ada.post(`${at}/git/refs`, {
        ref: 'refs/heads/release',
        sha: (await ok(ada.get(`${at}/git/ref/heads/main`)))['object'].sha,
      }),
    );
    await ok(ada.patch(`${at}/pulls/1`, { base: 'release' }));
    await ok(ada.patch(`${at}/pulls/1`, { state: 'closed' }));
    await ok(ada.patch(`${at}/pulls/1`, { state: 'open' }));
    const expected = ['opened', 'edited', 'edited', 'closed', 'reopened'];
    await eventually(
      () => receiver.at(`/${name}`).filter(({ json }) => json['action']).length >= expected.length,
      'webhooks',
    );
    // They come in no particular order.
    const received = receiver
      .at(`/${name}`)
      .filter(({ headers }) => headers['x-github-event'] === 'pull_request');
    assert.deepEqual(received.map(({ json }) => json['action'] as string).toSorted(), expected.toSorted());
    for (const { json } of received) checkWebhookPayload('pull_request', json);
    const bases = received.flatMap(({ json }) => (json['changes'] as Json | undefined)?.['base'] ?? []);
    assert.deepEqual(
      bases.map(({ ref }) => ref),
      [{ from: 'main' }],
    );
  });
});
