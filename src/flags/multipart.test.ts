// Forms as streams: split at any byte, with unread parts, and malformed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Failure } from '../kernel/failure.ts';
import { readForm } from './multipart.ts';

const TYPE = 'multipart/form-data; boundary="a b"';
const part = (disposition: string, text: string) =>
  `--a b\r\nContent-Disposition: form-data; ${disposition}\r\nContent-Type: text/csv\r\n\r\n${text}\r\n`;
const FILE = 'ada\r\n--a\r\n\r\n--a  b\r\ncai--a b';
const FORM = `${part('name="file"; filename="k%22ä.csv"', FILE)}${part('name=mode', 'merge')}--a b--\r\n`;

async function* cut(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(source: AsyncIterable<Uint8Array>, type: string | undefined = TYPE) {
  const parts: [string, string | undefined, string][] = [];
  for await (const { name, filename, body } of readForm(source, type))
    parts.push([name, filename, Buffer.concat(await Array.fromAsync(body)).toString()]);
  return parts;
}

test('a form is the same however it is cut into pieces', async () => {
  for (let size = 1; size <= FORM.length; size += 1)
    assert.deepEqual(await read(cut(FORM, size)), [
      ['file', 'k"ä.csv', FILE],
      ['mode', undefined, 'merge'],
    ]);
});

test('text before the first boundary and after the last is not a part', async () => {
  const parts = await read(cut(`before\r\n${part('name="a"', '')}--a b--after\r\n--a b\r\n`, 7));
  assert.deepEqual(parts, [['a', undefined, '']]);
  assert.deepEqual(await read(cut('--a b--', 3)), []);
});

test('the unread rest of a part is skipped', async () => {
  for (let size = 1; size <= FORM.length; size += 1) {
    const names: string[] = [];
    for await (const { name, body } of readForm(cut(FORM, size), TYPE)) {
      names.push(name);
      for await (const _ of body) break;
    }
    assert.deepEqual(names, ['file', 'mode']);
    const untouched = await Array.fromAsync(readForm(cut(FORM, size), TYPE), ({ name }) => name);
    assert.deepEqual(untouched, ['file', 'mode']);
  }
});

test('a large part is never in memory as a whole', async () => {
  async function* source() {
    yield Buffer.from('--a b\r\ncontent-disposition: form-data; name="file"\r\n\r\n');
    for (let count = 0; count < 1000; count += 1) yield Buffer.alloc(64 * 1024, 'x');
    yield Buffer.from('\r\n--a b--');
  }
  let size = 0;
  for await (const { body } of readForm(source(), TYPE))
    for await (const piece of body) {
      assert.ok(piece.length <= 128 * 1024);
      size += piece.length;
    }
  assert.equal(size, 1000 * 64 * 1024);
});

test('the forms that fetch makes are read', async () => {
  const form = new FormData();
  form.set('file', new Blob(['ä\nb']), 'a"b.csv');
  form.set('mode', 'replace');
  const request = new Response(form);
  assert.deepEqual(await read(request.body!, request.headers.get('content-type')!), [
    ['file', 'a"b.csv', 'ä\nb'],
    ['mode', undefined, 'replace'],
  ]);
});

test('an incomplete form is refused', async () => {
  const isMalformed = (error: unknown) => error instanceof Failure && error.kind === 'malformed';
  for (const type of [
    undefined,
    '',
    'text/csv',
    'multipart/form-data',
    `multipart/form-data; boundary=${'x'.repeat(71)}`,
  ])
    await assert.rejects(read(cut(FORM, 50), type ?? ''), isMalformed);
  for (const text of [
    '',
    '--a b',
    '--a b\r\n',
    FORM.slice(0, -6),
    FORM.slice(0, 20),
    '--a b\r\n\r\ntext\r\n--a b--',
    '--a b\r\ncontent-disposition: attachment; name="x"\r\n\r\ntext\r\n--a b--',
    '--a b\r\ncontent-disposition: form-data\r\n\r\ntext\r\n--a b--',
    `--a bx\r\ncontent-disposition: form-data; name="x"\r\n\r\ntext\r\n--a b--`,
    `--a b\r\nx: ${'y'.repeat(20_000)}\r\n\r\ntext\r\n--a b--`,
  ])
    for (const size of [1, 1000]) await assert.rejects(read(cut(text, size)), isMalformed, text.slice(0, 80));
});
