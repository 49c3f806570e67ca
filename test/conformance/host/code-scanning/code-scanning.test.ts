// Code scanning on a running server, on both engines: uploads, analyses, and alerts that open, close and reopen.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { needsGit } from '../../../../src/host/git/fixture-repository.ts';
import { onEachEngine } from '../../../engines.ts';
import { eventually } from '../../../eventually.ts';
import { joinHost, type HostPerson } from '../../../host-people.ts';
import type { Json, TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';
import {
  alertStates,
  analyze,
  packed,
  resultOf,
  runOf,
  sarifOf,
  uploadBytes,
  uploadPacked,
  type UploadPlace,
} from './scanning-calls.ts';

if (needsGit.skip === false)
  onEachEngine((engine) => {
    let server: TestServer;
    let ada: HostPerson;
    let count = 0;

    before(async () => {
      server = await startServerOn(engine, { limits: 'off' });
      ada = await joinHost(server, 'ada');
    });
    after(() => server.stop());

    async function newPlace(fields: Json = {}): Promise<UploadPlace> {
      const name = `scanned-${(count += 1)}`;
      await ada.repository(name, { auto_init: true, ...fields });
      const { json } = await ada.get(`/repos/ada/${name}/git/ref/heads/main`);
      return { person: ada, at: `/repos/ada/${name}`, sha: json['object'].sha as string };
    }

    const get = async (place: UploadPlace, path: string): Promise<Json> => {
      const { status, text, json } = await place.person.get(`${place.at}/code-scanning${path}`);
      assert.equal(status, 200, text);
      return json;
    };
    const list = async (place: UploadPlace, path: string) => (await get(place, path)) as unknown as Json[];

    test('an upload becomes an analysis and alerts', async () => {
      const place = await newPlace();
      const id = await analyze(place, [
        { hash: 'one' },
        { hash: 'two', path: 'src/b.js', line: 7, level: 'error' },
      ]);
      const [analysis] = await list(place, `/analyses?sarif_id=${id}`);
      assert.equal(analysis!['tool'].name, 'Linter');
      assert.equal(analysis!['results_count'], 2);
      assert.equal(analysis!['deletable'], true);
      assert.deepEqual(await get(place, `/analyses/${analysis!['id']}`), analysis);
      const alerts = await list(place, '/alerts');
      assert.equal(alerts.length, 2);
      const alert = await get(place, '/alerts/1');
      assert.equal('help' in alert['rule'], true);
      assert.equal('help' in alerts[0]!['rule'], false);
      assert.equal(alert['state'], 'open');
      assert.equal(alert['rule'].security_severity_level, 'high');
      assert.equal(alert['most_recent_instance'].location.path, 'src/b.js');
      assert.equal(alert['most_recent_instance'].commit_sha, place.sha);
      const [instance] = await list(place, '/alerts/1/instances');
      assert.equal(instance!['ref'], 'refs/heads/main');
      assert.equal(instance!['state'], 'open');
    });

    test('H13 the SARIF document of an analysis has its own content type, and another in the old version', async () => {
      const place = await newPlace();
      await analyze(place, [{ hash: 'one' }, { hash: 'two', path: 'b.js' }]);
      const [analysis] = await list(place, '/analyses');
      const path = `${place.at}/code-scanning/analyses/${analysis!['id']}`;
      const ask = (accept: string, version: string) =>
        ada.call(path, { headers: { accept, 'x-github-api-version': version } });
      const [old, now] = [
        await ask('application/sarif+json', '2022-11-28'),
        await ask('application/sarif+json', '2026-03-10'),
      ];
      assert.equal(old.headers.get('content-type'), 'application/json+sarif; charset=utf-8');
      assert.equal(now.headers.get('content-type'), 'application/sarif+json; charset=utf-8');
      assert.ok(old.headers.get('deprecation') !== null && now.headers.get('deprecation') === null);
      assert.equal(old.text, now.text);
      assert.equal(now.json['version'], '2.1.0');
      const [result] = now.json['runs'][0].results as Json[];
      assert.equal(result!['properties']['github/alertNumber'], 1);
      assert.ok(result!['properties']['github/alertUrl'].endsWith(`${place.at}/code-scanning/alerts/1`));
      assert.equal((await ask('application/vnd.github.v3.sarif', '2026-03-10')).text, now.text);
      for (const version of ['2022-11-28', '2026-03-10']) {
        const { headers } = await ask('application/json', version);
        assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
      }
      assert.equal((await ask('application/xml', '2026-03-10')).status, 415);
    });

    test('an alert closes when a later analysis lacks it, reopens when it is back, and stays dismissed', async () => {
      const place = await newPlace();
      const [one, two] = [{ hash: 'one' }, { hash: 'two' }];
      await analyze(place, [one, two]);
      await analyze(place, [two]);
      assert.deepEqual(await alertStates(place), { 1: 'fixed', 2: 'open' });
      assert.ok((await get(place, '/alerts/1'))['fixed_at'] !== null);
      await analyze(place, [{ ...one, path: 'moved.js', line: 9 }]);
      assert.deepEqual(await alertStates(place), { 1: 'open', 2: 'fixed' });
      assert.equal((await get(place, '/alerts/1'))['most_recent_instance'].location.path, 'moved.js');
      const dismissal = { state: 'dismissed', dismissed_reason: "won't fix", dismissed_comment: 'known' };
      const { status, json } = await ada.patch(`${place.at}/code-scanning/alerts/1`, dismissal);
      assert.equal(status, 200);
      assert.equal(json['dismissed_by'].login, 'ada');
      assert.equal(json['dismissed_comment'], 'known');
      await analyze(place, [one, two]);
      assert.deepEqual(await alertStates(place), { 1: 'dismissed', 2: 'open' });
      assert.deepEqual(await alertStates(place, '&state=closed'), { 1: 'dismissed' });
      assert.deepEqual(await alertStates(place, '&state=open'), { 2: 'open' });
      const reopened = await ada.patch(`${place.at}/code-scanning/alerts/1`, { state: 'open' });
      assert.equal(reopened.json['state'], 'open');
      assert.equal(reopened.json['dismissed_at'], null);
      const { entries } = await auditOf();
      assert.ok(entries.some((text) => text.includes('dismissed the code-scanning alert 1')));
    });

    async function auditOf(): Promise<{ entries: string[] }> {
      const rows = await server.app.kernel.db.selectFrom('events').selectAll().execute();
      return { entries: rows.map((row) => JSON.stringify(row)) };
    }

    test('alerts of other refs, categories and tools are apart', async () => {
      const place = await newPlace();
      const topic = { ...place, ref: 'refs/heads/topic' };
      await analyze(place, [{ hash: 'one' }]);
      await analyze(topic, [{ hash: 'one' }, { hash: 'two' }]);
      assert.deepEqual(await alertStates(place), { 1: 'open' });
      assert.deepEqual(await alertStates(place, '&ref=topic'), { 1: 'open', 2: 'open' });
      await analyze(topic, []);
      assert.deepEqual(await alertStates(place), { 1: 'open' });
      assert.deepEqual(await alertStates(place, '&ref=refs/heads/topic'), { 1: 'fixed', 2: 'fixed' });
      // Open while one of its categories has it.
      await analyze(place, [{ hash: 'one' }], { automationDetails: { id: 'other/2' } });
      await analyze(place, []);
      assert.deepEqual(await alertStates(place), { 1: 'open' });
      assert.deepEqual(
        (await list(place, '/alerts/1/instances?ref=main')).map(({ category, state }) => [category, state]),
        [
          ['', 'fixed'],
          ['other', 'open'],
        ],
      );
      const tool = { tool: { driver: { name: 'Other', guid: 'guid-1' } } };
      await analyze(place, [{ hash: 'one' }], tool);
      assert.deepEqual(await alertStates(place, '&tool_name=Other'), { 3: 'open' });
      assert.deepEqual(await alertStates(place, '&tool_guid=guid-1'), { 3: 'open' });
      assert.deepEqual(await alertStates(place, '&severity=high'), { 1: 'open' });
      assert.equal((await list(place, '/analyses?tool_name=Other')).length, 1);
      assert.equal((await list(place, '/analyses?ref=topic')).length, 2);
    });

    test('only the newest analysis of a set can be deleted, and what was before is restored', async () => {
      const place = await newPlace();
      await analyze(place, [{ hash: 'one' }, { hash: 'two' }]);
      await analyze(place, [{ hash: 'two' }, { hash: 'three' }]);
      const [newest, oldest] = await list(place, '/analyses');
      assert.deepEqual([newest!['deletable'], oldest!['deletable']], [true, false]);
      const remove = (id: number, query = '') =>
        ada.delete(`${place.at}/code-scanning/analyses/${id}${query}`);
      const refused = await remove(oldest!['id']);
      assert.deepEqual(
        [refused.status, refused.json['message']],
        [400, 'Analysis specified is not deletable.'],
      );
      const first = await remove(newest!['id']);
      assert.equal(first.status, 200);
      assert.equal(first.json['next_analysis_url'], oldest!['url']);
      assert.equal(first.json['confirm_delete_url'], `${oldest!['url']}?confirm_delete`);
      assert.deepEqual(await alertStates(place), { 1: 'open', 2: 'open' });
      const last = await remove(oldest!['id']);
      assert.equal(last.status, 400);
      assert.match(last.json['message'], /last of its type/);
      const confirmed = await remove(oldest!['id'], '?confirm_delete=true');
      assert.deepEqual(confirmed.json, { next_analysis_url: null, confirm_delete_url: null });
      assert.deepEqual(await alertStates(place), {});
      assert.equal((await remove(oldest!['id'])).status, 404);
      // Numbers are not used again.
      await analyze(place, [{ hash: 'one' }]);
      assert.deepEqual(await alertStates(place), { 4: 'open' });
    });

    test('lists have pages and cursors', async () => {
      const place = await newPlace();
      await analyze(
        place,
        Array.from({ length: 5 }, (_, at) => ({ hash: `h${at}` })),
      );
      const numbers = async (path: string) => {
        const { json, headers } = await ada.get(path);
        const links = headers.get('link') ?? '';
        const linkTo = (rel: string) =>
          new RegExp(`<([^>]+)>; rel="${rel}"`).exec(links)?.[1]?.slice(server.url.length);
        const shown = (json as unknown as Json[]).map(({ number }) => number as number);
        return { shown, next: linkTo('next'), prev: linkTo('prev') };
      };
      const path = `${place.at}/code-scanning/alerts?per_page=2`;
      const second = await numbers(`${path}&page=2`);
      assert.deepEqual(second.shown, [3, 2]);
      for (const sort of ['created', 'updated']) {
        const begin = await numbers(`${path}&sort=${sort}&after=`);
        const middle = await numbers(begin.next!);
        const end = await numbers(middle.next!);
        assert.deepEqual([begin.shown, middle.shown, end.shown], [[5, 4], [3, 2], [1]]);
        assert.equal(end.next, undefined);
        assert.deepEqual((await numbers(end.prev!)).shown, [3, 2]);
      }
      assert.equal((await ada.get(`${path}&after=nonsense`)).status, 422);
    });

    test('the most severe 5,000 results are kept, with a warning', async () => {
      const place = await newPlace();
      const results = Array.from({ length: 5010 }, (_, at) =>
        resultOf({ hash: `h${at}`, level: at >= 5000 ? 'error' : 'note' }),
      );
      const status = await uploadPacked(place, packed(sarifOf([{ ...runOf([]), results }])));
      assert.equal(status['processing_status'], 'complete', JSON.stringify(status));
      const [analysis] = await list(place, '/analyses');
      assert.equal(analysis!['results_count'], 5000);
      assert.match(analysis!['warning'], /Only 5000 of 5010/);
      assert.equal((await list(place, '/alerts?severity=error&per_page=100')).length, 10);
    });

    test('names of any characters fit, up to their limits, and longer ones are refused', async () => {
      const place = await newPlace();
      const letters = (length: number) => {
        const random = Array.from({ length }, (_, at) => 0x4e00 + ((at * 7919 + 104_729) % 20_000));
        return String.fromCodePoint(...random);
      };
      const part = letters(80);
      const ref = `refs/heads/${part}/${part}/${part}/${part}`.slice(0, 330);
      const runWith = (id: string) => ({
        tool: { driver: { name: letters(255) } },
        results: [resultOf({ rule: letters(255), text: letters(300) })],
        automationDetails: { id },
      });
      const there = { ...place, ref };
      const fits = await uploadPacked(there, packed(sarifOf([runWith(`${letters(250)}/1`)])));
      assert.equal(fits['processing_status'], 'complete', JSON.stringify(fits));
      assert.deepEqual(await alertStates(there, `&ref=${encodeURIComponent(ref)}`), { 1: 'open' });
      const long = await uploadPacked(there, packed(sarifOf([runWith(`${letters(255)}/1`)])));
      assert.match(String(long['errors']), /automationDetails.id is too long; the limit is 255/);
    });

    test('a deleted repository takes its analyses and alerts along', async () => {
      const place = await newPlace();
      const { json } = await ada.get(place.at);
      await analyze(place, [{ hash: 'one' }, { hash: 'two' }]);
      assert.equal((await ada.delete(place.at)).status, 204);
      const { db } = server.app.kernel;
      const rowsIn = (table: 'code_scanning_alerts' | 'code_scanning_rules' | 'code_scanning_uploads') =>
        db
          .selectFrom(table)
          .select('repository_number')
          .where('repository_number', '=', json['id'])
          .execute();
      await eventually(async () => (await rowsIn('code_scanning_uploads')).length === 0, 'the deletion');
      assert.deepEqual(await rowsIn('code_scanning_alerts'), []);
      assert.deepEqual(await rowsIn('code_scanning_rules'), []);
    });

    test('uploads of one repository are processed in their order', async () => {
      const place = await newPlace();
      const ids: string[] = [];
      for (const hash of ['one', 'two', 'three'])
        ids.push((await uploadBytes(place, packed(sarifOf([runOf([{ hash }])])))).json['id']);
      await uploadPacked(place, packed(sarifOf([runOf([{ hash: 'four' }])])));
      assert.deepEqual(await alertStates(place), { 1: 'fixed', 2: 'fixed', 3: 'fixed', 4: 'open' });
      assert.deepEqual(
        (await list(place, '/analyses?direction=asc')).slice(0, 3).map((one) => one['sarif_id']),
        ids,
      );
    });
  });
