// LISTEN on a dedicated connection that reconnects when it is lost.
import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Log } from '../engine.ts';
import { asStorageFailure } from '../storage-failure.ts';
import { Listeners } from '../listeners.ts';
import type { Listener } from '../listeners.ts';

const FIRST_RETRY_MS = 250;
const MAX_RETRY_MS = 10_000;

export class PostgresListener {
  readonly #settings: pg.ClientConfig;
  readonly #schema: string;
  readonly #log: Log | undefined;
  readonly #listeners: Listeners;
  /** From the names of channels in PostgreSQL to ours. */
  readonly #channels = new Map<string, string>();
  readonly #closing = new AbortController();
  /** The connection, or the attempt to open it; undefined before the first listener. */
  #client: Promise<pg.Client> | undefined;
  /** The statement before the next one: a connection takes one at a time. */
  #lastStatement: Promise<unknown> = Promise.resolve();

  constructor(settings: pg.ClientConfig, schema: string, log?: Log) {
    this.#settings = settings;
    this.#schema = schema;
    this.#log = log;
    this.#listeners = new Listeners(log);
  }

  async listen(channel: string, listener: Listener): Promise<() => void> {
    this.#channels.set(this.nameOf(channel), channel);
    const connecting = (this.#client ??= this.#connect());
    try {
      const client = await connecting;
      const statement = this.#lastStatement.then(() => client.query(`listen ${this.nameOf(channel)}`));
      this.#lastStatement = statement.catch(() => undefined);
      await statement;
    } catch (error) {
      if (this.#client === connecting) this.#client = undefined;
      throw asStorageFailure(error);
    }
    return this.#listeners.add(channel, listener);
  }

  /** Notifies the listeners of this process without a round trip. */
  notifyLocal(channel: string, payload?: string): void {
    this.#listeners.notify(channel, payload);
  }

  /** Channels are visible in the whole database, so the name includes the schema: two servers in one database stay apart. */
  nameOf(channel: string): string {
    const hash = createHash('sha256').update(`${this.#schema}\n${channel}`).digest('hex');
    return `signalbox_${hash.slice(0, 32)}`;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    const client = await this.#client?.catch(() => undefined);
    await client?.end();
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client(this.#settings);
    client.on('error', () => {}); // the event `end` follows
    client.on('notification', ({ channel, payload }) => {
      this.#listeners.notify(this.#channels.get(channel) ?? channel, payload || undefined);
    });
    try {
      await client.connect();
      for (const name of this.#channels.keys()) await client.query(`listen ${name}`);
    } catch (error) {
      await client.end();
      throw error;
    }
    client.once('end', () => this.#reconnect());
    return client;
  }

  #reconnect(): void {
    if (this.#closing.signal.aborted) return;
    this.#log?.warn('the PostgreSQL connection for notices was lost');
    this.#client = this.#connectAgain();
    this.#client.catch(() => {}); // closed meanwhile
  }

  async #connectAgain(): Promise<pg.Client> {
    for (let wait = FIRST_RETRY_MS; ; wait = Math.min(wait * 2, MAX_RETRY_MS)) {
      await delay(wait, undefined, { ref: false, signal: this.#closing.signal });
      try {
        const client = await this.#connect();
        this.#listeners.notifyAll(); // notifications may have been lost meanwhile
        return client;
      } catch (error) {
        this.#log?.warn({ err: error }, 'cannot listen to PostgreSQL yet');
      }
    }
  }
}
