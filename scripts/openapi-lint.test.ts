// The linter of OpenAPI documents finds each kind of mistake that it looks for.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hostApi } from '../src/host/api.ts';
import { readExamples } from '../src/kernel/openapi/examples.ts';
import { describeApi, type OpenApiDocument } from '../src/kernel/openapi/document.ts';
import type { Json } from '../test/server.ts';
import { lintDocument } from './openapi-lint.ts';

const version = hostApi.protocol.versions.names.at(-1)!;
const good = describeApi(hostApi, version, await readExamples('host'));

test('a document that was made from routes has no problems', () => {
  assert.deepEqual(lintDocument(good), []);
});

/** Two operations are enough to find a mistake in one of them. */
const few: OpenApiDocument = {
  ...good,
  paths: { '/user': good.paths['/user']!, '/users/{username}': good.paths['/users/{username}']! },
};

const mistakes: [words: RegExp, edit: (user: Json, document: Json) => void][] = [
  [/users\/get-by-username: has no tag/, (user) => delete user['tags']],
  [/the tag "none", which is not described/, (user) => (user['tags'] = ['none'])],
  [/has no summary/, (user) => delete user['summary']],
  [/does not say how to authenticate/, (user) => delete user['security']],
  [/has no scheme "key"/, (user) => (user['security'] = [{ key: [] }])],
  [/has no error response/, (user) => (user['responses'] = { 200: user['responses'][200] })],
  [/is an alias of nothing, which is not there/, (user) => (user['x-alias-of'] = 'nothing')],
  [/the operationId is not unique/, (user) => (user['operationId'] = 'users/get-authenticated')],
  [/does not declare \{username\}/, (user) => (user['parameters'] = [])],
  [/requires "username", which has a default/, (user) => (user['parameters'][0].schema.default = 'a')],
  [/has no example of a reply/, (user) => delete user['responses'][200].content['application/json'].example],
  [
    /has a wrong example for 200 application\/json: .*login/,
    (user) => (user['responses'][200].content['application/json'].example.login = 1),
  ],
  [
    /may have a secret in the example for 200/,
    (user) => (user['responses'][200].content['application/json'].example.name = 'api-c2VjcmV0LXNlY3JldA'),
  ],
  [
    /says nothing of 200 application\/json/,
    (user) => (user['responses'][200].content['application/json'].schema = {}),
  ],
  [/leads nowhere/, (_user, document) => delete document['components'].responses['404']],
  [
    /the discriminator leads to #\/components\/schemas\/None/,
    (_user, document) =>
      (document['components'].schemas['basic-error'].discriminator = {
        propertyName: 'status',
        mapping: { none: '#/components/schemas/None' },
      }),
  ],
];

for (const [words, edit] of mistakes) {
  test(`a mistake is found: ${words.source}`, () => {
    const document = structuredClone(few) as Json;
    edit(document['paths']['/users/{username}'].get as Json, document);
    assert.match(lintDocument(document as OpenApiDocument).join('\n'), words);
  });
}
