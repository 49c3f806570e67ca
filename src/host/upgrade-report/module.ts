// The upgrade report: which calls a newer version would change.
import type { Api } from '../../kernel/http/protocol.ts';
import type { Module } from '../../kernel/http/module.ts';
import { upgradeReportRoutes } from './routes.ts';

export function upgradeReportModule(api: () => Api): Module {
  return {
    tag: { name: 'upgrade report', description: 'Which calls a newer version would change' },
    routes: upgradeReportRoutes(api),
  };
}
