// The compression of SHA-1 (FIPS 180-4, 6.1.2), for messages that are too short for a call of the library.

type AddBlock = (message: Int32Array, from: number, state: Int32Array) => void;

export const SHA1_INITIAL = Int32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0);

/** Adds the 16 words of the message from this one to the state. */
export const addSha1Block = writeAddBlock();

/** All rounds are written out, so that the engine keeps the words in registers: twice as fast as with loops. */
function writeAddBlock(): AddBlock {
  const lines: string[] = [];
  for (let index = 0; index < 16; index += 1) lines.push(`let w${index} = message[from + ${index}];`);
  lines.push('let a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];');
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
    const turned = `((${a} << 5) | (${a} >>> 27))`;
    lines.push(`${e} = (${turned} + ${mix} + ${e} + ${word} + ${Number(constant) | 0}) | 0;`);
    lines.push(`${b} = (${b} << 30) | (${b} >>> 2);`);
  }
  names.forEach((name, index) => lines.push(`state[${index}] = (state[${index}] + ${name}) | 0;`));
  // oxlint-disable-next-line typescript/no-implied-eval -- written from constants alone
  return new Function('message', 'from', 'state', lines.join('\n')) as AddBlock;
}
