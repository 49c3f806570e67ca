// The rates of Crawlee's own local storage, which keeps a file for each request, in a process of its own.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { median } from './compare.ts';

export interface StorageWork {
  /** `cycle` takes requests under lock, reads each, and marks it as handled. */
  kind: 'add' | 'cycle';
  /** How many calls are under way at once. */
  concurrency: number;
  batch: number;
  /** How many requests go through; few enough that it ends in seconds. */
  amount: number;
}

const ROUNDS = 3;

/** Requests per second, called directly, without HTTP: it has none. */
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
