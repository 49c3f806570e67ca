// Reads the ids of the objects of a pack from its index, in the order in which the pack has them.
import { readFile } from 'node:fs/promises';
import { sortNumbersInSlices, TimeSlice } from '../../kernel/yield-to-event-loop.ts';

const MAGIC = 0xff_74_4f_63;
const HEADER = 8;
const FANOUT = 256 * 4;
const ID = 20;
const STEP = 1000;

/** The order of the pack has deltas near their bases, so that reading it takes a fraction of the time of the order of ids. */
export async function readPackedIds(file: string): Promise<string[]> {
  const bytes = await readFile(file);
  if (bytes.readUInt32BE(0) !== MAGIC || bytes.readUInt32BE(4) !== 2)
    throw new Error('The index of a pack has another version than 2.');
  const count = bytes.readUInt32BE(HEADER + FANOUT - 4);
  const ids = HEADER + FANOUT;
  const offsets = ids + count * (ID + 4);
  // Those beyond 2 GiB have the position in a further table instead, behind all others: in the order of ids.
  const places = new Float64Array(count);
  for (let at = 0; at < count; at += 1) places[at] = bytes.readUInt32BE(offsets + 4 * at) * count + at;
  const order = await sortNumbersInSlices(places);
  const found: string[] = [];
  const slice = new TimeSlice();
  for (const key of order) {
    const start = ids + ID * (key % count);
    found.push(bytes.toString('hex', start, start + ID));
    if (found.length % STEP === 0 && slice.isOver) await slice.next();
  }
  return found;
}
