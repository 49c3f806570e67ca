// Emojis.
import type { Module } from '../../kernel/http/module.ts';
import { emojiRoutes } from './routes.ts';

export const emojiModule: Module = {
  tag: { name: 'emojis', description: 'Emojis by name' },
  routes: emojiRoutes,
};
