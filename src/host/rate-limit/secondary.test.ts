// What the calls of each route of the host count for.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hostApi } from '../api.ts';
import { secondaryPlan } from './secondary.ts';

const shapes = hostApi.routes.map(({ shape }) => shape);
const creates = (id: string) => secondaryPlan.costOf(shapes.find((shape) => shape.id === id))?.createsContent;

test('every route that can answer 201 creates content, and no other but forks', () => {
  const able = shapes.filter(({ reply = {} }) => 201 in reply).map(({ id }) => id);
  const counted = shapes.filter((shape) => secondaryPlan.costOf(shape)?.createsContent === true);
  assert.ok(able.length > 20);
  assert.deepEqual(
    counted.map(({ id }) => id).filter((id) => !able.includes(id)),
    ['repos/create-fork'],
  );
  assert.deepEqual(
    able.filter((id) => creates(id) !== true),
    [],
  );
});

test('every route has points, except what shows the budgets', () => {
  const free = shapes.filter((shape) => secondaryPlan.costOf(shape) === undefined).map(({ id }) => id);
  assert.deepEqual(free, ['rate-limit/get']);
});
