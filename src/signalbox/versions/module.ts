// Calls in different versions.
import type { Module } from '../../kernel/http/module.ts';
import type { Api } from '../../kernel/http/protocol.ts';
import { upgradeMarkRoutes } from './done-routes.ts';
import { versionedCallRoutes } from './routes.ts';

export function versionModule(apis: () => readonly Api[]): Module {
  return {
    tag: { name: 'API versions', description: 'Calls that differ between versions' },
    routes: [...versionedCallRoutes(apis), ...upgradeMarkRoutes],
  };
}
