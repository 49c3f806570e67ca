// User content, opened in a real browser by a logged-in member: it is displayed, and cannot act with their session.
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { replaceRecord } from '../../src/actors/key-value-stores/store.ts';
import { findMember } from '../../src/kernel/identity/store-members.ts';
import { recordCalls } from '../conformance/actors/storages/records-calls.ts';
import { eventually, PATIENCE_MS } from '../eventually.ts';
import { fixedPort } from '../fixed-port.ts';
import { FORM, type BrowserHeaders } from '../people.ts';
import { startServer, type TestServer } from '../server.ts';
import { ELSEWHERE, logIn, noBrowser, noPdfViewer, openProfile, startBrowser } from './browser.ts';

const XHTML = 'http://www.w3.org/1999/xhtml';
/** Well-formed as HTML and as XML. Its script reports the origin in which it ran. */
const HOSTILE = `<html xmlns="${XHTML}"><head><title>quiet</title></head><body><script>
document.title = 'ran in ' + self.origin;
</script><p>shown</p></body></html>`;
const HOSTILE_SVG = `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><title>quiet</title><rect width="9" height="9"/><script>
document.title = 'ran in ' + self.origin;
</script></svg>`;
const inParts = (inner: string) =>
  `MIME-Version: 1.0\r\nContent-Type: ${inner}\r\n\r\n--x\r\nContent-Type: text/html\r\n\r\n${HOSTILE}\r\n--x--\r\n`;

/** Content types for which some browser has shown bytes as a document, or sniffed their type. */
const TYPES: [type: string, body?: string][] = [
  ['text/html'],
  ['TEXT/HTML; charset=utf-8'],
  ['application/xhtml+xml'],
  ['text/xml'],
  ['application/xml'],
  ['text/xsl'],
  ['application/xslt+xml'],
  ['image/svg+xml', HOSTILE_SVG],
  ['application/rdf+xml'],
  ['application/rss+xml'],
  ['application/atom+xml'],
  ['application/mathml+xml'],
  ['application/vnd.signalbox+xml'],
  ['image/unheard-of+xml'],
  ['multipart/x-mixed-replace; boundary=x', inParts('text/html')],
  ['multipart/related; boundary=x', inParts('multipart/related; boundary=x; type="text/html"')],
  ['message/rfc822', inParts('multipart/related; boundary=x; type="text/html"')],
  ['text/cache-manifest'],
  ['text/x-component'],
  ['text/javascript'],
  ['text/css'],
  ['text/vtt'],
  ['text/plain'],
  ['text/unheard-of'],
  ['application/json'],
  ['application/octet-stream'],
  ['application/x-shockwave-flash'],
  ['application/unknown'],
  ['unknown/unknown'],
  ['*/*'],
  ['text'],
  ['nonsense'],
  ['text/plain, text/html'],
  ['application/pdf'],
  ['application/pdf, text/html'],
  ['application/pdf; x=",text/html"'],
  ["application/pdf; x=',text/html'"],
];

interface Found {
  origin: string;
  type: string;
  title: string;
  text: string;
  reads: unknown;
  takes: unknown;
  /** The second secret of the session, in the storage of the origin. */
  keeps: unknown;
}

// Functions that run in pages are text, because their globals are not those of this program.

/** Reports what a script in the page could do, whether or not one ran. */
const LOOK_AROUND = `(async () => {
  let keeps = 'nothing';
  try { keeps = localStorage.getItem('signalbox_session') ?? 'none'; } catch {}
  const headers = keeps === 'nothing' ? {} : { 'x-signalbox-session': keeps };
  const ask = (path, init) => fetch(path, { credentials: 'include', headers, ...init }).then(({ status }) => status, () => 'nothing');
  return {
    origin: self.origin,
    type: document.contentType,
    title: document.title,
    text: document.documentElement.textContent,
    reads: await ask('/v2/users/me'),
    takes: await ask('/api/v2/tokens', { method: 'POST', body: '{}' }),
    keeps,
  };
})()`;
const NOTHING = ['null', 'nothing', 'nothing', 'nothing'];

