import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Failure, type FailureKind } from '../../kernel/failure.ts';
import { applyJsonPatch, MAX_CARRIED, MAX_MOVED, MAX_OPERATIONS, type JsonPatchRules } from './json-patch.ts';
import { isContainer, MAX_DEPTH } from '../../kernel/json/json-value.ts';
import { isUnderscored } from '../../kernel/json/pointer.ts';

function failing(kind: FailureKind, ...words: string[]) {
  return (error: unknown) => {
    assert.ok(error instanceof Failure, String(error));
    assert.equal(error.kind, kind, error.message);
    for (const word of words) assert.ok(error.message.includes(word), `"${error.message}" lacks "${word}"`);
    return true;
  };
}

function freeze<T>(value: T): T {
  if (isContainer(value)) Object.values(value).forEach(freeze);
  return Object.freeze(value);
}

interface Case {
  comment?: string;
  doc: unknown;
  patch: { op?: string }[];
  expected?: unknown;
  error?: string;
  disabled?: boolean;
}

for (const file of ['tests.json', 'spec_tests.json']) {
  const cases = createRequire(import.meta.url)(`json-patch-test-suite/${file}`) as Case[];
  describe(`the public suite, ${file}`, () => {
    for (const [index, { comment, doc, patch, expected, error, disabled }] of cases.entries()) {
      if (disabled) continue;
      test(`${index}: ${comment ?? error ?? JSON.stringify(patch)}`, () => {
        const apply = () => applyJsonPatch(freeze(doc), freeze(patch));
        if (error === undefined) assert.deepEqual(apply(), expected ?? doc);
        else assert.throws(apply, (thrown) => thrown instanceof Failure);
      });
    }
  });
}

type Row = [name: string, document: unknown, operations: unknown, kind: FailureKind, ...words: string[]];

const refused: Row[] = [
  ['an object in place of the list', {}, { op: 'add' }, 'bad-patch', 'list of operations'],
  ['an operation that is no object', {}, [null], 'bad-patch', 'operations[0]'],
  ['a missing op', {}, [{ path: '/a' }], 'bad-patch', 'operations[0] (/a)', '"op"'],
  ['an op in capitals', {}, [{ op: 'ADD', path: '/a', value: 1 }], 'bad-patch', '"op"'],
  ['an op named as a method', {}, [{ op: 'toString', path: '/a', value: 1 }], 'bad-patch', '"op"'],
  ['a missing path', {}, [{ op: 'remove' }], 'bad-patch', '"path"'],
  ['a path without slash', { a: 1 }, [{ op: 'remove', path: 'a' }], 'bad-patch', 'remove a'],
  ['a bad escape', { '~2': 1 }, [{ op: 'remove', path: '/~2' }], 'bad-patch', '~0'],
  ['a bad from', { a: 1 }, [{ op: 'copy', from: 'a', path: '/b' }], 'bad-patch', 'copy /b'],
  ['a missing from place', {}, [{ op: 'move', from: '/a', path: '/b' }], 'bad-patch', '"from"'],
  ['an index with a leading zero', [1, 2], [{ op: 'replace', path: '/01', value: 3 }], 'bad-patch', '"01"'],
  ['an index with a sign', [1, 2], [{ op: 'add', path: '/+1', value: 3 }], 'bad-patch', '"+1"'],
  ['an index past the end', [1], [{ op: 'replace', path: '/1', value: 3 }], 'bad-patch', 'beyond'],
  ['- for replace', [1], [{ op: 'replace', path: '/-', value: 3 }], 'bad-patch', '"-"'],
  ['- for remove', [1], [{ op: 'remove', path: '/-' }], 'bad-patch', 'nothing'],
  ['a path through a scalar', { a: 1 }, [{ op: 'add', path: '/a/b', value: 1 }], 'bad-patch', 'add /a/b'],
  ['a path through a string', { a: 'xy' }, [{ op: 'remove', path: '/a/0' }], 'bad-patch', 'nothing'],
  ['length of a list', [1], [{ op: 'replace', path: '/length', value: 0 }], 'bad-patch', '"length"'],
  ['replacing an absent member', {}, [{ op: 'replace', path: '/a', value: 1 }], 'bad-patch', 'nothing'],
  ['removing the document', {}, [{ op: 'remove', path: '' }], 'bad-patch', 'whole document'],
  ['a move into itself', { a: {} }, [{ op: 'move', from: '/a', path: '/a/b' }], 'bad-patch', 'itself'],
  ['a test of another value', { a: 1 }, [{ op: 'test', path: '/a', value: 2 }], 'conflict', 'test /a'],
  ['a test of an absent place', {}, [{ op: 'test', path: '/a', value: null }], 'conflict', 'test /a'],
  ['a test of a list by an object', [1], [{ op: 'test', path: '', value: { 0: 1 } }], 'conflict'],
  ['a test of an object by a list', {}, [{ op: 'test', path: '', value: [] }], 'conflict'],
  ['a test of null by an object', { a: null }, [{ op: 'test', path: '/a', value: {} }], 'conflict'],
  ['a test with other keys', { a: 1 }, [{ op: 'test', path: '', value: { b: 1 } }], 'conflict'],
];

