// Emojis.
import type { Part } from '../../kernel/module.ts';
import { emojiRoutes } from './routes.ts';

export const emojiPart: Part = {
  tag: { name: 'emojis', description: 'Emojis by name' },
  routes: emojiRoutes,
};
