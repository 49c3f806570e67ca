import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Failure } from '../../kernel/failure.ts';
import { isContainer, MAX_DEPTH } from '../../kernel/json/json-value.ts';
import { applyMergePatch } from './merge-patch.ts';
import { isUnderscored } from '../../kernel/json/pointer.ts';

function freeze<T>(value: T): T {
  if (isContainer(value)) Object.values(value).forEach(freeze);
  return Object.freeze(value);
}

describe('the table of RFC 7386, appendix A', () => {
  const table: [document: string, patch: string, result: string][] = [
    ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
    ['{"a":"b"}', '{"a":null}', '{}'],
    ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
    ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
    ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
    ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
    ['["a","b"]', '["c","d"]', '["c","d"]'],
    ['{"a":"b"}', '["c"]', '["c"]'],
    ['{"a":"foo"}', 'null', 'null'],
    ['{"a":"foo"}', '"bar"', '"bar"'],
    ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
    ['[1,2]', '{"a":"b","c":null}', '{"a":"b"}'],
    ['{}', '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
  ];
  for (const [document, patch, result] of table) {
    test(`${document} with ${patch} is ${result}`, () => {
      assert.deepEqual(
        applyMergePatch(freeze(JSON.parse(document)), freeze(JSON.parse(patch))),
        JSON.parse(result),
      );
    });
  }
});

describe('locked attributes', () => {
  const document = freeze({ _id: 1, name: 'n', env: { _site: { href: '/' }, on: true }, list: [{ _id: 7 }] });
  const apply = (patch: object) => applyMergePatch(document, patch, { locked: isUnderscored });

  const edits = [
    { _id: 2 },
    { _id: null },
    { _new: 1 },
    { env: { _site: { href: '/x' } } },
    { env: { _site: null } },
  ];
  for (const patch of edits) {
    test(`${JSON.stringify(patch)} is refused`, () => {
      assert.throws(
        () => apply(patch),
        (error) =>
          error instanceof Failure && error.kind === 'invalid' && /\/_\w+ cannot/.test(error.message),
      );
    });
  }

  test('sending one back unchanged is no edit', () => {
    const patch = { _id: 1, name: 'm', env: { _site: { href: '/' } }, list: [] };
    assert.deepEqual(apply(patch), { ...document, name: 'm', list: [] });
  });
});

test('__proto__ and constructor are ordinary members', () => {
  const document: unknown = JSON.parse('{"__proto__": {"a": 1}}');
  const patch: unknown = JSON.parse(
    '{"__proto__": {"b": 2}, "constructor": {"prototype": {"polluted": true}}}',
  );
  const result = applyMergePatch(freeze(document), freeze(patch));
  assert.equal(
    JSON.stringify(result),
    '{"__proto__":{"a":1,"b":2},"constructor":{"prototype":{"polluted":true}}}',
  );
  assert.equal(Object.getPrototypeOf(result), Object.prototype);
  assert.equal(({} as Record<string, unknown>).polluted, undefined);
});

test('a merge of an inherited name starts from nothing', () => {
  const result = applyMergePatch({}, JSON.parse('{"constructor": {"a": 1}, "__proto__": {"b": null}}'));
  assert.equal(JSON.stringify(result), '{"constructor":{"a":1},"__proto__":{}}');
});

test('a patch of 100,000 levels is a failure, and such a document is merged', () => {
  const nested = (depth: number): unknown => JSON.parse(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`);
  const deep = nested(100_000);
  const rules = { locked: isUnderscored };
  assert.throws(
    () => applyMergePatch({}, deep, rules),
    (error) => error instanceof Failure && error.kind === 'bad-patch',
  );
  assert.deepEqual(applyMergePatch(deep, { a: 2 }, rules), { a: 2 });
  assert.deepEqual(applyMergePatch({}, nested(MAX_DEPTH)), nested(MAX_DEPTH));
});

describe('for any document and patch', () => {
  const json = fc.jsonValue({ maxDepth: 4 });

  test('merging leaves both untouched', () => {
    fc.assert(
      fc.property(json, json, (document, patch) => {
        applyMergePatch(freeze(document), freeze(patch));
      }),
    );
  });
  test('merging twice is merging once', () => {
    fc.assert(
      fc.property(json, json, (document, patch) => {
        const once = applyMergePatch(document, patch);
        assert.deepEqual(applyMergePatch(once, patch), once);
      }),
    );
  });
  test('an empty patch changes no object', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), json, { noNullPrototype: true }), (document) => {
        assert.deepEqual(applyMergePatch(document, {}), document);
      }),
    );
  });
  test('fields that the patch does not name stay', () => {
    fc.assert(
      fc.property(json, json, (kept, patch) => {
        fc.pre(isContainer(patch) && !Array.isArray(patch) && !Object.hasOwn(patch, 'kept'));
        assert.deepEqual((applyMergePatch({ kept }, patch) as { kept: unknown }).kept, kept);
      }),
    );
  });
});