describe('what is refused', () => {
  for (const [name, document, operations, kind, ...words] of refused) {
    test(name, () => assert.throws(() => applyJsonPatch(document, operations), failing(kind, ...words)));
  }

  test('the failure names the operation by its index', () => {
    const operations = [
      { op: 'add', path: '/b', value: 1 },
      { op: 'test', path: '/b', value: 1 },
      { op: 'remove', path: '/nowhere' },
    ];
    assert.throws(
      () => applyJsonPatch({}, operations),
      failing('bad-patch', 'operations[2] (remove /nowhere)'),
    );
  });

  test('a malformed operation is reported before an earlier test fails', () => {
    const operations = [{ op: 'test', path: '/a', value: 1 }, { op: 'add' }];
    assert.throws(() => applyJsonPatch({}, operations), failing('bad-patch', 'operations[1] (add)'));
  });

  test('a long path is shortened in the message', () => {
    assert.throws(
      () => applyJsonPatch({}, [{ op: 'remove', path: `/${'x'.repeat(10_000)}` }]),
      (error: Error) => error.message.length < 300,
    );
  });
});

test('the whole document can be replaced and tested', () => {
  const operations = [
    { op: 'test', path: '', value: { b: [1, { c: null }], a: 1 } },
    { op: 'replace', path: '', value: 'scalar' },
    { op: 'test', path: '', value: 'scalar' },
  ];
  assert.equal(applyJsonPatch({ a: 1.0, b: [1, { c: null }] }, operations), 'scalar');
});

test('a copy is independent of what it was copied from', () => {
  const operations = [
    { op: 'add', path: '/a/x', value: 1 },
    { op: 'copy', from: '/a', path: '/b' },
    { op: 'add', path: '/a/y', value: 2 },
    { op: 'add', path: '/b/z', value: 3 },
  ];
  assert.deepEqual(applyJsonPatch({ a: {} }, operations), { a: { x: 1, y: 2 }, b: { x: 1, z: 3 } });
});

describe('optional members', () => {
  const rules: JsonPatchRules = {
    optional: (pointer) => ['/role', '/approval/required', '/tags/3'].includes(pointer),
  };
  const apply = (document: unknown, ...operations: object[]) => applyJsonPatch(document, operations, rules);

  test('removing an absent one does nothing', () => {
    assert.deepEqual(apply({ a: 1 }, { op: 'remove', path: '/role' }), { a: 1 });
    assert.deepEqual(apply({ a: 1 }, { op: 'remove', path: '/approval/required' }), { a: 1 });
  });
  test('removing a present one removes it', () => {
    assert.deepEqual(apply({ a: 1, role: 'x' }, { op: 'remove', path: '/role' }), { a: 1 });
  });
  test('replacing an absent one sets it', () => {
    assert.deepEqual(apply({}, { op: 'replace', path: '/role', value: 'x' }), { role: 'x' });
  });
  test('setting one creates the missing objects on its path', () => {
    const expected = { approval: { required: true } };
    assert.deepEqual(apply({}, { op: 'replace', path: '/approval/required', value: true }), expected);
    assert.deepEqual(apply({}, { op: 'add', path: '/approval/required', value: true }), expected);
  });
  test('a list gets no holes', () => {
    assert.throws(
      () => apply({ tags: ['a'] }, { op: 'replace', path: '/tags/3', value: 'x' }),
      failing('bad-patch'),
    );
  });
  test('others stay strict', () => {
    assert.throws(() => apply({}, { op: 'remove', path: '/name' }), failing('bad-patch'));
    assert.throws(() => apply({}, { op: 'replace', path: '/name', value: 1 }), failing('bad-patch'));
    assert.throws(() => apply({}, { op: 'add', path: '/approval/other', value: 1 }), failing('bad-patch'));
  });
});

