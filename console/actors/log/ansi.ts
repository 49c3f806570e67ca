// The colours of a terminal in a line of a log, as classes. Every other escape sequence is left out.

export interface AnsiPart {
  text: string;
  className?: string;
}

const ESCAPE = '\u001B';
// oxlint-disable-next-line no-control-regex
const SEQUENCE = /\u001B(?:\[([\d;:]*)([ -/]*[@-~])|\][^\u0007\u001B]*(?:\u0007|\u001B\\)?|[ -/]*[0-~])/g;

const COLOURS = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];

interface Look {
  colour?: string | undefined;
  ground?: string | undefined;
  isBold?: boolean;
  isDim?: boolean;
  isItalic?: boolean;
  isUnderlined?: boolean;
}

export function withoutAnsi(line: string): string {
  return line.includes(ESCAPE) ? line.replaceAll(SEQUENCE, '') : line;
}

export function parseAnsi(line: string): AnsiPart[] {
  if (!line.includes(ESCAPE)) return [{ text: line }];
  const parts: AnsiPart[] = [];
  let look: Look = {};
  let done = 0;
  const push = (text: string) => {
    if (text === '') return;
    const className = classOf(look);
    parts.push(className === '' ? { text } : { text, className });
  };
  for (const match of line.matchAll(SEQUENCE)) {
    push(line.slice(done, match.index));
    done = match.index + match[0].length;
    if (match[2] === 'm') look = lookAfter(look, match[1]!);
  }
  push(line.slice(done));
  return parts;
}

function lookAfter(before: Look, codes: string): Look {
  let look = { ...before };
  const numbers = codes.split(/[;:]/).map(Number);
  for (let index = 0; index < numbers.length; index++) {
    const code = numbers[index]!;
    if (code === 38 || code === 48) {
      // 256 colours take one more number, 16 million three; the first 16 of the 256 have names.
      const isIndexed = numbers[index + 1] === 5;
      const name = isIndexed ? COLOURS[numbers[index + 2]! % 8] : undefined;
      const hasName = isIndexed && numbers[index + 2]! < 16;
      if (hasName) look = code === 38 ? { ...look, colour: name } : { ...look, ground: name };
      index += isIndexed ? 2 : 4;
    } else {
      look = lookOf(look, code);
    }
  }
  return look;
}

function lookOf(look: Look, code: number): Look {
  if (code === 0) return {};
  if (code === 1) return { ...look, isBold: true };
  if (code === 2) return { ...look, isDim: true };
  if (code === 3) return { ...look, isItalic: true };
  if (code === 4) return { ...look, isUnderlined: true };
  if (code === 22) return { ...look, isBold: false, isDim: false };
  if (code === 23) return { ...look, isItalic: false };
  if (code === 24) return { ...look, isUnderlined: false };
  if (code === 39) return { ...look, colour: undefined };
  if (code === 49) return { ...look, ground: undefined };
  const tens = Math.floor(code / 10);
  const name = COLOURS[code % 10];
  if (tens === 3 || tens === 9) return { ...look, colour: name };
  if (tens === 4 || tens === 10) return { ...look, ground: name };
  return look;
}

function classOf({ colour, ground, isBold, isDim, isItalic, isUnderlined }: Look): string {
  return [
    colour !== undefined && `an-${colour}`,
    ground !== undefined && `an-on-${ground}`,
    isBold === true && 'an-b',
    isDim === true && 'an-d',
    isItalic === true && 'an-i',
    isUnderlined === true && 'an-u',
  ]
    .filter((name) => name !== false)
    .join(' ');
}
