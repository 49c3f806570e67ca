// Files in bodies that are too large for memory: they become blobs of the repository as they arrive.
import type { LargeField } from '../../kernel/http/route.ts';
import { writeLargeBlob, type StoredFile } from '../git/objects/write-large-blob.ts';
import { openRepository } from '../repositories/access.ts';

/** The largest file that the API returns, too. */
export const MAX_FILE_BYTES = 100 * 1024 ** 2;

/** For routes that write to a repository. What they get is a `StoredFile`. */
export const LARGE_CONTENT: LargeField = {
  name: 'content',
  maxBytes: MAX_FILE_BYTES,
  async receive(call, kernel, bytes): Promise<StoredFile> {
    const { repository } = await openRepository(kernel, call, 'write');
    const transfer = await kernel.services.packs.transfers.begin(call);
    try {
      return await writeLargeBlob(kernel.services.git.repository(repository.number), watched());
    } finally {
      transfer.end();
    }

    /** A caller that stops sending must not keep its turn. */
    async function* watched(): AsyncGenerator<Buffer> {
      const cut = new Promise<never>((_resolve, reject) => {
        transfer.cut.addEventListener('abort', () => reject(transfer.cut.reason as Error), { once: true });
      });
      cut.catch(() => {});
      for (;;) {
        const next = await transfer.wait(Promise.race([bytes.next(), cut]));
        if (next.done === true) return;
        transfer.moved(next.value.length);
        yield next.value;
      }
    }
  },
};
