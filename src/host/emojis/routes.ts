// The names of emojis with the addresses of their pictures, which this server draws itself.
import { Failure } from '../../kernel/failure.ts';
import { reply, route, Text } from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';
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

function emojiUrls(base: string): Record<string, string> {
  const entries = [...readEmojis().codes].map(([name, code]) => [name, `${base}/emojis/unicode/${code}.svg`]);
  return Object.fromEntries(entries) as Record<string, string>;
}

/** The character in the font of the viewer's machine. Undefined for a file that is none of them. */
function drawEmoji(file: string): string | undefined {
  const character = file.endsWith('.svg') ? readEmojis().characters.get(file.slice(0, -4)) : undefined;
  if (character === undefined) return undefined;
  return (
    '<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64" viewBox="0 0 64 64">' +
    `<text x="32" y="50" font-size="50" text-anchor="middle">${character}</text></svg>`
  );
}

const listEmojis = route(
  {
    id: 'emojis/get',
    method: 'GET',
    path: '/emojis',
    summary: 'List emojis: the addresses of their pictures by name',
    access: 'anyone',
    reply: { 200: Type.Record(Type.String(), Type.String()) },
  },
  ({ base }) => reply(200, emojiUrls(base)),
);

const getEmojiPicture = route(
  {
    id: 'emojis/get-picture',
    method: 'GET',
    path: '/emojis/unicode/{file}',
    summary: 'Get the picture of an emoji',
    description: "The character in the font of the viewer's machine.",
    access: 'anyone',
    params: Type.Object({ file: Type.String({ description: 'The codes of its characters, and `.svg`' }) }),
    reply: { 200: Type.String() },
    produces: 'image/svg+xml',
  },
  ({ params }) => {
    const picture = drawEmoji(params.file);
    if (picture === undefined) throw new Failure('not-found', 'There is no such emoji');
    return new Text('image/svg+xml', picture);
  },
);

export const emojiRoutes = [listEmojis, getEmojiPicture];
