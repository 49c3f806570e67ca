// Code-scanning uploads.
import type { Part } from '../../kernel/part.ts';
import { uploadRoutes } from './routes.ts';

export const uploadPart: Part = {
  tag: { name: 'uploads', description: 'Uploads that wait for what they belong to' },
  routes: uploadRoutes,
};
