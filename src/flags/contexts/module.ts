// Evaluation for a context, and targets of one context, as a module of the flags API.
import type { Module } from '../../kernel/http/module.ts';
import { contextRoutes } from './routes.ts';

export const contextModule: Module = {
  tag: {
    name: 'Contexts',
    description: 'What flags and segments come to for a context, and what is set for one',
  },
  routes: contextRoutes,
};
