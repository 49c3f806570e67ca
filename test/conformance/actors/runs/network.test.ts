// Runs without a network: they reach this server and nothing else.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { createActor } from '../../../actors.ts';
import { script } from '../../../actor-sources.ts';
import { startServer } from '../../../server.ts';
import { tryIsolation } from '../../../../src/actors/runner/isolation/isolation.ts';

const { kind } = await tryIsolation();

test(
  'with --actor-network none a run uses the API, and reaches nothing else',
  { skip: kind !== 'bubblewrap' && 'needs bwrap' },
  async (t) => {
    const other = createServer((_request, response) => response.end('reached')).listen(0, '127.0.0.1');
    await once(other, 'listening');
    t.after(() => other.close());
    const { port } = other.address() as AddressInfo;
    const server = await startServer({ limits: 'off', actorNetwork: 'none' });
    t.after(() => server.stop());
    await createActor(
      server,
      script(`const reach = (url) => fetch(url).then(() => 'reached', (error) => String(error.cause?.code));
        await setValue('OUTPUT', { other: await reach('http://127.0.0.1:${port}/'), server: await reach('${server.url}/healthz') });`),
      { name: 'lonely' },
    );
    const answer = await server.call('/v2/actors/~lonely/run-sync', { method: 'POST' });
    assert.equal(answer.status, 201, answer.text);
    assert.deepEqual(answer.json, { other: 'ECONNREFUSED', server: 'ECONNREFUSED' });
  },
);
