// A client of the auto-configuration stream that applies its events by the rules of the Relay Proxy (ld-relay, internal/autoconfig).
import assert from 'node:assert/strict';
import { EventReader, type ServerEvent } from '../../../event-stream.ts';
import { eventually } from '../../../eventually.ts';
import type { Json, TestServer } from '../../../server.ts';

interface Seen {
  version: number;
  /** Absent for one that was deleted: only a later version brings it back. */
  environment?: Json;
}

const PREFIX = '/environments/';

export class RelayClient {
  readonly reader: EventReader;
  readonly #seen = new Map<string, Seen>();
  #applied = 0;

  private constructor(reader: EventReader) {
    this.reader = reader;
  }

  static async connect(
    { url }: Pick<TestServer, 'url'>,
    key: string,
    query = '?rpacProtocolVersion=2',
  ): Promise<RelayClient> {
    const reader = await EventReader.open(`${url}/relay_auto_config${query}`, {
      headers: { authorization: key },
    });
    return new RelayClient(reader);
  }

  /** By id, after all events so far. */
  get environments(): Map<string, Json> {
    for (const event of this.reader.events.slice(this.#applied)) this.#apply(event);
    this.#applied = this.reader.events.length;
    return new Map(
      [...this.#seen].flatMap(([id, { environment }]) => (environment ? [[id, environment]] : [])),
    );
  }

  /** `project/environment`, sorted. */
  get names(): string[] {
    return [...this.environments.values()]
      .map(({ projKey, envKey }) => `${projKey as string}/${envKey as string}`)
      .toSorted();
  }

  find(project: string, environment: string): Json | undefined {
    return [...this.environments.values()].find(
      ({ projKey, envKey }) => projKey === project && envKey === environment,
    );
  }

  async until(isSo: (relay: this) => boolean): Promise<void> {
    await eventually(() => isSo(this));
  }

  close(): void {
    this.reader.close();
  }

  #apply({ event, data }: ServerEvent): void {
    if (event === 'put') return this.#put(data as Json);
    assert.ok((data.path as string).startsWith(PREFIX), data.path as string);
    const id = (data.path as string).slice(PREFIX.length);
    if (event === 'patch') this.#upsert(id, data.data as Json);
    else if (event === 'delete') this.#delete(id, data.version as number);
    else assert.fail(`the Relay Proxy knows no event "${event}"`);
  }

  /** What it does not hold is forgotten, together with its version. */
  #put({ path, data }: Json): void {
    assert.equal(path, '/');
    const all = data.environments as Record<string, Json>;
    for (const [id, environment] of Object.entries(all)) this.#upsert(id, environment);
    for (const id of this.#seen.keys()) if (!Object.hasOwn(all, id)) this.#seen.delete(id);
  }

  #upsert(id: string, environment: Json): void {
    assert.equal(environment['envID'], id);
    assert.ok(environment['sdkKey'].value, 'an environment without a key is malformed');
    const version = environment['version'] as number;
    const known = this.#seen.get(id);
    if (known === undefined || version > known.version) this.#seen.set(id, { version, environment });
  }

  #delete(id: string, version: number): void {
    const known = this.#seen.get(id);
    if (known === undefined || version > known.version) this.#seen.set(id, { version });
  }
}
