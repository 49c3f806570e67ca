// The compression of SHA-1 (FIPS 180-4, 6.1.2), for messages that are too short for a call of the library.

type AddBlock = (
  words: readonly number[],
  rest: Int32Array,
  from: number,
  before: Int32Array,
  after: Int32Array,
) => void;

export const SHA1_INITIAL = Int32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0);

/**
 * Adds a block to the state before it. The block is the 16 words, each combined by "or" with one of the rest from this
 * place on, so that two parts of a message need not be copied together.
 */
export const addSha1Block = writeAddBlock();

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
