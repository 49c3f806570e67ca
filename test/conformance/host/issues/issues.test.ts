// Issues on a running server: who creates, reads, changes and locks them, how they are shown, and what is refused.
import assert from 'node:assert/strict';
import { onEachEngine } from '../../../engines.ts';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../../../git-tests.ts';
import { expectAnswer } from '../../../host-crew.ts';
import { joinHost, type HostPerson } from '../../../host-people.ts';
import { giveToken } from '../../../people.ts';
import type { Answer, Json, TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';
import { giveMilestone } from '../../../host-issues.ts';

onEachEngine((engine) => {
  let server: TestServer;
  /** Owns the repositories. */
  let ada: HostPerson;
  /** Triages, and writes. */
  let tom: HostPerson;
  let wil: HostPerson;
  /** Know what is public. */
  let bob: HostPerson;
  let eve: HostPerson;

  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    [ada, tom, wil, bob, eve] = await Promise.all([
      joinHost(server, 'ada'),
      joinHost(server, 'tom'),
      joinHost(server, 'wil'),
      joinHost(server, 'bob'),
      joinHost(server, 'eve'),
    ]);
  });
  after(() => server.stop());

  /** A repository of ada, with tom and wil. Returns the path of its issues. */
  async function newRepository(name: string, fields: Json = {}): Promise<string> {
    await ada.repository(name, fields);
    for (const [login, permission] of [
      ['tom', 'triage'],
      ['wil', 'push'],
    ])
      await expectAnswer(204, ada.put(`/repos/ada/${name}/collaborators/${login}`, { permission }));
    return `/repos/ada/${name}/issues`;
  }

  const create = async (who: HostPerson, path: string, fields: Json = {}): Promise<Json> =>
    await expectAnswer(201, who.post(path, { title: 'A fault', ...fields }));
  const loginsOf = (users: unknown) => (users as Json[]).map(({ login }) => login as string);
  const namesOf = (labels: unknown) => (labels as Json[]).map(({ name }) => name as string);
  const errorsOf = ({ json }: Answer) =>
    (json['errors'] as Json[]).map(({ resource, field, code }) => [resource, field, code]);
  const countOf = async (name: string) => (await ada.get(`/repos/ada/${name}`)).json['open_issues_count'];

  test('an issue is created by everybody who may read, and read by everybody', async () => {
    const path = await newRepository('open');
    const answer = await bob.post(path, { title: ' A fault ', body: 'It **breaks**' });
    assert.equal(answer.status, 201, answer.text);
    const issue = answer.json;
    assert.equal(answer.headers.get('location'), `${server.url}${path}/1`);
    assert.equal(issue['url'], `${server.url}${path}/1`);
    assert.deepEqual(
      [
        issue['number'],
        issue['title'],
        issue['body'],
        issue['state'],
        issue['state_reason'],
        issue['locked'],
      ],
      [1, 'A fault', 'It **breaks**', 'open', null, false],
    );
    assert.deepEqual([issue['user'].login, issue['author_association']], ['bob', 'NONE']);
    assert.equal('pull_request' in issue, false);
    assert.deepEqual((await server.call(`${path}/1`, { token: null })).json, issue);
    assert.equal((await create(ada, path))['author_association'], 'OWNER');
    assert.equal((await create(wil, path, { title: 7 }))['title'], '7');
    assert.equal(await countOf('open'), 3);
    assert.equal((await server.call(`${path}/4`, { token: null })).status, 404);
    assert.equal(
      (await server.call(path, { method: 'POST', body: { title: 'x' }, token: null })).status,
      401,
    );
    const reader = await giveToken(server, bob.member, { role: 'reader' });
    const denied = await server.call(path, { method: 'POST', body: { title: 'x' }, token: reader.value });
    assert.equal(denied.status, 403, denied.text);
    assert.equal(await countOf('open'), 3);
  });

  test('labels, assignees and the milestone are set by those who triage, and dropped silently from others', async () => {
    const path = await newRepository('sorted');
    const milestone = await giveMilestone(server, 'ada/sorted', 'First');
    const parts = {
      labels: ['bug', { name: 'Slow' }],
      assignees: ['TOM', 'wil'],
      milestone: milestone.number,
    };
    const dropped = await create(bob, path, parts);
    assert.deepEqual([dropped['labels'], dropped['assignees'], dropped['milestone']], [[], [], null]);
    const set = await create(wil, path, parts);
    assert.deepEqual(namesOf(set['labels']), ['bug', 'Slow']);
    assert.deepEqual(loginsOf(set['assignees']).toSorted(), ['tom', 'wil']);
    assert.equal(set['assignee'].login, loginsOf(set['assignees'])[0]);
    assert.deepEqual([set['milestone'].title, set['milestone'].open_issues], ['First', 1]);
    assert.equal((set['labels'] as Json[])[1]!['color'], 'ededed');
    const again = await create(tom, path, {
      labels: ['BUG', 'bug'],
      assignee: 'ada',
      milestone: String(milestone.number),
    });
    assert.deepEqual([namesOf(again['labels']), loginsOf(again['assignees'])], [['bug'], ['ada']]);
    assert.equal(again['milestone'].open_issues, 2);
    // The author without a role changes the text and the state alone.
    const at = `${path}/${dropped['number']}`;
    const own = await expectAnswer(200, bob.patch(at, { ...parts, title: 'Mine' }));
    assert.deepEqual(
      [own['title'], own['labels'], own['assignees'], own['milestone']],
      ['Mine', [], [], null],
    );
    const triaged = await expectAnswer(200, tom.patch(at, { ...parts, labels: ['bug'], title: 'Mine' }));
    assert.deepEqual(namesOf(triaged['labels']), ['bug']);
    assert.equal(triaged['milestone'].open_issues, 3);
    const cleared = await expectAnswer(
      200,
      tom.patch(at, { labels: [], assignees: [], milestone: null, assignee: 'wil' }),
    );
    assert.deepEqual([cleared['labels'], cleared['assignees'], cleared['milestone']], [[], [], null]);
  });

  test('title and body are changed by the author and those who write, the state by the author and those who triage', async () => {
    const path = await newRepository('rights');
    const { number } = await create(bob, path);
    const at = `${path}/${number}`;
    for (const [who, body, status] of [
      [bob, { title: 'Of bob' }, 200],
      [wil, { body: 'Of wil' }, 200],
      [ada, { body: null }, 200],
      [tom, { title: 'Of tom' }, 403],
      [tom, { body: 'Of tom' }, 403],
      // What stays as it is needs no right.
      [tom, { title: 'Of bob', state: 'closed' }, 200],
      [bob, { state: 'open' }, 200],
      [eve, { title: 'Of eve' }, 403],
      [eve, { state: 'closed' }, 403],
      [eve, {}, 403],
    ] as const) {
      const answer = await who.patch(at, body);
      assert.equal(answer.status, status, `${who.login} ${JSON.stringify(body)}: ${answer.text}`);
    }
    assert.equal((await server.call(at, { method: 'PATCH', body: { title: 'x' }, token: null })).status, 401);
    const { title, body, state } = (await bob.get(at)).json;
    assert.deepEqual([title, body, state], ['Of bob', null, 'open']);
  });

  test('an issue is closed with a reason and reopened, and the reason is ignored unless the state changes', async () => {
    const path = await newRepository('states');
    const { number } = await create(bob, path);
    const at = `${path}/${number}`;
    const patch = async (body: Json) => {
      const {
        state,
        state_reason: reason,
        closed_by: by,
        closed_at: time,
      } = await expectAnswer(200, tom.patch(at, body));
      return [state, reason, (by as Json | null)?.['login'] ?? null, time !== null];
    };
    assert.deepEqual(await patch({ state_reason: 'not_planned' }), ['open', null, null, false]);
    assert.deepEqual(await patch({ state: 'closed', state_reason: 'not_planned' }), [
      'closed',
      'not_planned',
      'tom',
      true,
    ]);
    assert.equal(await countOf('states'), 0);
    assert.deepEqual(await patch({ state: 'closed', state_reason: 'duplicate' }), [
      'closed',
      'not_planned',
      'tom',
      true,
    ]);
    assert.deepEqual(await patch({ state: 'open' }), ['open', 'reopened', null, false]);
    assert.deepEqual(await patch({ state: 'closed' }), ['closed', 'completed', 'tom', true]);
    assert.deepEqual(await patch({ state: 'open', state_reason: 'completed' }), [
      'open',
      'reopened',
      null,
      false,
    ]);
    assert.equal(await countOf('states'), 1);
  });

  test('a conversation is locked and unlocked by those who write', async () => {
    const path = await newRepository('locks');
    const { number } = await create(bob, path);
    const at = `${path}/${number}/lock`;
    for (const who of [bob, tom, eve]) {
      assert.equal((await who.put(at)).status, 403);
      assert.equal((await who.delete(at)).status, 403);
    }
    assert.equal((await wil.put(at, { lock_reason: 'boring' })).status, 422);
    assert.equal((await wil.put(at, { lock_reason: 'too heated' })).status, 204);
    const locked = (await bob.get(`${path}/${number}`)).json;
    assert.deepEqual([locked['locked'], locked['active_lock_reason']], [true, 'too heated']);
    assert.equal((await wil.put(at)).status, 204);
    assert.equal((await wil.delete(at)).status, 204);
    const unlocked = (await bob.get(`${path}/${number}`)).json;
    assert.deepEqual([unlocked['locked'], unlocked['active_lock_reason']], [false, null]);
    assert.equal((await wil.put(`${path}/77/lock`)).status, 404);
  });

  test('bad titles, bodies, labels, assignees and milestones are refused, and nothing is changed', async () => {
    const path = await newRepository('strict');
    const { number } = await create(wil, path, { labels: ['kept'] });
    const untouched = (await wil.get(`${path}/${number}`)).json;
    const many = (count: number) => Array.from({ length: count }, (_, at) => `label ${at}`);
    const wrong: [Json, unknown][] = [
      [{ title: '' }, ['Issue', 'title', 'missing_field']],
      [{ title: ' \n' }, ['Issue', 'title', 'missing_field']],
      [{ title: 'x'.repeat(257) }, ['Issue', 'title', 'custom']],
      [{ title: 'x\0' }, undefined],
      [{ title: ['x'] }, undefined],
      [{ body: 'x'.repeat(65_537) }, ['Issue', 'body', 'custom']],
      [{ body: 7 }, undefined],
      [{ labels: many(101) }, ['Issue', 'labels', 'custom']],
      [{ labels: ['x'.repeat(51)] }, ['Issue', 'labels', 'invalid']],
      [{ labels: [''] }, ['Issue', 'labels', 'invalid']],
      [{ labels: [7] }, undefined],
      [{ labels: [{ color: 'ff0000' }] }, undefined],
      [{ labels: 'bug' }, undefined],
      [{ assignees: ['bob'] }, ['Issue', 'assignees', 'invalid']],
      [{ assignees: ['nobody'] }, ['Issue', 'assignees', 'invalid']],
      [{ assignee: 'bob' }, ['Issue', 'assignees', 'invalid']],
      [{ assignees: many(11) }, ['Issue', 'assignees', 'custom']],
      [{ assignees: 'tom' }, undefined],
      [{ milestone: 99 }, ['Issue', 'milestone', 'invalid']],
      [{ milestone: 'first' }, ['Issue', 'milestone', 'invalid']],
      [{ milestone: -1 }, ['Issue', 'milestone', 'invalid']],
    ];
    for (const [fields, error] of wrong) {
      for (const answer of [
        await wil.post(path, { title: 'x', ...fields }),
        await wil.patch(`${path}/${number}`, fields),
      ]) {
        assert.equal(answer.status, 422, `${JSON.stringify(fields).slice(0, 80)}: ${answer.text}`);
        assert.equal(answer.json['message'], 'Validation Failed');
        if (error !== undefined) assert.deepEqual(errorsOf(answer), [error]);
      }
    }
    for (const state of ['merged', null, 7])
      assert.equal((await wil.patch(`${path}/${number}`, { state })).status, 422);
    assert.deepEqual(errorsOf(await wil.post(path, {})), [['Issue', 'title', 'missing_field']]);
    const long = await wil.post(path, { title: 'x', body: 'x'.repeat(65_537) });
    assert.equal(
      (long.json['errors'] as Json[])[0]!['message'],
      'body is too long (maximum is 65536 characters)',
    );
    for (const raw of ['', '[]', '"x"', '{"title":'])
      assert.ok([400, 422].includes((await wil.call(path, { method: 'POST', raw } as never)).status), raw);
    for (const at of ['0', 'x', '9007199254740993', '-1'])
      assert.ok([404, 422].includes((await wil.get(`${path}/${at}`)).status), at);
    assert.deepEqual((await wil.get(`${path}/${number}`)).json, untouched);
    assert.equal(await countOf('strict'), 1);
    // The largest that are allowed; a character may be two code units.
    const large = await create(wil, path, {
      title: '𝔵'.repeat(256),
      body: '𝔵'.repeat(65_536),
      labels: many(100),
    });
    assert.equal(large['number'], 2);
    assert.equal((large['labels'] as Json[]).length, 100);
  });

  test('the media type asks for Markdown, HTML, text or all', async () => {
    const path = await newRepository('forms');
    await create(bob, path, { body: '# A\n\n<script>x</script> & **b**' });
    await create(bob, path);
    for (const [param, members] of Object.entries({
      raw: ['body'],
      html: ['body_html'],
      text: ['body_text'],
      full: ['body', 'body_html', 'body_text'],
    })) {
      const headers = { accept: `application/vnd.github.${param}+json` };
      const list = (await bob.call(`${path}?direction=asc`, { headers })).json as unknown as Json[];
      const one = (await bob.call(`${path}/1`, { headers })).json;
      for (const shown of [one, list[0]!, list[1]!])
        assert.deepEqual(
          Object.keys(shown)
            .filter((name) => name.startsWith('body'))
            .toSorted(),
          members,
        );
      assert.equal(one['body_html'], list[0]!['body_html']);
      if (one['body_html'] !== undefined) assert.equal(one['body_html'].includes('<script'), false);
    }
    assert.equal((await bob.get(`${path}/2`)).json['body'], null);
  });

  test('issues that are switched off are 410, and those of an archived repository are read alone', async () => {
    const path = await newRepository('switched');
    await create(bob, path);
    await expectAnswer(200, ada.patch('/repos/ada/switched', { has_issues: false }));
    for (const answer of [
      await bob.get(path),
      await bob.get(`${path}/1`),
      await bob.get(`${path}/2`),
      await bob.post(path, { title: 'x' }),
      await bob.patch(`${path}/1`, { title: 'x' }),
      await wil.put(`${path}/1/lock`),
      await wil.post(`${path}/1/assignees`, { assignees: ['tom'] }),
    ])
      assert.equal(answer.status, 410, answer.text);
    assert.deepEqual((await bob.get('/issues?filter=created')).json, await listOf(bob, 'switched'));
    await expectAnswer(200, ada.patch('/repos/ada/switched', { has_issues: true, archived: true }));
    assert.equal((await bob.get(`${path}/1`)).status, 200);
    assert.equal((await bob.post(path, { title: 'x' })).status, 403);
    assert.equal((await bob.patch(`${path}/1`, { title: 'x' })).status, 403);
  });

  /** What bob has created elsewhere. */
  const listOf = async (who: HostPerson, without: string) =>
    ((await who.get('/issues?filter=created')).json as unknown as Json[]).filter(
      (one) => (one['repository'] as Json)['name'] !== without,
    );

  test('the issues of a private repository do not exist for others', async () => {
    const path = await newRepository('hidden', { private: true });
    const { number } = await create(wil, path, { assignees: ['wil'] });
    for (const token of [null, bob.token])
      for (const [method, at, body] of [
        ['GET', path],
        ['POST', path, { title: 'x' }],
        ['GET', `${path}/${number}`],
        ['GET', `${path}/99`],
        ['PATCH', `${path}/${number}`, { title: 'x' }],
        ['PATCH', `${path}/99`, { title: ['wrong'] }],
        ['PUT', `${path}/${number}/lock`],
        ['DELETE', `${path}/${number}/lock`],
        ['POST', `${path}/${number}/assignees`, { assignees: ['bob'] }],
        ['GET', `${path}/${number}/assignees/wil`],
        ['GET', '/repos/ada/hidden/assignees'],
        ['GET', '/repos/ada/hidden/assignees/wil'],
      ] as const) {
        const { status } = await server.call(at, { method, token, ...(body && { body }) });
        assert.equal(status, token === null && method !== 'GET' ? 401 : 404, `${method} ${at}`);
      }
    assert.deepEqual((await wil.get(`${path}/${number}`)).json['title'], 'A fault');
  });

  test('a former name leads to the address of today', async () => {
    const path = await newRepository('former');
    await create(bob, path);
    const { id } = await expectAnswer(200, ada.patch('/repos/ada/former', { name: 'latter' }));
    const moved = await bob.call(`${path}/1`, { redirect: 'manual' } as never);
    assert.deepEqual(
      [moved.status, moved.headers.get('location')],
      [301, `${server.url}/repositories/${id}/issues/1`],
    );
    assert.equal(
      (await bob.get(`/repositories/${id}/issues/1`)).json['url'],
      `${server.url}/repos/ada/latter/issues/1`,
    );
    assert.equal(((await bob.get(`/repositories/${id}/issues`)).json as unknown as Json[]).length, 1);
  });

  test('a text of somebody else that is changed is in the audit log, and other changes are not', async () => {
    const path = await newRepository('audited');
    const { number } = await create(bob, path);
    await expectAnswer(200, bob.patch(`${path}/${number}`, { title: 'Own' }));
    await expectAnswer(200, wil.patch(`${path}/${number}`, { title: 'Better', state: 'closed' }));
    const { json } = await server.call('/api/v2/auditlog?limit=20');
    const entries = (json['items'] as Json[]).filter(({ name }) => name === 'audited');
    const recorded = entries.filter((entry) => JSON.stringify(entry).includes('somebody else'));
    assert.equal(recorded.length, 1);
    assert.equal(entries.filter((entry) => /issue/.test(JSON.stringify(entry))).length, 1);
  });

  test('eight clients change one issue at once, and nothing is lost', async () => {
    const path = await newRepository('crowd');
    const milestone = await giveMilestone(server, 'ada/crowd', 'Soon');
    const { number } = await create(ada, path);
    const at = `${path}/${number}`;
    const people = [ada, tom, wil];
    await Promise.all(
      Array.from({ length: 8 }, async (_, index) => {
        const person = index % 2 === 0 ? ada : wil;
        for (const answer of [
          await person.patch(at, { state: index % 2 === 0 ? 'closed' : 'open', milestone: milestone.number }),
          await person.post(`${at}/assignees`, { assignees: [people[index % 3]!.login] }),
          await person.patch(at, { labels: [`label ${index % 4}`, 'shared'], title: `Title ${index}` }),
          await person.post(path, { title: `Another ${index}`, labels: ['shared', `own ${index}`] }),
        ])
          assert.ok(answer.status === 200 || answer.status === 201, answer.text);
      }),
    );
    const issue = (await ada.get(at)).json;
    assert.deepEqual(loginsOf(issue['assignees']).toSorted(), ['ada', 'tom', 'wil']);
    const isOpen = issue['state'] === 'open';
    assert.deepEqual(
      [issue['milestone'].open_issues, issue['milestone'].closed_issues],
      isOpen ? [1, 0] : [0, 1],
    );
    assert.equal(await countOf('crowd'), isOpen ? 9 : 8);
    const all = (await ada.get(`${path}?state=all&sort=created&direction=asc`)).json as unknown as Json[];
    assert.deepEqual(
      all.map((one) => one['number'] as number).toSorted((one, other) => one - other),
      [1, 2, 3, 4, 5, 6, 7, 8, 9],
    );
    const shared = (await ada.get(`${path}?state=all&labels=shared`)).json as unknown as Json[];
    assert.equal(shared.length, 9);
  });
});
