// The forecast of a full disk, from what was used before.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forecastDisk } from './disk-forecast.ts';

const DAY = 24 * 60 * 60 * 1000;
const used = (...bytes: number[]) => bytes.map((one, day) => ({ at: day * DAY, bytes: one }));

test('a disk that fills by ten a day and has fifty left is full in five days', () => {
  assert.deepEqual(forecastDisk(used(10, 20, 30, 40, 50), 100, 4 * DAY), {
    bytesPerDay: 10,
    fullAt: 9 * DAY,
  });
});

test('a disk of which less is used from day to day is never full', () => {
  assert.deepEqual(forecastDisk(used(50, 40, 30), 100, 2 * DAY), { bytesPerDay: -10 });
});

test('a disk that would take many years to fill has no day', () => {
  assert.deepEqual(forecastDisk(used(1, 2), 1e9, DAY), { bytesPerDay: 1 });
});

test('a few hours say nothing', () => {
  assert.equal(
    forecastDisk(
      [
        { at: 0, bytes: 1 },
        { at: DAY / 4, bytes: 9 },
      ],
      100,
      DAY,
    ),
    undefined,
  );
  assert.equal(forecastDisk([], 100, DAY), undefined);
});