describe('locked attributes', () => {
  const document = freeze({ _id: 1, name: 'n', env: { _site: { href: '/' }, on: true }, list: [{ _id: 7 }] });
  const apply = (operation: object) => applyJsonPatch(document, [operation], { locked: isUnderscored });

  const edits: object[] = [
    { op: 'add', path: '/_id', value: 2 },
    { op: 'add', path: '/_new', value: 2 },
    { op: 'replace', path: '/_id', value: 1 },
    { op: 'remove', path: '/_id' },
    { op: 'replace', path: '/env/_site/href', value: '/x' },
    { op: 'replace', path: '/list/0/_id', value: 8 },
    { op: 'move', from: '/_id', path: '/name' },
    { op: 'move', from: '/name', path: '/_id' },
    { op: 'copy', from: '/name', path: '/_id' },
    { op: 'replace', path: '', value: { _id: 2 } },
    { op: 'replace', path: '/env', value: { on: false, _site: { href: '/x' } } },
    { op: 'add', path: '/env', value: { on: false, _other: 1 } },
    { op: 'replace', path: '/list/0', value: { _id: 8 } },
    { op: 'copy', from: '/list/0', path: '' },
  ];
  for (const operation of edits) {
    test(`${JSON.stringify(operation)} is refused`, () => {
      assert.throws(() => apply(operation), failing('invalid', 'cannot be edited', 'operations[0]'));
    });
  }

  const harmless: object[] = [
    { op: 'test', path: '/_id', value: 1 },
    { op: 'copy', from: '/_id', path: '/name' },
    { op: 'replace', path: '/env', value: { _site: { href: '/' }, on: false } },
    { op: 'replace', path: '/env', value: { on: false } },
    { op: 'replace', path: '/list', value: [{ _id: 7, added: true }] },
    { op: 'add', path: '/list/-', value: { value: 1 } },
    { op: 'add', path: '/list/0', value: { value: 1 } },
    { op: 'remove', path: '/list/0' },
  ];
  for (const operation of harmless) {
    test(`${JSON.stringify(operation)} is allowed`, () => assert.doesNotThrow(() => apply(operation)));
  }

  test('everything below a locked attribute is locked', () => {
    const locked = (pointer: string) => pointer === '/env';
    assert.throws(
      () => applyJsonPatch(document, [{ op: 'replace', path: '/env/on', value: false }], { locked }),
      failing('invalid', '/env cannot be edited'),
    );
  });
});

describe('prototypes', () => {
  test('are not reached by any operation', () => {
    const evil = ['__proto__', 'constructor', 'constructor/prototype', '__proto__/__proto__', 'toString'];
    for (const place of evil) {
      for (const document of [{}, [], { a: {} }]) {
        for (const path of [`/${place}/polluted`, `/a/${place}/polluted`]) {
          for (const op of ['add', 'replace', 'remove', 'test']) {
            assert.throws(
              () => applyJsonPatch(document, [{ op, path, value: true }]),
              (thrown) => thrown instanceof Failure,
            );
          }
        }
        assert.throws(
          () => applyJsonPatch(document, [{ op: 'copy', from: `/${place}`, path: '/b' }]),
          Failure,
        );
      }
    }
    assert.equal(({} as Record<string, unknown>).polluted, undefined);
  });

  test('__proto__ and constructor are ordinary members of a document', () => {
    const document: unknown = JSON.parse('{"__proto__": {"a": 1}, "constructor": 2}');
    const operations: unknown = JSON.parse(`[
      {"op": "test", "path": "/__proto__/a", "value": 1},
      {"op": "add", "path": "/__proto__/b", "value": 2},
      {"op": "copy", "from": "", "path": "/copy"},
      {"op": "move", "from": "/constructor", "path": "/prototype"},
      {"op": "test", "path": "/copy", "value": {"__proto__": {"a": 1, "b": 2}, "constructor": 2}},
      {"op": "remove", "path": "/copy/__proto__"}
    ]`);
    const result = applyJsonPatch(freeze(document), operations);
    assert.equal(
      JSON.stringify(result),
      '{"__proto__":{"a":1,"b":2},"copy":{"constructor":2},"prototype":2}',
    );
    assert.equal(Object.getPrototypeOf(result), Object.prototype);
  });

  test('adding __proto__ gives the document no other prototype', () => {
    const value = { isAdmin: true };
    const result = applyJsonPatch({}, [{ op: 'add', path: '/__proto__', value }]) as { isAdmin?: boolean };
    assert.equal(result.isAdmin, undefined);
    assert.deepEqual(Object.keys(result), ['__proto__']);
  });
});

