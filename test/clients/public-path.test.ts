// A server below a path of its origin, through proxies that take the path off and that leave it: real clients, and every link of every API.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { init } from '@launchdarkly/node-server-sdk';
import { ApifyClient } from 'apify-client';
import { Octokit } from 'octokit';
import { atEndOfFile } from '../cleanup.ts';
import { openProject, type KeyProject } from '../conformance/flags/delivery/keys-calls.ts';
import { eventually } from '../eventually.ts';
import { needsGit } from '../../src/host/git/fixture-repository.ts';
import { joinHost, type HostPerson } from '../host-people.ts';
import { startPathProxy, type PathProxy } from '../path-proxy.ts';
import { ADMIN_TOKEN, startServer, type Json, type TestServer } from '../server.ts';
import { ADA, AT_LEISURE, listening } from './flag-sdk-suite.ts';
import { GitClient } from './git-client.ts';

const PATH = '/tools/box';
const PASSWORD = 'correct horse battery';

let proxy: PathProxy;
let server: TestServer;
let home: KeyProject;
let ada: HostPerson;
before(async () => {
  proxy = await startPathProxy(PATH);
  server = await startServer({ publicUrl: proxy.url, limits: 'off', adminPassword: PASSWORD });
  proxy.target = server.url;
  home = await openProject(server);
  await home.flags.make('beta', { variations: [{ value: { href: '/api/v2/mine' } }, { value: {} }] });
  await home.instruct('beta', [{ kind: 'turnFlagOn' }]);
  ada = await joinHost(server, 'ada');
  if (needsGit.skip !== false) return;
  await ada.repository('project', { auto_init: true });
  for (const title of ['one', 'two', 'three']) await ada.post('/repos/ada/project/issues', { title });
});
after(async () => {
  await server.stop();
  await proxy.close();
});

interface Reply {
  status: number;
  headers: Headers;
  text: string;
}

