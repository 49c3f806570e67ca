// Which page of the console an address of the host leads to, and which addresses are no pages.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { consolePathOf } from './host-addresses.ts';

const isReserved = (word: string) => word === 'v2' || word === 'sdk';
const SHA = 'a'.repeat(40);

test('each address of the host leads to the page that shows it', () => {
  for (const [path, page] of [
    ['/', '/console'],
    ['/ada', '/console/code?q=ada%2F'],
    ['/ci.bot', '/console/code?q=ci.bot%2F'],
    ['/ada/shop', '/console/code/ada/shop'],
    ['/ada/shop/', '/console/code/ada/shop'],
    ['/ada/shop.git', '/console/code/ada/shop'],
    ['/ada/shop.js?tab=readme', '/console/code/ada/shop.js?tab=readme'],
    ['/ada/shop/tree/feature/x/src', '/console/code/ada/shop/tree/feature/x/src'],
    ['/ada/shop/blob/main/a%20b%23.md?plain=1', '/console/code/ada/shop/blob/main/a%20b%23.md?plain=1'],
    ['/ada/shop/commits/main', '/console/code/ada/shop/commits/main'],
    [`/ada/shop/commit/${SHA}`, `/console/code/ada/shop/commit/${SHA}`],
    ['/ada/shop/compare/main...bob:fix/a', '/console/code/ada/shop/compare/main...bob:fix/a'],
    ['/ada/shop/issues', '/console/code/ada/shop/issues'],
    ['/ada/shop/issues/new', '/console/code/ada/shop/issues/new'],
    ['/ada/shop/issues/12', '/console/code/ada/shop/issues/12'],
    ['/ada/shop/pull/3', '/console/code/ada/shop/pulls/3'],
    ['/ada/shop/pull/3/files', '/console/code/ada/shop/pulls/3/files'],
    ['/ada/shop/pulls', '/console/code/ada/shop/pulls'],
    ['/ada/shop/labels', '/console/code/ada/shop/labels'],
    ['/ada/shop/labels/good%20first', '/console/code/ada/shop/issues?label=good%20first'],
    ['/ada/shop/milestones', '/console/code/ada/shop/milestones'],
    ['/ada/shop/milestone/4', '/console/code/ada/shop/issues?state=all&milestone=4'],
    ['/ada/shop/branches', '/console/code/ada/shop/branches'],
    ['/ada/shop/security', '/console/code/ada/shop/security'],
    ['/ada/shop/security/code-scanning', '/console/code/ada/shop/security'],
    ['/ada/shop/security/code-scanning/5', '/console/code/ada/shop/security/code-scanning/5'],
    ['/ada/shop/releases', '/console/code/ada/shop'],
    ['/ada/shop/settings', '/console/code/ada/shop/settings'],
    ['/gist/0123abcd', '/console/gists/0123abcd'],
    ['/orgs/acme/teams/core', '/console/orgs/acme/teams/core'],
  ])
    assert.equal(consolePathOf(path!, isReserved), page, path);
});

test('what is no page of the host leads nowhere', () => {
  for (const path of [
    // Of git.
    '/ada/shop/info/refs?service=git-upload-pack',
    '/ada/shop.git/info/refs',
    '/ada/shop/git-upload-pack',
    '/gist/0123abcd/info/refs',
    '/gist/0123abcd/raw/f00/a.md',
    // Of APIs and of this server.
    '/v2/acts',
    '/V2/acts',
    '/sdk/latest-all',
    '/repos/ada/shop',
    '/orgs/acme',
    '/orgs/acme/teams',
    '/orgs/acme/teams/core/repos',
    '/users/ada',
    '/raw/ada/shop/main/a.md',
    // As text, not as a page.
    '/ada/shop/pull/3.diff',
    '/ada/shop/compare/a...b.patch',
    `/ada/shop/commit/${SHA}.diff`,
    // No names and no numbers.
    '/robots.txt',
    '/-ada/shop',
    '/ada/sh%2Fop',
    '/ada//tree/main',
    '/ada/shop/issues/0',
    '/ada/shop/pull/x',
    '/ada/shop/pull/1/files/2',
    '/ada/shop/unknown',
    // Clients would leave the page.
    '/ada/shop/tree/../../../session',
    '/ada/shop/tree/%2e%2E/x',
    '/../session',
    '//elsewhere.example/x',
    '/\\elsewhere.example/x',
  ])
    assert.equal(consolePathOf(path, isReserved), undefined, path);
});
