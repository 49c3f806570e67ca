// All records of a store as one ZIP archive, made while it is sent.
import { writeZip } from '../../kernel/export/zip.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { KeyFilter } from './model.ts';
import { plainContent } from './read.ts';
import { listRecords } from './store.ts';

/** How many rows are held at a time; each may have the most that fits into one. */
const AT_ONCE = 20;

export function archive(kernel: Kernel, storeId: string, filter: KeyFilter): AsyncIterable<Uint8Array> {
  return writeZip(files(kernel, storeId, filter));
}

async function* files(kernel: Kernel, storeId: string, filter: KeyFilter) {
  let after: string | undefined;
  for (;;) {
    const records = await listRecords(kernel.db, storeId, { ...filter, after, limit: AT_ONCE });
    for (const record of records) {
      const content = await plainContent(kernel, record);
      if (content === undefined) continue; // replaced or deleted meanwhile
      try {
        yield { name: record.key, content };
      } finally {
        content.destroy(); // also when nobody began to read it
      }
    }
    if (records.length < AT_ONCE) return;
    after = records.at(-1)!.key;
  }
}
