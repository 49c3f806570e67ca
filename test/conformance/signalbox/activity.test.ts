// The activity of all APIs over the Signalbox API: what is in it, how it is searched, and who sees what.
import assert from 'node:assert/strict';
import { before, after, test } from 'node:test';
import { onEachEngine } from '../../engines.ts';
import { giveToken, join } from '../../people.ts';
import { startServerOn } from '../../suites.ts';
import type { Json, TestServer } from '../../server.ts';

const BASE = '/signalbox/v1/activity';

onEachEngine((engine) => {
  let server: TestServer;
  const list = async (query = '', token?: string): Promise<Json[]> => {
    const { status, json, text } = await server.call(`${BASE}${query}`, token === undefined ? {} : { token });
    assert.equal(status, 200, text);
    return json['items'] as Json[];
  };

  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    const make = async (path: string, body: object) => {
      const { status, text } = await server.call(path, { method: 'POST', body });
      assert.equal(status, 201, text);
    };
    await make('/api/v2/projects', { key: 'shop', name: 'Shop' });
    await make('/api/v2/flags/shop', { key: 'dark', name: 'Dark mode' });
    await make('/v2/acts', { name: 'crawler' });
    await make('/user/repos', { name: 'site' });
    await make('/api/v2/tokens', { name: 'laptop', role: 'reader' });
  });
  after(() => server.stop());

  test('changes of every API are in one list, newest first, and can be had by product', async () => {
    const all = await list('?limit=100');
    assert.deepEqual([...new Set(all.map(({ product }) => product as string))].toSorted(), [
      'account',
      'actors',
      'code',
      'flags',
    ]);
    assert.deepEqual(
      all.map(({ at }) => at as number),
      all.map(({ at }) => at as number).toSorted((a, b) => b - a),
    );
    const [flag] = await list('?product=flags&q=dark');
    assert.equal(flag!['name'], 'Dark mode');
    assert.equal(flag!['verb'], 'created the flag');
    assert.equal(flag!['member'].email, 'admin@signalbox.example');
    for (const product of ['actors', 'code', 'account'])
      for (const entry of await list(`?product=${product}`)) assert.equal(entry['product'], product);
  });

  test('pages follow each other without repeating or leaving out a change', async () => {
    const all = (await list('?limit=100')).map(({ id }) => id as string);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const { json } = await server.call(`${BASE}?limit=2${cursor === undefined ? '' : `&cursor=${cursor}`}`);
      seen.push(...(json['items'] as Json[]).map(({ id }) => id as string));
      cursor = json['next'] as string | undefined;
    } while (cursor !== undefined);
    assert.deepEqual(seen, all);
  });

  test('one change has the resource before and after', async () => {
    const patched = await server.call('/api/v2/projects/shop', {
      method: 'PATCH',
      body: [{ op: 'replace', path: '/name', value: 'Store' }],
    });
    assert.equal(patched.status, 200, patched.text);
    const [change] = await list('?resource=proj/shop&limit=1');
    const { json } = await server.call(`${BASE}/${change!['id']}`);
    assert.equal(json['before'].name, 'Shop');
    assert.equal(json['after'].name, 'Store');
  });

  test('filters join: by member, token, action, time and resource', async () => {
    const { value, id } = await giveToken(server, await join(server, 'ann', { role: 'writer' }), {
      role: 'writer',
    });
    const made = await server.call('/api/v2/flags/shop', {
      method: 'POST',
      token: value,
      body: { key: 'beta', name: 'Beta' },
    });
    assert.equal(made.status, 201, made.text);
    const [own] = await list(`?token=${id}`);
    assert.equal(own!['name'], 'Beta');
    assert.equal(own!['token'].ending, value.slice(-4));
    assert.equal((await list(`?member=${own!['member'].id}`)).length, 1);
    assert.equal((await list(`?token=${id}&action=deleteFlag`)).length, 0);
    assert.equal((await list(`?token=${id}&before=${own!['at']}`)).length, 0);
    assert.equal((await list(`?token=${id}&after=${(own!['at'] as number) - 1}`)).length, 1);
    assert.equal((await list('?resource=proj/shopping')).length, 0);
    assert.equal((await list('?resource=proj/sho')).length, 0);
    const below = (await list('?resource=proj/shop&limit=100')).map(({ kind }) => kind as string);
    assert.ok(below.includes('project') && below.includes('flag'), below.join());
  });

  test('what belongs to another account is not there for others, in the list or by its id', async () => {
    const { value } = await giveToken(server, await join(server, 'rob'), { role: 'reader' });
    const [repository] = await list('?product=code&q=site');
    assert.ok(repository !== undefined);
    assert.deepEqual(await list('?product=code', value), []);
    assert.equal((await server.call(`${BASE}/${repository['id']}`, { token: value })).status, 404);
    assert.ok((await list('?product=flags', value)).length > 0);
  });

  test('wrong filters and unknown ids say so', async () => {
    for (const query of [
      '?product=x',
      '?before=x',
      '?cursor=nothing',
      '?limit=-1',
      '?resource=proj/*',

      `?q=${'x'.repeat(1001)}`,
    ]) {
      const { status, json } = await server.call(BASE + query);
      assert.equal(status, 422, query);
      assert.ok(json['errors'].length > 0, query);
    }
    assert.equal((await server.call(`${BASE}/nothing`)).status, 404);
    assert.equal((await server.call(BASE, { token: null })).status, 401);
  });
});
