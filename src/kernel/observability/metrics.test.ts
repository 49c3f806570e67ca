// Tests of the metrics: whatever is called, their number has a bound.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Metrics } from './metrics.ts';

const sum = (text: string, name: string) =>
  [...text.matchAll(new RegExp(`^${name}\\{.*\\} (\\d+)$`, 'gm'))].reduce(
    (total, [, count]) => total + Number(count),
    0,
  );

test('very many routes and statuses have a bounded number of series, and every call is counted', () => {
  const metrics = new Metrics('1.0.0');
  for (let route = 0; route < 3000; route += 1)
    for (const status of [200, 404]) metrics.count('host', `route-${route}`, status, 0.01);
  for (let status = 100; status < 1000; status += 1) metrics.count('actors', 'standby', status, 0.01);
  const text = metrics.text();
  assert.ok(text.split('\n').length < 5000);
  assert.ok(text.length < 500_000);
  assert.equal(sum(text, 'signalbox_calls_total'), 6900);
  assert.equal(sum(text, 'signalbox_call_seconds_count'), 6900);
  assert.match(text, /signalbox_calls_total\{api="host",route="other",status="404"\} \d+/);
});

test('calls that fail do not take the times of routes from those that succeed', () => {
  const metrics = new Metrics('1.0.0');
  for (let route = 0; route < 500; route += 1) metrics.count('host', `probed-${route}`, 401, 0.01);
  metrics.count('host', 'used', 200, 0.01);
  assert.match(metrics.text(), /signalbox_call_seconds_count\{api="host",route="used"\} 1/);
  assert.match(metrics.text(), /signalbox_call_seconds_count\{api="host",route="other"\} 500/);
});

test('labels beyond the bound of a counter are counted together', () => {
  const metrics = new Metrics('1.0.0');
  const counter = { name: 'things_total', help: 'Things' };
  for (let index = 0; index < 1000; index += 1) metrics.add(counter, `kind="k",name="n\\"${index}"`);
  const text = metrics.text();
  assert.match(text, /signalbox_things_total\{kind="other",name="other"\} 800/);
  assert.equal(sum(text, 'signalbox_things_total'), 1000);
});
