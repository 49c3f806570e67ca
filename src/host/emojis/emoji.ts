// Emojis by their names, and their pictures.
import { EMOJI_NAMES } from './names.ts';

interface Emojis {
  /** The codes of their characters by name. */
  codes: ReadonlyMap<string, string>;
  characters: ReadonlyMap<string, string>;
}

let emojis: Emojis | undefined;

/** From a constant, when the first is asked for. */
function readEmojis(): Emojis {
  if (emojis !== undefined) return emojis;
  const codes = new Map<string, string>();
  const characters = new Map<string, string>();
  let code = '';
  for (const word of EMOJI_NAMES.trim().split(/\s+/)) {
    if (/^[\w+-]+$/.test(word)) codes.set(word, code);
    else characters.set((code = codeOf(word)), word);
  }
  return (emojis = {
    codes: new Map([...codes].toSorted(([one], [other]) => (one < other ? -1 : 1))),
    characters,
  });
}

/** Such as `1f44d`, or `1f1e9-1f1ea`: without the mark that a character is shown in colour. */
function codeOf(character: string): string {
  return [...character]
    .filter((part) => part !== '\u{FE0F}')
    .map((part) => part.codePointAt(0)!.toString(16))
    .join('-');
}

export function emojiUrls(base: string): Record<string, string> {
  const entries = [...readEmojis().codes].map(([name, code]) => [name, `${base}/emojis/unicode/${code}.svg`]);
  return Object.fromEntries(entries) as Record<string, string>;
}

/** The character in the font of the viewer's machine. Undefined for a file that is none of them. */
export function drawEmoji(file: string): string | undefined {
  const character = file.endsWith('.svg') ? readEmojis().characters.get(file.slice(0, -4)) : undefined;
  if (character === undefined) return undefined;
  return (
    '<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64" viewBox="0 0 64 64">' +
    `<text x="32" y="50" font-size="50" text-anchor="middle">${character}</text></svg>`
  );
}
