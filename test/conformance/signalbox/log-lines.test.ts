// Lines of logs over the Signalbox API: pages, levels, searches, what is left out of long logs, and who may read.
import assert from 'node:assert/strict';
import { appendFile } from 'node:fs/promises';
import { join as joinPath } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { openLogWriter, type LogWriter } from '../../../src/actors/logs/log-writer.ts';
import { findLog } from '../../../src/actors/logs/store.ts';
import { unpackLog } from '../../../src/actors/logs/stored-log.ts';
import type { Kernel } from '../../../src/kernel/kernel.ts';
import { onEachEngine } from '../../engines.ts';
import { eventually } from '../../eventually.ts';
import { giveToken, join } from '../../people.ts';
import { insertBuildRow, insertRunRow } from '../../run-rows.ts';
import type { Answer, Json, TestServer } from '../../server.ts';
import { startServerOn } from '../../suites.ts';
import { giveActor } from '../actors/runs/run-rows.ts';

const BASE = '/signalbox/v1';

onEachEngine((engine) => {
  let server: TestServer;
  let kernel: Kernel;
  let userId: string;
  let outsider: string;

  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    ({ kernel } = server.app);
    userId = (await server.call('/v2/users/me')).json['data'].id as string;
    outsider = (await giveToken(server, await join(server, 'olga'), { role: 'writer' })).value;
  });
  after(() => server.stop());

  const call = (id: string, query = '', token?: string): Promise<Answer> =>
    server.call(`${BASE}/runs/${id}/log-lines${query}`, token === undefined ? {} : { token });
  const read = async (id: string, query = ''): Promise<Json> => {
    const { status, json, text } = await call(id, query);
    assert.equal(status, 200, text);
    return json;
  };
  const numbers = ({ lines }: Json) => (lines as Json[]).map(({ number }) => number as number);
  const texts = ({ lines }: Json) => (lines as Json[]).map(({ text }) => text as string);

  const openWriter = (id: string): Promise<LogWriter> =>
    openLogWriter(kernel, { id, folder: joinPath(kernel.settings.execution.work, id) });

  /** A run whose log has these lines, and is still open. */
  async function print(content: string): Promise<{ id: string; writer: LogWriter }> {
    const id = await insertRunRow(kernel, { userId });
    const writer = await openWriter(id);
    await appendFile(writer.file, content);
    return { id, writer };
  }

  async function printed(content: string): Promise<string> {
    const { id, writer } = await print(content);
    await writer.end();
    return id;
  }

  const counted = (from: number, to: number, pad = '') =>
    Array.from({ length: to - from + 1 }, (_, at) => `line ${from + at}${pad}\n`).join('');

  test('a log that grows is read in pages, and followed by its numbers until it is complete', async () => {
    const { id, writer } = await print(counted(1, 2500));
    await eventually(async () => (await read(id)).total === 2500);
    const first = await read(id);
    assert.deepEqual(
      { ...first, lines: (first['lines'] as Json[]).slice(0, 1) },
      {
        first: 1,
        next: 1000,
        total: 2500,
        isComplete: false,
        omitted: 0,
        lines: [{ number: 1, at: (first['lines'] as Json[])[0]!['at'], text: 'line 1' }],
      },
    );
    assert.equal(typeof (first['lines'] as Json[])[0]!['at'], 'number');
    const page = await read(id, '?from=2000&to=2003');
    assert.deepEqual(texts(page), ['line 2000', 'line 2001', 'line 2002', 'line 2003']);
    assert.equal(page['next'], 2003);
    assert.deepEqual(texts(await read(id, '?tail=2')), ['line 2499', 'line 2500']);
    const atEnd = await read(id, '?after=2500');
    assert.deepEqual([atEnd['first'], atEnd['next'], atEnd['lines']], [2501, 2500, []]);
    assert.equal(((await read(id, '?from=1&to=99999'))['lines'] as Json[]).length, 2000);
    writer.write('line 2501');
    await writer.end();
    const rest = await read(id, `?after=${String(atEnd['next'])}`);
    assert.deepEqual([texts(rest), rest['isComplete'], rest['total']], [['line 2501'], true, 2501]);
    assert.deepEqual(texts(await read(id, '?from=2000&to=2003')), texts(page), 'also from its blob');
    assert.deepEqual(numbers(await read(id, '?tail=3')), [2499, 2500, 2501]);
  });

  test('levels are those that crawlers print, stack traces belong to their lines, and escape sequences stay', async () => {
    const id = await printed(
      [
        'INFO  CheerioCrawler: Starting',
        '\u001B[31mERROR\u001B[39m Request failed',
        '    at crawl (main.js:1:2)',
        'no level',
        '  indented',
        '[apify.crawler] WARNING slow',
        'DEBUG x',
        'INFORMATION is no level',
        '',
      ].join('\n'),
    );
    const all = await read(id);
    assert.deepEqual(
      (all['lines'] as Json[]).map(({ level }) => level as string | undefined),
      ['INFO', 'ERROR', 'ERROR', undefined, undefined, 'WARN', 'DEBUG', undefined],
    );
    assert.equal(texts(all)[1], '\u001B[31mERROR\u001B[39m Request failed');
    const some = await read(id, '?level=error,warn&q=R');
    assert.deepEqual(numbers(some), [2, 3, 6]);
    assert.deepEqual([some['next'], some['total']], [8, 8]);
    assert.deepEqual(some['matches'], { total: 3, numbers: [2, 3, 6], through: 8 });
    assert.deepEqual(numbers(await read(id, '?level=ERROR&tail=1')), [3]);
    assert.deepEqual(numbers(await read(id, '?level=INFO&after=1')), []);
  });

  test('a search finds plain text in the whole log, without regard to case, times and escape sequences', async () => {
    const id = await printed(`${counted(1, 6000)}Gr\u001B[1mÜ\u001B[0msse (a.c)\nabc\n`);
    const search = async (text: string) =>
      (await read(id, `?tail=1&q=${encodeURIComponent(text)}`))['matches'];
    assert.deepEqual(await search('grüsse'), { total: 1, numbers: [6001], through: 6002 });
    assert.deepEqual(await search('(a.c)'), { total: 1, numbers: [6001], through: 6002 });
    assert.deepEqual(await search('T00:'), { total: 0, numbers: [], through: 6002 });
    const many = (await search('LINE ')) as Json;
    assert.equal(many['total'], 6000);
    assert.deepEqual((many['numbers'] as number[]).slice(-1), [5000]);
  });

  test('lines keep their numbers when the middle of a long log is left out, in chunks, in its blob and when it goes on', async () => {
    const LINES = 22_000;
    const pad = ' '.repeat(600);
    const { id, writer } = await print(counted(1, LINES, pad));
    await eventually(async () => (await read(id, '?tail=1'))['next'] === LINES);
    const check = async () => {
      const tail = await read(id, '?tail=500');
      assert.equal(tail['total'], LINES);
      for (const { number, text } of tail['lines'] as Json[]) assert.equal(text, `line ${number}${pad}`);
      const gap = tail['gap'] as Json;
      const { first, last } = gap as unknown as { first: number; last: number };
      assert.equal(tail['omitted'], last - first + 1);
      const around = await read(id, `?from=${first - 2}&to=${last + 2}`);
      assert.deepEqual(numbers(around), [first - 2, first - 1, last + 1, last + 2]);
      for (const { number, text } of around['lines'] as Json[]) assert.equal(text, `line ${number}${pad}`);
      const inside = await read(id, `?from=${first + 5}&to=${first + 6}`);
      assert.deepEqual([numbers(inside), inside['next']], [[], first + 6]);
      const found = await read(id, `?tail=1&q=line ${LINES - 1}`);
      assert.deepEqual((found['matches'] as Json)['numbers'], [LINES - 1]);
      return gap;
    };
    const gap = await check();
    await writer.end();
    assert.ok((await findLog(kernel.db, id))!.blob);
    assert.deepEqual(await check(), gap);
    await unpackLog(kernel, id);
    assert.deepEqual(await check(), gap);
    const again = await openWriter(id);
    again.write('one more');
    await again.end();
    const last = await read(id, '?tail=1');
    assert.deepEqual([numbers(last), texts(last)], [[LINES + 1], ['one more']]);
  });

  test('lines that a program printed too fast to store are counted, too', async () => {
    const { id, writer } = await print(counted(1, 20_000, ' '.repeat(600)));
    const rest = counted(20_001, 60_000, ' '.repeat(600));
    await appendFile(writer.file, rest);
    await writer.end();
    const tail = await read(id, '?tail=100');
    assert.equal(tail['total'], 60_000);
    for (const { number, text } of tail['lines'] as Json[])
      assert.equal((text as string).trim(), `line ${number}`);
  });

  test('a page of a long log reads a small part of it', async () => {
    const id = await printed(counted(1, 100_000));
    const { blob } = (await findLog(kernel.db, id))!;
    const ranges: { start: number; end: number }[] = [];
    const { get } = kernel.blobs;
    kernel.blobs.get = (key, range) => {
      if (key === blob!.key) ranges.push(range ?? { start: 0, end: blob!.bytes });
      return get.call(kernel.blobs, key, range);
    };
    try {
      assert.equal(texts(await read(id, '?from=90001&to=90500'))[0], 'line 90001');
      assert.equal(texts(await read(id, '?tail=10'))[0], 'line 99991');
    } finally {
      kernel.blobs.get = get;
    }
    assert.equal(ranges.length, 2);
    const perLine = blob!.bytes / 100_000;
    assert.ok(ranges[0]!.start > 80_000 * perLine, `began at ${ranges[0]!.start} of ${blob!.bytes}`);
    assert.ok(ranges[1]!.start > 90_000 * perLine, `began at ${ranges[1]!.start} of ${blob!.bytes}`);
  });

  test('a log of an older release is counted when it is read, and its index is saved', async () => {
    const { id, writer } = await print(counted(1, 5000));
    const forget = async () => {
      await kernel.db
        .updateTable('logs')
        .set({ total_lines: null, line_index: null })
        .where('id', '=', id)
        .execute();
      await kernel.db.updateTable('log_chunks').set({ first_line: null }).where('log_id', '=', id).execute();
    };
    await eventually(async () => (await read(id)).total === 5000);
    await forget();
    assert.deepEqual(texts(await read(id, '?tail=2')), ['line 4999', 'line 5000']);
    writer.write('line 5001');
    await writer.end();
    assert.deepEqual(texts(await read(id, '?tail=1')), ['line 5001']);
    await forget();
    assert.deepEqual(texts(await read(id, '?from=4000&to=4000')), ['line 4000']);
    assert.equal((await findLog(kernel.db, id))!.totalLines, 5001);
    assert.equal((await read(id))['total'], 5001);
  });

  test('a page of very long lines ends early and says where to go on', async () => {
    const id = await printed(`${'x'.repeat(30_000)}\n`.repeat(200));
    const page = await read(id);
    const count = numbers(page).length;
    assert.ok(count > 60 && count < 80, String(count));
    assert.equal(page['next'], count);
    const tail = await read(id, '?tail=200');
    assert.equal(numbers(tail).at(-1), 200);
    assert.ok(numbers(tail).length < 80);
  });

  test('an empty log has no lines', async () => {
    const { id, writer } = await print('');
    const none = { first: 1, next: 0, total: 0, omitted: 0, lines: [] };
    assert.deepEqual(await read(id), { ...none, isComplete: false });
    await writer.end();
    assert.deepEqual(await read(id, '?tail=5'), { ...none, isComplete: true });
  });

  test('queries that make no sense are refused with the field', async () => {
    const id = await printed('a\n');
    for (const [query, field] of [
      ['?from=0', 'from'],
      ['?from=x', 'from'],
      ['?tail=2001', 'tail'],
      ['?tail=1&from=1', 'tail'],
      ['?from=1&after=1', 'after'],
      ['?from=3&to=2', 'to'],
      ['?level=LOUD', 'level'],
      [`?q=${'x'.repeat(201)}`, 'q'],
      ['?q=', 'q'],
      ['?q=%00', 'q'],
    ] as const) {
      const { status, json, text } = await call(id, query);
      assert.ok(status === 400 || status === 422, `${query}: ${text}`);
      assert.equal(json['errors'][0].field, `query.${field}`, query);
    }
  });

  test('others do not know of the log, and without a credential nobody does', async () => {
    const id = await printed('secret\n');
    assert.equal((await call(id, '', outsider)).status, 404);
    assert.equal((await call('absent', '')).status, 404);
    assert.equal((await call('a%00b', '')).status, 400);
    assert.equal((await server.call(`${BASE}/runs/${id}/log-lines`, { token: null })).status, 401);
  });

  describe('of builds', () => {
    const ofBuild = (id: string, token?: string) =>
      server.call(`${BASE}/builds/${id}/log-lines`, token === undefined ? {} : { token });

    /** With one line in its log, by an Actor with a variable. */
    async function giveBuild(isPublic: boolean, hasPublicLog: boolean): Promise<string> {
      const actor = await giveActor(server, { isPublic });
      const id = await insertBuildRow(kernel, { userId });
      const definition = JSON.stringify({ environmentVariables: { PLACE: 'a hidden place' } });
      await kernel.db
        .updateTable('builds')
        .set({ actor_id: actor.id, definition, has_public_log: Number(hasPublicLog) })
        .where('id', '=', id)
        .execute();
      const writer = await openWriter(id);
      writer.write('built at a hidden place');
      await writer.end();
      return id;
    }

    test('the log of a build is there for its owner, and one of a private Actor for nobody else', async () => {
      const id = await giveBuild(false, true);
      const { status, json } = await ofBuild(id);
      assert.equal(status, 200);
      assert.deepEqual(texts(json), ['built at a hidden place']);
      assert.equal((await ofBuild(id, outsider)).status, 404);
      const runId = await printed('x\n');
      assert.equal((await ofBuild(runId)).status, 404);
      assert.equal((await call(id)).status, 404);
    });

    test('others read the log of a build of a public Actor without the values of its variables', async () => {
      const { status, json } = await ofBuild(await giveBuild(true, true), outsider);
      assert.equal(status, 200);
      assert.deepEqual(texts(json), ['built at ***']);
      assert.equal((await ofBuild(await giveBuild(true, false), outsider)).status, 404);
    });
  });
});
