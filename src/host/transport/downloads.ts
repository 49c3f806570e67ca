// Output of git that a reply streams, such as an archive, a diff or a large file: a slow reader keeps its process alive, so
// these have slots too.
import { availableParallelism } from 'node:os';
import type { Clock } from '../../kernel/clock.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { GitTransfers, type GitTransferCall, type RunningTransfer } from './git-transfers.ts';

declare module '../../kernel/kernel.ts' {
  interface Services {
    /** Fewer than the streams of the git program, so that some are always left for calls that read git themselves. */
    downloads: GitTransfers;
  }
}

export function openDownloads(clock: Clock, max = 8 + 4 * availableParallelism()): GitTransfers {
  return new GitTransfers('downloads from git', { max }, clock);
}

/**
 * Waits for a turn, which lasts until the source has ended or its reader leaves.
 * @throws {Failure} where too many wait, the wait takes too long, or the caller goes away meanwhile.
 */
export async function asDownload<Chunk extends Uint8Array | string>(
  { services }: Pick<Kernel, 'services'>,
  call: GitTransferCall,
  source: AsyncGenerator<Chunk, void, void>,
): Promise<AsyncIterableIterator<Chunk, void, void>> {
  return new Download(await services.downloads.begin(call), source);
}

/** No generator, since one that is left before its beginning would not give its turn back. */
class Download<Chunk extends Uint8Array | string> implements AsyncIterableIterator<Chunk, void, void> {
  readonly #transfer: RunningTransfer;
  readonly #source: AsyncGenerator<Chunk, void, void>;
  /** Called when the reader asks for more. */
  #onAsked = () => {};

  constructor(transfer: RunningTransfer, source: AsyncGenerator<Chunk, void, void>) {
    this.#transfer = transfer;
    this.#source = source;
    transfer.cut.addEventListener('abort', () => void this.return().catch(() => {}), { once: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Chunk, void>> {
    this.#onAsked();
    this.#transfer.cut.throwIfAborted();
    try {
      const next = await this.#source.next();
      if (next.done === true) this.#transfer.end();
      else this.#waitForReader(next.value.length);
      return next;
    } catch (error) {
      this.#transfer.end();
      throw error;
    }
  }

  async return(): Promise<IteratorResult<Chunk, void>> {
    this.#onAsked();
    // The process ends before its slot is free.
    await this.#source.return().finally(() => this.#transfer.end());
    return { done: true, value: undefined };
  }

  #waitForReader(bytes: number): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onAsked = resolve;
    this.#transfer.moved(bytes);
    void this.#transfer.wait(promise);
  }
}
