// The hash that places contexts in rollouts: the first 60 bits of SHA-1, as all SDKs compute them.
import { hash } from 'node:crypto';

type AddBlock = (
  words: readonly number[],
  rest: Int32Array,
  from: number,
  before: Int32Array,
  after: Int32Array,
) => void;

const SHA1_INITIAL = Int32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0);

/**
 * The compression of SHA-1 (FIPS 180-4, 6.1.2), for messages that are too short for a call of the library. Adds a block to the state before it. The block is the 16 words, each combined by "or" with one of the rest from this
 * place on, so that two parts of a message need not be copied together.
 */
const addSha1Block = writeAddBlock();

/** In bytes and in words. */
const BLOCK = 64;
const WORDS = 16;
/** Each message ends with a bit and its length in eight bytes. */
const END = 9;

/** The beginning of the texts that one rollout hashes. */
export interface HashPrefix {
  readonly text: string;
  readonly length: number;
  /** The state after all whole blocks. */
  readonly state: Int32Array;
  /** The words of the block that it ends in, with zeros after it. Undefined when it is not ASCII. */
  readonly words: readonly number[] | undefined;
}

const NO_WORDS: readonly number[] = Array.from({ length: WORDS }, () => 0);

export function prepareHash(text: string): HashPrefix {
  const { length } = text;
  let state = SHA1_INITIAL;
  for (let start = 0; ; start += BLOCK) {
    const words = NO_WORDS.slice();
    if (!writeText(words, 0, text.slice(start, start + BLOCK)))
      return { text, length, state, words: undefined };
    if (start + BLOCK > length) return { text, length, state, words };
    const after = new Int32Array(state.length);
    addSha1Block(words, NO_REST, 0, state, after);
    state = after;
  }
}

/**
 * For each place in a block where a text may begin, two blocks with the text that was hashed there last, and the bit after
 * it. All flags hash the same key of a context, so that it is written once for many of them.
 */
const rests = new Int32Array(BLOCK * 2 * WORDS);
const restTexts: (string | undefined)[] = Array.from({ length: BLOCK }, () => undefined);
const NO_REST = new Int32Array(WORDS);
const state = new Int32Array(SHA1_INITIAL.length);

/**
 * The hash of the prefix and the text, from 0 to 1. A call of the library costs more than hashing a block or two. So short
 * texts of ASCII are hashed here, and all others by the library.
 */
export function hashBucket(prefix: HashPrefix, text: string): number {
  const { words } = prefix;
  const start = prefix.length % BLOCK;
  const length = start + text.length + END;
  if (words === undefined || length > 2 * BLOCK) return hashByLibrary(prefix.text + text);
  if (restTexts[start] !== text && !writeRest(start, text)) return hashByLibrary(prefix.text + text);
  const first = start * 2 * WORDS;
  const last = length > BLOCK ? first + WORDS : first;
  rests[last + WORDS - 1] = (prefix.length + text.length) << 3;
  addSha1Block(words, rests, first, prefix.state, state);
  if (last !== first) addSha1Block(NO_WORDS, rests, last, state, state);
  return toBucket(state[0]! >>> 0, state[1]! >>> 0);
}

/** False when the text is not ASCII. */
function writeRest(start: number, text: string): boolean {
  restTexts[start] = undefined;
  const words = rests.subarray(start * 2 * WORDS, (start + 1) * 2 * WORDS).fill(0);
  if (!writeText(words, start, text)) return false;
  writeByte(words, start + text.length, 0x80);
  restTexts[start] = text;
  return true;
}

function hashByLibrary(text: string): number {
  const digest = hash('sha1', text, 'buffer');
  return toBucket(digest.readUInt32BE(0), digest.readUInt32BE(4));
}

function toBucket(first: number, second: number): number {
  return (first * 2 ** 28 + (second >>> 4)) / 2 ** 60;
}

/** False when the text is not ASCII. */
function writeText(words: number[] | Int32Array, start: number, text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code > 0x7f) return false;
    writeByte(words, start + index, code);
  }
  return true;
}

function writeByte(words: number[] | Int32Array, at: number, byte: number): void {
  words[at >> 2]! |= byte << (24 - ((at & 3) << 3));
}

/** All rounds are written out, so that the engine keeps the words in registers: twice as fast as with loops. */
function writeAddBlock(): AddBlock {
  const lines: string[] = [];
  for (let index = 0; index < 16; index += 1)
    lines.push(`let w${index} = words[${index}] | rest[from + ${index}];`);
  lines.push('let a = before[0], b = before[1], c = before[2], d = before[3], e = before[4];');
  const names = ['a', 'b', 'c', 'd', 'e'];
  for (let round = 0; round < 80; round += 1) {
    // Instead of moving each value to the next variable, the variables change their roles.
    const [a, b, c, d, e] = names.map((_, index) => names[(index + 80 - round) % 5]!);
    const word = `w${round % 16}`;
    if (round >= 16) {
      const others = [3, 8, 14].map((back) => `w${(round - back) % 16}`).join(' ^ ');
      lines.push(`${word} ^= ${others}; ${word} = (${word} << 1) | (${word} >>> 31);`);
    }
    const [mix, constant] = [
      [`(${d} ^ (${b} & (${c} ^ ${d})))`, 0x5a827999],
      [`(${b} ^ ${c} ^ ${d})`, 0x6ed9eba1],
      [`((${b} & ${c}) | (${d} & (${b} | ${c})))`, 0x8f1bbcdc],
      [`(${b} ^ ${c} ^ ${d})`, 0xca62c1d6],
    ][Math.floor(round / 20)]!;
    // What the round before has computed is added last: a tenth faster, because the other sums need not wait for it.
    const turned = `((${a} << 5) | (${a} >>> 27))`;
    lines.push(`${e} = (${e} + ${word} + ${Number(constant) | 0} + ${mix} + ${turned}) | 0;`);
    lines.push(`${b} = (${b} << 30) | (${b} >>> 2);`);
  }
  names.forEach((name, index) => lines.push(`after[${index}] = (before[${index}] + ${name}) | 0;`));
  // oxlint-disable-next-line typescript/no-implied-eval -- written from constants alone
  return new Function('words', 'rest', 'from', 'before', 'after', lines.join('\n')) as AddBlock;
}