/** A few frames, recorded by the browser itself. Frames that do not change are not recorded. */
const RECORD = `(async () => {
  const canvas = document.createElement('canvas');
  const drawing = canvas.getContext('2d');
  const recorder = new MediaRecorder(canvas.captureStream(), { mimeType: 'video/webm' });
  const recorded = new Promise((resolve) => {
    recorder.ondataavailable = ({ data }) => data.size > 0 && resolve(data);
  });
  let width = 0;
  const drawn = setInterval(() => drawing.fillRect(0, 0, (width += 1), 9), 10);
  recorder.start(100);
  const film = await recorded;
  clearInterval(drawn);
  return [...new Uint8Array(await film.arrayBuffer())];
})()`;

/** Whether the media of the page could be decoded. */
const PLAYABLE = `new Promise((resolve) => {
  const media = document.querySelector('video, audio');
  if (media.readyState > 0) return resolve(true);
  if (media.error !== null) return resolve(false);
  media.addEventListener('loadedmetadata', () => resolve(true));
  media.addEventListener('error', () => resolve(false));
  media.preload = 'auto';
})`;

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const PDF = `%PDF-1.1
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]>>endobj
trailer<</Root 1 0 R>>
`;
/** A tenth of a second of silence: 8,000 samples of 8 bits a second. */
const WAV = Buffer.concat([
  Buffer.from(
    'RIFF\x44\x03\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x40\x1f\0\0\x01\0\x08\0data\x20\x03\0\0',
    'latin1',
  ),
  Buffer.alloc(800, 128),
]);

