// The examples of `--demo` in a server that runs, for administrators.
import type { Module } from '../../kernel/http/module.ts';
import type { Api } from '../../kernel/http/protocol.ts';
import { demoMigrations } from '../migrations/demo.ts';
import { demoRoutes } from './routes.ts';

/** The APIs, whose modules have the examples, may not be there yet. */
export function demoModule(apis: () => readonly Api[]): Module {
  return {
    tag: { name: 'Demo', description: 'An example of everything, loaded and removed, for administrators' },
    routes: demoRoutes(apis),
    migrations: demoMigrations,
  };
}
