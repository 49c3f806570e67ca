// Changes about repositories reach every schema that shows one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonSchema } from '../../kernel/schema/schema.ts';
import { hostApi } from '../api.ts';
import { hasDownloadsRemoved } from './2026-03-10/has-downloads-removed.ts';
import { squashTitleDefaultRemoved } from './2026-03-10/squash-title-default-removed.ts';

const idsOf = (changes: readonly { schema: unknown }[]) =>
  new Set(changes.map(({ schema }) => (schema as JsonSchema).$id));

/** Every object schema of a reply, nested ones included. */
function* objectsIn(schema: unknown): Generator<JsonSchema> {
  if (typeof schema !== 'object' || schema === null) return;
  if ('properties' in schema) yield schema as JsonSchema;
  for (const inner of Object.values(schema)) yield* objectsIn(inner);
}

test('whatever shows a repository is a schema that the changes about repositories name', () => {
  const all = idsOf(hasDownloadsRemoved);
  const merging = idsOf(squashTitleDefaultRemoved);
  for (const { shape } of hostApi.routes) {
    for (const reply of [shape.list, ...Object.values(shape.reply ?? {})]) {
      for (const { properties = {}, $id } of objectsIn(reply)) {
        const isRepository = 'full_name' in properties && 'default_branch' in properties;
        if (!isRepository) continue;
        assert.ok(all.has($id), `${shape.id} shows a repository as ${$id}`);
        const isMerging = 'squash_merge_commit_title' in properties;
        assert.equal(merging.has($id), isMerging, `${shape.id} shows a repository as ${$id}`);
      }
    }
  }
});
