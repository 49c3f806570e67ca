// Emojis.
import type { Part } from '../../kernel/part.ts';
import { emojiRoutes } from './routes.ts';

export const emojiPart: Part = {
  tag: { name: 'emojis', description: 'Emojis by name' },
  routes: emojiRoutes,
};
