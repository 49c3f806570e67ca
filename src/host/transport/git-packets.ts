// Packets of git's protocol: where the server itself has a word for the person at the other end.

/** Bands of a packet: objects, progress, and an error that ends the transfer. */
const OBJECTS = 1;
const ERROR = 3;
const HEADER_LENGTH = 4;
const HEADER = /^[0-9a-f]{4}$/;

/** An error before any objects; git shows it as `fatal: remote error`. */
export function errorPacket(message: string): Buffer {
  return packetOf(Buffer.from(`ERR ${message}`));
}

/** An error where packets have bands, as objects and the results of pushes do; git shows it as `remote:`. */
export function errorInBand(message: string): Buffer {
  return packetOf(Buffer.concat([Buffer.from([ERROR]), Buffer.from(`${message}\n`)]));
}

function packetOf(payload: Buffer): Buffer {
  const length = (payload.length + HEADER_LENGTH).toString(16).padStart(HEADER_LENGTH, '0');
  return Buffer.concat([Buffer.from(length), payload]);
}

/** Follows the packets of a reply, so that one of ours can come after them. */
export class PacketReader {
  #header = '';
  /** How many bytes of the packet are to come. */
  #left = 0;
  #band: number | undefined;
  /** Without bands, objects come without packets. */
  #isRaw = false;

  read(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length && !this.#isRaw) {
      if (this.#left === 0) at = this.#readHeader(chunk, at);
      else {
        const end = Math.min(chunk.length, at + this.#left);
        this.#band ??= chunk[at];
        this.#left -= end - at;
        at = end;
      }
    }
  }

  /** What ends the reply with an error; undefined where the client would not understand it. */
  end(message: string): Buffer | undefined {
    if (this.#isRaw || this.#header !== '') return undefined;
    const hasBands = this.#band !== undefined && this.#band >= OBJECTS && this.#band <= ERROR;
    // Objects that miss are filled up: after the error nobody uses them.
    const rest = Buffer.alloc(this.#left);
    return Buffer.concat([rest, hasBands ? errorInBand(message) : errorPacket(message)]);
  }

  #readHeader(chunk: Buffer, at: number): number {
    const end = Math.min(chunk.length, at + HEADER_LENGTH - this.#header.length);
    this.#header += chunk.toString('latin1', at, end);
    if (this.#header.length < HEADER_LENGTH) return end;
    const length = Number.parseInt(this.#header, 16);
    this.#isRaw = !HEADER.test(this.#header);
    this.#header = '';
    // Lengths below that of a header separate sections, and have no payload.
    if (length <= HEADER_LENGTH) return end;
    this.#left = length - HEADER_LENGTH;
    this.#band = undefined;
    return end;
  }
}
