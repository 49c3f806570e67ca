// All records of a store as one ZIP archive, made while it is sent.
import { writeZip } from '../export/zip.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { KeyFilter } from './model.ts';
import { plainContent } from './record-reply.ts';
import { listRecords } from './store.ts';

/** Rows in memory at a time: each may hold a content of the largest inline size. */
const BATCH_SIZE = 20;

export function archive(kernel: Kernel, storeId: string, filter: KeyFilter): AsyncIterable<Uint8Array> {
  return writeZip(files(kernel, storeId, filter));
}

async function* files(kernel: Kernel, storeId: string, filter: KeyFilter) {
  let after: string | undefined;
  for (;;) {
    const records = await listRecords(kernel.db, storeId, { ...filter, after, limit: BATCH_SIZE });
    for (const record of records) {
      const content = await plainContent(kernel, record);
      if (content === undefined) continue; // replaced or deleted meanwhile
      try {
        yield { name: record.key, content };
      } finally {
        content.destroy(); // also when the reader never started
      }
    }
    if (records.length < BATCH_SIZE) return;
    after = records.at(-1)!.key;
  }
}
