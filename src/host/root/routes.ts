// GET /: the API root.
import { route } from '../../kernel/http/route.ts';
import { Root, rootAt } from './model.ts';

const getRoot = route(
  {
    id: 'meta/root',
    method: 'GET',
    path: '/',
    summary: 'Get the URLs of the top-level resources',
    access: 'anyone',
    reply: { 200: Root },
  },
  ({ base }) => rootAt(base),
);

export const rootRoutes = [getRoot];
