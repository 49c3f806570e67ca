// Actors and runs in a real browser: the form of an input, a log that is followed, a run that is aborted, resurrected and rerun.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { script } from '../actor-sources.ts';
import { createActor, startRun } from '../actors.ts';
import { eventually, PATIENCE_MS } from '../eventually.ts';
import { joinHost, type HostPerson } from '../host-people.ts';
import { startServer, type Json, type TestServer } from '../server.ts';
import { noBrowser, startBrowser } from './browser.ts';
import { findBarriers, openConsole, WIDTHS } from './console.ts';

const SCHEMA = {
  title: 'Chatter',
  type: 'object',
  schemaVersion: 1,
  properties: {
    lines: {
      title: 'Lines',
      type: 'integer',
      description: 'How many lines it prints',
      default: 3,
      minimum: 1,
      maximum: 5000,
    },
    sleep: { title: 'Sleep', type: 'integer', description: 'Milliseconds at the end', default: 0 },
    words: {
      title: 'Words',
      type: 'array',
      description: 'Printed at the end',
      editor: 'stringList',
      items: { type: 'string' },
    },
    password: {
      title: 'Password',
      type: 'string',
      description: 'Nobody sees it',
      editor: 'textfield',
      isSecret: true,
    },
  },
  required: ['lines', 'words'],
};

const CHATTER = script(
  `
const input = (await getInput()) ?? {};
for (let at = 1; at <= (input.lines ?? 3); at += 1) {
  console.log((at % 10 === 0 ? '\\u001b[33mWARN\\u001b[39m' : '\\u001b[32mINFO\\u001b[39m') + ' line ' + at);
  while (input.waitsAt?.includes(at) && (await getValue('GO-' + at)) === undefined) await sleep(100);
}
await pushData((input.words ?? []).map((word) => ({ word })));
if (input.words?.includes('fail')) {
  console.log('ERROR the words are wrong, says main.js:3');
  process.exit(3);
}
await sleep(input.sleep ?? 0);
`,
  {
    '.actor/actor.json': JSON.stringify({
      actorSpecification: 1,
      name: 'chatter',
      version: '0.1',
      input: SCHEMA,
    }),
  },
);

/** Every editor that input schemas have. */
const EDITORS = {
  line: { title: 'Line', type: 'string', editor: 'textfield' },
  area: { title: 'Area', type: 'string', editor: 'textarea' },
  script: { title: 'Script', type: 'string', editor: 'javascript' },
  snake: { title: 'Snake', type: 'string', editor: 'python' },
  choice: { title: 'Choice', type: 'string', editor: 'select', enum: ['a', 'b'] },
  day: { title: 'Day', type: 'string', editor: 'datepicker' },
  number: { title: 'Number', type: 'integer', editor: 'number' },
  flag: { title: 'Yes or no', type: 'boolean', editor: 'checkbox' },
  words: { title: 'Words', type: 'array', editor: 'stringList', items: { type: 'string' } },
  several: { title: 'Several', type: 'array', editor: 'select', items: { type: 'string', enum: ['x', 'y'] } },
  pairs: { title: 'Pairs', type: 'array', editor: 'keyValue' },
  sites: { title: 'Sites', type: 'array', editor: 'requestListSources' },
  globs: { title: 'Globs', type: 'array', editor: 'globs' },
  object: { title: 'Object', type: 'object', editor: 'json' },
  unseen: { title: 'Unseen', type: 'string', editor: 'hidden', default: 'kept' },
};

const EVERYTHING = script('', {
  '.actor/actor.json': JSON.stringify({
    actorSpecification: 1,
    name: 'everything',
    version: '0.1',
    input: {
      title: 'Everything',
      type: 'object',
      schemaVersion: 1,
      properties: Object.fromEntries(
        Object.entries(EDITORS).map(([name, field]) => [name, { description: field.title, ...field }]),
      ),
    },
  }),
});

const SECRET = 'hunter2-never-again';

