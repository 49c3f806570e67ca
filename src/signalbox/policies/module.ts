// Policies: what they allow and why, and the actions that they can name.
import type { Module } from '../../kernel/http/module.ts';
import type { Api } from '../../kernel/http/protocol.ts';
import { policyRoutes } from './routes.ts';

/** The APIs, whose routes name the actions, may not be there yet. */
export function policyModule(apis: () => readonly Api[]): Module {
  return {
    tag: { name: 'Policies', description: 'What policies allow, and which statements decide' },
    routes: policyRoutes(apis),
  };
}