describe('in a browser', { skip: noBrowser, timeout: 5 * PATIENCE_MS }, () => {
  let server: TestServer;
  let elsewhere: Server;
  let foreignPage = '';
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let store: string;
  let session: BrowserHeaders;
  const { make, put, at } = recordCalls(() => server);
  const urlOf = (key: string) => `${server.url}/v2/key-value-stores/${store}/records/${key}`;
  const keep = async (key: string, type: string, body: string | Uint8Array) => {
    const { status } = await put(store, key, body, { headers: { 'content-type': type } });
    // Invalid content types are refused by the API. They are stored here directly, as if there were a way.
    if (status === 400) {
      const bytes = Buffer.from(body);
      const record = { contentType: type, encoding: null, etag: key, size: bytes.length, body: bytes };
      await replaceRecord(server.app.kernel.engine, store, key, record, Date.now());
    } else assert.equal(status, 201, type);
    return await linkTo(urlOf(key));
  };
  /** As pages of the server open private things. */
  const linkTo = async (url: string) => {
    const body = new URLSearchParams({ path: url.slice(server.url.length) }).toString();
    const headers = { ...session, ...FORM, origin: server.url };
    const { status, json } = await server.call('/session/links', {
      method: 'POST',
      token: null,
      headers,
      body,
    });
    assert.equal(status, 201);
    return server.url + (json['url'] as string);
  };
  const publish = () =>
    at(`/${store}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: '{"generalAccess":"ANYONE_WITH_ID_CAN_READ"}',
    });
  const atForeign = () => `http://${ELSEWHERE}:${(elsewhere.address() as AddressInfo).port}/`;
  /** False if the browser downloads the content instead of showing it. */
  const open = async (url: string): Promise<boolean> => {
    const shown = await page.goto(url).catch((error: Error) => {
      assert.match(error.message, /Download is starting|ERR_ABORTED/, url);
    });
    return shown !== undefined && shown !== null;
  };

  before(async () => {
    server = await startServer({ limits: 'off' });
    // Links last for a minute, however long the test takes.
    server.clock.stop();
    store = (await make())['id'] as string;
    elsewhere = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html').end(foreignPage);
    });
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
    browser = await startBrowser();
    context = await openProfile(browser, { acceptDownloads: false });
    const admin = await findMember(server.app.kernel.db, { username: 'admin' });
    page = await context.newPage();
    session = await logIn(page, server, admin!);
  });
  after(async () => {
    await browser?.close();
    elsewhere?.close();
    await server?.stop();
  });

  test('a page of the server itself is logged in: what is tested below is there to be taken', async () => {
    await page.goto(`${server.url}/session`);
    const { origin, reads, keeps } = await page.evaluate<Found>(LOOK_AROUND);
    assert.deepEqual([origin, reads, keeps], [server.url, 200, session['x-signalbox-session']]);
  });

  test('an address of an API that is typed opens, and the address that was signed for it is shown', async () => {
    await page.goto(`${server.url}/v2/users/me`);
    await page.waitForURL(`${server.url}/v2/users/me?signalbox_link=*`);
    assert.match(await page.evaluate<string>('document.body.textContent'), /"username":"admin"/);
  });

  test('a record does nothing with the session of who opens it', async () => {
    for (const [type, body] of [
      ['text/html', HOSTILE],
      ['text/xsl', HOSTILE],
      ['image/svg+xml', HOSTILE_SVG],
    ] as const) {
      assert.ok(await open(await keep('opened', type, body)), type);
      const { origin, title, reads, takes, keeps } = await page.evaluate<Found>(LOOK_AROUND);
      assert.deepEqual([origin, reads, takes, keeps], NOTHING, type);
      assert.equal(title, 'ran in null', type);
    }
  });

  test('a record of any type does nothing with the session of a page that shows it', async () => {
    const types = new Map<string, string>();
    for (const [index, [type, body = HOSTILE]] of TYPES.entries())
      types.set(await keep(`hostile-${index}`, type, body), type);
    // Framed by a page of the server itself, where only the tested headers separate the frame from the session.
    const frames = [...types.keys()].map((url) => `<iframe src="${url}"></iframe>`).join('');
    await page.route(`${server.url}/frames`, (route) =>
      route.fulfill({ contentType: 'text/html', body: frames }),
    );
    await page.goto(`${server.url}/frames`);
    const pages = ['text/html', 'text/xsl', 'application/xml', 'image/svg+xml', 'nonsense'];
    // Frames may have a process of their own, of which the browser tells later.
    const framed = () => new Set(page.frames().map((frame) => types.get(frame.url())));
    await eventually(() => pages.every((type) => framed().has(type)), 'the frames that are pages');
    const shown: string[] = [];
    for (const frame of page.frames()) {
      const type = types.get(frame.url());
      // A download leaves an empty frame.
      if (type === undefined) continue;
      const found = await frame.evaluate<Found>(LOOK_AROUND);
      assert.notEqual(found.title, `ran in ${server.url}`, type);
      // A frame with the browser's own viewer has the origin of the address, and no part of the record is a page.
      // Of other types that name it, the viewer may not have begun yet.
      const isViewer = type.startsWith('application/pdf') && found.origin === server.url;
      if (type === 'application/pdf' || found.type === 'application/pdf' || isViewer)
        assert.doesNotMatch(found.text, /shown/, type);
      else assert.deepEqual([found.origin, found.reads, found.takes, found.keeps], NOTHING, type);
      shown.push(type);
    }
    for (const type of pages) assert.ok(shown.includes(type), type);
  });

  test('a public record in a foreign page does nothing with the session either', async () => {
    await publish();
    const url = await keep('framed', 'text/xsl', HOSTILE);
    foreignPage = `<iframe src="${url}"></iframe><object data="${url}"></object><embed src="${url}">`;
    await page.goto(atForeign());
    const frames = () => page.frames().filter((frame) => frame.url() === url);
    await eventually(() => frames().length === 3, 'the three frames');
    for (const frame of frames()) {
      const { origin, reads, takes, keeps } = await frame.evaluate<Found>(LOOK_AROUND);
      assert.deepEqual([origin, reads, takes, keeps], NOTHING);
    }
  });

  test('no export of a dataset is a page of the server', async () => {
    const { json } = await server.call('/v2/datasets', { method: 'POST' });
    const items = `/v2/datasets/${json['data'].id as string}/items`;
    const item = { script: "document.title = 'ran in ' + self.origin", '@xmlns': XHTML, '<script>': HOSTILE };
    assert.equal((await server.call(items, { method: 'POST', body: item })).status, 201);
    for (const query of [
      'format=json',
      'format=jsonl',
      'format=csv',
      'format=html',
      'format=rss',
      'format=xlsx',
      'format=xml&xmlRoot=html&xmlRow=body',
    ]) {
      if (!(await open(await linkTo(`${server.url}${items}?${query}`)))) continue;
      const { origin, reads, takes, keeps } = await page.evaluate<Found>(LOOK_AROUND);
      assert.deepEqual([origin, reads, takes, keeps], NOTHING, query);
    }
  });

  test('images, drawings, sound, film, text and JSON open', async () => {
    await open(await keep('image', 'image/png', PNG));
    assert.equal(await page.evaluate('document.images[0].naturalWidth'), 1);

    await open(await keep('drawing', 'image/svg+xml', HOSTILE_SVG));
    assert.equal(await page.evaluate("document.querySelector('rect').getBoundingClientRect().width"), 9);

    await open(await keep('sound', 'audio/wav', WAV));
    assert.ok(await page.evaluate(PLAYABLE));

    await page.goto('about:blank');
    await open(await keep('film', 'video/webm', Uint8Array.from(await page.evaluate<number[]>(RECORD))));
    assert.ok(await page.evaluate(PLAYABLE));

    await open(await keep('text', 'text/plain; charset=utf-8', '<b>Grüße</b>'));
    assert.equal(await page.evaluate('document.body.textContent'), '<b>Grüße</b>');

    await open(await keep('json', 'application/json', '{"one":1}'));
    assert.match(await page.evaluate<string>('document.body.textContent'), /\{"one":1\}/);
  });

  test('a PDF opens in the viewer of the browser', { skip: noPdfViewer }, async () => {
    await open(await keep('paper', 'application/pdf', PDF));
    assert.equal(await page.evaluate('document.contentType'), 'application/pdf');
    // The page, the viewer in it, and the document in that; a sandbox prevents the last.
    await eventually(() => page.frames().length === 3);
  });

  test('a page on the origin of content is framed by the console alone, and has nothing of the session', async () => {
    const port = await fixedPort();
    const content = `http://${ELSEWHERE}:${port}`;
    const apart = await startServer({ port, contentUrl: content, limits: 'off' });
    try {
      const admin = await findMember(apart.app.kernel.db, { username: 'admin' });
      const own = await openProfile(browser, { acceptDownloads: false });
      const tab = await own.newPage();
      const member = await logIn(tab, apart, admin!);
      const { json } = await apart.call('/v2/key-value-stores', { method: 'POST' });
      const path = `/v2/key-value-stores/${String(json['data'].id)}/records/page`;
      await apart.call(path, { method: 'PUT', body: HOSTILE, headers: { 'content-type': 'text/html' } });
      const signed = await apart.call('/signalbox/v1/links', {
        method: 'POST',
        token: null,
        headers: { ...member, origin: apart.url },
        body: { path },
      });
      const frame = `<iframe src="${String(signed.json['url'])}"></iframe>`;
      const framed = () => tab.frames().find((one) => one.url().startsWith(content));
      // A page of the console's origin without a policy of its own.
      await tab.goto(`${apart.url}/healthz`);
      await tab.evaluate(`document.body.innerHTML = ${JSON.stringify(frame)}`);
      await eventually(() => framed() !== undefined, 'the frame');
      const found = await framed()!.evaluate<Found>(LOOK_AROUND);
      assert.deepEqual([found.origin, found.reads, found.takes, found.keeps], NOTHING);
      assert.match(found.text, /shown/);
      // The link that it was shown by is good for nobody else's pages.
      foreignPage = frame;
      const refused = tab.waitForEvent('console', (line) => line.text().includes('frame-ancestors'));
      await tab.goto(atForeign());
      await refused;
      await own.close();
    } finally {
      await apart.stop();
    }
  });

  test('public images, sound and film are shown by pages of other sites', async () => {
    await publish();
    const image = await keep('image', 'image/png', PNG);
    const drawing = await keep('drawing', 'image/svg+xml', HOSTILE_SVG);
    const sound = await keep('sound', 'audio/wav', WAV);
    foreignPage = `<img src="${image}"><img src="${image}" crossorigin><img src="${drawing}"><audio src="${sound}" controls></audio>`;
    await page.goto(atForeign());
    assert.deepEqual(
      await page.evaluate('Array.from(document.images, ({ naturalWidth }) => naturalWidth)'),
      [1, 1, 9],
    );
    assert.ok(await page.evaluate(PLAYABLE));
    assert.equal(await page.title(), '');
  });
});
