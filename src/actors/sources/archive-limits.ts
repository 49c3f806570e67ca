// The limits on archives, and the rules for the names in them: archives come from users.
import { Failure } from '../../kernel/failure.ts';

export interface ArchiveLimits {
  /** Of all files together, unpacked. */
  bytes: number;
  /** Files and folders together. */
  entries: number;
  /** How many times larger than the archive its content may be. */
  ratio: number;
  /** In bytes, with all folders. */
  nameLength: number;
}

export const ARCHIVE_LIMITS: ArchiveLimits = {
  bytes: 512 * 1024 * 1024,
  entries: 50_000,
  ratio: 200,
  nameLength: 1000,
};

/** Below this size any ratio is harmless. */
const FREE_BYTES = 4 * 1024 * 1024;
/** Of one folder or file: the limit of file systems. */
const MAX_SEGMENT_BYTES = 255;

export function badArchive(message: string): Failure {
  return new Failure('invalid', message);
}

/** A name for messages: user text, so shortened and without control characters. */
export function quoteName(name: string): string {
  const text = JSON.stringify(name);
  return text.length > 202 ? `${text.slice(0, 200)}…"` : text;
}

/**
 * The parts of a name inside an archive. Refuses whatever could lead outside the folder, or mean something else on another
 * system: absolute names, `..`, backslashes and control characters.
 */
export function parseEntryName(name: string, limits: Pick<ArchiveLimits, 'nameLength'>): string[] {
  if (Buffer.byteLength(name) > limits.nameLength)
    throw badArchive(`The name ${quoteName(name)} has more than ${limits.nameLength} bytes.`);
  if (name.startsWith('/') || /^[a-z]:/i.test(name))
    throw badArchive(`The name ${quoteName(name)} is absolute: names must be relative.`);
  if (name.includes('\\'))
    throw badArchive(`The name ${quoteName(name)} has a backslash: separate folders by "/".`);
  // oxlint-disable-next-line no-control-regex
  if (/[\0-\x1f\x7f]/.test(name)) throw badArchive(`The name ${quoteName(name)} has a control character.`);
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) throw badArchive(`The name ${quoteName(name)} leads out of the folder by "..".`);
  if (parts.some((part) => Buffer.byteLength(part) > MAX_SEGMENT_BYTES))
    throw badArchive(`The name ${quoteName(name)} has a part of more than ${MAX_SEGMENT_BYTES} bytes.`);
  return parts;
}

/** Counts what is unpacked, and refuses too much before it is written. */
export class ArchiveBudget {
  readonly #limits: ArchiveLimits;
  #bytes = 0;
  #entries = 0;

  constructor(limits: ArchiveLimits) {
    this.#limits = limits;
  }

  get bytes(): number {
    return this.#bytes;
  }

  addEntry(): void {
    this.#entries += 1;
    if (this.#entries > this.#limits.entries)
      throw badArchive(`There are more than ${this.#limits.entries.toLocaleString('en')} files and folders.`);
  }

  addBytes(count: number): void {
    this.#bytes += count;
    if (this.#bytes > this.#limits.bytes)
      throw badArchive(`The files have more than ${this.#limits.bytes.toLocaleString('en')} bytes together.`);
  }

  /** For the bytes that a decompressor makes, headers included: a bomb is found long before the limit on bytes. */
  checkRatio(unpacked: number, packed: number): void {
    if (unpacked <= FREE_BYTES || unpacked <= packed * this.#limits.ratio) return;
    throw badArchive(`The archive unpacks to more than ${this.#limits.ratio} times its size.`);
  }
}
