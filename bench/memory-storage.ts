// The rates of Crawlee's own local storage, which writes a file for each request, in a process of its own.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { median } from './compare.ts';

export interface StorageWork {
  /** `cycle` locks requests, reads each, and marks it as handled. */
  kind: 'add' | 'cycle';
  /** The number of concurrent calls. */
  concurrency: number;
  batch: number;
  /** The number of requests; small enough to finish in seconds. */
  amount: number;
}

const ROUNDS = 3;

/** Requests per second, called directly, because it has no HTTP. */
export async function memoryStorageRate({ kind, concurrency, batch, amount }: StorageWork): Promise<number> {
  const script = new URL('./memory-storage-process.ts', import.meta.url).pathname;
  const rates: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const args = [script, kind, ...[concurrency, batch, amount].map(String)];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    rates.push(Number(stdout));
  }
  return median(rates);
}
