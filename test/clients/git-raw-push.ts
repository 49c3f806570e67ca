// Pushes made by hand, for what the real git refuses to send: lines of the protocol, and packs with wrong objects.
import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import type { NewObject } from '../../src/host/git/objects/new-object.ts';
import { packObjects } from '../../src/host/git/objects/write-objects.ts';

const ZERO = '0'.repeat(40);

export function objectOf(type: NewObject['type'], bytes: Buffer): NewObject {
  const oid = createHash('sha1').update(`${type} ${bytes.length}\0`).update(bytes).digest('hex');
  return { type, bytes, oid };
}

export function treeOf(entries: [mode: string, name: string, oid: string][]): NewObject {
  const bytes = entries.flatMap(([mode, name, oid]) => [
    Buffer.from(`${mode} ${name}\0`),
    Buffer.from(oid, 'hex'),
  ]);
  return objectOf('tree', Buffer.concat(bytes));
}

export function commitOf(tree: string): NewObject {
  const person = 'Eve <eve@example.com> 1700000000 +0000';
  return objectOf('commit', Buffer.from(`tree ${tree}\nauthor ${person}\ncommitter ${person}\n\nBad\n`));
}

export async function packOf(objects: readonly NewObject[]): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(packObjects(objects, { level: 1 })));
}

/** A pack of a blob, and of a delta to it that claims to make gigabytes. */
export function deltaBomb(): Buffer {
  const base = Buffer.alloc(64, 'a');
  const entry = (type: number, size: number, ...parts: Buffer[]) =>
    Buffer.concat([Buffer.from([(type << 4) | 0x80 | (size & 15), size >> 4]), ...parts]);
  const delta = Buffer.concat([varint(base.length), varint(2 ** 36), Buffer.from([0x90, 64])]);
  const header = Buffer.from('PACK\0\0\0\x02\0\0\0\x02', 'latin1');
  const body = Buffer.concat([
    header,
    entry(3, base.length, deflateSync(base)),
    entry(7, delta.length, Buffer.from(objectOf('blob', base).oid, 'hex'), deflateSync(delta)),
  ]);
  return Buffer.concat([body, createHash('sha1').update(body).digest()]);
}

function varint(size: number): Buffer {
  const bytes: number[] = [];
  let rest = size;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  return Buffer.from([...bytes, rest]);
}

/** The body of a push that creates references. With `side-band-64k` the reply has the messages of the server, too. */
export function pushBody(
  refs: string | readonly string[],
  oid: string,
  pack: Buffer,
  capabilities = 'report-status',
): Buffer {
  const lines = [refs].flat().map((ref, index) => {
    const line = `${ZERO} ${oid} ${ref}${index === 0 ? `\0 ${capabilities} agent=test` : ''}`;
    return (line.length + 4).toString(16).padStart(4, '0') + line;
  });
  return Buffer.concat([Buffer.from(`${lines.join('')}0000`), pack]);
}

export const PUSH_TYPE = { 'content-type': 'application/x-git-receive-pack-request' };
