// The names of emojis with the addresses of their pictures, which this server draws itself.
import { Failure } from '../../kernel/failure.ts';
import { reply, route, Text } from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { drawEmoji, emojiUrls } from './emoji.ts';

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
