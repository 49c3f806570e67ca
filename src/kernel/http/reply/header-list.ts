// The headers of a reply as a flat list of names and values. What never changes for a route is prepared once and copied.
import type { Headers } from '../protocol.ts';

/** Headers that many replies begin with. Names are in lower case. */
export class HeaderBlock {
  readonly headers: Headers;
  readonly pairs: readonly string[];
  /** Where the values stand in `pairs`. */
  readonly places: ReadonlyMap<string, number>;

  constructor(headers: Headers) {
    this.headers = headers;
    this.pairs = Object.entries(headers).flat();
    this.places = new Map(Object.keys(headers).map((name, index) => [name, index * 2 + 1]));
  }
}

export class HeaderList {
  /** As `writeHead` takes them: a list costs Node less than an object. */
  readonly pairs: string[];
  readonly #block: HeaderBlock;

  constructor(block: HeaderBlock) {
    this.#block = block;
    this.pairs = block.pairs.slice();
  }

  /** Replaces the header of that name where there is one. */
  set(name: string, value: string): void {
    const { pairs } = this;
    const place = this.#block.places.get(name);
    if (place !== undefined) {
      pairs[place] = value;
      return;
    }
    for (let index = this.#block.pairs.length; index < pairs.length; index += 2) {
      if (pairs[index] === name) {
        pairs[index + 1] = value;
        return;
      }
    }
    pairs.push(name, value);
  }

  text(): string {
    let text = '';
    for (let index = 0; index < this.pairs.length; index += 2) {
      text += `${this.pairs[index]}: ${this.pairs[index + 1]}\r\n`;
    }
    return text;
  }

  setAll(headers: Headers): void {
    for (const name in headers) this.set(name, headers[name]!);
  }
}
