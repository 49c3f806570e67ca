// Which item of a list is the neighbour of the one that is shown.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { neighbourOf, rememberList } from '../../console/ui/list-neighbours.ts';

test('the neighbours of an item are those of the list that it was opened from, on the same tab', () => {
  rememberList(['/flags/shop/a?env=test', '/flags/shop/ab?env=test', '/flags/shop/c?env=test']);
  assert.equal(neighbourOf('/flags/shop/a?env=test', 1), '/flags/shop/ab?env=test');
  assert.equal(neighbourOf('/flags/shop/ab/history?env=production', 1), '/flags/shop/c/history?env=test');
  assert.equal(neighbourOf('/flags/shop/a', -1), undefined);
  assert.equal(neighbourOf('/flags/shop/c?env=test', 1), undefined);
  assert.equal(neighbourOf('/account/members', 1), undefined);
});

test('items that open beside their list are told apart by the query', () => {
  rememberList(['/account/teams?team=a', '/account/teams?team=b', '/account/teams?team=c']);
  assert.equal(neighbourOf('/account/teams?team=b', 1), '/account/teams?team=c');
  assert.equal(neighbourOf('/account/teams?team=b', -1), '/account/teams?team=a');
  assert.equal(neighbourOf('/account/teams', 1), undefined);
});
