// Small OpenAPI documents for the tests of the breaking-change check.
import { diffContracts } from './diff.ts';
import type { Json } from './document.ts';

export const text = { type: 'string' };
export const count = { type: 'integer' };
export const list = (items: Json): Json => ({ type: 'array', items });
export const object = (properties: Json, ...required: string[]): Json => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required }),
});
export const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });

export function api(paths: Json, rest: Json = {}): Json {
  return { openapi: '3.1.0', info: { title: 'Things', version: '1' }, paths, ...rest };
}

export function operation(detail: Json, rest: Json = {}): Json {
  return api({ '/things/{id}': { post: detail } }, rest);
}

export function sends(schema: unknown, schemas: Json = {}): Json {
  return operation(
    { requestBody: { content: { 'application/json': { schema } } } },
    { components: { schemas } },
  );
}

export function answers(schema: unknown, schemas: Json = {}): Json {
  return operation(
    { responses: { 200: { content: { 'application/json': { schema } } } } },
    { components: { schemas } },
  );
}

export function parameter(place: string, schema: unknown, more: Json = {}): Json {
  return operation({ parameters: [{ in: place, name: 'id', schema, ...more }] });
}

/** `kind @ where`, without the operation that all these documents share. */
export function changes(older: unknown, newer: unknown): string[] {
  return diffContracts(older, newer).map(
    ({ kind, where }) => `${kind} @ ${where.replace(/^POST \/things\/\{id\} ?/, '')}`,
  );
}
