// Every type of resource that the code records has a product in the activity.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { RESOURCE_TYPES } from '../../flags/policy/resources.ts';
import { findProduct, productOf } from './model.ts';

const SOURCES = join(import.meta.dirname, '../..');

/** Functions that write specifiers are named so. */
const WRITERS = /(?:function|const) \w*[rR]esource\w*[\s\S]*?\n\}?\n/g;
/** The beginning of a specifier: `actor-run/${id}`, `service-token/*`. */
const BEGINNING = /[`'"]([a-z][a-z-]*)\/(?:\$\{|\*)/g;
/** One that is written in place. */
const IN_PLACE = /\bresources?[:=]\s*(?:\[\s*)?[`'"]([a-z][a-z-]*)\//g;

function typesIn(text: string): string[] {
  const written = [...text.matchAll(WRITERS)].flatMap(([body]) => [...body.matchAll(BEGINNING)]);
  return [...written, ...text.matchAll(IN_PLACE)].map(([, type]) => type!);
}

test('every type of resource in the code has a product', () => {
  const files = globSync('{flags,actors,host,kernel,signalbox,app,cli}/**/*.ts', { cwd: SOURCES }).filter(
    (file) => !/\.test\.ts$|fixture/.test(file),
  );
  const types = new Set(files.flatMap((file) => typesIn(readFileSync(join(SOURCES, file), 'utf8'))));
  for (const expected of ['proj', 'repo', 'actor-run', 'service-token', 'org', 'gist', 'schedule'])
    assert.ok(types.has(expected), `the search does not find ${expected} any more`);
  assert.deepEqual(
    [...types].filter((type) => findProduct(type) === undefined),
    [],
  );
});

test('what the flags API calls its own, and all storages, have a product', () => {
  for (const type of RESOURCE_TYPES) assert.match(findProduct(type) ?? '', /^(flags|account)$/, type);
  for (const type of ['dataset', 'key-value-store', 'request-queue'])
    assert.equal(productOf(`${type}/x;run-7`), 'actors');
});

test('a resource is known by its first word alone, and one that is unknown belongs to the account', () => {
  assert.equal(productOf('proj/shop;core:env/test:flag/banner'), 'flags');
  assert.equal(productOf('member/m1:token/t1'), 'account');
  for (const unknown of ['', 'constructor/x', '__proto__', 'project/x']) {
    assert.equal(findProduct(unknown), undefined);
    assert.equal(productOf(unknown), 'account');
  }
});