describe('limits', () => {
  const nested = (depth: number, inside = '1'): unknown =>
    JSON.parse(`${'{"a":['.repeat(depth / 2)}${inside}${']}'.repeat(depth / 2)}`);

  test('a document or value of the greatest depth is patched', () => {
    const operations = [
      { op: 'copy', from: '/x', path: '/y' },
      { op: 'test', path: '/y', value: nested(MAX_DEPTH - 2) },
    ];
    assert.deepEqual(applyJsonPatch({ x: nested(MAX_DEPTH - 2) }, operations), {
      x: nested(MAX_DEPTH - 2),
      y: nested(MAX_DEPTH - 2),
    });
  });

  test('nesting of 100,000 levels is a failure, wherever it stands', () => {
    const deep = nested(100_000);
    const far = '/a/0'.repeat(50_000);
    const attempts: [document: unknown, operations: unknown][] = [
      [deep, [{ op: 'copy', from: '/a', path: '/b' }]],
      [deep, [{ op: 'move', from: '/a', path: '/b' }]],
      [deep, [{ op: 'test', path: '', value: deep }]],
      [deep, [{ op: 'remove', path: far }]],
      [{}, deep],
      [{}, [deep]],
      [{}, [{ op: 'add', path: '/a', value: deep }]],
      [{ a: deep }, [{ op: 'replace', path: '/a', value: deep }]],
    ];
    for (const [document, operations] of attempts) {
      assert.throws(
        () => applyJsonPatch(document, operations, { locked: isUnderscored }),
        failing('bad-patch'),
      );
    }
  });

  test('a document nested that deep already can still be patched at its top', () => {
    const deep = nested(100_000) as object;
    const result = applyJsonPatch(deep, [{ op: 'add', path: '/b', value: 1 }], { locked: isUnderscored });
    assert.deepEqual(Object.keys(result as object), ['a', 'b']);
  });

  test('a document cannot be nested deeper step by step', () => {
    const operations = Array.from({ length: MAX_OPERATIONS / 2 }, () => [
      { op: 'add', path: '/wrap', value: {} },
      { op: 'move', from: '/a', path: '/wrap/a' },
      { op: 'move', from: '/wrap', path: '/a' },
    ]).flat();
    assert.throws(() => applyJsonPatch({ a: {} }, operations.slice(0, MAX_OPERATIONS)), failing('bad-patch'));
  });

  test('copies that double the document are stopped', () => {
    const operations = Array.from({ length: 64 }, (_, index) => ({
      op: 'copy',
      from: '',
      path: `/${index}`,
    }));
    assert.throws(() => applyJsonPatch({ a: 1 }, operations), failing('bad-patch', 'too much'));
  });

  test('copies of a long text are stopped', () => {
    const operations = Array.from({ length: 100 }, () => ({ op: 'copy', from: '/0', path: '/-' }));
    assert.throws(
      () => applyJsonPatch(['x'.repeat(MAX_CARRIED / 50)], operations),
      failing('bad-patch', 'too much'),
    );
  });

  test('changes at the front of a long list are stopped, and those at its end are not', () => {
    const long = Array.from({ length: MAX_MOVED / 1000 }, () => 1);
    const times = (operation: object) => Array.from({ length: 1010 }, () => operation);
    const first = times({ op: 'add', path: '/0', value: 2 });
    assert.throws(() => applyJsonPatch(long, first), failing('bad-patch', 'long list', '/-'));
    const last = times({ op: 'add', path: '/-', value: 2 });
    assert.equal((applyJsonPatch(long, last) as unknown[]).length, long.length + 1010);
  });

  test('the number of operations is bounded', () => {
    const operations = Array.from({ length: MAX_OPERATIONS + 1 }, () => ({ op: 'test', path: '', value: 1 }));
    assert.throws(() => applyJsonPatch(1, operations), failing('bad-patch', String(MAX_OPERATIONS)));
    assert.equal(applyJsonPatch(1, operations.slice(1)), 1);
  });
});

