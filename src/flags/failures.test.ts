// A change that needs approval: one kind of failure, with another status for segments than for flags.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RequestContext } from '../kernel/http/request-context.ts';
import { Failure } from '../kernel/failure.ts';
import { BYPASS, BYPASS_SEGMENT } from './policy/policy-rules.ts';
import { renderError, statusOf } from './failures.ts';
import { requireFlagApproval } from './feature-flags/change/permissions.ts';
import type { Flag } from './feature-flags/flag.ts';
import type { Environment } from './projects/project.ts';
import { requireSegmentApproval } from './segments/approval.ts';
import type { Segment } from './segments/segment.ts';

const environment = {
  name: 'Production',
  approvalSettings: { required: true, requiredApprovalTags: [] },
  resourceApprovalSettings: { segment: { required: true, requiredApprovalTags: [] } },
} as unknown as Environment;

function failureOf(run: () => void): Failure {
  try {
    run();
  } catch (error) {
    if (error instanceof Failure) return error;
  }
  return assert.fail('It has not failed.');
}

const rendered = (failure: Failure) => ({
  kind: failure.kind,
  status: statusOf(failure),
  headers: failure.details.headers,
  body: renderError(failure, { id: 'call' } as RequestContext),
});

test('a flag that needs approval is 405, with no word of which verbs there are', () => {
  const resource = 'proj/p:env/e:flag/f';
  const failure = failureOf(() =>
    requireFlagApproval({}, environment, { tags: [] } as unknown as Flag, resource),
  );
  assert.deepEqual(rendered(failure), {
    kind: 'approval-required',
    status: 405,
    headers: undefined,
    body: {
      code: 'method_not_allowed',
      message: 'The change cannot be made directly: approval is required in Production.',
      id: 'call',
      access: { action: BYPASS, resource },
      reason: { effect: 'deny' },
    },
  });
});

test('a segment that needs approval is 403', () => {
  const resource = 'proj/p:env/e:segment/s';
  const segment = { tags: [] } as unknown as Segment;
  const failure = failureOf(() => requireSegmentApproval({}, environment, segment, resource));
  assert.deepEqual(rendered(failure), {
    kind: 'approval-required',
    status: 403,
    headers: undefined,
    body: {
      code: 'forbidden',
      message: 'The change cannot be made directly: approval is required.',
      id: 'call',
      access: { action: BYPASS_SEGMENT, resource },
      reason: { effect: 'deny' },
    },
  });
});
