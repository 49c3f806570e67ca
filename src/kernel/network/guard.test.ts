import assert from 'node:assert/strict';
import type { LookupAddress } from 'node:dns';
import { createServer, get, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { Failure } from '../failure.ts';
import { guard, type Guard, type Resolve } from './guard.ts';

const strict = guard({ allowPrivate: false });
const lenient = guard({ allowPrivate: true });

const refusal = (words: string) => (error: unknown) => {
  assert.ok(error instanceof Failure, String(error));
  assert.equal(error.kind, 'invalid');
  assert.ok(error.message.includes(words), `"${error.message}" lacks "${words}"`);
  return true;
};

const answer =
  (...addresses: string[]): Resolve =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

function lookUp(by: Guard, hostname: string, options = {}): Promise<string | LookupAddress[]> {
  return new Promise((resolve, reject) => {
    by.lookup(hostname, options, (error, address) => (error ? reject(error) : resolve(address)));
  });
}

const everyRange: [address: string, what: string, isPrivate: boolean][] = [
  ['127.0.0.1', 'loopback', true],
  ['127.255.255.254', 'loopback', true],
  ['::1', 'loopback', true],
  ['::ffff:127.0.0.1', 'loopback', true],
  ['::ffff:7f00:1', 'loopback', true],
  ['64:ff9b::127.0.0.1', 'loopback', true],
  ['::ffff:127.0.0.1%lo', 'loopback', true],
  ['10.0.0.1', 'private', true],
  ['172.16.0.1', 'private', true],
  ['172.31.255.255', 'private', true],
  ['192.168.1.1', 'private', true],
  ['::ffff:192.168.1.1', 'private', true],
  ['64:ff9b::10.0.0.1', 'private', true],
  ['fc00::1', 'private', true],
  ['fdff:ffff::1', 'private', true],
  ['fd00:ec2::254', 'private', true],
  ['fec0::1', 'private', true],
  ['169.254.169.254', 'link-local', true],
  ['::ffff:a9fe:a9fe', 'link-local', true],
  ['64:ff9b::a9fe:a9fe', 'link-local', true],
  ['fe80::1', 'link-local', true],
  ['fe80::1%eth0', 'link-local', true],
  ['168.63.129.16', 'metadata', true],
  ['100.100.100.200', 'metadata', true],
  ['192.0.0.192', 'metadata', true],
  ['100.64.0.1', 'carrier-grade', true],
  ['100.127.255.255', 'carrier-grade', true],
  ['64:ff9b:1::a00:1', 'NAT64', true],
  ['0.0.0.0', 'unspecified', false],
  ['0.1.2.3', 'unspecified', false],
  ['::', 'unspecified', false],
  ['::ffff:0.0.0.0', 'unspecified', false],
  ['224.0.0.1', 'multicast', false],
  ['239.255.255.250', 'multicast', false],
  ['ff02::1', 'multicast', false],
  ['64:ff9b::224.0.0.1', 'multicast', false],
  ['255.255.255.255', 'broadcast', false],
  ['192.0.2.1', 'documentation', false],
  ['198.51.100.1', 'documentation', false],
  ['203.0.113.1', 'documentation', false],
  ['2001:db8::1', 'documentation', false],
  ['3fff:fff::1', 'documentation', false],
  ['198.18.0.1', 'benchmarking', false],
  ['198.19.255.255', 'benchmarking', false],
  ['2001:2::1', 'benchmarking', false],
  ['2002:7f00:1::', '6to4', false],
  ['2002:808:808::', '6to4', false],
  ['192.88.99.1', '6to4', false],
  ['2001:0:7f00:1::1', 'Teredo', false],
  ['::127.0.0.1', 'IPv4-compatible', false],
  ['::8.8.8.8', 'IPv4-compatible', false],
  ['192.0.0.1', 'reserved', false],
  ['240.0.0.1', 'reserved', false],
  ['2001:10::1', 'reserved', false],
  ['100::1', 'reserved', false],
  ['4000::1', 'reserved', false],
  ['fe00::1', 'reserved', false],
];

const publicAddresses = [
  '8.8.8.8',
  '1.1.1.1',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.0',
  '169.253.255.255',
  '172.15.255.255',
  '172.32.0.0',
  '192.167.255.255',
  '192.169.0.0',
  '198.17.255.255',
  '198.20.0.0',
  '223.255.255.255',
  '2606:4700:4700::1111',
  '2a00:1450:4001::1',
  '2001:4860:4860::8888',
  '::ffff:8.8.8.8',
  '64:ff9b::8.8.8.8',
];

const inUrl = (address: string) => `http://${address.includes(':') ? `[${address}]` : address}/`;

describe('an address', () => {
  for (const [address, what, isPrivate] of everyRange) {
    test(`${address} is refused as ${what}, in a URL and behind a name`, async () => {
      for (const by of isPrivate ? ['strict'] : ['strict', 'lenient']) {
        const allowPrivate = by === 'lenient';
        const one = guard({ allowPrivate, resolve: answer(address) });
        const among = guard({ allowPrivate, resolve: answer('8.8.8.8', address) });
        if (!address.includes('%')) assert.throws(() => one.checkUrl(inUrl(address)), refusal(what));
        await assert.rejects(lookUp(one, 'name.example'), refusal(what));
        await assert.rejects(lookUp(among, 'name.example', { all: true }), refusal(what));
      }
    });
    if (!isPrivate) continue;
    test(`${address} is permitted where private addresses are`, async () => {
      const open = guard({ allowPrivate: true, resolve: answer(address) });
      if (!address.includes('%')) open.checkUrl(inUrl(address));
      assert.equal(await lookUp(open, 'name.example'), address);
    });
  }

  for (const address of publicAddresses) {
    test(`${address} is permitted`, async () => {
      const one = guard({ allowPrivate: false, resolve: answer(address) });
      one.checkUrl(inUrl(address));
      assert.equal(await lookUp(one, 'name.example'), address);
    });
  }

  test('of IPv4 is judged the same when IPv6 writes it', () => {
    const permits = (address: string) => {
      try {
        return Boolean(strict.checkUrl(inUrl(address)));
      } catch {
        return false;
      }
    };
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        assert.equal(permits(`::ffff:${address}`), permits(address));
        assert.equal(permits(`64:ff9b::${address}`), permits(address));
      }),
      { numRuns: 1000 },
    );
  });
});