async function fetchOf(address: string, options: RequestInit = {}): Promise<Reply> {
  const response = await fetch(address, { redirect: 'manual', ...options });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const asAdmin = (path: string) => ({
  headers: { authorization: path.startsWith('/api/v2') ? ADMIN_TOKEN : `Bearer ${ADMIN_TOKEN}` },
});

const ADDRESS = /^(?:https?:\/\/|\/[a-z])/;

/** Addresses of this server in a reply, by the path of their members. Values of flags are not its own. */
function addressesIn(value: unknown, place = ''): [place: string, address: string][] {
  if (typeof value === 'string')
    return /(?:url|href|Url|URL|_urls?\.\w+|documentation_url|location)$/.test(place) && ADDRESS.test(value)
      ? [[place, value]]
      : [];
  if (typeof value !== 'object' || value === null || place.endsWith('.value')) return [];
  return Object.entries(value).flatMap(([name, one]) => addressesIn(one, `${place}.${name}`));
}

const READS = [
  '/api/v2',
  '/api/v2/projects',
  '/api/v2/projects/default',
  '/api/v2/flags/PROJECT',
  '/api/v2/flags/PROJECT/beta',
  '/api/v2/auditlog?limit=1',
  '/api/v2/members?limit=1',
  '/api/v2/tokens?limit=1',
  '/v2/acts',
  '/v2/datasets?unnamed=1',
  '/v2/datasets/DATASET',
  '/v2/key-value-stores/STORE',
  '/',
  '/user',
  '/versions',
  '/users/ada',
  '/signalbox/v1/me',
  ...['/repos', '/api/v3/repos'].flatMap((repos) => [
    `${repos}/ada/project`,
    `${repos}/ada/project/commits`,
    `${repos}/ada/project/contents`,
    `${repos}/ada/project/contents/README.md`,
    `${repos}/ada/project/branches`,
    `${repos}/ada/project/git/refs`,
    `${repos}/ada/nowhere`,
  ]),
];

for (const strips of [false, true]) {
  describe(`a proxy that ${strips ? 'takes the path off' : 'leaves the path'}`, () => {
    before(() => {
      proxy.strips = strips;
      proxy.elsewhere.length = 0;
    });

    test('every link of every API leads below the path, and what it leads to is there', async () => {
      const dataset = await server.call('/v2/datasets', { method: 'POST' });
      const store = await server.call('/v2/key-value-stores', { method: 'POST' });
      const seen = new Set<string>();
      for (const template of READS) {
        if (template.includes('ada/project') && needsGit.skip !== false) continue;
        const path = template
          .replace('PROJECT', home.project)
          .replace('DATASET', String(dataset.json.data.id))
          .replace('STORE', String(store.json.data.id));
        const { text, headers } = await fetchOf(proxy.url + path, asAdmin(path));
        const body = JSON.parse(text) as Json;
        const links = [...(headers.get('link') ?? '').matchAll(/<([^>]*)>/g)].map(([, one]) => [
          'link',
          one!,
        ]);
        for (const [place, address] of [...addressesIn(body), ...links] as [string, string][]) {
          if (
            /\{/.test(address) ||
            (/^https?:/.test(address) && new URL(address).origin !== new URL(proxy.url).origin)
          )
            continue;
          assert.ok(
            new URL(address, proxy.url).href.startsWith(`${proxy.url}/`) ||
              new URL(address, proxy.url).href === proxy.url,
            `${path} ${place}: ${address}`,
          );
          seen.add(new URL(address, proxy.url).href);
        }
      }
      assert.ok(seen.size > 40, String(seen.size));
      for (const address of seen) {
        // Git's own addresses are for git; without limits there is no status of them.
        if (/\.git$|\/rate_limit$/.test(address)) continue;
        const path = address.slice(proxy.url.length);
        // Pages are for browsers, and everything else is for programs.
        const { status } = await fetchOf(address, asAdmin(path));
        const page =
          status === 404 ? await fetchOf(address, { headers: { accept: 'text/html' } }) : undefined;
        assert.notEqual(page?.status, 404, address);
      }
      assert.deepEqual(proxy.elsewhere, []);
    });

    test('values of flags that look like links stay as they are', async () => {
      const { text } = await fetchOf(`${proxy.url}/api/v2/flags/${home.project}/beta`, asAdmin('/api/v2'));
      assert.equal((JSON.parse(text) as Json).variations[0].value.href, '/api/v2/mine');
    });

    test('a client that puts its base URL before a link of a reply reaches the same', async () => {
      const { text } = await fetchOf(`${proxy.url}/api/v2/projects/default`, asAdmin('/api/v2'));
      const { href } = (JSON.parse(text) as Json)._links.self;
      assert.equal(href, `${PATH}/api/v2/projects/default`);
      assert.equal((await fetchOf(proxy.url + href, asAdmin('/api/v2'))).status, 200);
    });

    test('octokit reads pages by their links', needsGit, async () => {
      const octokit = new Octokit({ baseUrl: proxy.url, auth: ada.token });
      const issues = await octokit.paginate('GET /repos/{owner}/{repo}/issues', {
        owner: 'ada',
        repo: 'project',
        per_page: 1,
      });
      assert.ok(issues.length >= 3);
      assert.ok(issues[0]!.html_url.startsWith(`${proxy.url}/ada/project/issues/`));
    });

    test('git clones and pushes', needsGit, async () => {
      const git = new GitClient('Ada');
      const { text } = await fetchOf(`${proxy.url}/repos/ada/project`, asAdmin('/repos'));
      const { clone_url: cloneUrl } = JSON.parse(text) as Json;
      const address = String(cloneUrl).replace('://', `://ada:${ada.token}@`);
      await git.run('', 'clone', '--quiet', address, 'copy');
      await git.commit('copy', { [`${strips}.txt`]: 'x\n' });
      await git.run('copy', 'push', '--quiet');
    });

    test('apify-client stores and reads items', async () => {
      const client = new ApifyClient({ baseUrl: proxy.url, token: ADMIN_TOKEN, maxRetries: 0 });
      const { id } = await client.datasets().getOrCreate();
      await client.dataset(id).pushItems([{ a: 1 }]);
      assert.deepEqual((await client.dataset(id).listItems()).items, [{ a: 1 }]);
      const { itemsPublicUrl } = (await client.dataset(id).get())! as unknown as { itemsPublicUrl: string };
      assert.equal((await fetchOf(itemsPublicUrl)).status, 200);
    });

    test('the SDK for servers gets flags by its stream', async () => {
      const warnings: string[] = [];
      const client = init(home.keys.sdk, {
        baseUri: proxy.url,
        streamUri: proxy.url,
        eventsUri: proxy.url,
        logger: listening(warnings),
        ...AT_LEISURE,
      });
      await client.waitForInitialization({ timeout: 60 });
      assert.deepEqual(await client.variation('beta', ADA, {}), { href: '/api/v2/mine' });
      client.track('bought', ADA);
      await client.flush();
      client.close();
      assert.deepEqual(warnings, []);
    });

    test('a browser logs in, and its cookie goes to the path alone', async () => {
      const start = await fetchOf(proxy.url, { headers: { accept: 'text/html' } });
      assert.deepEqual([start.status, start.headers.get('location')], [303, `${PATH}/console`]);
      const asked = await fetchOf(`${proxy.url}/console/flags?a=b`);
      const login = new URL(asked.headers.get('location')!, proxy.url);
      assert.equal(login.pathname, `${PATH}/session`);
      const form = await fetchOf(login.href);
      assert.match(form.text, new RegExp(`<form method="post" action="${PATH}/session"`));
      const entered = await fetchOf(`${proxy.url}/session`, {
        method: 'POST',
        headers: { origin: new URL(proxy.url).origin },
        body: new URLSearchParams({
          name: 'admin',
          password: PASSWORD,
          return: login.searchParams.get('return')!,
        }),
      });
      assert.match(
        entered.text,
        new RegExp(`data-next="${PATH}/console/flags&#63;a&#61;b"|data-next="${PATH}/console/flags\\?a=b"`),
      );
      assert.match(entered.text, new RegExp(`data-root="${PATH}/"`));
      const setCookie = entered.headers.get('set-cookie')!;
      assert.match(setCookie, new RegExp(`; Path=${PATH};`));
      const secret = /data-secret="([^"]+)"/.exec(entered.text)![1]!;
      const headers = { cookie: setCookie.split(';')[0]!, 'x-signalbox-session': secret };
      const me = await fetchOf(`${proxy.url}/signalbox/v1/me`, { headers });
      assert.equal(me.status, 200);
      const signed = await fetchOf(`${proxy.url}/session/links`, {
        method: 'POST',
        headers: { ...headers, origin: new URL(proxy.url).origin },
        body: new URLSearchParams({ path: `${PATH}/v2/users/me` }),
      });
      const { url } = JSON.parse(signed.text) as Json;
      assert.ok(String(url).startsWith(`${PATH}/v2/users/me?`));
      const opened = await fetchOf(new URL(url, proxy.url).href, { headers: { cookie: headers.cookie } });
      assert.equal(opened.status, 200);
    });

    test('pages and documents of the server lead to others below the path', async () => {
      const pages = [
        '/docs',
        '/docs/host',
        '/docs/limits',
        '/docs/guides',
        '/docs/host/versions',
        '/session',
        '/apps',
      ];
      const next = new Set<string>();
      for (const page of pages) {
        const { text } = await fetchOf(proxy.url + page, { headers: { accept: 'text/html' } });
        for (const [, address = ''] of text.matchAll(/ (?:href|src|action)="(\/[^"]*)"/g)) {
          assert.ok(address.startsWith(`${PATH}/`), `${page}: ${address}`);
          next.add(address.replace(/[#?].*/, ''));
        }
      }
      for (const path of [...next].slice(0, 40)) {
        const { status } = await fetchOf(new URL(path, proxy.url).href, { headers: { accept: 'text/html' } });
        assert.notEqual(status, 404, path);
      }
      const { text } = await fetchOf(`${proxy.url}/llms.txt`);
      for (const [address] of text.matchAll(/https?:[^\s)`]+/g))
        assert.ok(address.startsWith(proxy.url), address);
      const openapi = await fetchOf(`${proxy.url}/docs/flags/openapi.json`);
      if (openapi.status === 200)
        assert.ok((JSON.parse(openapi.text) as Json).servers[0].url.startsWith(proxy.url));
    });

    test('the console is told where it is', async () => {
      await eventually(() => server.app.kernel.services.console.state.kind !== 'building');
      const cookie = 'signalbox_session=anything';
      const { text, status } = await fetchOf(`${proxy.url}/console/`, {
        headers: { cookie, 'sec-fetch-dest': 'document' },
      });
      if (status === 200) assert.match(text, new RegExp(`<base href="${PATH}/console/"`));
      else assert.match(text, new RegExp(`href="${PATH}/docs"`));
    });

    test('nothing leads out of the path', () => assert.deepEqual(proxy.elsewhere, []));
  });
}

test('a path that is one of the server’s own, or an account’s, is refused with what to do', async () => {
  for (const path of ['/api', '/repos/x', '/console', '/x/api/v3'])
    await assert.rejects(
      startServer({ publicUrl: `https://tools.test${path}` }),
      /is one of this server's own\. Choose another/,
    );
  const data = mkdtempSync(join(tmpdir(), 'signalbox-path-'));
  atEndOfFile(() => rmSync(data, { recursive: true, force: true }));
  const first = await startServer({ data });
  await joinHost(first, 'tools');
  await first.stop();
  await assert.rejects(
    startServer({ data, publicUrl: 'https://tools.test/tools' }),
    /begins with the name of an account/,
  );
});
