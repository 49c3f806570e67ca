// Tests of the networks by which callers without a credential are limited.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isNetwork, networkAround, networkOf } from './client-network.ts';

test('an IPv4 address is a network of its own, however it is written', () => {
  for (const address of ['192.0.2.7', '::ffff:192.0.2.7', '::FFFF:192.0.2.7', '192.0.2.7:51234'])
    assert.equal(networkOf(address), '192.0.2.7', address);
});

test('the IPv6 addresses of one /64 are one network', () => {
  for (const address of [
    '2001:db8:1:2::1',
    '2001:0DB8:0001:0002:ffff:eeee:dddd:cccc',
    '2001:db8:1:2:3:4:5:6',
    '2001:db8:1:2:3:4:192.0.2.1',
    '[2001:db8:1:2::9]:443',
    '[2001:db8:1:2::9]',
  ])
    assert.equal(networkOf(address), '2001:db8:1:2::/64', address);
  assert.equal(networkOf('2001:db8:1:3::1'), '2001:db8:1:3::/64');
  assert.equal(networkOf('2001:db8::1:2:192.0.2.1'), '2001:db8:0:0::/64');
  assert.equal(networkOf('::1'), '0:0:0:0::/64');
  assert.equal(networkOf('fe80::1%eth0'), 'fe80:0:0:0::/64');
  assert.equal(networkOf('1::'), '1:0:0:0::/64');
});

test('whatever is no address is one caller', () => {
  for (const address of [undefined, '', 'unknown', '_hidden', '1.2.3', 'a'.repeat(10_000), '[[::1]]'])
    assert.equal(networkOf(address), 'unknown', address?.slice(0, 20));
});

test('the networks around one have fewer groups of it', () => {
  const around = (network: string) => ([3, 2, 1] as const).map((groups) => networkAround(network, groups));
  assert.deepEqual(around('192.0.2.7'), ['192.0.2.*', '192.0.*', '192.*']);
  assert.deepEqual(around('2001:db8:1:2::/64'), ['2001:db8:1:*', '2001:db8:*', '2001:*']);
  assert.deepEqual(['192.0.2.7', '2001:db8:0:0::/64', '192.*', '2001:*'].map(isNetwork), Array(4).fill(true));
  assert.deepEqual(['unknown', '*', 'm0d8s7', 'installation/7'].map(isNetwork), Array(4).fill(false));
});
