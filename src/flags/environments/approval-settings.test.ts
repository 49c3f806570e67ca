// Base roles that may change approval settings.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileBaseRoles } from '../../kernel/identity/role-policies.ts';
import type { BaseRole } from '../../kernel/identity/policy.ts';
import { flagsApi } from '../api.ts';

test('writers change all of an environment but its approval settings', () => {
  const policies = compileBaseRoles(flagsApi.roleStatements ?? []);
  const all: BaseRole[] = ['no_access', 'reader', 'writer', 'admin', 'owner'];
  const may = (action: string) => all.filter((role) => policies[role].allows(action, 'proj/p;b:env/e;a'));
  assert.deepEqual(may('updateApprovalSettings'), ['admin', 'owner']);
  assert.deepEqual(may('updateName'), ['writer', 'admin', 'owner']);
});
