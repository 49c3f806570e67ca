// Lists of issues on a running server: filters, orders and pages, and lists of several repositories, in which what is private does not exist for others.
import assert from 'node:assert/strict';
import { onEachEngine } from '../../../engines.ts';
import { eventually } from '../../../eventually.ts';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../../../git-tests.ts';
import { expectAnswer } from '../../../host-crew.ts';
import { joinHost, type HostPerson } from '../../../host-people.ts';
import type { Answer, Json, TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';
import { newPull } from '../../../host-pull-calls.ts';
import { giveMilestone } from '../../../host-issues.ts';
import { createTestOrganization } from '../organization-calls.ts';

const MINUTE = 60_000;

onEachEngine((engine) => {
  let server: TestServer;
  let ada: HostPerson;
  let bob: HostPerson;

  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    [ada, bob] = await Promise.all([joinHost(server, 'ada'), joinHost(server, 'bob')]);
  });
  after(() => server.stop());

  const create = async (
    who: HostPerson,
    repository: string,
    title: string,
    fields: Json = {},
  ): Promise<Json> => await expectAnswer(201, who.post(`/repos/${repository}/issues`, { title, ...fields }));
  const titlesIn = ({ status, text, json }: Answer) => {
    assert.equal(status, 200, text);
    return (json as unknown as Json[]).map(({ title }) => title as string);
  };

  test('the list of a repository has every filter, order and page', async () => {
    await ada.repository('lists');
    await expectAnswer(204, ada.put('/repos/ada/lists/collaborators/bob', { permission: 'push' }));
    const path = '/repos/ada/lists/issues';
    const milestone = await giveMilestone(server, 'ada/lists', 'First');
    const other = await giveMilestone(server, 'ada/lists', 'Second');
    const make = async (who: HostPerson, title: string, fields: Json = {}) => {
      server.clock.ahead += MINUTE;
      await create(who, 'ada/lists', title, fields);
    };
    await make(ada, 'one', { labels: ['bug', 'Slow'], assignees: ['ada'], milestone: milestone.number });
    await make(bob, 'two', { labels: ['bug'], assignees: ['bob', 'ada'] });
    await make(bob, 'three', { milestone: other.number });
    await make(ada, 'four', { labels: ['slow'] });
    server.clock.ahead += MINUTE;
    const since = new Date(server.clock.now()).toISOString();
    await expectAnswer(200, ada.patch(`${path}/2`, { body: 'changed' }));
    await expectAnswer(200, ada.patch(`${path}/4`, { state: 'closed' }));
    const expected: Record<string, string[]> = {
      '': ['three', 'two', 'one'],
      'state=open': ['three', 'two', 'one'],
      'state=closed': ['four'],
      'state=all': ['four', 'three', 'two', 'one'],
      'state=all&direction=asc': ['one', 'two', 'three', 'four'],
      'state=all&sort=updated': ['four', 'two', 'three', 'one'],
      'state=all&sort=updated&direction=asc': ['one', 'three', 'two', 'four'],
      'sort=comments': ['three', 'two', 'one'],
      'labels=bug': ['two', 'one'],
      'labels=BUG': ['two', 'one'],
      'labels=bug,slow': ['one'],
      'labels=bug, SLOW,,': ['one'],
      'labels=slow&state=all': ['four', 'one'],
      'labels=none-such': [],
      'labels=bug,none-such': [],
      'labels=': ['three', 'two', 'one'],
      'assignee=ada': ['two', 'one'],
      'assignee=BOB': ['two'],
      'assignee=*': ['two', 'one'],
      'assignee=none': ['three'],
      'creator=bob': ['three', 'two'],
      'creator=bob&assignee=ada&labels=bug': ['two'],
      'mentioned=bob': [],
      'milestone=1': ['one'],
      'milestone=*': ['three', 'one'],
      'milestone=none': ['two'],
      'milestone=none&assignee=none': [],
      [`since=${since}&state=all`]: ['four', 'two'],
      [`since=${since}&sort=updated`]: ['two'],
      'type=none': ['three', 'two', 'one'],
      'type=Bug': [],
      'per_page=2': ['three', 'two'],
      'per_page=2&page=2': ['one'],
      'per_page=2&page=9': [],
    };
    for (const [query, titles] of Object.entries(expected))
      assert.deepEqual(titlesIn(await server.call(`${path}?${query}`, { token: null })), titles, query);
    const { headers } = await bob.get(`${path}?per_page=1&labels=bug`);
    assert.match(headers.get('link') ?? '', /labels=bug&page=2>; rel="next".*page=2>; rel="last"/);
    for (const query of [
      'assignee=nobody',
      'creator=nobody',
      'mentioned=nobody',
      'milestone=77',
      'milestone=first',
      'milestone=-1',
      'state=merged',
      'sort=popularity',
      'direction=up',
      'since=yesterday',
      'page=0',
    ])
      assert.equal((await bob.get(`${path}?${query}`)).status, 422, query);
    const refused = (await bob.get(`${path}?assignee=nobody`)).json['errors'] as Json[];
    assert.deepEqual(
      [refused[0]!['resource'], refused[0]!['field'], refused[0]!['code']],
      ['Issue', 'assignee', 'invalid'],
    );
  });

  test('the list of a repository has issues or pull requests alone where the query says so', async () => {
    await ada.repository('kinds', { auto_init: true });
    const { title } = await expectAnswer(200, ada.get((await newPull(ada, '/repos/ada/kinds')).pull));
    await create(ada, 'ada/kinds', 'issue', { labels: ['bug'] });
    const path = '/repos/ada/kinds/issues';
    const expected: Record<string, string[]> = {
      '': ['issue', title],
      'pulls=true': [title],
      'pulls=false': ['issue'],
      'pulls=true&creator=ada': [title],
      'pulls=true&creator=bob': [],
      'pulls=true&labels=bug': [],
      'pulls=false&labels=bug': ['issue'],
      'pulls=false&state=closed': [],
    };
    for (const [query, titles] of Object.entries(expected))
      assert.deepEqual(titlesIn(await ada.get(`${path}?${query}`)), titles, query);
    assert.equal((await ada.get(`${path}?pulls=some`)).status, 422);
    await expectAnswer(200, ada.patch('/repos/ada/kinds', { has_issues: false }));
    assert.deepEqual(titlesIn(await ada.get(`${path}?pulls=true`)), [title]);
    for (const query of ['', 'pulls=false']) assert.equal((await ada.get(`${path}?${query}`)).status, 410);
  });

  test('lists of several repositories have what the caller sees, and nothing else is counted', async () => {
    const [cleo, dan, eve] = await Promise.all(
      ['cleo', 'dan', 'eve'].map((login) => joinHost(server, login)),
    );
    await createTestOrganization(server, 'works', { admin: 'cleo', members: ['dan'] });
    await expectAnswer(201, cleo!.post('/orgs/works/repos', { name: 'plant', private: true }));
    await expectAnswer(200, cleo!.patch('/orgs/works', { default_repository_permission: 'read' }));
    await cleo!.repository('secret', { private: true });
    await cleo!.repository('shared', { private: true });
    await cleo!.repository('open');
    await eve!.repository('far');
    await expectAnswer(204, cleo!.put('/repos/cleo/shared/collaborators/dan', { permission: 'push' }));
    await expectAnswer(204, cleo!.put('/repos/cleo/open/collaborators/dan', { permission: 'push' }));
    await expectAnswer(204, cleo!.put('/repos/cleo/secret/collaborators/dan', { permission: 'push' }));
    await create(cleo!, 'cleo/open', 'open', { assignees: ['dan'], labels: ['bug'] });
    await create(cleo!, 'cleo/shared', 'shared', { assignees: ['dan'], labels: ['Bug', 'late'] });
    await create(cleo!, 'cleo/secret', 'secret', { assignees: ['dan'] });
    await create(cleo!, 'works/plant', 'plant', { assignees: ['dan'] });
    await create(dan!, 'eve/far', 'far');
    await create(dan!, 'cleo/secret', 'own secret');
    const titles = async (who: HostPerson, path: string) => titlesIn(await who.get(path)).toSorted();
    assert.deepEqual(await titles(dan!, '/issues'), ['open', 'plant', 'secret', 'shared']);
    // Who loses a repository loses its issues, in every list and count.
    await expectAnswer(204, cleo!.delete('/repos/cleo/secret/collaborators/dan'));
    const expected: Record<string, string[]> = {
      '/issues': ['open', 'plant', 'shared'],
      '/issues?filter=assigned&labels=bug': ['open', 'shared'],
      '/issues?labels=bug,late': ['shared'],
      '/issues?filter=created': ['far'],
      '/issues?filter=subscribed': ['far', 'open', 'plant', 'shared'],
      '/issues?filter=mentioned': [],
      '/issues?filter=all': ['open', 'plant', 'shared'],
      '/issues?filter=repos&orgs=true': ['plant'],
      '/issues?filter=repos&collab=true': ['open', 'shared'],
      '/issues?filter=repos&owned=true': [],
      '/issues?orgs=true': ['plant'],
      '/issues?collab=true': ['open', 'shared'],
      '/issues?collab=true&orgs=true': ['open', 'plant', 'shared'],
      '/issues?owned=true': [],
      '/issues?pulls=true': [],
      '/issues?pulls=false': ['open', 'plant', 'shared'],
      '/issues?filter=all&pulls=true': [],
      '/issues?filter=all&pulls=false': ['open', 'plant', 'shared'],
      '/user/issues': ['open', 'shared'],
      '/user/issues?filter=all': ['open', 'shared'],
      '/user/issues?filter=created': [],
      '/orgs/works/issues': ['plant'],
      '/orgs/works/issues?filter=all': ['plant'],
      '/orgs/works/issues?filter=created': [],
      '/orgs/works/issues?filter=all&type=Bug': [],
    };
    for (const [path, wanted] of Object.entries(expected))
      assert.deepEqual(await titles(dan!, path), wanted, path);
    const paged = await dan!.get('/issues?per_page=1');
    assert.match(paged.headers.get('link') ?? '', /page=3>; rel="last"/);
    assert.deepEqual(await titles(cleo!, '/issues?filter=all&sort=updated'), [
      'open',
      'own secret',
      'plant',
      'secret',
      'shared',
    ]);
    assert.deepEqual(await titles(eve!, '/issues?filter=all'), ['far']);
    assert.deepEqual(await titles(eve!, '/orgs/works/issues?filter=all'), []);
    assert.equal((await eve!.get('/orgs/nowhere/issues')).status, 404);
    for (const path of ['/issues', '/user/issues', '/orgs/works/issues'])
      assert.equal((await server.call(path, { token: null })).status, 401, path);
    for (const query of ['filter=mine', 'state=x', 'owned=perhaps'])
      assert.equal((await dan!.get(`/issues?${query}`)).status, 422, query);
    const [first] = (await dan!.get('/issues?labels=late')).json as unknown as Json[];
    assert.equal((first!['repository'] as Json)['full_name'], 'cleo/shared');
    await dan!.delete('/repos/cleo/shared/collaborators/dan');
  });

  test('the lists of owners follow a repository that is given away', async () => {
    const mia = await joinHost(server, 'mia');
    await createTestOrganization(server, 'former', { admin: 'mia', members: [] });
    await createTestOrganization(server, 'latter', { admin: 'mia', members: [] });
    await expectAnswer(201, mia.post('/orgs/former/repos', { name: 'moving' }));
    await create(mia, 'former/moving', 'goes along');
    assert.deepEqual(titlesIn(await mia.get('/orgs/former/issues?filter=all')), ['goes along']);
    await expectAnswer(202, mia.post('/repos/former/moving/transfer', { new_owner: 'latter' }));
    assert.deepEqual(titlesIn(await mia.get('/orgs/former/issues?filter=all')), []);
    await eventually(
      async () => titlesIn(await mia.get('/orgs/latter/issues?filter=all')).length === 1,
      'the list of the new owner',
    );
    assert.deepEqual(titlesIn(await mia.get('/orgs/former/issues?filter=all')), []);
    await create(mia, 'latter/moving', 'is new');
    assert.deepEqual(titlesIn(await mia.get('/orgs/latter/issues?filter=all')), ['is new', 'goes along']);
    assert.deepEqual(titlesIn(await mia.get('/issues?filter=all')), ['is new', 'goes along']);
  });
});
