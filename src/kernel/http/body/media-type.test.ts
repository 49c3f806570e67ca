import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cpuMsOf } from '../../../../test/cpu-time.ts';
import { parseMediaType } from './media-type.ts';

const json = (parameters: Record<string, string>) => ({ type: 'application/json', parameters });

const readable: [header: string, meaning: ReturnType<typeof parseMediaType>][] = [
  ['application/json', json({})],
  ['Application/JSON', json({})],
  ['  application/json \t', json({})],
  ['application/json;charset=utf-8', json({ charset: 'utf-8' })],
  ['application/json ; \t charset=UTF-8', json({ charset: 'UTF-8' })],
  ['application/json; CharSet="utf-8"', json({ charset: 'utf-8' })],
  ['application/json; a=1; b="x; y=2, \\"z\\" \\\\"', json({ a: '1', b: 'x; y=2, "z" \\' })],
  ['application/json; a=""', json({ a: '' })],
  ['application/json; a=1; A=2', json({ a: '1' })],
  ['application/json;', json({})],
  ['application/json;; a=1 ;', json({ a: '1' })],
  ['application/vnd.x.v3+json', { type: 'application/vnd.x.v3+json', parameters: {} }],
  ['*/*', { type: '*/*', parameters: {} }],
];

for (const [header, meaning] of readable) {
  test(`${JSON.stringify(header)} is read`, () => assert.deepEqual(parseMediaType(header), meaning));
}

const malformed = [
  '',
  ' ',
  'application',
  'application/',
  '/json',
  'application /json',
  'application/json charset=utf-8',
  'application/json; charset',
  'application/json; charset=',
  'application/json; charset = utf-8',
  'application/json; a="open',
  'application/json; a="b"c',
  'application/json; a=b, text/html',
  'application/json\r\nX-Evil: 1',
];

for (const header of malformed) {
  test(`${JSON.stringify(header)} is malformed`, () => assert.equal(parseMediaType(header), undefined));
}

test('a parameter named __proto__ is a parameter', () => {
  const media = parseMediaType('a/b; __proto__=x');
  assert.deepEqual(Object.entries(media?.parameters ?? {}), [['__proto__', 'x']]);
});

test('a long run of spaces or quotes is read in linear time', async () => {
  const cpuMs = await cpuMsOf(() => {
    for (const filler of [' ', ';', ' ;', '"', '\\', '\\"', 'a=']) {
      parseMediaType(`application/json;a="${filler.repeat(200_000)}`);
      parseMediaType(`application/json${filler.repeat(200_000)}x`);
    }
  });
  // Quadratic time would be minutes.
  assert.ok(cpuMs < 10_000, `${cpuMs} ms`);
});
