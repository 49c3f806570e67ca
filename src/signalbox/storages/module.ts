// Records and requests of storages, as the console lists and finds them.
import type { Module } from '../../kernel/http/module.ts';
import { recordKeyRoutes } from './record-keys.ts';
import { queueRequestRoutes } from './queue-requests.ts';

export const storageWorkModule: Module = {
  tag: { name: 'Storages', description: 'Records with their types, and requests by what is known of them' },
  routes: [...recordKeyRoutes, ...queueRequestRoutes],
};
