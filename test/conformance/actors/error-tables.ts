// The tables of error types in docs/guide/actors-errors.md, and the types of the specification.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join as joinPath } from 'node:path';
import { actorsApi } from '../../../src/actors/api.ts';
import { describeApi } from '../../../src/kernel/openapi/document.ts';

export const ROOT = joinPath(import.meta.dirname, '../../..');

/** As the specification lists them. */
export const SPECIFIED = `
  invalid-input invalid-parameter parameter-required invalid-value invalid-id invalid-header invalid-content-type-header
  invalid-request invalid-client-key request-id-invalid invalid-idempotency-key invalid-record-key schema-validation
  schema-validation-error schema-validation-failed input-json-invalid-characters input-json-not-object input-json-too-long
  run-input-body-not-valid-json param-not-one-of request-handled-or-locked request-queue-duplicate-requests
  request-too-large record-too-large unsupported-content-encoding content-encoding-forbidden-for-html invalid-token
  invalid-token-type token-not-provided missing-api-token own-token-required auth-method-not-supported
  insufficient-permissions insufficient-permissions-to-change-field elevated-permissions-needed missing-actor-rights
  actor-not-found build-not-found record-not-found user-not-found default-dataset-not-found page-not-found
  unexpected-route rate-limit-exceeded too-many-requests concurrent-runs-limit-exceeded actor-memory-limit-exceeded
  too-many-webhooks too-many-actor-tasks too-many-actors too-many-schedules limit-reached run-failed actor-run-failed
  run-timeout-exceeded job-finished max-items-must-be-greater-than-zero max-total-charge-usd-below-minimum
  max-total-charge-usd-must-be-greater-than-zero dataset-locked dataset-schema-invalid dataset-does-not-have-schema
  dataset-does-not-have-fields-schema requested-dataset-view-does-not-exist no-columns-in-exported-dataset
  name-not-unique actor-task-name-not-unique concurrent-update-detected method-not-allowed internal-server-error
  operation-timed-out query-timeout not-implemented platform-feature-disabled`
  .trim()
  .split(/\s+/);

/** Types of calls that no route has, or that any call may get whatever its route. */
const OF_NO_ROUTE = new Set([
  'page-not-found',
  'method-not-allowed',
  'operation-timed-out',
  'invalid-header',
  'internal-server-error',
]);

/** Fails unless the OpenAPI document lists the type among those that the operation can answer with this status. */
export function assertDescribed(method: string, url: string, status: number, type: string): void {
  if (OF_NO_ROUTE.has(type)) return;
  const [path = ''] = url.replace(/^\/v2\/acts(?=\/|$|\?)/, '/v2/actors').split('?');
  const operation = OPERATIONS.find((one) => one.method === method && one.path.test(path));
  assert.ok(operation, `${method} ${path} is no operation`);
  const types = operation.responses[status]?.['x-error-types'] ?? [];
  assert.ok(
    types.includes(type),
    `${operation.operationId} lists no ${status} ${type}, but ${types.join(', ')}`,
  );
}

interface DescribedOperation {
  operationId: string;
  responses: Record<string, { 'x-error-types'?: string[] }>;
}

/** Those with fewer parameters first: `/a/b` is not `/a/{id}`. */
const OPERATIONS = Object.entries(describeApi(actorsApi, 'v2', {}).paths)
  .toSorted(([a], [b]) => a.split('{').length - b.split('{').length)
  .flatMap(([path, operations]) =>
    Object.entries(operations as Record<string, DescribedOperation>).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path: new RegExp(`^/v2${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}/?$`),
    })),
  );

/** All types that any operation lists. */
export function describedTypes(): Set<string> {
  return new Set(
    OPERATIONS.flatMap(({ responses }) => Object.values(responses)).flatMap(
      (one) => one['x-error-types'] ?? [],
    ),
  );
}

/** The cells of the rows below a heading. */
export function tableOf(heading: string): string[][] {
  const page = readFileSync(joinPath(ROOT, 'docs/guide/actors-errors.md'), 'utf8');
  const [, section = ''] = page.split(`## ${heading}\n`);
  const [own = ''] = section.split('\n## ');
  const lines = own.split('\n').filter((line) => line.startsWith('| `'));
  return lines.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', '')),
  );
}

/** The status of a type that occurs. */
export function listedStatus(type: string): number {
  const rows = [...tableOf('Types that occur'), ...tableOf("Types beyond the specification's table")];
  const row = rows.find(([listed]) => listed === type);
  assert.ok(row, `${type} is in no table of types that occur`);
  return Number(row[1]);
}
