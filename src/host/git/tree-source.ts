// Reads trees for their measure: by a reader of the repository, few enough at once to be held in memory.
import { Failure } from '../../kernel/failure.ts';
import type { ReaderPool } from './reader-pool.ts';
import { MAX_TREE } from './repository.ts';
import type { TreeSource } from './tree-expansion.ts';

const MAX_BYTES_AT_ONCE = 8 * 1024 ** 2;

interface StoredTrees {
  pool: ReaderPool;
  folder: string;
  known: TreeSource['known'];
}

/** `fresh` are trees that are not written yet. */
export function openTreeSource(
  { pool, folder, known }: StoredTrees,
  fresh: ReadonlyMap<string, Buffer> = new Map(),
): TreeSource {
  async function* readStored(oids: readonly string[]) {
    for (const answer of await pool.requestAll(folder, 'contents', oids))
      if (typeof answer === 'object' && answer.type === 'tree')
        yield { oid: answer.oid, bytes: answer.content! };
  }
  async function* read(oids: readonly string[]) {
    const stored: string[] = [];
    for (const oid of oids) {
      const bytes = fresh.get(oid);
      if (bytes === undefined) stored.push(oid);
      else yield { oid, bytes };
    }
    let batch: string[] = [];
    let size = 0;
    for (const info of await pool.requestAll(folder, 'info', stored)) {
      if (typeof info !== 'object') continue;
      if (info.size > MAX_TREE)
        throw new Failure('too-large', `The tree ${info.oid} has more than ${MAX_TREE} bytes.`);
      batch.push(info.oid);
      size += info.size;
      if (size < MAX_BYTES_AT_ONCE) continue;
      yield* readStored(batch);
      [batch, size] = [[], 0];
    }
    yield* readStored(batch);
  }
  return { known, read };
}
