// Where a program's redirects lead in a browser: below the path of the program, or away from this server.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { redirectTarget } from './message-heads.ts';

const BASE = '/standby/ada~shop';
const clientOf = (publicUrl: string, host = new URL(publicUrl).host) => ({
  address: '192.0.2.1',
  publicUrl,
  base: BASE,
  path: '/cart/items?page=2',
  host,
});
const HTTPS = clientOf('https://box.example');
const HTTP = clientOf('http://box.example:8080');

test('forms of a path are rewritten, as a browser of that scheme reads them', () => {
  for (const [location, client, target] of [
    ['https:/logout', HTTPS, `${BASE}/logout`],
    ['https:logout', HTTPS, `${BASE}/cart/logout`],
    ['http:/logout', HTTP, `${BASE}/logout`],
    ['HTTPS:\\logout', HTTPS, `${BASE}/logout`],
    ['\thttps:/lo\tgout ', HTTPS, `${BASE}/logout`],
    ['/login', HTTPS, `${BASE}/login`],
    ['../../../settings', HTTP, `${BASE}/settings`],
    ['/.//elsewhere.example', HTTP, `${BASE}//elsewhere.example`],
    [`${BASE}/own`, HTTP, `${BASE}/own`],
    ['', HTTP, `${BASE}/cart/items?page=2`],
    ['?page=3#top', HTTP, `${BASE}/cart/items?page=3#top`],
    [Buffer.from('/grüße').toString('latin1'), HTTP, `${BASE}/gr%C3%BC%C3%9Fe`],
  ] as const)
    assert.equal(redirectTarget(location, client), target, location);
});

test('other sites are left, in a form that has one meaning', () => {
  for (const [location, client, target] of [
    ['http:/logout', HTTPS, 'http://logout/'],
    ['https:/logout', HTTP, 'https://logout/'],
    ['///elsewhere.example/x', HTTPS, 'https://elsewhere.example/x'],
    ['\\\\elsewhere.example\\x', HTTP, 'http://elsewhere.example/x'],
    ['/\t/elsewhere.example', HTTPS, 'https://elsewhere.example/'],
    ['https://elsewhere.example', HTTPS, 'https://elsewhere.example/'],
    ['shop-app://done', HTTPS, 'shop-app://done'],
  ] as const)
    assert.equal(redirectTarget(location, client), target, location);
});

test('other places of this server are dropped, by whichever name and form', () => {
  const named = clientOf('https://box.example', 'Inner.Example:443');
  for (const location of [
    'https://box.example/logout',
    'https://box.example:443/logout',
    'http://box.example/logout',
    'https://ada:x@BOX.example/logout',
    '//box.example/logout',
    '///box.example/logout',
    '\\/box.example/logout',
    'https:\\\\box.example\\logout',
    '//b\tox.example/logout',
    '//b%6Fx.example/logout',
    'https://inner.example/logout',
    `https://box.example${BASE}/../../logout`,
    `https://box.example${BASE}/%2e%2e/%2E%2E/logout`,
    `https://box.example${BASE}-2/`,
  ])
    assert.equal(redirectTarget(location, named), undefined, location);
  assert.equal(redirectTarget(`//box.example${BASE}/x`, named), `https://box.example${BASE}/x`);
  assert.equal(redirectTarget('http://[', named), undefined);
});

test('whatever parts a redirect is made of, a browser stays below the path or leaves the server', () => {
  const schemes = ['', 'http:', 'https:', 'HtTpS:', ' https:', 'ht\ttps:'];
  const slashes = ['', '/', '//', '///', '\\', '\\\\', '/\\', '\\/', '/\t/', './', '/.//', '/..//', '//@'];
  const rests = [
    'logout',
    'box.example/logout',
    'box.example:8080/logout',
    'box.example',
    '..',
    'x/../../../logout',
    '@',
    ':',
    '#a',
  ];
  for (const client of [HTTP, HTTPS]) {
    const { publicUrl, path } = client;
    for (const scheme of schemes)
      for (const slash of slashes)
        for (const rest of rests) {
          const target = redirectTarget(scheme + slash + rest, client);
          if (target === undefined) continue;
          const { host, pathname } = new URL(target, publicUrl + BASE + path);
          const isOurs = host === new URL(publicUrl).host;
          const isBelow = pathname === BASE || pathname.startsWith(`${BASE}/`);
          assert.ok(!isOurs || isBelow, JSON.stringify([publicUrl, scheme + slash + rest, target]));
        }
  }
});
