// A reader of a stream that connects again whenever the stream ends, and notes items whose version went back.
import { setTimeout as delay } from 'node:timers/promises';
import { EventReader, type ServerEvent } from '../event-stream.ts';

const PAUSE_MS = 100;

export class FollowingReader {
  /** The last version of each item, by its path. */
  readonly versions = new Map<string, number>();
  /** Items that came with a lower version than before. */
  readonly stale: string[] = [];
  /** How often it has got everything. */
  starts = 0;
  isConnected = false;
  #isClosed = false;
  #reader: EventReader | undefined;
  readonly #done: Promise<void>;

  /** `urlOf` is asked before each attempt, of which it gets the number. */
  constructor(urlOf: (attempt: number) => string, key: string) {
    this.#done = this.#follow(urlOf, key);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#reader?.close();
    await this.#done;
  }

  async #follow(urlOf: (attempt: number) => string, key: string): Promise<void> {
    for (let attempt = 0; !this.#isClosed; attempt += 1) {
      try {
        const headers = { authorization: key };
        this.#reader = await EventReader.open(`${urlOf(attempt)}/all`, { headers });
        while (!this.#isClosed) this.#note(await this.#reader.next());
      } catch {
        // It was refused, or has ended.
      }
      this.isConnected = false;
      this.#reader?.close();
      if (!this.#isClosed) await delay(PAUSE_MS);
    }
  }

  #note({ event, data: { path, data, version } }: ServerEvent): void {
    if (event === 'put') {
      for (const [key, flag] of Object.entries<{ version: number }>(data.flags))
        this.#rise(`/flags/${key}`, flag.version);
      this.starts += 1;
      this.isConnected = true;
    } else this.#rise(path as string, (data?.version ?? version) as number);
  }

  #rise(path: string, version: number): void {
    const before = this.versions.get(path) ?? 0;
    if (version < before) this.stale.push(`${path} ${before} → ${version}`);
    this.versions.set(path, version);
  }
}
