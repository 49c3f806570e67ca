// Small OpenAPI documents for the tests of the breaking-change check.
import { diffContracts } from './diff.ts';
import type { JsonRecord } from './document.ts';

export const text = { type: 'string' };
export const count = { type: 'integer' };
export const list = (items: JsonRecord): JsonRecord => ({ type: 'array', items });
export const object = (properties: JsonRecord, ...required: string[]): JsonRecord => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required }),
});
export const ref = (name: string): JsonRecord => ({ $ref: `#/components/schemas/${name}` });

export function api(paths: JsonRecord, rest: JsonRecord = {}): JsonRecord {
  return { openapi: '3.1.0', info: { title: 'Things', version: '1' }, paths, ...rest };
}

export function operation(detail: JsonRecord, rest: JsonRecord = {}): JsonRecord {
  return api({ '/things/{id}': { post: detail } }, rest);
}

export function sends(schema: unknown, schemas: JsonRecord = {}): JsonRecord {
  return operation(
    { requestBody: { content: { 'application/json': { schema } } } },
    { components: { schemas } },
  );
}

export function answers(schema: unknown, schemas: JsonRecord = {}): JsonRecord {
  return operation(
    { responses: { 200: { content: { 'application/json': { schema } } } } },
    { components: { schemas } },
  );
}

export function parameter(place: string, schema: unknown, more: JsonRecord = {}): JsonRecord {
  return operation({ parameters: [{ in: place, name: 'id', schema, ...more }] });
}

/** `kind @ where`, without the operation that all these documents share. */
export function changes(older: unknown, newer: unknown): string[] {
  return diffContracts(older, newer).map(
    ({ kind, where }) => `${kind} @ ${where.replace(/^POST \/things\/\{id\} ?/, '')}`,
  );
}
