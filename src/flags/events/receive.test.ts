// Receiving a payload whose sender goes away.
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { inTime } from '../../../test/eventually.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { Metrics } from '../../kernel/observability/metrics.ts';
import type { Environment } from '../projects/project.ts';
import { openFlagEvents, receiveEvents } from './receive.ts';

test('a sender that went away before the body is read is not waited for', async () => {
  const metrics = new Metrics('0');
  const parts = { metrics, clock: { now: () => 0 } } as unknown as Kernel;
  const kernel = { ...parts, services: { flagEvents: openFlagEvents(parts, undefined) } } as Kernel;
  const stream = Object.assign(new PassThrough(), { headers: {} });
  stream.destroy();
  const environment = { id: 'e', projectId: 'p' } as Environment;
  await assert.rejects(
    inTime(receiveEvents({ headers: {}, now: 0, stream }, kernel, environment, 'server')),
    { kind: 'malformed' },
  );
  assert.match(metrics.text(), /flag_event_payloads_total\{outcome="malformed"\} 1/);
});
