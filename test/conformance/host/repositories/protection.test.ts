// The protection of branches on a running server: reading and changing it, in each version and on each engine.
import assert from 'node:assert/strict';
import schemas from '@octokit/webhooks-schemas/schema.json' with { type: 'json' };
import { onEachEngine } from '../../../engines.ts';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../../../git-tests.ts';
import { expectAnswer as expect, gatherCrew, NO_REQUIREMENTS, type Crew } from '../../../host-crew.ts';
import { joinHost } from '../../../host-people.ts';
import { giveToken } from '../../../people.ts';
import type { Json, TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';

const loginsOf = (list: Json) =>
  (list as unknown as Json[]).map((one) => (one['login'] ?? one['slug']) as string);
const NAMES = { users: ['cleo'], teams: ['pushers'], apps: ['deploy'] };

onEachEngine((engine) => {
  let server: TestServer;
  let crew: Crew;
  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    crew = await gatherCrew(server);
  });
  after(() => server.stop());

  const eventsOf = async (path: string): Promise<Json[]> => {
    const { id } = await expect(200, crew.ada.get(path));
    const rows = await server.app.kernel.db
      .selectFrom('host_events')
      .select(['action', 'details'])
      .where('repository_number', '=', id as number)
      .where('name', '=', 'branch_protection_rule')
      .orderBy('number')
      .execute();
    return rows.map(({ action, details }) => ({ action, ...(JSON.parse(details) as Json) }));
  };

  for (const version of ['2022-11-28', '2026-03-10'])
    test(`a whole protection is written, shown and removed in ${version}`, async () => {
      const { path } = await crew.repository(`whole-${version}`);
      const url = `${path}/branches/main/protection`;
      const call = (method: string, below: string, body?: unknown) =>
        crew.ada.call(url + below, {
          method,
          headers: { 'x-host-api-version': version },
          ...(body !== undefined && { body }),
        });
      const none = await expect(404, call('GET', ''));
      assert.equal(none['message'], 'Branch not protected');
      const put = await expect(
        200,
        call('PUT', '', {
          required_status_checks: { strict: true, contexts: ['ci', 'lint'] },
          enforce_admins: true,
          required_pull_request_reviews: {
            dismissal_restrictions: NAMES,
            bypass_pull_request_allowances: { users: ['bob'] },
            dismiss_stale_reviews: true,
            required_approving_review_count: 2,
          },
          restrictions: NAMES,
          required_linear_history: true,
          allow_force_pushes: null,
          allow_deletions: true,
          block_creations: true,
          required_conversation_resolution: true,
          lock_branch: true,
          allow_fork_syncing: true,
        }),
      );
      assert.deepEqual(await expect(200, call('GET', '')), put);
      const at = server.url + url;
      assert.deepEqual(put['required_status_checks'], {
        url: `${at}/required_status_checks`,
        strict: true,
        contexts: ['ci', 'lint'],
        contexts_url: `${at}/required_status_checks/contexts`,
        checks: [
          { context: 'ci', app_id: null },
          { context: 'lint', app_id: null },
        ],
      });
      const reviews = put['required_pull_request_reviews'];
      assert.equal(reviews.required_approving_review_count, 2);
      assert.deepEqual(loginsOf(reviews.dismissal_restrictions.users), ['cleo']);
      assert.deepEqual(loginsOf(reviews.bypass_pull_request_allowances.users), ['bob']);
      for (const kind of ['users', 'teams', 'apps'] as const)
        assert.deepEqual(loginsOf(put['restrictions'][kind]), NAMES[kind]);
      assert.deepEqual(put['enforce_admins'], { url: `${at}/enforce_admins`, enabled: true });
      assert.deepEqual(put['required_signatures'], { url: `${at}/required_signatures`, enabled: false });
      const switches = [
        'required_linear_history',
        'allow_deletions',
        'block_creations',
        'required_conversation_resolution',
        'lock_branch',
        'allow_fork_syncing',
      ];
      for (const name of switches) assert.deepEqual(put[name], { enabled: true }, name);
      assert.deepEqual(put['allow_force_pushes'], { enabled: false });

      const branch = await expect(200, crew.eve.get(`${path}/branches/main`));
      assert.deepEqual([branch['protected'], branch['protection_url']], [true, at]);
      assert.deepEqual(branch['protection'].required_status_checks.enforcement_level, 'everyone');
      assert.deepEqual(branch['protection'].required_status_checks.contexts, ['ci', 'lint']);

      assert.deepEqual((await expect(200, call('PUT', '', NO_REQUIREMENTS)))['restrictions'], undefined);
      assert.equal((await call('DELETE', '')).status, 204);
      assert.equal((await expect(404, call('DELETE', '')))['message'], 'Branch not protected');
      const told = await eventsOf(path);
      assert.deepEqual(
        told.map(({ action }) => action as string),
        ['created', 'edited', 'deleted'],
      );
      const known = Object.keys(schemas.definitions['branch-protection-rule'].properties);
      for (const { rule } of told) assert.deepEqual(Object.keys(rule as Json).sort(), known.toSorted());
      assert.deepEqual(told[0]!['rule'].authorized_actor_names, ['cleo', 'deploy', 'pushers']);
      assert.deepEqual(told[1]!['changes'].required_approving_review_count, { from: 2 });
      const changed = Object.keys(told[1]!['changes'] as Json);
      const described = Object.keys(
        schemas.definitions['branch_protection_rule$edited'].properties.changes.properties,
      );
      assert.deepEqual(
        changed.filter((name) => !described.includes(name)),
        [],
      );
    });

  test('each part is read and changed by itself', async () => {
    const { path } = await crew.repository('parts');
    const url = `${path}/branches/main/protection`;
    const { ada } = crew;
    await expect(200, ada.put(url, NO_REQUIREMENTS));
    for (const part of ['enforce_admins', 'required_signatures']) {
      const is = async () => (await expect(200, ada.get(`${url}/${part}`)))['enabled'] as boolean;
      assert.equal(await is(), false);
      assert.deepEqual(await expect(200, ada.post(`${url}/${part}`)), {
        url: `${server.url}${url}/${part}`,
        enabled: true,
      });
      assert.equal(await is(), true);
    }
    await expect(200, ada.put(url, NO_REQUIREMENTS));
    assert.equal((await expect(200, ada.get(`${url}/required_signatures`)))['enabled'], true);
    await expect(200, ada.post(`${url}/enforce_admins`));
    for (const part of ['enforce_admins', 'required_signatures']) {
      await expect(204, ada.delete(`${url}/${part}`));
      assert.equal((await expect(200, ada.get(`${url}/${part}`)))['enabled'], false);
    }

    const messages = {
      required_pull_request_reviews: 'Required pull request reviews not enabled',
      required_status_checks: 'Required status checks not enabled',
      'required_status_checks/contexts': 'Required status checks not enabled',
      restrictions: 'Push restrictions not enabled',
      'restrictions/users': 'Push restrictions not enabled',
    };
    for (const [part, message] of Object.entries(messages))
      assert.equal((await expect(404, ada.get(`${url}/${part}`)))['message'], message);
    for (const part of ['required_pull_request_reviews', 'required_status_checks', 'restrictions'])
      await expect(404, ada.delete(`${url}/${part}`));
    await expect(404, ada.patch(`${url}/required_status_checks`, { strict: true }));

    const reviews = `${url}/required_pull_request_reviews`;
    const patched = await expect(200, ada.patch(reviews, { require_code_owner_reviews: true }));
    assert.deepEqual(
      [patched['require_code_owner_reviews'], patched['required_approving_review_count']],
      [true, 1],
    );
    const allowed = await expect(
      200,
      ada.patch(reviews, {
        bypass_pull_request_allowances: { teams: ['pushers'] },
        dismissal_restrictions: NAMES,
      }),
    );
    assert.deepEqual(loginsOf(allowed['bypass_pull_request_allowances'].teams), ['pushers']);
    const ended = await expect(200, ada.patch(reviews, { dismissal_restrictions: {} }));
    assert.deepEqual(
      [ended['dismissal_restrictions'], ended['require_code_owner_reviews']],
      [undefined, true],
    );
    assert.deepEqual(loginsOf(ended['bypass_pull_request_allowances'].teams), ['pushers']);
    assert.deepEqual(await expect(200, ada.get(reviews)), ended);
    await expect(204, ada.delete(reviews));
    await expect(404, ada.get(reviews));
  });

  test('contexts are added, replaced and removed, as an object or a list', async () => {
    const { path } = await crew.repository('contexts');
    const url = `${path}/branches/main/protection`;
    const { ada } = crew;
    const { id: app } = await expect(200, crew.deploy('/user'));
    const checks = [
      { context: 'ci', app_id: app as number },
      { context: 'any', app_id: -1 },
    ];
    await expect(
      200,
      ada.put(url, {
        ...NO_REQUIREMENTS,
        required_status_checks: { strict: false, contexts: ['ci'], checks },
      }),
    );
    const status = `${url}/required_status_checks`;
    assert.deepEqual((await expect(200, ada.get(status)))['checks'], [
      { context: 'ci', app_id: app },
      { context: 'any', app_id: null },
    ]);
    const contexts = `${status}/contexts`;
    assert.deepEqual(await expect(200, ada.get(contexts)), ['ci', 'any']);
    assert.deepEqual(await expect(200, ada.post(contexts, { contexts: ['lint', 'ci'] })), [
      'ci',
      'any',
      'lint',
    ]);
    assert.deepEqual(await expect(200, ada.delete(contexts, ['any', 'none'])), ['ci', 'lint']);
    assert.deepEqual(await expect(200, ada.put(contexts, ['ci', 'ci', 'build'])), ['ci', 'build']);
    assert.deepEqual((await expect(200, ada.get(status)))['checks'][0], { context: 'ci', app_id: app });
    const patched = await expect(200, ada.patch(status, { strict: true }));
    assert.deepEqual([patched['strict'], patched['contexts']], [true, ['ci', 'build']]);
    assert.deepEqual((await expect(200, ada.patch(status, { contexts: [] })))['contexts'], []);
    for (const bad of [
      { checks: [{ context: 'x', app_id: 7 }] },
      { contexts: [''] },
      { contexts: 'ci' },
      { strict: 1 },
    ])
      await expect(422, ada.patch(status, bad));
    await expect(422, ada.post(contexts, { contexts: Array.from({ length: 101 }, String) }));
    await expect(204, ada.delete(status));
    await expect(404, ada.post(contexts, ['ci']));
  });

  test('a rule that is sent again changes nothing, and is not told of', async () => {
    const { path } = await crew.repository('again');
    const url = `${path}/branches/main/protection`;
    const send = (users: string[]) =>
      expect(200, crew.ada.put(url, { ...NO_REQUIREMENTS, restrictions: { users, teams: ['pushers'] } }));
    const first = await send(['cleo', 'bob', 'ada']);
    assert.deepEqual(loginsOf(first['restrictions'].users), ['ada', 'bob', 'cleo']);
    assert.deepEqual(await send(['ada', 'BOB', 'cleo', 'bob']), first);
    assert.equal((await eventsOf(path)).length, 1);
    await send(['ada', 'bob']);
    assert.equal((await eventsOf(path)).length, 2);
  });

  test('restrictions name those who may push, and lose those who may no longer', async () => {
    const { path } = await crew.repository('restricted');
    const url = `${path}/branches/main/protection`;
    const { ada } = crew;
    const nobody = { users: [], teams: [] };
    await expect(200, ada.put(url, { ...NO_REQUIREMENTS, restrictions: nobody }));
    const restrictions = `${url}/restrictions`;
    const list = async (kind: string) => loginsOf(await expect(200, ada.get(`${restrictions}/${kind}`)));
    for (const [kind, names] of Object.entries(NAMES)) {
      assert.deepEqual(await list(kind), []);
      assert.deepEqual(
        loginsOf(await expect(200, ada.post(`${restrictions}/${kind}`, { [kind]: names }))),
        names,
      );
      assert.deepEqual(loginsOf(await expect(200, ada.delete(`${restrictions}/${kind}`, names))), []);
      assert.deepEqual(
        loginsOf(await expect(200, ada.put(`${restrictions}/${kind}`, [...names, ...names]))),
        names,
      );
      assert.deepEqual(await list(kind), names);
    }
    const whole = await expect(200, ada.get(restrictions));
    assert.deepEqual(loginsOf(whole['users']), ['cleo']);
    assert.equal(whole['apps_url'], `${server.url}${restrictions}/apps`);
    for (const [kind, name] of [
      ['users', 'eve'],
      ['users', 'nobody-at-all'],
      ['users', 'deploy.bot'],
      ['apps', 'cleo'],
      ['apps', 'none'],
      ['teams', 'none'],
    ] as const) {
      await expect(422, ada.post(`${restrictions}/${kind}`, [name]));
      await expect(422, ada.put(`${restrictions}/${kind}`, { [kind]: [name] }));
      await expect(200, ada.delete(`${restrictions}/${kind}`, [name]));
      assert.deepEqual(await list(kind), NAMES[kind]);
    }
    // A team without the repository.
    await expect(201, ada.post('/orgs/crew/teams', { name: 'idle', privacy: 'closed' }));
    await expect(422, ada.post(`${restrictions}/teams`, ['idle']));

    await expect(204, ada.put(`${path}/collaborators/cleo`, { permission: 'pull' }));
    await expect(204, ada.delete(`/orgs/crew/teams/pushers${path}`));
    await expect(204, ada.put(`${path}/collaborators/cleo`, { permission: 'push' }));
    await expect(204, ada.put(`/orgs/crew/teams/pushers${path}`, { permission: 'push' }));
    assert.deepEqual([await list('users'), await list('teams'), await list('apps')], [[], [], ['deploy']]);

    await expect(201, ada.post('/orgs/crew/teams', { name: 'passing', privacy: 'closed' }));
    await expect(204, ada.put(`/orgs/crew/teams/passing${path}`, { permission: 'push' }));
    await expect(200, ada.put(`${restrictions}/teams`, ['passing']));
    await expect(204, ada.delete('/orgs/crew/teams/passing'));
    assert.deepEqual(await list('teams'), []);
    await expect(204, ada.delete(restrictions));
    await expect(404, ada.get(restrictions));
    await expect(404, ada.post(`${restrictions}/users`, ['cleo']));
  });

  test('those who leave the organization or the server leave its rules', async () => {
    const { path } = await crew.repository('left');
    const { ada } = crew;
    const leaver = await joinHost(server, 'leaver');
    const removed = await joinHost(server, 'removed');
    for (const { login } of [leaver, removed])
      await expect(200, ada.put(`/orgs/crew/memberships/${login}`, { role: 'admin' }));
    const service = await giveToken(server, ada.member, { role: 'writer', name: 'Passing', isService: true });
    await expect(200, server.call('/user', { token: service.value }));
    await expect(204, ada.put(`${path}/collaborators/passing.bot`, { permission: 'push' }));
    const url = `${path}/branches/main/protection`;
    const names = { users: ['leaver', 'removed'], teams: [], apps: ['passing'] };
    await expect(200, ada.put(url, { ...NO_REQUIREMENTS, restrictions: names }));
    const count = async () => {
      const ids = [leaver.member.id, removed.member.id, service.id];
      const { db } = server.app.kernel;
      const actors = db.selectFrom('branch_protection_actors').select('account_id');
      return (await actors.where('account_id', 'in', ids).execute()).length;
    };
    assert.equal(await count(), 3);
    await expect(204, ada.delete('/orgs/crew/memberships/leaver'));
    assert.equal(await count(), 2);
    await expect(204, server.call(`/api/v2/members/${removed.member.id}`, { method: 'DELETE' }));
    assert.equal(await count(), 1);
    await expect(204, server.call(`/api/v2/tokens/${service.id}`, { method: 'DELETE' }));
    assert.equal(await count(), 0);
    const { users, apps } = await expect(200, ada.get(`${url}/restrictions`));
    assert.deepEqual([users, apps], [[], []]);
  });

  test('only repositories of organizations name people', async () => {
    await crew.ada.repository('own', { auto_init: true });
    const url = '/repos/ada/own/branches/main/protection';
    const refused = [
      { restrictions: { users: [], teams: [] } },
      { required_pull_request_reviews: { dismissal_restrictions: { users: ['ada'] } } },
      { required_pull_request_reviews: { bypass_pull_request_allowances: { teams: [] } } },
    ];
    for (const fields of refused) {
      const { message } = await expect(422, crew.ada.put(url, { ...NO_REQUIREMENTS, ...fields }));
      assert.equal(message, 'Only organization repositories can have users and team restrictions');
    }
    await expect(404, crew.ada.get(url));
    const plain = { required_pull_request_reviews: { dismissal_restrictions: {} } };
    await expect(200, crew.ada.put(url, { ...NO_REQUIREMENTS, ...plain }));
  });

  test('bad bodies, unknown branches and people without the right change nothing', async () => {
    const { path } = await crew.repository('bad');
    const url = `${path}/branches/main/protection`;
    const { ada, bob, eve } = crew;
    const wrong: unknown[] = [
      {},
      [],
      'x',
      { ...NO_REQUIREMENTS, restrictions: undefined },
      { ...NO_REQUIREMENTS, restrictions: {} },
      { ...NO_REQUIREMENTS, restrictions: { users: 'cleo', teams: [] } },
      { ...NO_REQUIREMENTS, restrictions: { users: Array.from({ length: 101 }, String), teams: [] } },
      { ...NO_REQUIREMENTS, enforce_admins: 'yes' },
      { ...NO_REQUIREMENTS, required_status_checks: {} },
      { ...NO_REQUIREMENTS, required_status_checks: { strict: true } },
      { ...NO_REQUIREMENTS, required_status_checks: { strict: true, contexts: ['a\0b'] } },
      { ...NO_REQUIREMENTS, required_status_checks: { strict: true, contexts: ['x'.repeat(256)] } },
      {
        ...NO_REQUIREMENTS,
        required_status_checks: { strict: true, contexts: [], checks: [{ context: 'a', app_id: 5 }] },
      },
      { ...NO_REQUIREMENTS, required_pull_request_reviews: { required_approving_review_count: 7 } },
      { ...NO_REQUIREMENTS, allow_deletions: 1 },
    ];
    for (const body of wrong) {
      const { status, text } = await ada.put(url, body);
      assert.ok(status === 422 || status === 400, `${status} ${text} for ${JSON.stringify(body)}`);
    }
    await expect(404, ada.get(url));
    await expect(200, ada.put(url, NO_REQUIREMENTS));
    const parts = [
      '',
      '/enforce_admins',
      '/required_signatures',
      '/required_status_checks',
      '/restrictions/users',
    ];
    for (const part of parts) {
      await expect(403, bob.get(url + part));
      await expect(403, eve.delete(url + part, part === '/restrictions/users' ? ['cleo'] : undefined));
      await expect(401, server.call(url + part, { token: null }));
      for (const branch of ['none', 'feature', '-d', 'a..b', 'x'.repeat(400), '%2E%2E%2Fheads%2Fmain']) {
        const { message } = await expect(404, ada.get(`${path}/branches/${branch}/protection${part}`));
        assert.equal(message, 'Branch not found');
      }
      await expect(404, ada.patch(`${path}/branches/main/protection/unknown`));
    }
    await expect(403, bob.put(url, NO_REQUIREMENTS));
    await expect(404, ada.patch(url, NO_REQUIREMENTS));
    const inlinePolicy = [
      { effect: 'allow' as const, actions: ['*'], resources: ['*'] },
      { effect: 'deny' as const, actions: ['*BranchProtection'], resources: ['repo/crew/bad'] },
    ];
    const { value: token } = await giveToken(server, ada.member, { inlinePolicy });
    await expect(403, server.call(url, { token }));
    await expect(403, server.call(url, { method: 'PUT', token, body: NO_REQUIREMENTS }));
    await expect(200, server.call(`${path}/branches/main`, { token }));
    await expect(
      403,
      server.call(`${path}/branches/main/rename`, { method: 'POST', token, body: { new_name: 'x' } }),
    );
    const { path: hidden } = await crew.repository('hidden', { private: true });
    await expect(404, eve.get(`${hidden}/branches/main/protection`));
    await expect(404, eve.put(`${hidden}/branches/main/protection`, NO_REQUIREMENTS));
    await expect(200, ada.patch(hidden, { archived: true }));
    await expect(403, ada.put(`${hidden}/branches/main/protection`, NO_REQUIREMENTS));
    const entries = await server.app.kernel.db
      .selectFrom('events')
      .select('seq')
      .where('resource', '=', 'repo/crew/bad')
      .where('action', '=', 'updateBranchProtection')
      .execute();
    assert.equal(entries.length, 1);
    assert.equal((await eventsOf(path)).length, 1);
  });

  test('branches are listed by whether they are protected, and a rule follows its branch to another name', async () => {
    const { path, head } = await crew.repository('listed');
    const { ada, cleo } = crew;
    for (const name of ['a', 'release/1.0', 'topic'])
      await expect(201, ada.post(`${path}/git/refs`, { ref: `refs/heads/${name}`, sha: head }));
    const url = (branch: string) => `${path}/branches/${encodeURIComponent(branch)}/protection`;
    const body = { ...NO_REQUIREMENTS, restrictions: { users: ['cleo'], teams: [] } };
    for (const name of ['main', 'release/1.0']) await expect(200, ada.put(url(name), body));
    const names = async (query: string) =>
      ((await expect(200, cleo.get(`${path}/branches${query}`))) as unknown as Json[]).map(
        (one) => one['name'] as string,
      );
    assert.deepEqual(await names('?protected=true'), ['main', 'release/1.0']);
    assert.deepEqual(await names('?protected=true&per_page=1&page=2'), ['release/1.0']);
    assert.deepEqual(await names('?protected=false'), ['a', 'topic']);
    assert.deepEqual(await names('?protected=false&per_page=1&page=2'), ['topic']);
    const listed = (await expect(200, cleo.get(`${path}/branches`))) as unknown as Json[];
    assert.deepEqual(
      listed.map((one) => [one['name'], one['protected'], one['protection_url']]),
      [
        ['a', false, undefined],
        ['main', true, server.url + url('main')],
        ['release/1.0', true, server.url + url('release/1.0')],
        ['topic', false, undefined],
      ],
    );

    const former = (await eventsOf(path)).at(-1)!['rule'];
    const rename = (who: typeof ada, from: string, to: string) =>
      who.post(`${path}/branches/${encodeURIComponent(from)}/rename`, { new_name: to });
    await expect(403, rename(cleo, 'release/1.0', 'release/2.0'));
    const renamed = await expect(201, rename(ada, 'release/1.0', 'release/2.0'));
    assert.equal(renamed['protected'], true);
    assert.deepEqual(loginsOf((await expect(200, ada.get(`${url('release/2.0')}/restrictions`)))['users']), [
      'cleo',
    ]);
    const { rule } = (await eventsOf(path)).at(-1)!;
    assert.deepEqual([rule.id, rule.name], [former.id, 'release/2.0']);
    await expect(201, ada.post(`${path}/git/refs`, { ref: 'refs/heads/release/1.0', sha: head }));
    await expect(404, ada.get(url('release/1.0')));
    await expect(422, rename(ada, 'main', 'release/2.0/below'));
    await expect(200, ada.get(url('main')));
    await expect(201, rename(ada, 'main', 'trunk'));
    await expect(200, ada.get(url('trunk')));
    assert.deepEqual(await names('?protected=true'), ['release/2.0', 'trunk']);
    await expect(201, rename(cleo, 'topic', 'free'));
  });
});
