// Tags as a part of the flags API.
import type { Part } from '../../kernel/module.ts';
import { tagRoutes } from './routes.ts';

export const tagPart: Part = {
  tag: { name: 'Tags', description: 'The tags that resources have' },
  routes: tagRoutes,
};