describe('a URL', () => {
  const refused: [url: string, words: string][] = [
    ['', 'not a URL'],
    ['example.com', 'not a URL'],
    ['http://', 'not a URL'],
    ['http://[fe80::1%25eth0]/', 'not a URL'],
    ['ftp://example.com/', 'ftp:'],
    ['file:///etc/passwd', 'file:'],
    ['gopher://127.0.0.1:6379/_x', 'gopher:'],
    ['data:text/plain,x', 'data:'],
    ['javascript:alert(1)', 'javascript:'],
    ['http+unix://%2Frun%2Fdocker.sock/', 'http+unix:'],
    ['http://user@example.com/', 'user name'],
    ['http://:secret@example.com/', 'user name'],
    ['http://example.com@127.0.0.1/', 'user name'],
    ['http://2130706433/', '127.0.0.1 is a loopback'],
    ['http://0x7f000001/', '127.0.0.1 is a loopback'],
    ['http://0x7f.1/', '127.0.0.1 is a loopback'],
    ['http://0177.0.0.01/', '127.0.0.1 is a loopback'],
    ['http://127.1/', '127.0.0.1 is a loopback'],
    ['http://127.0.0.1./', 'loopback'],
    ['http://１２７。0。0。1/', 'loopback'],
    ['http://%31%32%37.0.0.1/', 'loopback'],
    ['http:\\\\127.0.0.1\\', 'loopback'],
    ['HTTP://127.0.0.1:80/', 'loopback'],
    ['http://0/', 'unspecified'],
    ['http://[::ffff:127.0.0.1]/', 'loopback'],
    ['http://[0:0:0:0:0:0:0:1]:8080/', 'loopback'],
    ['http://localhost/', 'localhost is a loopback'],
    ['http://LOCALHOST./', 'loopback'],
    ['http://x.localhost:3000/', 'loopback'],
  ];
  for (const [url, words] of refused) {
    test(`${JSON.stringify(url)} is refused`, () => {
      assert.throws(() => strict.checkUrl(url), refusal(words));
    });
  }

  test('with another scheme, credentials or a multicast address is refused even where private ones are not', () => {
    for (const url of ['file:///x', 'http://a:b@localhost/', 'http://224.0.0.1/', 'http://0.0.0.0/']) {
      assert.throws(() => lenient.checkUrl(url), Failure);
    }
    assert.equal(lenient.checkUrl('http://localhost:3000/x').href, 'http://localhost:3000/x');
  });

  test('to a public host is given back parsed', () => {
    for (const url of [
      'https://example.com/a?b=c#d',
      'http://notlocalhost.example:8080/',
      'http://8.8.8.8/',
    ]) {
      assert.equal(strict.checkUrl(url).href, url);
      assert.equal(strict.checkUrl(new URL(url)).href, url);
    }
  });
});

