// Which types the console gets from an OpenAPI document, and how they read.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findImportedTypes, writeTypes } from './console-types.ts';

const SCHEMAS = {
  Page: {
    type: 'object',
    required: ['items'],
    properties: {
      items: { type: 'array', items: { $ref: '#/components/schemas/small-item' } },
      next: { type: 'string', description: 'The cursor' },
    },
  },
  'small-item': { type: 'object', required: ['state'], properties: { state: { enum: ['on', 'off'] } } },
  Unused: { type: 'string' },
} as const;

const read = (imported: readonly string[]) =>
  writeTypes('x.json', SCHEMAS as never, imported)
    .replaceAll(/\s+/g, ' ')
    .trim();

test('what is imported is exported, and what it refers to stands beside it', () => {
  assert.equal(
    read(['Page']),
    '// Written by `npm run console:types` from docs/openapi/x.json. ' +
      'export interface Page { items: SmallItem[]; /** The cursor */ next?: string } ' +
      'interface SmallItem { state: ("on" | "off") }',
  );
});

test('a type that the document has not is an error that names it', () => {
  assert.throws(() => read(['Gone']), /x\.json has no schema Gone/);
});

test('imports are found at any depth, over several lines and under another name', () => {
  const texts = [
    "import type { Page } from '../../api/types/signalbox.ts';",
    "import type {\n  Page,\n  SmallItem as Item,\n} from './types/signalbox.ts';",
    "import type { Other } from '../api/types/flags.ts';",
    "import { Value } from '../api/read.ts';",
  ];
  assert.deepEqual(findImportedTypes(texts, 'signalbox'), ['Page', 'SmallItem']);
});

test('a union says nothing that another part of it says already', () => {
  const schemas = {
    Reference: {
      type: 'object',
      properties: {
        key: { anyOf: [{ type: 'string' }, { const: '' }] },
        delta: { anyOf: [{}, { type: 'null' }] },
        kind: { anyOf: [{ const: 'a' }, { const: 'b' }] },
      },
    },
  };
  const text = writeTypes('api.json', schemas, ['Reference']);
  assert.match(text, /key\?: \(string\); delta\?: unknown; kind\?: \("a" \| "b"\)/);
});
