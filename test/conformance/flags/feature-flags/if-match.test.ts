// The header If-Match on patches of flags and segments: who patches a version that is no longer the present one changes nothing.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { onEachEngine } from '../../../engines.ts';
import type { Answer, Json, TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';
import { assertRefused, SEMANTIC } from './feature-flag-calls.ts';

onEachEngine((engine) => {
  let server: TestServer;
  let number = 0;

  const call = (path: string, init = {}) => server.call(`/api/v2/${path}`, init);

  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    await call('projects', { method: 'POST', body: { key: 'shop', name: 'Shop' } });
  });
  after(() => server.stop());

  interface Versioned {
    at: string;
    version: number;
  }

  async function make(list: string): Promise<Versioned> {
    number += 1;
    const key = `thing-${number}`;
    const made = await call(list, { method: 'POST', body: { key, name: key } });
    assert.equal(made.status, 201, made.text);
    return { at: `${list}/${key}`, version: made.json['version'] as number };
  }

  const patch = (at: string, match: string, body: unknown, headers = {}): Promise<Answer> =>
    call(at, { method: 'PATCH', headers: { 'if-match': match, ...headers }, body });

  const bodies: [name: string, body: (name: string) => unknown, headers: Record<string, string>][] = [
    ['a JSON patch', (value) => [{ op: 'replace', path: '/name', value }], {}],
    ['a merge patch', (name) => ({ name }), {}],
    ['a semantic patch', (value) => ({ instructions: [{ kind: 'updateName', value }] }), SEMANTIC],
  ];

  for (const [kind, list] of [
    ['flag', 'flags/shop'],
    ['segment', 'segments/shop/test'],
  ] as const) {
    for (const [name, bodyOf, headers] of bodies) {
      test(`${name} of a ${kind} changes the version that it names, and no other`, async () => {
        const { at, version } = await make(list);
        const good = await patch(at, `"${version}"`, bodyOf('Second'), headers);
        assert.equal(good.status, 200, good.text);
        assert.equal(good.json['version'], version + 1);
        const late = await patch(at, `"${version}"`, bodyOf('Third'), headers);
        assertRefused(late, 409, 'optimistic_locking_error', new RegExp(`version ${version + 1} now`));
        const { name: kept, version: now } = (await call(at)).json;
        assert.deepEqual([kept, now], ['Second', version + 1]);
      });
    }

    test(`the error of a ${kind} is that of a JSON patch whose test fails`, async () => {
      const { at } = await make(list);
      const tested = await patch(at, '*', [{ op: 'test', path: '/version', value: 7 }]);
      const matched = await patch(at, '"7"', [{ op: 'replace', path: '/name', value: 'x' }]);
      const of = ({ status, json }: Answer) => [status, json['code']];
      assert.deepEqual(of(matched), of(tested));
    });

    test(`a ${kind} takes weak versions, lists of them and *`, async () => {
      const { at, version } = await make(list);
      let now = version;
      for (const tag of [`W/"${now}"`, `"${now + 1}"`, ` "${now + 2}" `, `"99", W/"${now + 3}"`, '*']) {
        const { status, text } = await patch(at, tag, { name: `Name ${now}` });
        assert.equal(status, 200, `${tag}: ${text}`);
        now += 1;
      }
      assert.equal((await call(at)).json['version'], now);
    });

    test(`a malformed If-Match of a ${kind} is 400 and says what is right`, async () => {
      const { at, version } = await make(list);
      const long = `"${'9'.repeat(400)}"`;
      for (const tag of [
        '1',
        '""',
        '"one"',
        '"1" "2"',
        '"-1"',
        '"1.0"',
        '"01"',
        'w/"1"',
        '"1",',
        '*, "1"',
        long,
      ])
        assertRefused(await patch(at, tag, { name: 'x' }), 400, 'invalid_request', /If-Match/);
      assert.equal((await call(at)).json['version'], version);
    });

    test(`of ten patches of one version of a ${kind}, one is made`, async () => {
      const { at, version } = await make(list);
      const names = Array.from({ length: 10 }, (_, index) => `Name ${index}`);
      const answers = await Promise.all(names.map((name) => patch(at, `"${version}"`, { name })));
      const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
      assert.deepEqual(statuses, [200, ...Array<number>(9).fill(409)]);
      assert.equal((await call(at)).json['version'], version + 1);
    });

    test(`a dry run of a patch of a ${kind} says so too`, async () => {
      const { at, version } = await make(list);
      const late = await patch(`${at}?dryRun=true`, `"${version + 1}"`, { name: 'x' });
      assertRefused(late, 409, 'optimistic_locking_error');
    });
  }

  test('a patch that could not be applied to the present version is 409 first', async () => {
    const { at, version } = await make('flags/shop');
    const instruction = { kind: 'updateRuleDescription', ruleId: 'gone', description: '' };
    const body = { environmentKey: 'test', instructions: [instruction] };
    assert.notEqual((await patch(at, `"${version}"`, body, SEMANTIC)).status, 409);
    assertRefused(await patch(at, `"${version + 5}"`, body, SEMANTIC), 409, 'optimistic_locking_error');
  });

  test('who may not see the project does not learn the version', async () => {
    const { at } = await make('flags/shop');
    const headers = { 'if-match': '"77"' };
    const none = await call(at, { method: 'PATCH', token: 'api-nobody', headers, body: { name: 'x' } });
    assert.equal(none.status, 401, none.text);
    assert.doesNotMatch(none.text, /version/);
  });

  test('the description has the header', async () => {
    const { json } = await call('openapi.json');
    for (const path of [
      'flags/{projectKey}/{featureFlagKey}',
      'segments/{projectKey}/{environmentKey}/{segmentKey}',
    ]) {
      const operation = (json['paths'] as Json)[`/api/v2/${path}`] ?? (json['paths'] as Json)[`/${path}`];
      const named = (operation.patch.parameters as Json[]).find(({ name }) => name === 'If-Match');
      assert.deepEqual([named?.['in'], named?.['required']], ['header', false]);
    }
  });
});