describe('Actors in the console', { skip: noBrowser, timeout: 10 * PATIENCE_MS }, () => {
  let server: TestServer;
  let browser: Browser;
  let ada: HostPerson;
  let actorId: string;

  before(async () => {
    server = await startServer({ limits: 'off' });
    ada = await joinHost(server, 'ada', { role: 'owner' });
    const actor = await createActor(server, CHATTER, {
      token: ada.token,
      name: 'chatter',
      fields: { title: 'Chatter' },
    });
    actorId = actor['id'] as string;
    browser = await startBrowser();
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  const start = async (input: Json) =>
    (await startRun(server, actorId, { token: ada.token, input: { words: ['end'], ...input } }))[
      'id'
    ] as string;
  const read = async (path: string) => (await ada.get(`/v2${path}`)).json;
  const statusOf = async (id: string) => (await read(`/actor-runs/${id}`)).data.status as string;
  const shownStatus = (page: Page, word: string) => page.locator('.ph .st', { hasText: word }).waitFor();
  const idOf = (page: Page) => /\/runs\/(\w+)/.exec(page.url())![1]!;

  /** Scrolls through the log and returns the text of every line by its number, and the marks between them. */
  const readLog = async (page: Page) => {
    const found = new Map<number, string>();
    const marks = new Set<string>();
    const list = page.locator('.log__l');
    await page.evaluate("document.querySelector('.log__l').scrollTo(0, 0)");
    for (;;) {
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
      await eventually(async () => (await list.locator('.log__wait').count()) === 0);
      const rows = await page.evaluate<[number, string][]>(
        "[...document.querySelectorAll('.log__l li[id]')].map((row) => [Number(row.id.slice(1)), row.querySelector('.log__x').textContent])",
      );
      for (const [number, text] of rows) found.set(number, text);
      for (const text of await list.locator('.log__gap').allInnerTexts()) marks.add(text);
      const isEnd = await page.evaluate<boolean>(
        "(() => { const list = document.querySelector('.log__l'); const top = list.scrollTop; list.scrollTop += list.clientHeight / 2; return list.scrollTop === top; })()",
      );
      if (isEnd) return { found, marks: [...marks] };
    }
  };

  test('a log follows, pauses when it is scrolled, and misses and doubles nothing when the connection was cut', async () => {
    const id = await start({ lines: 400, waitsAt: [100, 200] });
    const { data } = await read(`/actor-runs/${id}`);
    const goOnFrom = async (line: number) => {
      const path = `/v2/key-value-stores/${data.defaultKeyValueStoreId}/records/GO-${line}`;
      assert.equal((await ada.put(path, {})).status, 201);
    };
    const { page, takeProblems, close } = await openConsole(browser, server, ada.member, `/runs/${id}`);
    const list = page.locator('.log__l');
    await page.getByText('Live, following').waitFor();
    await list.getByText('line 100', { exact: true }).waitFor();
    await goOnFrom(100);
    await list.getByText('line 200', { exact: true }).waitFor();
    await eventually(async () => (await read(`/actor-runs/${id}`)).data.stats.memCurrentBytes > 0);
    assert.equal((await list.locator('.an-green, .lv-warn').count()) > 0, true);
    await list.hover();
    await page.mouse.wheel(0, -400);
    await page.getByText('Live, paused').waitFor();
    const cut = '**/log-lines?*';
    await page.route(cut, (route) => route.abort());
    await page.locator('.log__f').getByText('Reconnecting').waitFor();
    await goOnFrom(200);
    await page.unroute(cut);
    await page.locator('.log__f').getByText('Complete').waitFor();
    const { found, marks } = await readLog(page);
    assert.deepEqual(
      marks.length > 0 && marks.every((text) => /^Reconnected at .*, nothing missed$/.test(text)),
      true,
    );
    const printed = [...found].filter(([, text]) => text.startsWith('line ')).map(([, text]) => text);
    assert.deepEqual(
      printed,
      Array.from({ length: 400 }, (_, index) => `line ${index + 1}`),
    );
    const [number] = [...found].find(([, text]) => text === 'line 120')!;
    await page.goto(`${server.url}/console/runs/${id}#L${number}`);
    const row = page.locator(`#L${number}.is-at`);
    await row.waitFor();
    assert.equal(await row.locator('.log__x').innerText(), 'line 120');
    await eventually(async () => {
      const [box, frame] = [await row.boundingBox(), await list.boundingBox()];
      if (box === null || frame === null) return false;
      return box.y >= frame.y && box.y + box.height <= frame.y + frame.height;
    }, 'the line in the window of the log');
    await page.getByLabel('Search in the log').fill('LINE 39');
    await page.getByText('0 of 11').waitFor();
    await page.getByRole('button', { name: 'Next hit' }).click();
    await page.getByText('1 of 11').waitFor();
    await list.locator('mark.is-cur').waitFor();
    await page.getByLabel('Level').selectOption('WARN,ERROR');
    await page.getByText(/^40 of \d+ lines$/).waitFor();
    assert.deepEqual(takeProblems(), []);
    await close();
  });

  test('a run is aborted, resurrected and rerun with edited input without a reload', async () => {
    const id = await start({ lines: 2, sleep: 600_000 });
    const { page, takeProblems, close } = await openConsole(browser, server, ada.member, `/runs/${id}`);
    await shownStatus(page, 'Running');
    await page.evaluate('window.isSamePage = true');
    await page.getByRole('button', { name: 'Abort…' }).click();
    await page.getByLabel('Now').check();
    await page.getByRole('button', { name: 'Abort now' }).click();
    await shownStatus(page, 'Aborted');
    assert.equal(await statusOf(id), 'ABORTED');
    await page.getByRole('button', { name: 'Resurrect…' }).click();
    await page.getByText('the log, which is continued').waitFor();
    await page.getByRole('button', { name: 'Resurrect the run' }).click();
    await shownStatus(page, 'Running');
    await page.getByRole('link', { name: 'Timeline' }).click();
    await page
      .getByText(/^Resurrected/)
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Rerun…' }).click();
    await page.getByRole('radio', { name: 'JSON' }).click();
    await page.getByLabel('Input as JSON').fill('{ "lines": 7, "words": ["again", "and"');
    await page.getByText('This is no JSON').first().waitFor();
    await page.getByLabel('Input as JSON').fill('{ "lines": 7, "words": ["again", "and again"] }');
    await page.getByRole('button', { name: 'Start the run' }).click();
    await page.waitForURL((url) => /\/runs\/\w+$/.test(url.pathname) && !url.pathname.includes(id));
    const next = idOf(page);
    await shownStatus(page, 'Succeeded');
    const { data } = await read(`/actor-runs/${next}`);
    const input = await read(`/key-value-stores/${data.defaultKeyValueStoreId}/records/INPUT`);
    assert.deepEqual([input.lines, input.words], [7, ['again', 'and again']]);
    await page.getByRole('link', { name: /^Output/ }).click();
    await page.getByText('and again').waitFor();
    assert.equal(await page.evaluate('window.isSamePage'), true);
    await ada.post(`/v2/actor-runs/${id}/abort`);
    assert.deepEqual(takeProblems(), []);
    await close();
  });

  test('a form refuses what the API refuses, field by field, and a secret is nowhere afterwards', async () => {
    const { page, takeProblems, close } = await openConsole(
      browser,
      server,
      ada.member,
      '/actors/ada~chatter',
    );
    const lines = page.getByLabel('Lines', { exact: true });
    assert.equal(await lines.inputValue(), '3');
    await lines.fill('9000');
    const errorOf = (label: string) => page.locator('.fld', { hasText: label }).locator('.err');
    await errorOf('How many lines it prints').getByText('must be <= 5000').waitFor();
    await errorOf('Printed at the end').getByText('is required').waitFor();
    await lines.fill('4');
    await page.getByRole('button', { name: 'Add to Words' }).click();
    await page.getByLabel('Words, row 1').fill('one');
    await eventually(async () => (await page.locator('.err').count()) === 0);
    await page.getByLabel('Password').fill(SECRET);
    await page.getByRole('radio', { name: 'JSON' }).click();
    assert.deepEqual(JSON.parse(await page.getByLabel('Input as JSON').inputValue()).words, ['one']);
    await page.getByText('Secrets are kept and not shown here: password.').waitFor();
    await page.getByRole('radio', { name: 'Form' }).click();
    assert.deepEqual(await findBarriers(page), []);
    await page.getByRole('heading', { level: 1 }).click();
    await page.keyboard.press('r');
    await page.waitForURL(/\/runs\/\w+$/);
    await shownStatus(page, 'Succeeded');
    const shown = async () =>
      await page.evaluate<string>(
        'document.documentElement.outerHTML + location.href + JSON.stringify(localStorage) + [...document.querySelectorAll("input, textarea")].map((one) => one.value).join()',
      );
    await page.keyboard.press('a');
    await page
      .getByText(/\/v2\/actor-runs/)
      .first()
      .waitFor();
    assert.equal((await shown()).includes(SECRET), false);
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Input', exact: true }).click();
    await page.getByText('Secrets are not shown: password.').waitFor();
    assert.equal((await shown()).includes(SECRET), false);
    await page.getByRole('button', { name: 'Rerun…' }).click();
    await page.getByText('Set, and not shown').waitFor();
    await page.getByRole('button', { name: 'Start the run' }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    assert.equal((await shown()).includes(SECRET), false);
    assert.equal((await ada.get(`/v2/logs/${idOf(page)}`)).text.includes(SECRET), false);
    await page.goto(`${server.url}/console/actors/ada~chatter`);
    await page.getByRole('button', { name: 'More about this input' }).click();
    await page.getByRole('menuitem', { name: 'Fill in from your last run' }).click();
    await eventually(async () => (await page.getByLabel('Lines', { exact: true }).inputValue()) === '4');
    await page.getByText('Set, and not shown').waitFor();
    await page.getByRole('button', { name: 'More about this input' }).click();
    await page.getByRole('menuitem', { name: 'Save as a task…' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('chat-daily');
    await page.getByRole('button', { name: 'Create the task' }).click();
    await page.waitForURL(/\/tasks\/\w+$/);
    const task = (await read('/actor-tasks/~chat-daily')).data;
    assert.deepEqual([task.input.lines, task.input.words], [4, ['one']]);
    assert.match(task.input.password as string, /^ENCRYPTED_/);
    assert.equal((await shown()).includes('ENCRYPTED_'), false);
    assert.deepEqual(takeProblems(), []);
    await close();
  });

  test('a form has every editor of a schema, and its JSON is what was filled in', async () => {
    await createActor(server, EVERYTHING, { token: ada.token, name: 'everything' });
    const { page, takeProblems, close } = await openConsole(
      browser,
      server,
      ada.member,
      '/actors/ada~everything',
    );
    await page.getByLabel('Line optional').fill('one');
    await page.getByLabel('Area').fill('two\nthree');
    await page.getByLabel('Script').fill('() => 1');
    await page.getByLabel('Snake').fill('pass');
    await page.getByLabel('Choice').selectOption('b');
    await page.getByLabel('Day').fill('2026-11-18');
    await page.getByLabel('Number').fill('7');
    await page.getByLabel('Yes or no').check();
    await page.getByRole('button', { name: 'Add to Words' }).click();
    await page.getByLabel('Words, row 1').fill('w');
    await page.getByRole('group', { name: 'Several' }).getByLabel('y').check();
    for (const [label, text] of [
      ['Pairs', 'k'],
      ['Sites', 'https://a.test'],
      ['Globs', 'https://a.test/*'],
    ] as const) {
      await page.getByRole('button', { name: `Add to ${label}` }).click();
      await page.getByRole('group', { name: label }).getByRole('textbox').first().fill(text);
    }
    await page.getByLabel('Object').fill('{"deep": [1]}');
    assert.equal(await page.getByLabel('Unseen').count(), 0);
    assert.deepEqual(await findBarriers(page), []);
    await page.getByRole('radio', { name: 'JSON' }).click();
    const { pairs, ...filled } = JSON.parse(await page.getByLabel('Input as JSON').inputValue());
    assert.equal(pairs[0].key, 'k');
    assert.deepEqual(filled, {
      line: 'one',
      area: 'two\nthree',
      script: '() => 1',
      snake: 'pass',
      choice: 'b',
      day: '2026-11-18',
      number: 7,
      flag: true,
      words: ['w'],
      several: ['y'],
      sites: [{ url: 'https://a.test' }],
      globs: [{ glob: 'https://a.test/*' }],
      object: { deep: [1] },
      unseen: 'kept',
    });
    assert.deepEqual(takeProblems(), []);
    await close();
  });

  test('a failed run is compared with the last good one, and says which operations it called and which flags it read', async () => {
    const good = await start({ lines: 2 });
    await eventually(async () => (await statusOf(good)) === 'SUCCEEDED');
    const made = await ada.post('/api/v2/flags/default', { key: 'suspect', name: 'Suspect' });
    assert.equal(made.status, 201, made.text);
    const bad = await start({ lines: 3, words: ['end', 'fail'] });
    await eventually(async () => (await statusOf(bad)) === 'FAILED');
    const { page, takeProblems, close } = await openConsole(browser, server, ada.member, `/runs/${bad}`);
    await shownStatus(page, 'Failed');
    await page.getByRole('link', { name: 'Compare', exact: true }).click();
    await page.getByRole('list', { name: 'Changed in between' }).getByText('Suspect').waitFor();
    await page.getByText('The items have the same fields: 1.').waitFor();
    await page.waitForURL((url) => url.pathname.endsWith(`/runs/${bad}/compare`));
    await page.locator(`.compare-ends a[href$="/runs/${good}"]`).waitFor();
    const input = page.getByRole('table', { name: 'Input', exact: true });
    await input.getByText('/lines').waitFor();
    await input.getByText('fail').waitFor();
    assert.equal(await input.locator('tbody tr').count(), 2);
    await page.getByText('The options are the same.').waitFor();
    await page.getByText('the words are wrong').first().waitFor();
    const compared = (await ada.get(`/signalbox/v1/runs/${bad}/compare`)).json;
    assert.deepEqual([compared.before.id, compared.counts.items], [good, { before: 1, after: 2 }]);
    assert.deepEqual(await findBarriers(page), []);
    await page.getByRole('link', { name: 'Calls', exact: true }).click();
    const calls = page.getByRole('table', { name: 'API calls of this run' });
    const pushed = calls.locator('tbody tr', { hasText: 'POST /v2/datasets/{storageId}/items' });
    await pushed.waitFor();
    const address = (await pushed.getByRole('link').getAttribute('href'))!;
    assert.equal((await ada.get(address.split('#')[0]!)).status, 200);
    const { items } = (await ada.get(`/signalbox/v1/runs/${bad}/calls`)).json;
    assert.equal(await calls.locator('tbody tr').count(), items.length);
    assert.deepEqual(await findBarriers(page), []);
    await page.getByRole('link', { name: 'Flags', exact: true }).last().click();
    await page.getByText('application: { id: process.env.ACTOR_RUN_ID }').waitFor();
    const { kernel } = server.app;
    const [environment] = await kernel.db
      .selectFrom('environments')
      .select('id')
      .where('key', '=', 'production')
      .execute();
    const reading = { flagKey: 'suspect', variation: 0, version: 1, value: 'true', count: 3 };
    const reason = JSON.stringify({ kind: 'RULE_MATCH', ruleIndex: 1 });
    kernel.services.runFlags.note(
      bad,
      environment!.id,
      [
        { ...reading, reason },
        { ...reading, flagKey: 'gone', variation: null },
      ],
      server.clock.now(),
    );
    await page.reload();
    const flags = page.getByRole('table', { name: 'Flags that this run has read' });
    const suspect = flags.locator('tbody tr', { hasText: 'Suspect' });
    for (const text of ['true', 'Rule 2', 'Off · serves', 'false', 'Changed since'])
      await suspect.getByText(text).first().waitFor();
    await flags.locator('tbody tr', { hasText: 'gone' }).getByText('not said by the SDK').waitFor();
    assert.deepEqual(await findBarriers(page), []);
    await page.goto(`${server.url}/console/runs?view=causes`);
    const causes = page.getByRole('table', { name: 'Failed runs by cause' });
    await causes.getByText('ERROR the words are wrong').waitFor();
    assert.deepEqual(await findBarriers(page), []);
    await causes
      .getByRole('row', { name: /the words are wrong/ })
      .getByRole('link', { name: '1', exact: true })
      .click();
    await page.getByRole('table', { name: 'Runs' }).locator(`a[href$="/runs/${bad}"]`).waitFor();
    assert.deepEqual(takeProblems(), []);
    await close();
  });

  test('many runs are aborted and deleted from the list, each with its result', async () => {
    const isIdle = async () =>
      (await read('/actor-runs?status=READY,RUNNING,ABORTING&limit=1')).data.total === 0;
    await eventually(isIdle, 'the end of the runs of other tests');
    const ids = [await start({ lines: 1, sleep: 600_000 }), await start({ lines: 1, sleep: 600_000 })];
    for (const id of ids) await eventually(async () => (await statusOf(id)) === 'RUNNING');
    const path = '/runs?actor=ada~chatter&status=RUNNING';
    const { page, takeProblems, close } = await openConsole(browser, server, ada.member, path);
    await eventually(async () => (await page.locator('tbody tr').count()) === 2);
    await page.getByLabel('Select all rows').check();
    await page.getByRole('button', { name: 'Abort…' }).click();
    await page.getByRole('button', { name: 'Abort 2 runs' }).click();
    await eventually(async () => (await page.getByRole('dialog').getByText('Done').count()) === 2);
    await page.getByRole('button', { name: 'Show these runs' }).click();
    for (const id of ids) await eventually(async () => (await statusOf(id)) === 'ABORTED');
    await eventually(async () => (await page.locator('tbody tr').count()) === 2);
    const shown = new URL(page.url()).searchParams.get('runs')?.split(',').toSorted();
    assert.deepEqual(shown, ids.toSorted());
    const input = page.getByLabel('Text in the input');
    await input.fill('no such text');
    await page.getByText('No run fits this filter').waitFor();
    await input.fill('600000');
    await eventually(async () => (await page.locator('tbody tr').count()) === 2);
    const row = page.locator('tbody tr', { has: page.locator(`a[href$="/runs/${ids[0]}"]`) });
    await row.getByText('Aborted').waitFor();
    await row.locator('.cb').check();
    const total = (await read('/actor-runs?limit=1')).data.total as number;
    await page.getByRole('button', { name: 'Rerun…' }).click();
    await page.getByRole('button', { name: 'Start 1 run' }).click();
    await page.getByRole('dialog').getByText('Done', { exact: true }).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
    const again = (await read('/actor-runs?desc=true&limit=1')).data;
    assert.equal(again.total, total + 1);
    const { defaultKeyValueStoreId: store } = (await read(`/actor-runs/${again.items[0].id}`)).data;
    assert.equal((await read(`/key-value-stores/${store}/records/INPUT`)).sleep, 600_000);
    await ada.post(`/v2/actor-runs/${again.items[0].id}/abort`);
    await row.locator('.cb').check();
    await page.getByRole('button', { name: 'Delete…' }).click();
    await page.getByRole('button', { name: 'Delete 1 run' }).click();
    await page.getByRole('dialog').getByText('Done').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
    await row.waitFor({ state: 'detached' });
    assert.equal((await ada.get(`/v2/actor-runs/${ids[0]}`)).status, 404);
    assert.deepEqual(takeProblems(), []);
    await close();
  });

  /** A build that fails says where, how long each step took, and what is new since the last good one. */
  const breakTheBuild = async (page: Page, files: { name: string; content: string }[]) => {
    const definition = JSON.parse(files.find(({ name }) => name === '.actor/actor.json')!.content) as Json;
    const sourceFiles = [
      ...files.filter(({ name }) => name !== '.actor/actor.json'),
      {
        name: '.actor/actor.json',
        content: JSON.stringify({ ...definition, buildCommand: 'node check.js' }),
      },
      { name: 'check.js', content: "// Odd prices.\n\nthrow new TypeError('odd');\n" },
    ];
    const body = { sourceType: 'SOURCE_FILES', sourceFiles };
    assert.equal((await ada.put(`/v2/actors/${actorId}/versions/0.1`, body)).status, 200);
    const { id } = (await ada.post(`/v2/actors/${actorId}/builds?version=0.1`)).json['data'] as Json;
    await page.goto(`${server.url}/console/actors/ada~chatter/builds/${id}`);
    await page.locator('.st--pill', { hasText: 'Failed' }).waitFor();
    await page.locator('.log__s').first().waitFor();
    await page.getByRole('button', { name: 'First error' }).click();
    await page.waitForURL(/#L\d+$/);
    await page.locator('.log__l .is-at', { hasText: 'TypeError' }).waitFor();
    await page.getByRole('radio', { name: 'Beside the last good one' }).click();
    await page
      .getByRole('table', { name: 'Only in the log of this build' })
      .getByText('TypeError: odd')
      .waitFor();
    await page.goBack();
    await page
      .locator('.log__x')
      .getByRole('link', { name: /check\.js:3/ })
      .first()
      .click();
    const text = page.getByLabel('Content of check.js');
    await text.waitFor();
    const picked = () =>
      page.evaluate<string | undefined>(
        '(({ value, selectionStart, selectionEnd }) => value?.slice(selectionStart, selectionEnd))(document.activeElement)',
      );
    await eventually(async () => (await picked()) === "throw new TypeError('odd');", 'the line is marked');
    await page.getByRole('radio', { name: 'Changes since the last good build' }).click();
    await page.getByRole('heading', { name: 'check.js' }).waitFor();
    assert.equal(await page.getByRole('heading', { name: 'main.js' }).count(), 0);
    await page.getByRole('region', { name: 'Difference of check.js' }).getByText('// Odd prices.').waitFor();
  };

  test('the source is edited and built, the settings are saved, and no page has a barrier or scrolls sideways', async () => {
    const { page, takeProblems, close } = await openConsole(
      browser,
      server,
      ada.member,
      '/actors/ada~chatter/source',
    );
    await page.getByRole('button', { name: 'package.json' }).click();
    const text = page.getByLabel('Content of package.json');
    await text.fill('{"type":"module","scripts":{"start":"node main.js"},"private":true}');
    await page.locator('.source__colours .tk-k', { hasText: 'true' }).waitFor();
    await text.press('Tab');
    assert.match(await text.inputValue(), /\} {2}$/);
    await text.press('Escape');
    await text.press('Tab');
    await page.locator('button:focus', { hasText: 'Remove this file' }).waitFor();
    await page.getByRole('button', { name: 'Save and build' }).click();
    await page.waitForURL(/\/builds\/\w+$/);
    await page.locator('.st--pill', { hasText: 'Succeeded' }).waitFor();
    await page.locator('.log__f').getByText('Complete').waitFor();
    const { data } = await read(`/actors/${actorId}`);
    assert.match(JSON.stringify(data.versions[0].sourceFiles), /private/);
    assert.equal(data.taggedBuilds.latest.buildNumber, '0.1.2');
    await breakTheBuild(page, data.versions[0].sourceFiles);
    await page.getByRole('button', { name: 'Pin to home' }).click();
    await eventually(
      async () => (await ada.get('/signalbox/v1/me/preferences')).json['pinnedActors']?.[0] === actorId,
    );
    const input = { lines: 1, words: ['fail'] };
    const { json: failed } = await ada.post(`/v2/actors/${actorId}/runs?waitForFinish=60`, input);
    await page.goto(`${server.url}/console/runs/${failed['data'].id}`);
    await page.locator('.log__x').getByRole('link', { name: 'main.js:3' }).click();
    await page.waitForURL(/ada~chatter\/source\?version=0\.1&file=main\.js#L3$/);
    const [{ sourceFiles }] = data.versions;
    const versions = [{ versionNumber: '0.1', buildTag: 'latest', sourceType: 'SOURCE_FILES', sourceFiles }];
    const shared = { name: 'shared-chatter', isPublic: true, isSourceCodeHidden: false, versions };
    assert.equal((await server.call('/v2/actors', { method: 'POST', body: shared })).status, 201);
    await page.goto(`${server.url}/console/actors/admin~shared-chatter`);
    await page.getByRole('button', { name: 'Make it mine' }).click();
    await page.getByRole('button', { name: 'Copy and build' }).click();
    await page.waitForURL(/\/ada~shared-chatter\/builds\/\w+$/);
    await page.locator('.st--pill', { hasText: 'Succeeded' }).waitFor();
    await page.goto(`${server.url}/console/actors/ada~chatter/source`);
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByLabel('Title').fill('Loud chatter');
    await page.getByLabel('Time limit in seconds').fill('60');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('heading', { name: 'Loud chatter', level: 1 }).waitFor();
    assert.equal((await read(`/actors/${actorId}`)).data.defaultRunOptions.timeoutSecs, 60);
    const run = (await read('/actor-runs?desc=true&status=SUCCEEDED&limit=1')).data.items[0].id as string;
    const places = ['', '/source', '/source?view=difference', '/builds', '/runs', '/settings'].map(
      (tab) => `/actors/ada~chatter${tab}`,
    );
    places.push(
      '/actors',
      '/runs',
      ...['', '/output', '/storages', '/input', '/timeline', '/flags', '/calls', '/compare'].map(
        (tab) => `/runs/${run}${tab}`,
      ),
      '/usage?by=member',
    );
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      for (const path of places) {
        await page.goto(`${server.url}/console${path}`);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await eventually(async () => (await page.locator('.skel').count()) === 0);
        if (width === WIDTHS[0]) assert.deepEqual(await findBarriers(page), [], path);
        const isWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
        assert.equal(isWide, false, `${path} scrolls sideways at ${width}`);
      }
    }
    assert.deepEqual(takeProblems(), []);
    await close();
  });
});