describe('for any document', () => {
  const key = fc.constantFrom('a', 'b', '_c', '', '~', '/', '0', '1', '-', '__proto__', 'constructor');
  const { json } = fc.letrec((tie) => ({
    json: fc.oneof(
      { maxDepth: 4, depthSize: 'small' },
      fc.constantFrom<unknown>(null, true, 0, 1, '', 'x'),
      fc.array(tie('json'), { maxLength: 3 }),
      fc.array(fc.tuple(key, tie('json')), { maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
    ),
  }));
  const escape = (token: string) => `/${token.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  const path = fc.array(key, { maxLength: 4 }).map((tokens) => tokens.map(escape).join(''));
  const op = fc.constantFrom('add', 'remove', 'replace', 'move', 'copy', 'test');
  const operation = fc.record({ op, path, from: path, value: json });

  test('a patch leaves its input untouched, pollutes nothing, and works or fails as a Failure', () => {
    const clean = Object.getOwnPropertyNames(Object.prototype);
    fc.assert(
      fc.property(json, fc.array(operation, { maxLength: 6 }), (document, operations) => {
        const rules = { locked: isUnderscored, optional: () => true };
        for (const given of [{}, rules]) {
          try {
            applyJsonPatch(freeze(document), freeze(operations), given);
          } catch (error) {
            assert.ok(error instanceof Failure, String(error));
          }
        }
      }),
      { numRuns: 2000 },
    );
    assert.deepEqual(Object.getOwnPropertyNames(Object.prototype), clean);
  });

  test('locked attributes of the top level survive whatever is applied', () => {
    fc.assert(
      fc.property(json, fc.array(operation, { maxLength: 4 }), (rest, operations) => {
        const document = { _c: 'kept', rest };
        const wholes = operations.filter(({ path: to }) => to !== '');
        try {
          const result = applyJsonPatch(document, wholes, { locked: isUnderscored }) as typeof document;
          assert.equal(result._c, 'kept');
        } catch (error) {
          assert.ok(error instanceof Failure, String(error));
        }
      }),
      { numRuns: 2000 },
    );
  });

  test('adding a new member and removing it gives the document back', () => {
    fc.assert(
      fc.property(fc.dictionary(key, json, { noNullPrototype: true }), json, (document, value) => {
        const operations = [
          { op: 'add', path: '/new', value },
          { op: 'test', path: '/new', value },
          { op: 'remove', path: '/new' },
        ];
        assert.deepEqual(applyJsonPatch(document, operations), document);
      }),
    );
  });

  test('inserting into a list and removing gives the list back', () => {
    fc.assert(
      fc.property(fc.array(json), fc.nat(), json, (list, place, value) => {
        const index = `/${place % (list.length + 1)}`;
        const operations = [
          { op: 'add', path: index, value },
          { op: 'remove', path: index },
        ];
        assert.deepEqual(applyJsonPatch(list, operations), list);
      }),
    );
  });

  test('moving away and back gives the document back', () => {
    fc.assert(
      fc.property(json, (value) => {
        const operations = [
          { op: 'move', from: '/here', path: '/there' },
          { op: 'move', from: '/there', path: '/here' },
        ];
        assert.deepEqual(applyJsonPatch({ here: value }, operations), { here: value });
      }),
    );
  });

  test('every value equals itself, read from text, with its keys in another order', () => {
    const reversed = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(reversed);
      if (!isContainer(value)) return value;
      return Object.fromEntries(
        Object.entries(value)
          .reverse()
          .map(([name, member]) => [name, reversed(member)]),
      );
    };
    fc.assert(
      fc.property(json, (document) => {
        const value = reversed(JSON.parse(JSON.stringify(document)));
        assert.equal(applyJsonPatch(document, [{ op: 'test', path: '', value }]), document);
      }),
    );
  });
});
