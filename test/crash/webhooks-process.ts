// Delivers webhooks from the given database until it is killed.
import { parseArgs } from 'node:util';
import { guard } from '../../src/kernel/network/guard.ts';
import { Metrics } from '../../src/kernel/observability/metrics.ts';
import { policyInOrder } from '../../src/kernel/webhooks/fixture.ts';
import { startDelivering } from '../../src/kernel/webhooks/start-delivery.ts';
import { openEngine } from '../engines.ts';

const { positionals } = parseArgs({ allowPositionals: true });
const [location = '', hooks = '{}'] = positionals;
const urls = JSON.parse(hooks) as Record<string, string>;

await startDelivering({
  engine: await openEngine(location),
  clock: { now: Date.now },
  random: Math.random,
  log: { warn: console.warn, error: console.error },
  owner: `process ${process.pid}`,
  metrics: new Metrics(''),
  guard: guard({ allowPrivate: true }),
  release: '',
  policies: {
    test: policyInOrder((hookId) => {
      const url = urls[hookId];
      return url === undefined ? undefined : { url };
    }),
  },
});