describe('a lookup', () => {
  test('gives one address or all, as it is asked', async () => {
    const by = guard({ allowPrivate: false, resolve: answer('8.8.8.8', '2606:4700::1') });
    assert.equal(await lookUp(by, 'name.example'), '8.8.8.8');
    assert.deepEqual(await lookUp(by, 'name.example', { all: true }), [
      { address: '8.8.8.8', family: 4 },
      { address: '2606:4700::1', family: 6 },
    ]);
  });
  test('passes on the wanted family, and always asks for all addresses', async () => {
    let asked: unknown;
    const resolve: Resolve = async (_, options) => {
      asked = options;
      return [{ address: '8.8.8.8', family: 4 }];
    };
    await lookUp(guard({ allowPrivate: false, resolve }), 'name.example', { family: 4, all: false });
    assert.deepEqual(asked, { family: 4, all: true });
  });
  test('refuses an answer that is empty or no address', async () => {
    await assert.rejects(
      lookUp(guard({ allowPrivate: true, resolve: answer() }), 'x.example'),
      refusal('no address'),
    );
    const strange = guard({ allowPrivate: true, resolve: answer('garbage') });
    await assert.rejects(lookUp(strange, 'x.example'), refusal('not an IP address'));
  });
  test('passes on the error of the resolver', async () => {
    const error = Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
    const resolve: Resolve = () => Promise.reject(error);
    await assert.rejects(lookUp(guard({ allowPrivate: false, resolve }), 'x.example'), error);
  });
});

describe('a socket', () => {
  let server: Server;
  let port: number;
  let requests = 0;

  before(async () => {
    server = createServer((_, response) => {
      requests += 1;
      response.end('inside');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port;
  });
  after(() => server.close());

  function fetchBy({ lookup }: Guard, host: string): Promise<number | undefined> {
    return new Promise((resolve, reject) => {
      get({ host, port, lookup, agent: false }, (response) => {
        response.resume();
        resolve(response.statusCode);
      }).on('error', reject);
    });
  }

  test('does not reach a server on this machine by name', async () => {
    await assert.rejects(fetchBy(strict, 'localhost'), refusal('loopback'));
    assert.equal(requests, 0);
  });

  test('reaches it where private addresses are permitted', async () => {
    assert.equal(await fetchBy(lenient, 'localhost'), 200);
    assert.equal(requests, 1);
  });

  test('connects to the address that was checked, though the name then means another', async () => {
    const answers = ['127.0.0.1', '127.0.0.99'];
    let asked = 0;
    const resolve: Resolve = async () => [{ address: answers[asked++] ?? '', family: 4 }];
    assert.equal(await fetchBy(guard({ allowPrivate: true, resolve }), 'rebinding.example'), 200);
    assert.equal(asked, 1);
    assert.equal(requests, 2);
  });

  test('does not follow a name that was public when it was first seen', async () => {
    const answers = ['8.8.8.8', '127.0.0.1'];
    const resolve: Resolve = async () => [{ address: answers.shift() ?? '', family: 4 }];
    const by = guard({ allowPrivate: false, resolve });
    by.checkUrl(`http://rebinding.example:${port}/`);
    assert.equal(await lookUp(by, 'rebinding.example'), '8.8.8.8');
    await assert.rejects(fetchBy(by, 'rebinding.example'), refusal('127.0.0.1, a loopback address'));
    assert.equal(requests, 2);
  });
});
