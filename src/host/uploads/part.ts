// App manifests and code-scanning uploads.
import type { Part } from '../../kernel/part.ts';
import { uploadRoutes } from './routes.ts';

export const uploadPart: Part = {
  routes: uploadRoutes,
};
