// Packs for tests, with deltas as a hostile client may send them: a few bytes that stand for many.
import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import type { NewObject } from './objects/new-object.ts';

const TYPES = { commit: 1, tree: 2, blob: 3, tag: 4 };
const OFS_DELTA = 6;
/** As many bytes as one instruction can copy. */
const MAX_COPY = 0xff_ffff;

/** What a delta makes of its base, which has `from` bytes: parts of it, and bytes of its own. */
export interface TestDelta {
  from: number;
  parts: readonly (Buffer | { at: number; size: number })[];
}

/** The first entry is the content of a file, each further one a delta of the one before it; then come whole objects. */
export function packChain(
  base: Buffer,
  deltas: readonly TestDelta[],
  objects: readonly NewObject[] = [],
): Buffer {
  const header = Buffer.alloc(12);
  header.write('PACK');
  header.writeUInt32BE(2, 4);
  header.writeUInt32BE(1 + deltas.length + objects.length, 8);
  const parts: Buffer[] = [header];
  let [size, previous] = [header.length, 0];
  const add = (entry: Buffer) => {
    parts.push(entry);
    [previous, size] = [size, size + entry.length];
  };
  add(Buffer.concat([entryHeader(TYPES.blob, base.length), deflateSync(base, { level: 1 })]));
  for (const delta of deltas) {
    const bytes = deltaBytes(delta);
    const distance = offsetBytes(size - previous);
    add(Buffer.concat([entryHeader(OFS_DELTA, bytes.length), distance, deflateSync(bytes)]));
  }
  for (const { type, bytes } of objects)
    add(Buffer.concat([entryHeader(TYPES[type], bytes.length), deflateSync(bytes)]));
  const pack = Buffer.concat(parts);
  return Buffer.concat([pack, createHash('sha1').update(pack).digest()]);
}

/** The whole base, as often as it says. */
export function copiesOf(from: number, times: number): TestDelta {
  return { from, parts: Array.from({ length: times }, () => ({ at: 0, size: from })) };
}

function deltaBytes({ from, parts }: TestDelta): Buffer {
  const size = parts.reduce((sum, part) => sum + (Buffer.isBuffer(part) ? part.length : part.size), 0);
  const instructions = parts.flatMap((part) =>
    Buffer.isBuffer(part) ? [Buffer.from([part.length]), part] : copyInstructions(part.at, part.size),
  );
  return Buffer.concat([varint(from), varint(size), ...instructions]);
}

function copyInstructions(at: number, size: number): Buffer[] {
  const found: Buffer[] = [];
  for (let done = 0; done < size; done += MAX_COPY) {
    const copied = Buffer.alloc(8);
    copied[0] = 0xff;
    copied.writeUInt32LE(at + done, 1);
    copied.writeUIntLE(Math.min(MAX_COPY, size - done), 5, 3);
    found.push(copied);
  }
  return found;
}

function entryHeader(type: number, size: number): Buffer {
  const rest = Math.floor(size / 16);
  const first = (type << 4) | (size % 16);
  return rest === 0 ? Buffer.from([first]) : Buffer.concat([Buffer.from([first | 0x80]), varint(rest)]);
}

/** Seven bits in each byte, the lowest first. */
function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  return Buffer.from([...bytes, rest]);
}

/** Seven bits in each byte, the highest first, each but the last less one. */
function offsetBytes(distance: number): Buffer {
  const bytes = [distance % 128];
  for (let rest = Math.floor(distance / 128); rest > 0; rest = Math.floor(rest / 128)) {
    rest -= 1;
    bytes.unshift((rest % 128) | 0x80);
  }
  return Buffer.from(bytes);
}
