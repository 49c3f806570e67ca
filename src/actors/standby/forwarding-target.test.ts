// The header between nodes: who can have made it, for which request, and for how long it counts.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { Failure } from '../../kernel/failure.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { RawRouteCall } from '../../kernel/http/raw-route.ts';
import { FORWARDING_HEADER, readForwarding, signForwarding } from './forwarding-target.ts';

const NOW = 1_800_000_000_000;
const SKEW_MS = 5 * 60 * 1000;

function node(key: string, now = NOW): Kernel {
  const sign = (purpose: string, text: string) =>
    createHmac('sha256', key).update(`${purpose}: ${text}`).digest('base64url');
  const verify = (purpose: string, text: string, signature: string) => sign(purpose, text) === signature;
  return { secrets: { sign, verify }, clock: { now: () => now } } as unknown as Kernel;
}

const request = { method: 'POST', url: '/standby/shop?page=1', address: '192.0.2.7' };
const withHeader = (header: string | undefined, changed: Partial<typeof request> = {}): RawRouteCall =>
  ({
    ...request,
    address: '10.0.0.1',
    ...changed,
    headers: { [FORWARDING_HEADER]: header },
  }) as unknown as RawRouteCall;
const isRefused = (error: unknown): boolean => error instanceof Failure && error.kind === 'malformed';

test('a node believes another one that has its key, and learns the address of the client', () => {
  assert.equal(readForwarding(node('key'), withHeader(signForwarding(node('key'), request))), '192.0.2.7');
  assert.equal(readForwarding(node('key'), withHeader(undefined)), undefined);
});

test('a signature of another key, of another length or for another request is refused', () => {
  const good = signForwarding(node('key'), request);
  const [time, address, signature] = good.split('.') as [string, string, string];
  const other = Buffer.from('192.0.2.8').toString('base64url');
  for (const header of [
    signForwarding(node('another key'), request),
    `${time}.${address}.${signature.slice(1)}`,
    `${time}.${address}.${signature}A`,
    `${time}.${address}.`,
    `${time}.${other}.${signature}`,
    `${Number(time) + 1}.${address}.${signature}`,
    '',
  ])
    assert.throws(() => readForwarding(node('key'), withHeader(header)), isRefused, header);
  assert.throws(() => readForwarding(node('key'), withHeader(good, { method: 'GET' })), isRefused);
  assert.throws(
    () => readForwarding(node('key'), withHeader(good, { url: '/standby/shop?page=2' })),
    isRefused,
  );
});

test('a signature counts for five minutes, and between clocks that differ by as much', () => {
  const header = signForwarding(node('key'), request);
  for (const now of [NOW - SKEW_MS, NOW + SKEW_MS])
    assert.equal(readForwarding(node('key', now), withHeader(header)), '192.0.2.7');
  for (const now of [NOW - SKEW_MS - 1, NOW + SKEW_MS + 1])
    assert.throws(() => readForwarding(node('key', now), withHeader(header)), isRefused);
});
