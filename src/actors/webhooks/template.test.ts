// Templates of payloads and headers: whatever they are and whatever the values, what is rendered is JSON and headers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  parseHeaderTemplate,
  renderHeaders,
  BadTemplate,
  DEFAULT_TEMPLATE,
  parseTemplate,
  PayloadTooLarge,
  Renderer,
} from './template.ts';
import { parseOwnRunUrl } from './own-url.ts';

const MAX = 1_000_000;
const VALUES = {
  userId: 'u1',
  createdAt: '2026-01-01T00:00:00.000Z',
  eventType: 'TEST',
  eventData: { actorId: 'a1', n: 0, none: null, list: [1, 'x'] },
  resource: { id: 'r1', text: 'a "quoted" \\ line\n{{userId}}', nested: { deep: [true] } },
  globals: { dateISO: '2026-01-01T00:00:00.000Z', dateUnix: 1_767_225_600 },
};

function render(text: string, interpolates = false, values: Record<string, unknown> = VALUES): unknown {
  return JSON.parse(new Renderer(values).render(parseTemplate(text, interpolates), MAX));
}

test('the default template has the five variables', () => {
  const { globals: _globals, ...five } = VALUES;
  assert.deepEqual(render(DEFAULT_TEMPLATE), five);
});

test('variables are values of their own type', () => {
  assert.deepEqual(
    render('[{{eventData.n}}, {{ eventData.none }}, {{eventData.list}}, {{resource.nested.deep.0}}]'),
    [0, null, [1, 'x'], true],
  );
  assert.deepEqual(render('{{resource}}'), VALUES.resource);
});

test('strings stay as they are unless they are to be interpolated, and keys always', () => {
  const text = '{"{{userId}}": "{{eventData.list}}", "b": "at {{createdAt}}, {{eventData}} {{nothing"}';
  assert.deepEqual(render(text), {
    '{{userId}}': '{{eventData.list}}',
    b: 'at {{createdAt}}, {{eventData}} {{nothing',
  });
  assert.deepEqual(render(text, true), {
    '{{userId}}': [1, 'x'],
    b: `at ${VALUES.createdAt}, ${JSON.stringify(VALUES.eventData)} {{nothing`,
  });
});

test('what a value contains is not a template', () => {
  assert.deepEqual(render('["{{resource.text}}", "- {{resource.text}}"]', true), [
    VALUES.resource.text,
    `- ${VALUES.resource.text}`,
  ]);
});

test('nothing of a prototype is a value', () => {
  for (const name of [
    'resource.constructor',
    'resource.__proto__',
    'resource.toString',
    'eventData.list.length.constructor',
  ])
    assert.equal(render(`{{${name}}}`), null, name);
  assert.equal(render('{{userId.length}}'), null);
  assert.throws(() => parseTemplate('{{__proto__}}', false), BadTemplate);
  assert.throws(() => parseTemplate('{{globals.constructor}}', false), BadTemplate);
  assert.throws(() => parseTemplate('{{globals}}', false), BadTemplate);
});

test('what is no JSON with variables is refused', () => {
  for (const text of [
    '',
    '{',
    '{{',
    '{{}}',
    '{{ }}',
    '{{user id}}',
    '{"a": {{userId}',
    '{{{userId}}}',
    "{'a': 1}",
    '{ {{userId}}: 1 }',
    '"a',
    '[1,]',
  ])
    assert.throws(() => parseTemplate(text, true), BadTemplate, text);
});

const anyJson = fc.jsonValue({ maxDepth: 4 });

