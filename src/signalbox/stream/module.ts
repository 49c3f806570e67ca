// One stream of every change that the caller may see.
import type { Module } from '../../kernel/http/module.ts';
import { changeStreamRoutes } from './routes.ts';

export const streamModule: Module = {
  tag: { name: 'Stream', description: 'Changes as they happen' },
  routes: changeStreamRoutes,
  endStreams: ({ services }) => services.changeStreams.close(),
};
