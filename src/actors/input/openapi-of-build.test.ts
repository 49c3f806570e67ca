// The OpenAPI document of a build.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lintDocument } from '../../../scripts/openapi-lint.ts';
import { openApiOfBuild } from './openapi-of-build.ts';

const actor = { id: 'a', name: 'my-actor', title: 'My Actor', description: null };
const describe = (inputSchema: object | null) =>
  openApiOfBuild({
    actor,
    username: 'ada',
    build: { buildNumber: '0.1.3', inputSchema: inputSchema && JSON.stringify(inputSchema) },
    publicUrl: 'https://signalbox.test',
  });

const schema = {
  title: 'Input',
  type: 'object',
  schemaVersion: 1,
  properties: {
    urls: {
      title: 'URLs',
      description: 'Where to begin',
      type: 'array',
      editor: 'requestListSources',
      prefill: [{ url: 'https://a.test' }],
      items: { type: 'object', properties: { url: { type: 'string', title: 'U', editor: 'textfield' } } },
    },
    colour: {
      title: 'C',
      description: 'D',
      type: 'string',
      editor: 'select',
      enum: ['red', 'blue'],
      enumTitles: ['Red', 'Blue'],
      default: 'red',
      nullable: true,
    },
    password: {
      title: 'P',
      description: 'D',
      type: 'string',
      editor: 'textfield',
      isSecret: true,
      prefill: 'x',
    },
  },
  required: ['urls'],
};

test('the linter of our own documents finds nothing wrong in it', () => {
  assert.deepEqual(lintDocument(describe(schema)), []);
  assert.deepEqual(lintDocument(describe(null)), []);
});

test('it names the operations, the server and the way to authenticate', () => {
  const { paths, servers, info, components } = describe(schema);
  assert.deepEqual(Object.keys(paths), [
    '/actors/ada~my-actor/run-sync-get-dataset-items',
    '/actors/ada~my-actor/run-sync',
    '/actors/ada~my-actor/runs',
  ]);
  assert.equal(servers[0]!.url, 'https://signalbox.test/v2');
  assert.deepEqual(info, { title: 'My Actor', description: '', version: '0.1.3' });
  assert.deepEqual(Object.keys(components.securitySchemes), ['token', 'query']);
});

test('the input schema becomes plain JSON Schema', () => {
  const { Input } = describe(schema).components.schemas as Record<string, object>;
  assert.deepEqual(Input, {
    title: 'Input',
    type: 'object',
    properties: {
      urls: {
        title: 'URLs',
        description: 'Where to begin',
        type: 'array',
        items: { type: 'object', properties: { url: { type: 'string', title: 'U' } } },
        examples: [[{ url: 'https://a.test' }]],
      },
      colour: {
        title: 'C',
        description: 'D',
        type: ['string', 'null'],
        enum: ['red', 'blue', null],
        default: 'red',
      },
      password: {
        title: 'P',
        description: 'D',
        type: 'string',
        format: 'password',
        writeOnly: true,
        examples: ['x'],
      },
    },
    required: ['urls'],
  });
});

test('titles and descriptions of fields that are no text are left out', () => {
  const items = { type: 'object', properties: { url: { type: 'string', title: 5, description: ['D'] } } };
  const { Input } = describe({ ...schema, properties: { urls: { type: 'array', title: {}, items } } })
    .components.schemas as Record<string, { properties: object }>;
  assert.deepEqual(Input!.properties, {
    urls: { type: 'array', items: { type: 'object', properties: { url: { type: 'string' } } } },
  });
});

test('the example of the body has no secrets', () => {
  const { paths } = describe(schema);
  const [run] = Object.values(paths) as {
    post: { requestBody: { content: Record<string, { example: unknown }> } };
  }[];
  assert.deepEqual(run!.post.requestBody.content['application/json']!.example, {
    urls: [{ url: 'https://a.test' }],
    colour: 'red',
  });
});

test('a schema that is nested very deeply is cut', () => {
  let deep: object = { type: 'string' };
  for (let depth = 0; depth < 2000; depth += 1) deep = { type: 'array', items: deep };
  const { Input } = describe({ ...schema, properties: { deep } }).components.schemas;
  assert.ok(JSON.stringify(Input).length < 5000);
});