test('property: a rendered template is JSON, for any values', () => {
  const name = fc.constantFrom(
    'userId',
    'createdAt',
    'eventData.a',
    'resource',
    'resource.id',
    'resource.x.y',
    'globals.dateISO',
  );
  const piece = fc.oneof(
    name.map((variable) => `{{${variable}}}`),
    fc
      .tuple(fc.string(), name, fc.string())
      .map(([before, variable, after]) => JSON.stringify(`${before}{{${variable}}}${after}`)),
    anyJson.map((value) => JSON.stringify(value)),
  );
  const template = fc
    .array(fc.tuple(fc.string(), piece))
    .map((fields) => `{${fields.map(([key, value]) => `${JSON.stringify(key)}: ${value}`).join(', ')}}`);
  const values = fc.record({
    userId: anyJson,
    createdAt: anyJson,
    eventData: anyJson,
    resource: anyJson,
    globals: fc.record({ dateISO: anyJson }),
  });
  fc.assert(
    fc.property(template, values, fc.boolean(), (text, given, interpolates) => {
      const rendered = render(text, interpolates, given);
      assert.deepEqual(
        Object.keys(rendered as object),
        Object.keys(JSON.parse(text.replaceAll(/(?<!")\{\{[^"}]*\}\}(?!")/g, 'null')) as object),
      );
    }),
    { numRuns: 300 },
  );
});

test('property: any text is refused as a template, or renders to JSON', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('{', '}', '"', '\\', ':', ',', '[', ']', 'userId', ' ', '1', '\n') }),
      fc.boolean(),
      (text, interpolates) => {
        try {
          parseTemplate(text, interpolates);
        } catch (error) {
          assert.ok(error instanceof BadTemplate, String(error));
          return;
        }
        render(text, interpolates);
      },
    ),
    { numRuns: 2000 },
  );
});

test('a payload that would be too long is not rendered', () => {
  const values = { ...VALUES, resource: 'x'.repeat(10_000) };
  const many = `[${Array.from({ length: 1000 }, () => '{{resource}}').join(',')}]`;
  assert.throws(() => new Renderer(values).render(parseTemplate(many, false), MAX), PayloadTooLarge);
  const inside = JSON.stringify(Array.from({ length: 1000 }, () => '{{resource}}').join(','));
  assert.throws(() => new Renderer(values).render(parseTemplate(inside, true), MAX), PayloadTooLarge);
});

test('property: rendered headers are ones that can be sent', () => {
  const template =
    '{"X-A": {{resource}}, "X-B": "{{resource}}; {{userId}}", "host": "evil", "X-Apify-Webhook": "no", "X-Platform-Request-Origin": {{userId}}}';
  fc.assert(
    fc.property(anyJson, fc.string({ unit: 'binary', maxLength: 200 }), (resource, userId) => {
      const renderer = new Renderer({ ...VALUES, resource, userId });
      let headers: Record<string, string>;
      try {
        headers = renderHeaders(parseHeaderTemplate(template, true), renderer);
      } catch (error) {
        assert.ok(error instanceof PayloadTooLarge);
        return;
      }
      for (const [name, value] of Object.entries(headers)) {
        assert.ok(['X-A', 'X-B'].includes(name), name);
        // The check that Node makes before it sends a header.
        assert.match(value, /^[\t\x20-\x7e\x80-\xff]*$/);
      }
    }),
  );
});

test('only URLs of this server that start a run are recognized as such', () => {
  const at = 'https://box.test/deep';
  assert.deepEqual(parseOwnRunUrl('https://box.test/deep/v2/acts/me~a%20b/runs?memory=1&token=t', at), {
    kind: 'actor',
    reference: 'me~a b',
    query: { memory: '1' },
    token: 't',
  });
  assert.equal(parseOwnRunUrl('https://box.test/deep/v2/actor-tasks/x/runs/', at)?.kind, 'task');
  for (const url of [
    'https://box.test/v2/acts/a/runs',
    'http://box.test/deep/v2/acts/a/runs',
    'https://box.test:8443/deep/v2/acts/a/runs',
    'https://box.test.evil/deep/v2/acts/a/runs',
    'https://me:secret@box.test/deep/v2/acts/a/runs',
    'https://box.test/deep/v2/acts/a/runs/last',
    'https://box.test/deep/v2/acts/a/run-sync',
    'https://box.test/deep/v2/acts/a/b/runs',
    'https://box.test/deep/v2/acts/%zz/runs',
    'https://box.test/deep/../v2/acts/a/runs',
    'nowhere',
  ])
    assert.equal(parseOwnRunUrl(url, at), undefined, url);
});
