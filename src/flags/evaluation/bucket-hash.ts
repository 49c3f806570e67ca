// The hash that places contexts in rollouts: the first 60 bits of SHA-1, as all SDKs compute them.
import { hash } from 'node:crypto';
import { addSha1Block, SHA1_INITIAL } from './sha1-block.ts';

const BLOCK = 64;
/** Each message ends with a bit and its length in eight bytes. */
const END = 9;
const LONGEST = 2 * BLOCK - END;

/** The beginning of the texts that one rollout hashes. */
export interface HashPrefix {
  readonly text: string;
  readonly length: number;
  /** Undefined when it is too long, or not ASCII. */
  readonly words: Int32Array | undefined;
}

export function prepareHash(text: string): HashPrefix {
  const words = text.length < LONGEST ? new Int32Array((text.length >> 2) + 1) : undefined;
  return { text, length: text.length, words: words && writeText(words, 0, text) ? words : undefined };
}

/** The hash of the prefix and the text, from 0 to 1. */
type BucketHash = (prefix: HashPrefix, text: string) => number;

/**
 * A call of the library costs more than hashing a block or two. So short texts of ASCII are hashed here, and all others
 * by the library. The text is remembered in words, because all flags hash the same key of a context.
 */
function createBucketHash(): BucketHash {
  const message = new Int32Array((2 * BLOCK) / 4);
  const state = new Int32Array(5);
  let last: string | undefined;
  /** The text at each of the four places in a word where it may begin. */
  let shifted: (Int32Array | undefined)[] = [];
  const wordsOf = (text: string, shift: number): Int32Array | undefined => {
    if (text !== last) {
      last = text;
      shifted = [];
    }
    const words = (shifted[shift] ??= new Int32Array(((text.length + shift) >> 2) + 1));
    if (words[words.length - 1] !== 0) return words;
    if (!writeText(words, shift, text)) return undefined;
    writeByte(words, shift + text.length, 0x80);
    return words;
  };
  return (prefix, text) => {
    const start = prefix.length;
    const length = start + text.length;
    const head = prefix.words;
    const tail = head === undefined || length > LONGEST ? undefined : wordsOf(text, start & 3);
    if (head === undefined || tail === undefined) return hashByLibrary(prefix.text + text);
    const whole = start >> 2;
    const blocks = length > BLOCK - END ? 2 : 1;
    for (let index = 0; index < whole; index += 1) message[index] = head[index]!;
    message[whole] = head[whole]! | tail[0]!;
    for (let index = 1; index < tail.length; index += 1) message[whole + index] = tail[index]!;
    const end = blocks * 16 - 1;
    for (let index = whole + tail.length; index < end; index += 1) message[index] = 0;
    message[end] = length << 3;
    for (let index = 0; index < 5; index += 1) state[index] = SHA1_INITIAL[index]!;
    addSha1Block(message, 0, state);
    if (blocks === 2) addSha1Block(message, 16, state);
    return toBucket(state[0]! >>> 0, state[1]! >>> 0);
  };
}

/** The longest text that is remembered is shorter than two blocks, and nothing depends on it. */
export const hashBucket = createBucketHash();

function hashByLibrary(text: string): number {
  const digest = hash('sha1', text, 'buffer');
  return toBucket(digest.readUInt32BE(0), digest.readUInt32BE(4));
}

function toBucket(first: number, second: number): number {
  return (first * 2 ** 28 + (second >>> 4)) / 2 ** 60;
}

/** False when the text is not ASCII. */
function writeText(words: Int32Array, start: number, text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code > 0x7f) return false;
    writeByte(words, start + index, code);
  }
  return true;
}

function writeByte(words: Int32Array, at: number, byte: number): void {
  words[at >> 2]! |= byte << (24 - ((at & 3) << 3));
}
