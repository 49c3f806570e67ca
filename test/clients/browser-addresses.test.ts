// The addresses that the host gives as `html_url`: browsers are led to pages of the console, and git, octokit and curl are not.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Octokit } from 'octokit';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../git-tests.ts';
import { joinHost, type HostPerson } from '../host-people.ts';
import { openBrowser } from '../people.ts';
import { startServer, type Json, type TestServer } from '../server.ts';
import { checkSiteLink } from '../site-links.ts';
import { GitClient, gitUrl } from './git-client.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';

let server: TestServer;
let ada: HostPerson;
before(async () => {
  server = await startServer({ limits: 'off' });
  ada = await joinHost(server, 'ada', { role: 'admin' });
  await ada.repository('shop', { auto_init: true });
  await ada.repository('cellar', { auto_init: true, private: true });
});
after(() => server.stop());

const open = (url: string, headers: Record<string, string> = {}) =>
  fetch(new URL(url, server.url), { headers: { accept: BROWSER, ...headers }, redirect: 'manual' });

/** Of one of everything that has a page. */
async function readHtmlUrls(): Promise<string[]> {
  const shop = '/repos/ada/shop';
  await ada.put(`${shop}/contents/docs/a%20b.md`, { message: 'A file', content: 'YQ==' });
  const { json: ref } = await ada.get(`${shop}/git/ref/heads/main`);
  await ada.post(`${shop}/git/refs`, { ref: 'refs/heads/fix/a', sha: ref.object.sha });
  await ada.put(`${shop}/contents/b.md`, { message: 'Another', content: 'Yg==', branch: 'fix/a' });
  const { json: milestone } = await ada.post(`${shop}/milestones`, { title: 'One' });
  const { json: issue } = await ada.post(`${shop}/issues`, { title: 'Broken', milestone: milestone.number });
  await ada.post(`${shop}/issues/${issue.number}/comments`, { body: 'Yes' });
  const { json: pull } = await ada.post(`${shop}/pulls`, { title: 'Mend', head: 'fix/a', base: 'main' });
  await ada.post(`${shop}/pulls/${pull.number}/reviews`, { event: 'COMMENT', body: 'Good' });
  await ada.post('/gists', { files: { 'a.md': { content: 'a' } } });
  const replies = [
    shop,
    '/users/ada',
    `${shop}/contents/docs`,
    `${shop}/contents/b.md?ref=fix/a`,
    `${shop}/commits`,
    `${shop}/compare/main...fix/a`,
    `${shop}/milestones`,
    `${shop}/issues?state=all`,
    `${shop}/issues/${issue.number}/comments`,
    `${shop}/pulls/${pull.number}`,
    `${shop}/pulls/${pull.number}/reviews`,
    '/gists',
  ];
  const found = new Set<string>();
  for (const path of replies) {
    const { status, json, text } = await ada.get(path);
    assert.equal(status, 200, text);
    collect(json, found);
  }
  return [...found];
}

function collect(value: unknown, found: Set<string>): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, one] of Object.entries(value as Json))
    if (name === 'html_url' && typeof one === 'string') found.add(one);
    else collect(one, found);
}

test('every html_url leads a browser to a page of the console, after the login', async () => {
  const urls = await readHtmlUrls();
  assert.ok(urls.length > 12, urls.join(' '));
  const { cookie } = await openBrowser(server, ada.member);
  for (const url of urls) {
    const first = await open(url);
    assert.equal(first.status, 303, url);
    assert.equal(first.headers.get('vary'), 'accept');
    const page = first.headers.get('location')!;
    checkSiteLink(page);
    const login = new URL((await open(page)).headers.get('location')!, server.url);
    assert.deepEqual([login.pathname, login.searchParams.get('return')], ['/session', page]);
    assert.ok([200, 503].includes((await open(page, { cookie })).status), page);
  }
});

test('nobody learns whether there is a private repository', async () => {
  for (const rest of ['', '/issues/1', '/blob/main/README.md']) {
    const [real, none] = await Promise.all([open(`/ada/cellar${rest}`), open(`/ada/nothing${rest}`)]);
    assert.equal(none.status, 303);
    const headersOf = ({ headers }: Response) =>
      [...headers]
        .filter(([name]) => name !== 'date')
        .map(([name, value]) => [name, value.replace('cellar', 'nothing')]);
    assert.deepEqual([real.status, headersOf(real)], [none.status, headersOf(none)]);
    assert.equal(await real.text(), await none.text());
  }
});

test('a credential, another method and other kinds of Accept get the API', async () => {
  const { cookie, ...session } = await openBrowser(server, ada.member);
  for (const headers of [
    { authorization: `Bearer ${ada.token}` },
    { authorization: `Basic ${Buffer.from(`ada:${ada.token}`).toString('base64')}` },
    { cookie, ...session },
    { accept: '*/*' },
    { accept: 'application/json' },
    { accept: 'application/vnd.github+json, text/html' },
  ] as Record<string, string>[])
    for (const path of ['/ada/shop', '/ada/shop/issues/1', '/ada'])
      assert.notEqual((await open(path, headers)).status, 303, JSON.stringify(headers));
  const post = await fetch(`${server.url}/ada/shop`, { method: 'POST', headers: { accept: BROWSER } });
  assert.equal(post.status, 404);
  for (const path of ['/repos/ada/shop', '/users/ada', '/healthz', '/raw/ada/shop/main/README.md'])
    assert.equal((await open(path)).status, 200, path);
});

test('git clones and pushes by the address of the page', async () => {
  const git = new GitClient('Ada');
  await git.run('', 'clone', '--quiet', `${server.url}/ada/shop`, 'open');
  await git.run('', 'clone', '--quiet', gitUrl(server, ada.token, 'ada/cellar'), 'closed');
  await git.commit('closed', { 'c.txt': 'c\n' });
  await git.run('closed', 'push', '--quiet');
  const { code, stderr } = await git.try('', ['clone', `${server.url}/ada/cellar`, 'none']);
  assert.notEqual(code, 0);
  assert.match(stderr, /could not read Username|Authentication failed/);
});

test('octokit and curl get replies of the API, with and without a token', async () => {
  for (const auth of [undefined, ada.token]) {
    const octokit = new Octokit({ baseUrl: server.url, ...(auth !== undefined && { auth }) });
    const { data } = await octokit.rest.repos.get({ owner: 'ada', repo: 'shop' });
    assert.equal(data.html_url, `${server.url}/ada/shop`);
  }
  const curl = (...args: string[]) => promisify(execFile)('curl', ['-s', '-i', ...args]);
  const { stdout } = await curl(`${server.url}/ada/shop`);
  assert.match(stdout, /^HTTP\/1\.1 404 /);
  assert.match(stdout, /"message"/);
  const { stdout: read } = await curl(`${server.url}/repos/ada/shop`);
  assert.match(read, /^HTTP\/1\.1 200 /);
});
