// The store over HTTP: public Actors of all accounts, searched, filtered and sorted.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { onEachEngine } from '../../engines.ts';
import { giveToken, join } from '../../people.ts';
import type { CallInit, Json, TestServer } from '../../server.ts';
import { startServerOn } from '../../suites.ts';
import type { Actor } from '../../../src/actors/actors/model.ts';
import { giveBuild } from './runs/run-rows.ts';

onEachEngine((engine) => {
  let server: TestServer;
  let ada: string;
  before(async () => {
    server = await startServerOn(engine, { limits: 'off', role: 'api' });
    const member = await join(server, 'ada', { role: 'writer', firstName: 'Ada', lastName: 'Lovelace' });
    ada = (await giveToken(server, member, { role: 'writer' })).value;
  });
  after(() => server.stop());

  async function createActor(name: string, fields: Json = {}, token?: string): Promise<Json> {
    server.clock.ahead += 1; // lists by age have no equal times
    const { status, json, text } = await server.call('/v2/actors', {
      method: 'POST',
      body: { name, isPublic: true, ...fields },
      ...(token !== undefined && { token }),
    });
    assert.equal(status, 201, text);
    return json['data'] as Json;
  }

  async function change(id: string, body: Json): Promise<void> {
    const { status, text } = await server.call(`/v2/actors/${id}`, { method: 'PUT', body });
    assert.equal(status, 200, text);
  }

  async function list(query: string, init: CallInit = { token: null }): Promise<Json> {
    const { status, json, text } = await server.call(`/v2/store?${query}`, init);
    assert.equal(status, 200, text);
    return json['data'] as Json;
  }

  async function names(query: string): Promise<string[]> {
    return ((await list(query))['items'] as Json[]).map(({ name }) => name as string);
  }

  async function expectInvalid(query: string): Promise<string> {
    const { status, json } = await server.call(`/v2/store?${query}`, { token: null });
    assert.deepEqual([status, json['error'].type], [400, 'invalid-input']);
    return json['error'].message as string;
  }

  describe('the store', () => {
    test('has the Actors that come with the server, without a token', async () => {
      const { items, total } = await list('username=apify');
      assert.deepEqual(items.map(({ name, username }: Json) => `${username}/${name}`).sort(), [
        'apify/hello-world',
        'apify/web-crawler',
      ]);
      assert.equal(total, 2);
    });

    test('shows an Actor with every field of the record', async () => {
      const actor = await createActor(
        'complete',
        { title: 'Complete', description: 'Has everything', categories: ['TOOLS', 'NEWS'] },
        ada,
      );
      const { items } = await list('search=complete');
      assert.equal(items.length, 1);
      assert.deepEqual(items[0], {
        id: actor['id'],
        title: 'Complete',
        name: 'complete',
        username: 'ada',
        userFullName: 'Ada Lovelace',
        description: 'Has everything',
        categories: ['NEWS', 'TOOLS'],
        notice: 'NONE',
        pictureUrl: null,
        userPictureUrl: null,
        url: `${server.url}/v2/actors/ada~complete`,
        stats: {
          totalBuilds: 0,
          totalRuns: 0,
          totalMetamorphs: 0,
          totalUsers: 0,
          totalUsers7Days: 0,
          totalUsers30Days: 0,
          totalUsers90Days: 0,
        },
        currentPricingInfo: { pricingModel: 'FREE' },
        isWhiteListedForAgenticPayments: false,
        actorReviewCount: 0,
        actorReviewRating: 0,
        bookmarkCount: 0,
        badge: null,
      });
      // The link leads to the Actor.
      const linked = await server.call(items[0].url.slice(server.url.length));
      assert.equal(linked.json['data'].id, actor['id']);
    });

    test('has what is public now, and nothing else', async () => {
      const actor = await createActor('secretive', { isPublic: false });
      assert.deepEqual(await names('search=secretive'), []);
      await change(actor['id'], { isPublic: true });
      assert.deepEqual(await names('search=secretive'), ['secretive']);
      await change(actor['id'], { name: 'talkative', title: 'Chatter' });
      assert.deepEqual(await names('search=secretive'), []);
      assert.deepEqual(await names('search=chatter'), ['talkative']);
      await change(actor['id'], { isPublic: false });
      assert.deepEqual(await names('search=chatter'), []);
      await change(actor['id'], { isPublic: true });
      await server.call(`/v2/actors/${actor['id']}`, { method: 'DELETE' });
      assert.deepEqual(await names('search=chatter'), []);
    });

    test('is paged', async () => {
      for (let index = 0; index < 5; index += 1) await createActor(`paged-${index}`);
      const all = await list('search=paged&sortBy=newest');
      assert.deepEqual([all['total'], all['count'], all['limit'], all['offset']], [5, 5, 1000, 0]);
      const page = await list('search=paged&sortBy=newest&offset=1&limit=2');
      assert.deepEqual(
        [page['total'], page['count'], page['items'].map(({ name }: Json) => name)],
        [5, 2, ['paged-3', 'paged-2']],
      );
      assert.deepEqual((await list('search=paged&offset=9'))['items'], []);
      assert.equal((await list('limit=5000'))['limit'], 1000);
      const { total } = await list('');
      const whole = [...(await names('limit=4')), ...(await names('offset=4'))];
      assert.equal(new Set(whole).size, total);
    });
  });

  describe('a search', () => {
    test('finds words and their beginnings in name, title, description, username and README', async () => {
      const actor = await createActor('wordy', { title: 'Größe messen', description: 'Finds zebras.' }, ada);
      await giveBuild(server, actor as unknown as Actor, {
        tag: 'latest',
        readme: '# Wordy\n\nKnows **quokkas** well.\n',
      });
      await server.call(`/v2/actors/${actor['id']}`, { method: 'PUT', body: { seoTitle: 'x' }, token: ada });
      for (const text of ['wordy', 'WORDY', 'größ', 'zebra', 'quokka', 'ada wordy', 'messen zebras'])
        assert.ok((await names(`search=${encodeURIComponent(text)}`)).includes('wordy'), text);
      for (const text of ['ordy', 'wordy unheard', 'zebrass'])
        assert.ok(!(await names(`search=${encodeURIComponent(text)}`)).includes('wordy'), text);
      const { items } = await list('search=quokkas');
      assert.equal(items[0].readmeSummary, 'Knows quokkas well.');
    });

    test('ranks names before titles before the rest', async () => {
      await createActor('other-one', { description: 'rankable' });
      await createActor('other-two', { title: 'Rankable' });
      await createActor('rankable-more');
      assert.deepEqual(await names('search=rankable'), ['rankable-more', 'other-two', 'other-one']);
      assert.deepEqual(await names('search=rankable&sortBy=newest'), [
        'rankable-more',
        'other-two',
        'other-one',
      ]);
    });

    test('takes any text as text', async () => {
      await createActor('hostile');
      for (const text of [
        '%',
        '_',
        '"',
        "'",
        '*',
        'hostile" OR "',
        "hostile' | '",
        'a:* & !b',
        'NEAR(hostile, 1)',
        '\\',
        '-- ;',
        '^hostile',
        'hostile\u0001',
        '𝔥ostile',
        'ﬁ',
      ]) {
        const { status } = await server.call(`/v2/store?search=${encodeURIComponent(text)}`, { token: null });
        assert.equal(status, 200, text);
      }
      assert.deepEqual(await names(`search=${encodeURIComponent('"hostile"*')}`), ['hostile']);
      assert.deepEqual(await names(`search=${encodeURIComponent('!!!')}`), []);
      // A search for nothing is no search.
      assert.ok((await names('search=%20')).includes('hostile'));
    });

    test('is not broken by an Actor with very long words', async () => {
      const long = 'x'.repeat(9000);
      await createActor('long-words', { description: `${long} ${'é'.repeat(900)}` });
      assert.deepEqual(await names(`search=${'x'.repeat(900)}`), ['long-words']);
      const [item] = (await list('search=long'))['items'] as Json[];
      assert.equal(item!['description'].length, 1000);
    });

    test('looks at a thousand Actors at most', async () => {
      const { db } = server.app.kernel;
      const source = await createActor('numerous-0');
      const row = await db
        .selectFrom('actors')
        .selectAll()
        .where('id', '=', source['id'])
        .executeTakeFirstOrThrow();
      const rows = Array.from({ length: 1200 }, (_, index) => {
        const id = `f${index.toString(16).padStart(23, '0')}`;
        return { ...row, id, name: `numerous-${index + 1}`, total_runs: index };
      });
      for (let start = 0; start < rows.length; start += 300) {
        const some = rows.slice(start, start + 300);
        await db.insertInto('actors').values(some).execute();
        const entries = some.map(({ id }) => ({ actor_id: id, words: 'numerous', summary: null }));
        await db.insertInto('store_actors').values(entries).execute();
      }
      const found = await list('search=numerous&limit=3&sortBy=popularity');
      assert.equal(found['total'], 1000);
      assert.deepEqual(
        found['items'].map(({ name }: Json) => name),
        ['numerous-1200', 'numerous-1199', 'numerous-1198'],
      );
      assert.deepEqual(await names('limit=2&sortBy=popularity'), ['numerous-1200', 'numerous-1199']);
      await db.deleteFrom('actors').where('name', 'like', 'numerous-%').execute();
    });
  });

  describe('filters and orders', () => {
    test('by category and username, alone and together', async () => {
      await createActor('mine', { categories: ['FILTERED', 'OTHER'] });
      await createActor('hers', { categories: ['FILTERED'] }, ada);
      assert.deepEqual((await names('category=FILTERED')).sort(), ['hers', 'mine']);
      assert.deepEqual(await names('category=FILTERED&username=ada'), ['hers']);
      assert.deepEqual(await names('category=FILTERED&search=mine'), ['mine']);
      assert.deepEqual(await names('category=NONE'), []);
      assert.deepEqual(await names('username=nobody'), []);
      assert.ok((await names('category=&username=&search=')).includes('hers'));
    });

    test('by pricing model: all are free', async () => {
      assert.ok((await names('pricingModel=FREE')).length > 0);
      assert.deepEqual(await names('pricingModel=PAY_PER_EVENT'), []);
    });

    test('by popularity, age and last change', async () => {
      const [one, two] = [await createActor('sorted-one'), await createActor('sorted-two')];
      const { db } = server.app.kernel;
      await db.updateTable('actors').set({ total_runs: 7 }).where('id', '=', one['id']).execute();
      server.clock.ahead += 1000;
      await change(one['id'], { title: 'Sorted' });
      assert.deepEqual(await names('search=sorted&sortBy=popularity'), ['sorted-one', 'sorted-two']);
      assert.deepEqual(await names('search=sorted&sortBy=newest'), ['sorted-two', 'sorted-one']);
      assert.deepEqual(await names('search=sorted&sortBy=lastUpdate'), ['sorted-one', 'sorted-two']);
      for (const sortBy of ['popularity', 'newest', 'lastUpdate', 'relevance']) {
        const all = await names(`sortBy=${sortBy}`);
        assert.ok(all.includes('sorted-one') && all.includes(two['name']), sortBy);
      }
      assert.equal((await names('sortBy=popularity'))[0], 'sorted-one');
      assert.equal((await names('sortBy=lastUpdate'))[0], 'sorted-one');
    });

    test('parameters of newer clients are accepted', async () => {
      const { total } = await list('');
      const query = 'includeUnrunnableActors=true&allowsAgenticUsers=true&responseFormat=full&unheardOf=1';
      assert.equal((await list(query))['total'], total);
    });

    test('bad parameters are refused with what to do', async () => {
      assert.match(await expectInvalid('limit=many'), /limit/);
      assert.match(await expectInvalid('offset=-1'), /offset/);
      assert.match(await expectInvalid('sortBy=price'), /sortBy/);
      assert.match(await expectInvalid('pricingModel=CHEAP'), /pricingModel/);
      assert.match(await expectInvalid(`search=${'a'.repeat(1001)}`), /search/);
      assert.match(await expectInvalid('username=nobody%00'), /username/);
      assert.match(await expectInvalid('includeUnrunnableActors=perhaps'), /includeUnrunnableActors/);
      const wrong = await server.call('/v2/store', { token: 'api-wrong' });
      assert.deepEqual([wrong.status, wrong.json['error'].type], [401, 'invalid-token']);
      const post = await server.call('/v2/store', { method: 'POST', body: {} });
      assert.deepEqual([post.status, post.json['error'].type], [405, 'method-not-allowed']);
    });
  });

  test('the Actors of a deleted service token stay in the store, under the name of their new owner', async () => {
    const made = await server.call('/api/v2/tokens', {
      method: 'POST',
      body: { name: 'Robot', role: 'writer', serviceToken: true },
    });
    const { token, _id: id } = made.json as { token: string; _id: string };
    await createActor('inherited', {}, token);
    assert.deepEqual((await list('search=inherited'))['items'][0].username, 'robot.bot');
    assert.equal((await server.call(`/api/v2/tokens/${id}`, { method: 'DELETE' })).status, 204);
    const { items } = await list('search=inherited');
    assert.deepEqual([items.length, items[0].username, items[0].userFullName], [1, 'admin', null]);
    assert.deepEqual(await names('search=robot%20inherited'), []);
    assert.deepEqual(await names('search=admin%20inherited'), ['inherited']);
  });
});
